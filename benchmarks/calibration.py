"""How far the probabilities of saved span parsers can be trusted, on test questions.

    python benchmarks/calibration.py MODEL DATASET SPLIT [--data DIR] [--out FILE]

MODEL is a folder of a run, or the name of a parser that comes with the package. The temperature is
the one that training fitted on dev. The row of the same parser's encoder, data set and split is
replaced.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import torch

from partwise import SpanParser
from partwise.encoders.storage import read_json, write_json
from partwise.evaluation.confidence import measure_confidence
from partwise.interface.registry import dataset_info, load, named_domain
from partwise.training.store import CONFIG, find_pretrained
from partwise_papers.results.recorder import checkout_commit

OUT = Path(__file__).resolve().parent / "results" / "calibration.json"


def main() -> None:
    """Measure one parser and write the row down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model")
    options.add_argument("dataset")
    options.add_argument("split")
    options.add_argument("--data", type=Path)
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    torch.set_num_threads(1)
    folder = find_pretrained(given.model)
    language = named_domain(dataset_info(given.dataset).domain)
    parser = SpanParser.from_pretrained(folder, language)
    training = read_json(folder / CONFIG)["training"]
    data = load(given.dataset, given.split, given.data)
    key = {
        "system": "span parser",
        "dataset": given.dataset,
        "split": given.split,
        "trained_on": str(training.get("split", "")),
        "encoder": parser.encoder.name,
        "seed": training.get("settings", {}).get("seed"),
    }
    made = {"command": training.get("command"), "commit": checkout_commit()}
    row = key | vars(measure_confidence(parser, data.test)) | made
    rows = read_json(given.out)["rows"] if given.out.exists() else []
    rows = [one for one in rows if any(one[name] != key[name] for name in key)]
    write_json(given.out, {"rows": sorted([*rows, row], key=_order)})
    print(row)


def _order(row: dict[str, Any]) -> list[str]:
    return [str(row[name]) for name in ("dataset", "split", "encoder", "seed")]


if __name__ == "__main__":
    main()
