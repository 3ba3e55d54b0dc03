"""What tables of results are made of: rows in order, cells, and the notes below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from partwise.interface.registry import DATASETS
from partwise_papers.results.interval import mean_ci95
from partwise_papers.results.result import GROUP, Result
from partwise_papers.tables.grid import NOTHING, Grid

DATASET_ORDER = (
    *("geography", "geoquery", "scan", "scan_sp", "scenes", "clevr", "mcwq", "cfq", "films"),
)
"""The order of the tables; other data sets follow by name."""

Column = Callable[[Result], str]


def setup_field(name: str) -> Column:
    """A column with a field of each result's setup."""
    return lambda result: str(getattr(result.setup, name))


def metric(name: str) -> Column:
    """A column with a metric of each result."""
    return lambda result: cell(result, name)


def result_grid(
    title: str,
    columns: Mapping[str, Column],
    results: Sequence[Result],
    notes: Sequence[str] = (),
) -> Grid:
    """A table with a row for each result.

    Args:
        columns: head -> what stands below it.
    """
    rows = (tuple(column(result) for column in columns.values()) for result in results)
    return Grid(title, tuple(columns), tuple(rows), tuple(notes))


def cell(result: Result | None, metric: str) -> str:
    """``86.6 ± 2.6 (5)``: percent, half of the 95 % interval, number of seeds."""
    if result is None or not result.seeds(metric):
        return NOTHING
    return spread(result.values(metric))


def spread(fractions: Sequence[float]) -> str:
    """Values of several seeds as `cell` shows them.

    Raises:
        ValueError: for none.
    """
    mean, half = mean_ci95(fractions)
    shown = "" if half is None else f" ± {100 * half:.1f}"
    return f"{100 * mean:.1f}{shown} ({len(fractions)})"


def by_dataset(results: Sequence[Result]) -> dict[str, list[Result]]:
    """The results of each data set, `DATASET_ORDER` first, by split."""
    names = {result.setup.dataset for result in results}
    order = [name for name in DATASET_ORDER if name in names]
    order += sorted(names - set(order))
    return {name: in_order(name, [r for r in results if r.setup.dataset == name]) for name in order}


def in_order(dataset: str, results: Sequence[Result]) -> list[Result]:
    """Results of a data set in the usual order of its splits."""
    splits = list(DATASETS[dataset].splits) if dataset in DATASETS else []
    splits += sorted({result.setup.split for result in results} - set(splits))
    return sorted(results, key=lambda result: splits.index(result.setup.split))


def kinds(result: Result) -> list[str]:
    """The kinds of question that a result tells apart."""
    return [name.removeprefix(GROUP) for name in result.metrics if name.startswith(GROUP)]


def data_notes(results: Sequence[Result]) -> tuple[str, ...]:
    """What is to know of the data that the results are on."""
    noted = {f"Data of {r.setup.dataset}: {r.setup.data}." for r in results if r.setup.data}
    return tuple(sorted(noted))


def protocols(results: Sequence[Result]) -> tuple[str, ...]:
    """How each variant was chosen and trained, a line for each way."""
    by_protocol: dict[str, dict[str, None]] = {}
    for result in results:
        by_protocol.setdefault(result.setup.protocol, {})[result.setup.variant] = None
    return tuple(f"{', '.join(names)}: {protocol}." for protocol, names in by_protocol.items())
