"""Tables from result files: for each data set its means, its seeds, and its kinds of question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from partwise.interface.registry import DATASETS
from partwise_papers.results.result import GROUP, OPTIONAL, Result, Setup, mean_ci95
from partwise_papers.tables.grid import NOTHING, Grid, Report, percent

DATASET_ORDER = (
    *("geography", "geoquery", "scan", "scan_sp", "scenes", "clevr", "mcwq", "cfq", "films"),
)
"""The order of the tables; other data sets follow by name."""
SHOWN = ("denotation", "exact_match", "edges_match", *OPTIONAL)
NAMES = {name: name.replace("_", " ") for name in SHOWN}
NAMES |= {"tree_f1": "tree F1", "tree_f1_equivalent": "tree F1, equivalent"}
NAMES |= {"chart_share": "time in charts"}
OF_SEEDS = ("denotation", "exact_match", "edges_match", "tree_f1", "dev_denotation")
"""What the table of seeds shows; the result files have all."""
SYSTEM = ("system", "variant", "encoder")
Column = Callable[[Result], str]


def report(results: Sequence[Result]) -> Report:
    """All results: for each data set a table of means, one of every seed, and one by kinds of
    question; as JSON the content of the result files."""
    grids = [
        grid
        for name, chosen in by_dataset(results).items()
        for grid in (_means(name, chosen), _seeds(name, chosen), by_kind(name, chosen))
        if grid is not None
    ]
    return Report(grids, [result.to_json() for result in results])


def _means(dataset: str, results: Sequence[Result]) -> Grid:
    """A row for each result: mean ± half of the 95 % interval in percent, number of seeds."""
    columns = {
        **{name: setup_field(name) for name in ("split", *SYSTEM)},
        **{NAMES[name]: metric(name) for name in SHOWN},
        "train": setup_field("train_size"),
    }
    title = f"{dataset}: mean over seeds in percent ± 95 % confidence (seeds)"
    notes = (*protocols(results), *data_notes(results))
    return _readable(result_grid(title, columns, results, notes))


def _seeds(dataset: str, results: Sequence[Result]) -> Grid:
    """A row for each seed of each result, in percent."""
    rows = tuple(
        (
            *(setup_field(name)(result) for name in ("split", *SYSTEM)),
            str(seed),
            *(percent(run.metrics.get(metric)) for metric in OF_SEEDS),
            *(str(result.setup.train_size), str(result.setup.test_size)),
            *(f"{run.seconds:.0f}", run.device),
        )
        for result in results
        for seed, run in sorted(result.runs.items())
    )
    head = ("split", *SYSTEM, "seed", *(NAMES[metric] for metric in OF_SEEDS))
    more = ("train", "test", "seconds", "device")
    return _readable(Grid(f"{dataset}: every seed, in percent", (*head, *more), rows))


def by_kind(dataset: str, results: Sequence[Result]) -> Grid | None:
    """The metric by kind of question, a column for each result; None without any.

    That is the denotation accuracy, or the exact match of data that are not run.
    """
    chosen = [result for result in results if kinds(result)]
    names = sorted({name for result in chosen for name in kinds(result)})
    if not names:
        return None
    head = ("kind", *(f"{r.setup.split} {variant(r.setup)}" for r in chosen))
    rows = tuple((name, *(cell(result, GROUP + name) for result in chosen)) for name in names)
    run = any("denotation" in result.metrics for result in chosen)
    metric = "denotation accuracy" if run else "exact match"
    title = f"{dataset}: {metric} by kind of question, in percent (seeds)"
    return Grid(title, head, rows, data_notes(chosen))


def _readable(grid: Grid) -> Grid:
    return grid.without_empty().without_constant((*SYSTEM, "device"))


# --- what tables are made of


def variant(setup: Setup) -> str:
    """The name of a variant; with the last version that had it, where it is none any more."""
    former = setup.system == "graph" and setup.variant.startswith("declared")
    return f"{setup.variant} (0.2.0)" if former else setup.variant


def setup_field(name: str) -> Column:
    """A column with a field of each result's setup."""
    if name == "variant":
        return lambda result: variant(result.setup)
    return lambda result: str(getattr(result.setup, name))


def metric(name: str) -> Column:
    """A column with a metric of each result."""
    return lambda result: cell(result, name)


def result_grid(
    title: str, columns: Mapping[str, Column], results: Sequence[Result], notes: Sequence[str] = ()
) -> Grid:
    """A table with a row for each result; `columns` has what stands below each head."""
    rows = (tuple(column(result) for column in columns.values()) for result in results)
    return Grid(title, tuple(columns), tuple(rows), tuple(notes))


def cell(result: Result | None, metric: str) -> str:
    """``86.6 ± 2.6 (5)``: percent, half of the 95 % interval, number of seeds."""
    if result is None or not result.seeds(metric):
        return NOTHING
    return spread(result.values(metric))


def spread(fractions: Sequence[float]) -> str:
    """Values of several seeds as `cell` shows them; raises ValueError for none."""
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
        by_protocol.setdefault(result.setup.protocol, {})[variant(result.setup)] = None
    return tuple(f"{', '.join(names)}: {protocol}." for protocol, names in by_protocol.items())
