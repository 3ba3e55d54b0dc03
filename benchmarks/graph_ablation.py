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
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import torch

from partwise.encoders.storage import read_json, write_json
from partwise.evaluation.metrics import evaluate
from partwise.graph.config import INPUTS, GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.interface.registry import data_note, load
from partwise.interface.settings import from_dict
from partwise.language.query_graph import QueryGraph
from partwise.training.trainer import TrainingConfig
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.results.recorder import checkout_commit
from partwise_papers.tables.grid import NOTHING, Grid
from partwise_papers.tables.published import MCD
from partwise_papers.tables.results import spread

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
METRICS = {"exact_match": "exact match", "edges_match": "edges only"}
ALIKE = "either"
"""Nodes of a parser that does not group: each entity is its own position, so both are the same."""
NOTES = (
    "Grouping is the paper's, of single words. Without it, entities and groups of entities are the "
    "same nodes, and the cell was trained once.",
)
TABLE3_NOTE = (
    "The paper's figures are of CFQ, of models tuned on dev that were given the number of "
    "variables; ours are of MCWQ under a small fixed budget, nothing given. What to compare is "
    "the order of the rows, and the steps between them."
)


class Ablated(NamedTuple):
    """A row of the paper's Table 3: its name, the switches that it stands for, its figures.

    Attributes:
        inputs, grouping, grounding: as in `GraphParserConfig`.
        figures: edges only, in percent, on CFQ.
    """

    name: str
    inputs: str
    grouping: bool
    grounding: bool
    figures: tuple[float, float, float]


TABLE3 = (
    Ablated("Graph decoding only", "words", False, False, (59.1, 25.7, 20.4)),
    Ablated("Syntax-aware graph decoding", "words", True, False, (76.0, 29.0, 32.7)),
    Ablated("Grounded Graph Decoding", "words", True, True, (98.6, 67.9, 77.4)),
)
"""The paper's ablation on CFQ, tuned on dev. As its text describes the rows, the encoder reads
words, nodes are groups, and the three differ in nothing else."""


class Cell(NamedTuple):
    """What differs between cells.

    Attributes:
        inputs: what the encoder reads, as `GraphParserConfig.inputs`.
        nodes: ``group``, ``entity``, or `ALIKE`.
    """

    inputs: str
    grouping: bool
    grounding: bool
    nodes: str

    def settings(self) -> dict[str, Any]:
        """As a graph parser's settings."""
        return {
            "inputs": self.inputs,
            "grouping": self.grouping,
            "grounding": self.grounding,
            "group_nodes": self.nodes != "entity",
        }


def cells() -> tuple[Cell, ...]:
    """All cells of a split and seed, the paper's rows first."""
    every = [
        Cell(inputs, grouping, grounding, nodes)
        for inputs, grouping, grounding in product(INPUTS, (False, True), (False, True))
        for nodes in (("group", "entity") if grouping else (ALIKE,))
    ]
    return tuple(sorted(every, key=lambda cell: _row(cell) is None))


def ablation_tables(content: Mapping[str, Any]) -> list[Grid]:
    """Every cell over its seeds, then the paper's three rows beside the paper's figures.

    Args:
        content: of the file: ``budget``, ``data`` and ``cells``, each of the latter with the
            fields of `Cell`, ``split``, ``seed``, and `METRICS` as fractions.
    """
    figures = _Figures(content["cells"])
    notes = (f"Budget of each cell: {content['budget']}.", f"Data of mcwq: {content['data']}.")
    return [_every(figures, (*NOTES, *notes)), _beside(figures, (TABLE3_NOTE, *notes))]


class _Figures:
    """Figures by cell and split."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self.rows = rows

    def cell(self, cell: Cell, split: str, metric: str) -> str:
        """Mean over seeds in percent; a dash for none."""
        values = [
            float(row[metric])
            for row in self.rows
            if row["split"] == split and all(row[k] == v for k, v in cell._asdict().items())
        ]
        return spread(values) if values else NOTHING


def _every(figures: _Figures, notes: tuple[str, ...]) -> Grid:
    rows = []
    for cell in sorted(cells(), key=lambda cell: (INPUTS.index(cell.inputs), cell[1:])):
        row = _row(cell)
        values = (figures.cell(cell, split, m) for split in MCD for m in METRICS)
        switches = (cell.inputs, _yes(cell.grouping), _yes(cell.grounding), cell.nodes)
        rows.append((*switches, *values, "" if row is None else row.name))
    head = [f"{split.upper()} {name}" for split in MCD for name in METRICS.values()]
    title = "Ablation on MCWQ: test, mean over seeds in percent ± 95 % confidence (seeds)"
    first = ("inputs", "grouping", "grounding", "nodes")
    return Grid(title, (*first, *head, "row of the paper"), tuple(rows), notes)


def _beside(figures: _Figures, notes: tuple[str, ...]) -> Grid:
    rows = [
        (
            row.name,
            *(figures.cell(cell, split, "edges_match") for split in MCD),
            *(f"{value:.1f}" for value in row.figures),
        )
        for cell, row in _paper()
    ]
    sides = (f"{split.upper()}, {side}" for side in ("ours", "paper") for split in MCD)
    title = "The paper's ablation: edges only, percent"
    return Grid(title, ("row of the paper", *sides), tuple(rows), notes)


def _paper() -> Iterator[tuple[Cell, Ablated]]:
    for row in TABLE3:
        nodes = "group" if row.grouping else ALIKE
        yield Cell(row.inputs, row.grouping, row.grounding, nodes), row


def _row(cell: Cell) -> Ablated | None:
    return dict(_paper()).get(cell)


def _yes(switch: bool) -> str:
    return "yes" if switch else "no"


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
    parser.add_argument("--splits", nargs="+", default=MCD, choices=MCD)
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
