"""The charts' share of wall time in training and in prediction, on the shipped questions.

    python benchmarks/share.py [--json]

One epoch of each objective and one pass of prediction over the `iid` split with the pretrained
encoder, after a first pass that compiles the charts. Shares, not times, are what to compare.
"""

from __future__ import annotations

import argparse
import json
import time

from partwise.domains.geography.domain import Geography
from partwise.encoders.base import make_encoder
from partwise.interface.registry import load
from partwise.span.config import OBJECTIVES, SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.inference import Stopwatch
from partwise.training.trainer import Trainer, TrainingConfig, seed_everything


def training_share(objective: str) -> tuple[float, float, SpanParser]:
    """The charts' share of an epoch, its seconds, and the parser trained by it."""
    seed_everything(0)
    data = load("geography", "iid")
    parser = SpanParser(
        Geography(), SpanParserConfig(objective=objective), make_encoder("minilm", [], 1)
    )
    items, _ = parser.training_items(data.train)
    parser.loss(items[:2])
    parser.clock = Stopwatch()
    report = Trainer(
        parser,
        items,
        lambda: {"none": 0.0},
        TrainingConfig(epochs=1),
        length=lambda item: item.question.n,
        vary=parser.variation(data.train),
    ).run()
    return report.facts["chart_share"], report.seconds, parser


def prediction_share(parser: SpanParser) -> float:
    """The charts' share of parsing all test questions, one best program each."""
    examples = load("geography", "iid").test
    parser.parse_examples(examples[:2])
    parser.clock = Stopwatch()
    begin = time.perf_counter()
    parser.parse_examples(examples)
    return parser.clock.seconds["chart"] / (time.perf_counter() - begin)


def main() -> None:
    """Print the shares."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    options.add_argument("--json", action="store_true", help="print JSON")
    as_json = options.parse_args().json
    rows = []
    for objective in OBJECTIVES:
        share, seconds, parser = training_share(objective)
        rows.append({"objective": objective, "training": share, "seconds_an_epoch": seconds})
        rows[-1]["prediction"] = prediction_share(parser)
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    print("objective   charts in training   charts in prediction")
    for row in rows:
        print(f"{row['objective']:<10}  {row['training']:>18.1%}   {row['prediction']:>20.1%}")


if __name__ == "__main__":
    main()
