"""What grounding, grouping, inputs and nodes do, each with all else equal, on MCWQ's MCD splits.

    python benchmarks/graph_ablation.py --data DIR     # trains what is missing; hours
    python benchmarks/graph_ablation.py --table        # what there is so far

Table 3 of Gai et al. (2021) takes grounding and grouping away from models that differ in more
than that. Here every cell has the same sizes, the same questions (drawn once from train), the same
steps and the last step's weights, and predicts the whole query; test is the official one. Each
cell is written as soon as it is done, seed 0 of all cells first, so that the run can be stopped
and given again at any time. One process, one thread, and nice.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import torch

from partwise.encoders.storage import read_json, write_json
from partwise.evaluation.metrics import evaluate
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.interface.registry import data_note, load
from partwise.interface.settings import from_dict
from partwise.language.query_graph import QueryGraph
from partwise.training.trainer import TrainingConfig
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.tables.ablation import Cell, ablation_tables, cells
from partwise_papers.tables.published_graph import SPLITS

OUT = Path(__file__).resolve().parent / "results" / "graph_ablation.json"
SAMPLE = "graph ablation"
"""Every cell of a split has the same questions, whatever its seed."""
SIZES: dict[str, Any] = {"composition": "flat", "dx": 32, "dh": 64, "layers": 1, "dropout": 0.0}
PLAIN: dict[str, Any] = {
    "phrases": False,
    "hidden": 0,
    "gates": False,
    "heads": 1,
    "lexical": False,
}
"""As in the paper: words are grouped, the output is linear, and one softmax grounds a pair."""
LOOP: dict[str, Any] = {"batch_size": 64, "head_rate": 5e-3}


class Ablation:
    """The run: its budget, and the file with the cells that are done.

    Raises:
        SystemExit: if the file is of another budget.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        tested = f"{options.test:,} questions" if options.test else "all questions"
        self.budget = (
            f"{options.train:,} questions of train, epochs {options.epochs}, "
            f"{_settings({**LOOP, **SIZES, **PLAIN})}; {tested} of test"
        )
        self.content: dict[str, Any] = {
            "budget": self.budget,
            "data": data_note("mcwq", options.data),
            "cells": [],
        }
        if options.out.exists():
            found = read_json(options.out)
            if found["budget"] != self.budget:
                raise SystemExit(
                    f"{options.out} is of another budget ({found['budget']}); give the same "
                    "options, or another file with --out"
                )
            self.content = found

    def run(self) -> None:
        """Train and test what is missing."""
        for seed in range(self.options.seeds):
            for split in self.options.splits:
                for cell in cells():
                    key = {"split": split, "seed": seed, **cell._asdict()}
                    if any(key.items() <= row.items() for row in self.content["cells"]):
                        continue
                    row = {**key, **self.trained(cell, split, seed)}
                    self.content["cells"].append(row)
                    write_json(self.options.out, self.content)
                    print(json.dumps(row), file=sys.stderr, flush=True)

    def trained(self, cell: Cell, split: str, seed: int) -> dict[str, Any]:
        """One cell's figures."""
        begin = time.perf_counter()
        train, test = questions(split, self.options)
        config = from_dict(GraphParserConfig, {**SIZES, **PLAIN, **cell.settings()})
        parser = GraphParser.create(WIKIDATA, config)
        settings = TrainingConfig(epochs=self.options.epochs, seed=seed, **LOOP)
        # No epoch is chosen: the last one's weights are kept.
        report = parser.fit(train, [], settings)
        half = time.perf_counter()
        metrics = evaluate(parser, test, run=False)
        return {
            "exact_match": metrics.exact_match,
            "edges_match": metrics.partial["edges"],
            "usable": report.usable,
            "test": len(test),
            "parameters": parser.parameter_count,
            "training_seconds": round(half - begin, 1),
            "seconds": round(time.perf_counter() - begin, 1),
            "commit": checkout_commit(),
        }


def questions(
    split: str, options: argparse.Namespace
) -> tuple[list[Example[QueryGraph]], list[Example[QueryGraph]]]:
    """What all cells of a split train on and are tested on."""
    train, test = _read(split, options.data)
    return _some(train, options.train), _some(test, options.test)


@cache
def _read(split: str, data: Path) -> tuple[list[Example[QueryGraph]], list[Example[QueryGraph]]]:
    dataset = load("mcwq", split, data)
    return dataset.train, dataset.test


def _some(examples: list[Example[QueryGraph]], count: int) -> list[Example[QueryGraph]]:
    """So many, always the same; all for 0."""
    if not count or count >= len(examples):
        return examples
    places = sorted(random.Random(SAMPLE).sample(range(len(examples)), count))
    return [examples[place] for place in places]


def _settings(values: dict[str, Any]) -> str:
    """All that is the same in every cell, so that files of other settings are told apart."""
    return ", ".join(f"{name} {value}" for name, value in values.items())


def main() -> None:
    """Train, or print the tables."""
    parser = argparse.ArgumentParser(description="Ablation of grounded graph decoding on MCWQ.")
    parser.add_argument("--table", action="store_true", help="print the tables of what is done")
    parser.add_argument("--data", type=Path, help="folder that holds mcwq/")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--splits", nargs="+", default=SPLITS, choices=SPLITS)
    for name, value, text in (
        ("--train", 6000, "questions of train"),
        ("--epochs", 8, "passes over them"),
        ("--test", 0, "questions of test; 0 for all"),
        ("--seeds", 3, "runs of each cell"),
    ):
        parser.add_argument(name, type=int, default=value, help=text)
    options = parser.parse_args()
    if options.table:
        for grid in ablation_tables(read_json(options.out)):
            print(grid.markdown())
        return
    if options.data is None:
        parser.error("--data is needed to train")
    if hasattr(os, "nice"):
        os.nice(10)
    torch.set_num_threads(1)
    Ablation(options).run()


if __name__ == "__main__":
    main()
