"""The paper's tables with our results beside its figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partwise_papers.results.result import Result
from partwise_papers.tables.columns import (
    cell,
    data_notes,
    in_order,
    metric,
    result_grid,
    setup_field,
)
from partwise_papers.tables.grid import NOTHING, Grid
from partwise_papers.tables.published_span import (
    ENCODERS,
    MAIN,
    NOTES,
    PAPER_ENCODER,
    ROWS,
    SPLITS,
    TABLE2,
    Row,
    Split,
    figures,
    rows_of,
)
from partwise_papers.tables.report import groups

Sizes = Mapping[tuple[str, str], tuple[int, int, int]]
"""(data set, split) -> examples in train, dev and test."""

TREES = (
    "Gold trees are the published ones for SCAN-SP and GeoQuery, and built by this package for "
    "CLEVR. Equivalent: F1 with the nearest tree that has the gold tree's constants on the same "
    "words and means the gold program."
)
COLUMNS = {s.dataset: [t for t in SPLITS if t.dataset == s.dataset] for s in SPLITS}
"""Data set -> its splits in the paper."""


def tables(results: Sequence[Result], sizes: Sizes | None = None) -> list[Grid]:
    """Tables 1 to 3, then ours beyond the paper.

    Args:
        sizes: numbers of examples counted in the data; without them those of the result files.
    """
    ours = OurResults(results)
    beyond = (further_splits(ours), by_family(ours))
    return [
        table1(ours, sizes or {}),
        *(table2(ours, dataset) for dataset in COLUMNS),
        table3(ours),
        *(grid for grid in beyond if grid is not None),
    ]


class OurResults:
    """Our results by data set, split and variant."""

    def __init__(self, results: Sequence[Result]) -> None:
        self.all = [result for result in results if result.setup.system == "span"]
        self._known = {(s.dataset, s.split, s.variant): r for r in self.all for s in (r.setup,)}

    def get(self, split: Split, variant: str) -> Result | None:
        """The result of a variant on a split of the paper."""
        return self._known.get((split.dataset, split.split, variant))

    def of(self, split: Split) -> list[Result]:
        """All results on a split, those of the rows' variants first."""
        named = [v for row in ROWS for v in row.variants]
        chosen = [r for r in (self.get(split, v) for v in named) if r is not None]
        rest = [r for r in self.all if (r.setup.dataset, r.setup.split) == _key(split)]
        return [*chosen, *(r for r in rest if r not in chosen)]


def table1(ours: OurResults, sizes: Sizes) -> Grid:
    """Number of examples: the paper's, and those that ours were trained and tested on."""
    rows, used = [], list[Result]()
    for split in SPLITS:
        first = ours.of(split)[:1]
        used += first
        mine: Sequence[int | None] = (None, None, None)
        if _key(split) in sizes:
            mine = sizes[_key(split)]
        elif first:
            setup = first[0].setup
            mine = setup.train_size, setup.dev_size, setup.test_size
        shown = (NOTHING if size is None else f"{size:,}" for size in mine)
        rows.append((split.data_name, split.name, *(f"{n:,}" for n in split.sizes), *shown))
    sides = (f"{part}, {side}" for side in ("paper", "ours") for part in ("train", "dev", "test"))
    notes = (*NOTES, *data_notes(used))
    return Grid("Table 1: number of examples", ("data", "split", *sides), tuple(rows), notes)


def table2(ours: OurResults, dataset: str) -> Grid:
    """Denotation accuracy on one data set: each row of the paper, ours under it."""
    splits = COLUMNS[dataset]
    rows, used = list[tuple[str, ...]](), list[Result]()
    for model in TABLE2:
        theirs = [figures(model, dataset, split.split) for split in splits]
        if any(theirs):
            cells = (_pair(pair) for pair in theirs)
            source = f"paper, {ENCODERS.get(model, PAPER_ENCODER)}"
            rows.append((model, source, *sum(cells, ())))
        for row in rows_of(dataset):
            if row.paper == model:
                rows += _ours(ours, row, splits, used)
    sides = (f"{split.name} {part}" for split in splits for part in ("dev", "test"))
    title = f"Table 2, {splits[0].data_name}: denotation accuracy, percent"
    return Grid(title, ("model", "from", *sides), tuple(rows), data_notes(used))


