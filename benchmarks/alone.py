"""What `partwise learn` gets from the pairs of a known data set, of which it is told nothing.

    python benchmarks/alone.py geoquery --split length [--seeds 0 1 2 3 4]

The training questions and their programs are written to a file as the data set has them. Types,
names and words are inferred from it, and the parser is trained on it; dev only fits its
probabilities. The test questions are read once. What is predicted is compared as a text of the
data set's own domain: exact match, and the denotation where programs run. Rows are kept in
benchmarks/results/alone.json; what is there already is not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from partwise.authoring.new import class_name
from partwise.cli.app import main as partwise
from partwise.cli.sources import find_domain
from partwise.encoders.storage import write_json
from partwise.errors import PartwiseError
from partwise.evaluation.metrics import score, without_failing
from partwise.interface.data import Example
from partwise.interface.registry import dataset_info, load, named_domain
from partwise.language.domain import Domain
from partwise.training.store import load_parser
from partwise_papers.results.recorder import checkout_commit

NAME = "learned_alone"
OUT = Path(__file__).resolve().parent / "results" / "alone.json"


def main() -> None:
    """Run what is missing, and write each outcome down as it comes."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("dataset")
    options.add_argument("--split", default="iid")
    options.add_argument("--seeds", type=int, nargs="+", default=[0])
    options.add_argument("--encoder", default="minilm")
    options.add_argument("--epochs", type=int)
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    rows: list[dict[str, Any]] = []
    if given.out.exists():
        rows = json.loads(given.out.read_text(encoding="utf-8"))["rows"]
    what = {"dataset": given.dataset, "split": given.split, "encoder": given.encoder}
    for seed in given.seeds:
        row = {**what, "seed": seed}
        if not any(row.items() <= one.items() for one in rows):
            rows.append({**row, **measured(row, given.epochs)})
            print(rows[-1], flush=True)
            write_json(given.out, {"rows": rows})


def measured(row: dict[str, Any], epochs: int | None) -> dict[str, Any]:
    """One training on the pairs of a split, and what it understands of the test questions."""
    source = load(row["dataset"], row["split"])
    domain = named_domain(dataset_info(row["dataset"], row["split"]).domain)
    data = without_failing(source, domain)
    begun, before = time.perf_counter(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        try:
            for name, part in (("train.jsonl", data.train), ("dev.jsonl", data.dev)):
                Path(name).write_text(_lines(domain, part), encoding="utf-8")
            command = ["learn", "train.jsonl", "--test", "dev.jsonl", "--out", NAME, "--threads"]
            command += ["1", "--encoder", row["encoder"], "--seed", str(row["seed"])]
            if partwise(command + ([] if epochs is None else ["--epochs", str(epochs)])):
                raise SystemExit("partwise learn failed")
            parser = load_parser(Path(NAME), find_domain(f"{NAME}.domain:{class_name(NAME)}"))
            said = parser.parse_examples(data.test)
            texts = [
                None if one.meaning is None else parser.domain.write(one.meaning) for one in said
            ]
        finally:
            os.chdir(before)
            sys.path.remove(folder)
            for module in [one for one in sys.modules if one.split(".")[0] == NAME]:
                del sys.modules[module]
    scores = score(domain, data.test, [_read(domain, text) for text in texts])
    return {
        "train": len(data.train),
        "test": scores.n,
        "denotation": scores.denotation,
        "exact_match": scores.exact_match,
        "no_parse": scores.no_parse,
        "groups": scores.groups("exact_match"),
        "seconds": round(time.perf_counter() - begun, 1),
        "commit": checkout_commit(),
    }


def _lines(domain: Domain[Any], examples: Sequence[Example[Any]]) -> str:
    pairs = ({"question": e.question, "program": domain.write(e.meaning)} for e in examples)
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in pairs)


def _read(domain: Domain[Any], text: str | None) -> Any:
    """The program in terms of the data set's domain; None where it has none."""
    try:
        return None if text is None else domain.read(text)
    except PartwiseError:
        return None


if __name__ == "__main__":
    main()
