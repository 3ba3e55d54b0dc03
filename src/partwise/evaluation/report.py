"""Tables from result files: a row for each system, a column for each split."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from partwise.datasets.registry import DATASETS
from partwise.evaluation.result import Result
from partwise.evaluation.results import load_results

NOTHING = "–"
SHOWN = {"denotation": "denotation", "exact_match": "exact match"}

Row = tuple[str, str, str, str]
"""System, variant, encoder, protocol."""


@dataclass(frozen=True)
class Grid:
    """A table: a title, a head and rows of text, all as long as the head."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.head, ("---",) * len(self.head), *self.rows]
        body = "\n".join("| " + " | ".join(map(_escaped, line)) + " |" for line in lines)
        return f"### {self.title}\n\n{body}\n"

    def rich(self) -> Table:
        """The table for a terminal."""
        table = Table(title=self.title, title_justify="left")
        for name in self.head:
            table.add_column(name, overflow="fold")
        for row in self.rows:
            table.add_row(*map(Text, row))
        return table


def report(folder: str | Path, json: bool = False) -> str:
    """All results of a folder as Markdown tables, or with `json` as a JSON list.

    Raises:
        DataError: as `load_results`.
    """
    results = load_results(folder)
    if json:
        return jsonlib.dumps(to_json(results), indent=2, ensure_ascii=False)
    return "\n".join(grid.markdown() for grid in grids(results))


def rich_report(folder: str | Path) -> Group:
    """The same tables for a terminal.

    Raises:
        DataError: as `load_results`.
    """
    return Group(*(grid.rich() for grid in grids(load_results(folder))))


def to_json(results: Sequence[Result]) -> list[dict[str, Any]]:
    """The content of the result files, one after the other."""
    return [result.to_json() for result in results]


def grids(results: Sequence[Result]) -> list[Grid]:
    """For each data set a table of means, then one of every seed's figures."""
    names = dict.fromkeys(result.setup.dataset for result in results)
    chosen = {name: [r for r in results if r.setup.dataset == name] for name in names}
    return [make(name, chosen[name]) for name in names for make in (means, seeds)]


def means(dataset: str, results: Sequence[Result]) -> Grid:
    """Mean ± half of the 95 % interval, and the number of seeds, in percent."""
    splits = _splits(dataset, results)
    by_row: dict[Row, dict[str, Result]] = {}
    for result in results:
        by_row.setdefault(_row(result), {})[result.setup.split] = result
    head = tuple(f"{split} {name}" for split in splits for name in SHOWN.values())
    rows = [
        (*row, *(_cell(found.get(split), metric) for split in splits for metric in SHOWN))
        for row, found in by_row.items()
    ]
    title = f"{dataset}: mean over seeds in percent ± 95 % confidence (seeds)"
    return Grid(title, ("system", "variant", "encoder", "protocol", *head), tuple(rows))


def seeds(dataset: str, results: Sequence[Result]) -> Grid:
    """A row for each seed of each result, in percent."""
    splits = _splits(dataset, results)
    ordered = sorted(results, key=lambda result: splits.index(result.setup.split))
    rows = [
        (
            *(*_row(result), result.setup.split, str(seed)),
            *(f"{100 * run.metrics[metric]:.1f}" for metric in SHOWN),
            *(str(result.setup.train_size), str(result.setup.test_size)),
            *(f"{run.seconds:.0f}", run.device),
        )
        for result in ordered
        for seed, run in sorted(result.runs.items())
    ]
    head = ("system", "variant", "encoder", "protocol", "split", "seed", *SHOWN.values())
    more = ("train", "test", "seconds", "device")
    return Grid(f"{dataset}: every seed, in percent", (*head, *more), tuple(rows))


def _cell(result: Result | None, metric: str) -> str:
    if result is None:
        return NOTHING
    mean, half = result.mean_ci95(metric)
    spread = "" if half is None else f" ± {100 * half:.1f}"
    return f"{100 * mean:.1f}{spread} ({len(result.runs)})"


def _row(result: Result) -> Row:
    setup = result.setup
    return setup.system, setup.variant, setup.encoder, setup.protocol


def _splits(dataset: str, results: Sequence[Result]) -> list[str]:
    """The splits that occur, known ones in their usual order."""
    found = {result.setup.split for result in results}
    known = DATASETS[dataset].splits if dataset in DATASETS else ()
    return [*(s for s in known if s in found), *sorted(found - set(known))]


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
