"""The controlled ablation of grounded graph decoding: its cells, and their tables.

Every cell is the same parser under the same budget; grounding, grouping, inputs and nodes are all
that differs. `benchmarks/graph_ablation.py` trains the cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from partwise.graph.config import INPUTS
from partwise_papers.tables.columns import spread
from partwise_papers.tables.grid import NOTHING, Grid
from partwise_papers.tables.published_graph import SPLITS, TABLE3, Ablated

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
        content: of the benchmark's file: ``budget``, ``data`` and ``cells``, each of the latter
            with the fields of `Cell`, ``split``, ``seed``, and `METRICS` as fractions.
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
        values = (figures.cell(cell, split, m) for split in SPLITS for m in METRICS)
        switches = (cell.inputs, _yes(cell.grouping), _yes(cell.grounding), cell.nodes)
        rows.append((*switches, *values, "" if row is None else row.name))
    head = [f"{split.upper()} {name}" for split in SPLITS for name in METRICS.values()]
    title = "Ablation on MCWQ: test, mean over seeds in percent ± 95 % confidence (seeds)"
    first = ("inputs", "grouping", "grounding", "nodes")
    return Grid(title, (*first, *head, "row of the paper"), tuple(rows), notes)


def _beside(figures: _Figures, notes: tuple[str, ...]) -> Grid:
    rows = [
        (
            row.name,
            *(figures.cell(cell, split, "edges_match") for split in SPLITS),
            *(f"{value:.1f}" for value in row.figures),
        )
        for cell, row in _paper()
    ]
    sides = (f"{split.upper()}, {side}" for side in ("ours", "paper") for split in SPLITS)
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
