"""Tables from result files: for each data set its means, its seeds, and its kinds of question."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Group

from partwise.evaluation.result import GROUP, OPTIONAL, Result
from partwise.evaluation.results import load_results
from partwise.interface.registry import DATASETS
from partwise_papers.tables.grid import NOTHING, Grid, cell

SHOWN = ("denotation", "exact_match", *OPTIONAL)
NAMES = {
    "denotation": "denotation",
    "exact_match": "exact match",
    "edges_match": "edges match",
    "tree_f1": "tree F1",
    "tree_f1_equivalent": "tree F1, equivalent",
    "dev_denotation": "dev denotation",
    "dev_exact_match": "dev exact match",
    "dev_edges_match": "dev edges match",
    "chart_share": "time in charts",
}
OF_SEEDS = ("denotation", "exact_match", "edges_match", "tree_f1", "dev_denotation")
"""What the table of seeds shows; the result files have all."""
SYSTEM = ("system", "variant", "encoder")
DATASETS_FIRST = (
    *("geography", "geoquery", "scan", "scan_sp", "scenes", "clevr", "mcwq", "cfq", "films"),
)
"""The order of the tables; other data sets follow by name."""


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
    """For each data set a table of means, one of every seed, and one by kinds of question."""
    return [
        grid
        for name, chosen in by_dataset(results).items()
        for grid in (means(name, chosen), seeds(name, chosen), groups(name, chosen))
        if grid is not None
    ]


def by_dataset(results: Sequence[Result]) -> dict[str, list[Result]]:
    """The results of each data set, `DATASETS_FIRST` first, by split."""
    names = {result.setup.dataset for result in results}
    order = [name for name in DATASETS_FIRST if name in names]
    order += sorted(names - set(order))
    return {name: in_order(name, [r for r in results if r.setup.dataset == name]) for name in order}


def in_order(dataset: str, results: Sequence[Result]) -> list[Result]:
    """Results of a data set in the usual order of its splits."""
    splits = list(DATASETS[dataset].splits) if dataset in DATASETS else []
    splits += sorted({result.setup.split for result in results} - set(splits))
    return sorted(results, key=lambda result: splits.index(result.setup.split))


def means(dataset: str, results: Sequence[Result]) -> Grid:
    """A row for each result: mean ± half of the 95 % interval in percent, number of seeds."""
    rows = [
        (
            result.setup.split,
            *_row(result),
            *(cell(result, metric) for metric in SHOWN),
            str(result.setup.train_size),
        )
        for result in results
    ]
    head = ("split", *SYSTEM, *(NAMES[metric] for metric in SHOWN), "train")
    title = f"{dataset}: mean over seeds in percent ± 95 % confidence (seeds)"
    return _readable(Grid(title, head, tuple(rows), (*protocols(results), *data_notes(results))))


def seeds(dataset: str, results: Sequence[Result]) -> Grid:
    """A row for each seed of each result, in percent."""
    rows = [
        (
            *(result.setup.split, *_row(result), str(seed)),
            *(_percent(run.metrics.get(metric)) for metric in OF_SEEDS),
            *(str(result.setup.train_size), str(result.setup.test_size)),
            *(f"{run.seconds:.0f}", run.device),
        )
        for result in results
        for seed, run in sorted(result.runs.items())
    ]
    head = ("split", *SYSTEM, "seed", *(NAMES[metric] for metric in OF_SEEDS))
    more = ("train", "test", "seconds", "device")
    return _readable(Grid(f"{dataset}: every seed, in percent", (*head, *more), tuple(rows)))


def groups(dataset: str, results: Sequence[Result]) -> Grid | None:
    """Denotation accuracy by kind of question, a column for each result; None without any."""
    chosen = [result for result in results if kinds(result)]
    names = sorted({name for result in chosen for name in kinds(result)})
    if not names:
        return None
    head = ("kind", *(f"{r.setup.split} {r.setup.variant}" for r in chosen))
    rows = [(name, *(cell(result, GROUP + name) for result in chosen)) for name in names]
    title = f"{dataset}: denotation accuracy by kind of question, in percent (seeds)"
    return Grid(title, head, tuple(rows), data_notes(chosen))


def kinds(result: Result) -> list[str]:
    """The kinds of question that a result tells apart."""
    return [name.removeprefix(GROUP) for name in result.metrics if name.startswith(GROUP)]


def data_notes(results: Sequence[Result]) -> tuple[str, ...]:
    """What is to know of the data that the results are on."""
    noted = {f"Data of {r.setup.dataset}: {r.setup.data}." for r in results if r.setup.data}
    return tuple(sorted(noted))


def protocols(results: Sequence[Result]) -> tuple[str, ...]:
    """How each variant was chosen and trained, a line for each way."""
    found: dict[str, dict[str, None]] = {}
    for result in results:
        found.setdefault(result.setup.protocol, {})[result.setup.variant] = None
    return tuple(f"{', '.join(names)}: {protocol}." for protocol, names in found.items())


def _readable(grid: Grid) -> Grid:
    return grid.without_empty().without_constant((*SYSTEM, "device"))


def _percent(fraction: float | None) -> str:
    return NOTHING if fraction is None else f"{100 * fraction:.1f}"


def _row(result: Result) -> tuple[str, str, str]:
    return result.setup.system, result.setup.variant, result.setup.encoder
