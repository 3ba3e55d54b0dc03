"""Tables from result files: for each data set its means, its seeds, and its kinds of question."""

from __future__ import annotations

from collections.abc import Sequence

from partwise_papers.results.result import GROUP, OPTIONAL, Result
from partwise_papers.tables.columns import (
    by_dataset,
    cell,
    data_notes,
    kinds,
    metric,
    protocols,
    result_grid,
    setup_field,
)
from partwise_papers.tables.grid import Grid, Report, percent

SHOWN = ("denotation", "exact_match", "edges_match", *OPTIONAL)
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


def report(results: Sequence[Result]) -> Report:
    """All results: the tables, and as JSON the content of the result files."""
    return Report(grids(results), [result.to_json() for result in results])


def grids(results: Sequence[Result]) -> list[Grid]:
    """For each data set a table of means, one of every seed, and one by kinds of question."""
    return [
        grid
        for name, chosen in by_dataset(results).items()
        for grid in (means(name, chosen), seeds(name, chosen), groups(name, chosen))
        if grid is not None
    ]


def means(dataset: str, results: Sequence[Result]) -> Grid:
    """A row for each result: mean ± half of the 95 % interval in percent, number of seeds."""
    columns = {
        **{name: setup_field(name) for name in ("split", *SYSTEM)},
        **{NAMES[name]: metric(name) for name in SHOWN},
        "train": setup_field("train_size"),
    }
    title = f"{dataset}: mean over seeds in percent ± 95 % confidence (seeds)"
    notes = (*protocols(results), *data_notes(results))
    return _readable(result_grid(title, columns, results, notes))


def seeds(dataset: str, results: Sequence[Result]) -> Grid:
    """A row for each seed of each result, in percent."""
    rows = [
        (
            *(getattr(result.setup, name) for name in ("split", *SYSTEM)),
            str(seed),
            *(percent(run.metrics.get(metric)) for metric in OF_SEEDS),
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
    """The metric by kind of question, a column for each result; None without any.

    That is the denotation accuracy, or the exact match of data that are not run.
    """
    chosen = [result for result in results if kinds(result)]
    names = sorted({name for result in chosen for name in kinds(result)})
    if not names:
        return None
    head = ("kind", *(f"{r.setup.split} {r.setup.variant}" for r in chosen))
    rows = [(name, *(cell(result, GROUP + name) for result in chosen)) for name in names]
    run = any("denotation" in result.metrics for result in chosen)
    metric = "denotation accuracy" if run else "exact match"
    title = f"{dataset}: {metric} by kind of question, in percent (seeds)"
    return Grid(title, head, tuple(rows), data_notes(chosen))


def _readable(grid: Grid) -> Grid:
    return grid.without_empty().without_constant((*SYSTEM, "device"))
