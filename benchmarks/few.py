"""How much a span parser understands after few pairs: geography, with and without its lexicon.

    python benchmarks/few.py [--encoder distilled] [--sizes 15 30 60 120 240] [--seeds 0 1 2]

Of geography's iid split so many training pairs are drawn, others for each seed, trained on with
the settings that `partwise train` takes for few pairs, and the last weights tested on the test
questions, once each. `names`: of the lexicon, only the names of places are seen; `induced`: the
same, and phrases are learned from the pairs. What is there already is kept; the others are run.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from partwise import SpanParserConfig, TrainingConfig
from partwise.domains.geography.domain import Geography
from partwise.encoders.storage import write_json
from partwise.interface.data import Dataset
from partwise.interface.registry import load
from partwise.span.config import presets_for_few
from partwise.training.session import train
from partwise_papers.results.recorder import checkout_commit

OUT = Path(__file__).resolve().parent / "results" / "few.json"
LEXICONS = ("full", "names", "induced")


def main() -> None:
    """Run what is missing, and write each outcome down as it comes."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--encoder", default="distilled")
    options.add_argument("--sizes", type=int, nargs="+", default=[15, 30, 60, 120, 240])
    options.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    options.add_argument("--lexicons", nargs="+", choices=LEXICONS, default=LEXICONS)
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    torch.set_num_threads(1)
    rows: list[dict[str, Any]] = []
    if given.out.exists():
        rows = json.loads(given.out.read_text(encoding="utf-8"))["rows"]
    done = {(r["encoder"], r["pairs"], r["lexicon"], r["seed"]) for r in rows}
    for size in given.sizes:
        for lexicon in given.lexicons:
            for seed in given.seeds:
                if (given.encoder, size, lexicon, seed) not in done:
                    rows.append(measured(given.encoder, size, lexicon, seed))
                    print(rows[-1], flush=True)
                    write_json(given.out, {"rows": rows})


def measured(encoder: str, size: int, lexicon: str, seed: int) -> dict[str, Any]:
    """One training on `size` pairs, and what it understands of the test questions."""
    whole = load("geography", "iid")
    pairs = random.Random(seed).sample(whole.train, size)
    data = Dataset("geography", "iid", train=pairs, dev=pairs, test=whole.test)
    loop = presets_for_few(size, SpanParserConfig.objective)
    config = SpanParserConfig(
        encoder=encoder,
        lexicon="full" if lexicon == "full" else "names",
        induced_lexicon=lexicon == "induced",
        recombination=loop.pop("recombination", 0.0),
    )
    settings = TrainingConfig(seed=seed, keep="last", **loop)
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        session = train(
            "span",
            Geography(),
            data,
            config,
            settings,
            folder=Path(folder),
            progress=False,
            test=True,
        )
    assert session.test is not None
    return {
        "encoder": encoder,
        "pairs": size,
        "lexicon": lexicon,
        "seed": seed,
        "denotation": session.test.denotation,
        "exact_match": session.test.exact_match,
        "test": session.test.n,
        "seconds": round(time.perf_counter() - begun, 1),
        "commit": checkout_commit(),
    }


if __name__ == "__main__":
    main()
