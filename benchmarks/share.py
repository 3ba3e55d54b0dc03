"""The charts' share of wall time in training, and what batches cost beside their encoder.

    python benchmarks/share.py [--database FOLDER FILE]

One epoch of each objective over the `iid` split with the pretrained encoder, after a first pass
that compiles the charts. Then saved parsers parse all questions of the split as one batch, with
compiled charts and with those on arrays, by turns with their encoder alone, which computes the same
arrays in one thread and in two. The parser for databases parses the questions of FILE (JSON Lines)
about the database in FOLDER. Shares, not times, are what to compare.
Writes benchmarks/results/share.json.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

from partwise.chart import recurrence
from partwise.database.folder import open_domain
from partwise.domains.geography.domain import Geography
from partwise.encoders.base import make_encoder
from partwise.encoders.functions import Array, Functions
from partwise.encoders.storage import write_json
from partwise.interface.registry import load
from partwise.span.config import OBJECTIVES, SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.inference import Stopwatch
from partwise.training.store import load_parser
from partwise.training.trainer import Trainer, TrainingConfig, seed_everything
from partwise_papers.results.recorder import checkout_commit

OUT = Path(__file__).resolve().parent / "results" / "share.json"


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


class Recorded:
    """Functions that keep what the encoder was asked."""

    def __init__(self, functions: Functions) -> None:
        self.functions, self.asked = functions, list[dict[str, Array]]()

    def __call__(self, name: str, **arrays: Array) -> tuple[Array, ...]:
        self.asked += [arrays] * (name == "encoder")
        return self.functions(name, **arrays)


def seconds(do: Callable[[], object]) -> float:
    """Of the wall clock."""
    begin = time.perf_counter()
    do()
    return time.perf_counter() - begin


def batch(name: str, parser: Any, questions: Sequence[str], rounds: int = 3) -> dict[str, Any]:
    """Questions a second of a parser and of its encoder alone, medians of rounds by turns."""
    parser.functions.optimize()
    functions = parser.functions
    parser.functions = recorded = Recorded(functions)
    parser.parse(questions)
    parser.functions = functions

    def alone(threads: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda arrays: functions("encoder", **arrays), recorded.asked))

    ways = [partial(parser.parse, questions), partial(alone, 1), partial(alone, 2)]
    taken = [[seconds(way) for way in ways] for _ in range(rounds)]
    rates = [len(questions) / median(some) for some in zip(*taken, strict=True)]
    return {
        "parser": name,
        "questions": len(questions),
        **dict(zip(("whole", "encoder", "encoder_two"), rates, strict=True)),
        "to_encoder": median(one / whole for whole, one, _ in taken),
        "to_encoder_two": median(two / whole for whole, _, two in taken),
        "load": round(os.getloadavg()[0], 1),
    }


def batches(trained: SpanParser, database: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Of the shipped parser, of one with the pretrained encoder, and of that for databases."""
    data = load("geography", "iid")
    asked = [example.question for part in (data.train, data.dev, data.test) for example in part]
    with tempfile.TemporaryDirectory() as place:
        trained.eval().save_pretrained(place)
        for name, folder in (("geography", "geography"), ("minilm", place)):
            yield {**batch(name, load_parser(folder), asked), "charts": "compiled"}
            # Without compiled charts, those on arrays are taken.
            with (
                patch("partwise.chart.charts", lambda _=1: recurrence),
                patch("partwise.span.inference.charts", lambda _=1: recurrence),
            ):
                yield {**batch(name, load_parser(folder), asked), "charts": "recurrence"}
    if database:
        folder, file = database
        lines = file.read_text(encoding="utf-8").splitlines()
        asked = [json.loads(line)["question"] for line in lines]
        parser = load_parser("database", open_domain(folder))
        yield {**batch("database", parser, asked, rounds=2), "charts": "phrases"}


def main() -> None:
    """Measure and write."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--database", type=Path, nargs=2, default=())
    given = options.parse_args()
    rows = []
    for objective in OBJECTIVES:
        share, taken, parser = training_share(objective)
        rows.append({"objective": objective, "training": share, "seconds_an_epoch": taken})
    content = {"objectives": rows, "batches": list(batches(parser, given.database))}
    write_json(OUT, {"commit": checkout_commit(), "processors": os.cpu_count(), **content})


if __name__ == "__main__":
    main()