def table3(ours: OurResults) -> Grid:
    """F1 of the trees on test, without φ; ours also against the nearest tree of the program."""
    rows = [row for row in ROWS if row.paper == MAIN]
    head = ["data", "split", "paper"]
    columns: list[tuple[str, str]] = []
    for row in rows:
        for name, more in (("tree_f1", ""), ("tree_f1_equivalent", ", equivalent")):
            columns.append((row.variants[0], name))
            head.append(f"{row.variants[0]}{more}")
    lines = [
        (
            *(split.data_name, split.name, f"{split.f1:.1f}"),
            *(cell(ours.get(split, variant), name) for variant, name in columns),
        )
        for split in SPLITS
    ]
    used = [r for split in SPLITS for r in ours.of(split) if "tree_f1" in r.metrics]
    notes = (TREES, *data_notes(used)) if used else ()
    grid = Grid("Table 3: F1 of trees on test, percent", tuple(head), tuple(lines), notes)
    # The column of the main variant stands even where it is empty.
    return grid.without_empty(4)


def further_splits(ours: OurResults) -> Grid | None:
    """Ours on splits of SCAN that the paper does not have; None without any."""
    known = {_key(split) for split in SPLITS}
    chosen = [
        result
        for result in in_order("scan_sp", [r for r in ours.all if r.setup.dataset == "scan_sp"])
        if (result.setup.dataset, result.setup.split) not in known
    ]
    if not chosen:
        return None
    metrics = {"dev_denotation": "dev", "denotation": "test", "exact_match": "exact match"}
    columns = {
        **{name: setup_field(name) for name in ("split", "variant", "encoder")},
        **{head: metric(name) for name, head in metrics.items()},
        "train size": setup_field("train_size"),
        "test size": setup_field("test_size"),
    }
    title = "Beyond the paper, SCAN's other splits: denotation accuracy, percent"
    return result_grid(title, columns, chosen, data_notes(chosen)).without_empty()


def by_family(ours: OurResults) -> Grid | None:
    """Ours on CLOSURE by family of question; None without any."""
    (closure,) = (split for split in SPLITS if split.split == "closure")
    grid = groups("closure", ours.of(closure))
    if grid is None:
        return None
    head = ("family", *(name.removeprefix("closure ") for name in grid.head[1:]))
    title = "Beyond the paper, CLOSURE by family: denotation accuracy, percent"
    return Grid(title, head, grid.rows, grid.notes)


def _ours(
    ours: OurResults, row: Row, splits: Sequence[Split], used: list[Result]
) -> list[tuple[str, ...]]:
    """A line for each variant with a result; a line of dashes if none has one."""
    lines: list[tuple[str, ...]] = []
    for variant in row.variants:
        results = [ours.get(split, variant) for split in splits]
        there = [result for result in results if result is not None]
        if there or variant == row.variants[0]:
            used += there
            source = ", ".join(["ours", *sorted({r.setup.encoder for r in there})])
            cells = (_both(result) for result in results)
            lines.append((variant, source, *sum(cells, ())))
    return lines


def _both(result: Result | None) -> tuple[str, ...]:
    return cell(result, "dev_denotation"), cell(result, "denotation")


def _pair(pair: tuple[float, float] | None) -> tuple[str, ...]:
    return (NOTHING, NOTHING) if pair is None else (f"{pair[0]:.1f}", f"{pair[1]:.1f}")


def _key(split: Split) -> tuple[str, str]:
    return split.dataset, split.split
