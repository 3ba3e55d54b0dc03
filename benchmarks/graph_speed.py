"""Size and speed of graph parsers on MCWQ: parameters, training, prediction, and how it grows.

    python benchmarks/graph_speed.py --data DIR [--train 4000] [--test 1000]

For each reading (`flat`, `latent`, usual settings, one thread) a parser is trained for one epoch
on questions of train, timed, and parses questions of test. Then it parses questions that are
lengthened by coordination, one at a time: a list of entities ("Did M0 direct M1 , M2 , and M3")
and a list of clauses ("Did M0 direct M1 , edit M2 , and write M3"). Compare ratios within a run.
"""

from __future__ import annotations

import argparse
import platform
import random
import statistics
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from partwise.encoders.storage import write_json
from partwise.graph.config import PRESETS, GraphParserConfig
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.parser import GraphParser
from partwise.graph.vocabulary import GraphLabels
from partwise.interface.data import Example
from partwise.interface.registry import data_note, load
from partwise.language.query_graph import QueryGraph
from partwise.training.trainer import settings_for
from partwise_papers.domains.wikidata.domain import WIKIDATA

OUT = Path(__file__).resolve().parent / "results" / "graph_speed.json"
SPLIT = "mcd1"
VERBS = ("direct", "edit", "write", "produce", "executive produce", "distribute")
COUNTS = (1, 2, 4, 8, 16, 24)
"""How many entities or clauses are coordinated."""
PAPER = {"tags": 30, "words": 107, "labels": 37}
"""Sizes of the vocabularies of the paper's published code on CFQ."""
BATCH = 256


def entities(count: int) -> str:
    """A question about so many entities in one list."""
    return f"Did M0 direct {listed([f'M{number}' for number in range(1, count + 1)])}"


def clauses(count: int) -> str:
    """A question of so many verbs, each with an entity of its own."""
    verbs = islice(cycle(VERBS), count)
    return f"Did M0 {listed([f'{verb} M{number}' for number, verb in enumerate(verbs, start=1)])}"


def listed(items: list[str]) -> str:
    """Coordinated as the data sets write it."""
    if len(items) < 3:
        return " and ".join(items)
    return f"{' , '.join(items[:-1])} , and {items[-1]}"


FAMILIES: dict[str, Callable[[int], str]] = {"entities": entities, "clauses": clauses}


def paper_parameters() -> int:
    """Parameters of a decoder of the paper's sizes, without types, genders and nationalities."""
    labels = GraphLabels(tuple(map(str, range(PAPER["labels"]))), ())
    config = GraphParserConfig(hidden=0, lexical=False)
    network = GroundedDecoder(PAPER["tags"], PAPER["words"], labels, config)
    return sum(p.numel() for name, p in network.named_parameters() if name != "own")


def measured(
    composition: str,
    train: list[Example[QueryGraph]],
    test: list[Example[QueryGraph]],
    repetitions: int,
) -> dict[str, Any]:
    """Everything of one reading."""
    given = {"composition": composition, "epochs": 1}
    config, settings = settings_for(GraphParser, WIKIDATA, len(train), given)
    parser = GraphParser.create(WIKIDATA, config)
    begin = time.perf_counter()
    report = parser.fit(train, [], settings)
    trained = time.perf_counter()
    for start in range(0, len(test), BATCH):
        parser.parse_linked([example.question for example in test[start : start + BATCH]])
    done = time.perf_counter()
    return {
        "reading": composition,
        "parameters": parser.parameter_count,
        "members": config.members,
        "epochs": PRESETS[composition]["epochs"],
        "items": len(parser.training_items(train)[0]),
        "preparing_per_second": len(train) / (trained - begin - report.seconds),
        "training_per_second": len(train) / report.seconds,
        "prediction_per_second": len(test) / (done - trained),
        "growth": [growth(parser, name, repetitions) for name in FAMILIES],
    }


def growth(parser: GraphParser, family: str, repetitions: int) -> dict[str, Any]:
    """Median seconds of one question, by how many things it coordinates."""
    rows = []
    for count in COUNTS:
        question = FAMILIES[family](count)
        (parse,) = parser.parse_linked([question])
        times = []
        for _ in range(repetitions):
            begin = time.perf_counter()
            parser.parse_linked([question])
            times.append(time.perf_counter() - begin)
        rows.append(
            {
                "coordinated": count,
                "words": len(parse.words),
                "seconds": statistics.median(times),
                "reason": parse.reason,
            }
        )
    for row in rows:
        row["ratio"] = row["seconds"] / rows[0]["seconds"]
    points = [(row["words"], row["seconds"]) for row in rows if row["coordinated"] >= 4]
    lengths, times = np.log(np.array(points, float)).T
    return {"family": family, "rows": rows, "exponent": float(np.polyfit(lengths, times, 1)[0])}


def some(examples: list[Example[QueryGraph]], count: int) -> list[Example[QueryGraph]]:
    """So many at random, always the same."""
    return random.Random("graph speed").sample(examples, min(count, len(examples)))


def main() -> None:
    """Measure and write the file."""
    options = argparse.ArgumentParser(description="Size and speed of graph parsers on MCWQ.")
    options.add_argument("--data", type=Path, required=True, help="folder that holds mcwq/")
    options.add_argument("--train", type=int, default=4000, help="questions of train")
    options.add_argument("--test", type=int, default=1000, help="questions of test")
    options.add_argument("--repetitions", type=int, default=15, help="parses of each long question")
    options.add_argument("--out", type=Path, default=OUT)
    given = options.parse_args()
    torch.set_num_threads(1)
    dataset = load("mcwq", SPLIT, given.data)
    train, test = some(dataset.train, given.train), some(dataset.test, given.test)
    content = {
        "about": f"{platform.machine()}, {platform.system()}, Python {platform.python_version()}, "
        f"torch {torch.__version__}, 1 thread; {len(train):,} questions of train and {len(test):,} "
        f"of test of MCWQ's {SPLIT}, one epoch",
        "data": data_note("mcwq", given.data),
        "paper_parameters": paper_parameters(),
        "readings": [measured(name, train, test, given.repetitions) for name in PRESETS],
    }
    write_json(given.out, content)


if __name__ == "__main__":
    main()
