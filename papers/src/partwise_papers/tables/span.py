"""The span paper's tables with our results beside its figures, and the same as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from partwise.errors import DataError
from partwise.interface.registry import load
from partwise_papers.results.result import GROUP, Result
from partwise_papers.tables.grid import NOTHING, Grid, Report
from partwise_papers.tables.published import (
    MAIN,
    SPLITS,
    TITLE,
    Row,
    Split,
    figures,
    models,
    published_rows,
    rows_of,
)
from partwise_papers.tables.results import (
    SHOWN,
    by_kind,
    cell,
    data_notes,
    in_order,
    kinds,
    metric,
    result_grid,
    setup_field,
)

Key = tuple[str, str]
"""(data set, split)."""
Sizes = Mapping[Key, tuple[int, int, int]]
"""Examples in train, dev and test."""
PREFACE = (
    f"{TITLE}: the paper's figures, and ours under them or beside them. Ours: mean over seeds ± "
    f"half of the 95 % interval (number of seeds); {NOTHING} where there is no result. The paper "
    "reports one run."
)
TREES = (
    "Gold trees are the published ones for SCAN-SP and GeoQuery, and built by this package for "
    "CLEVR. Equivalent: F1 with the nearest tree that has the gold tree's constants on the same "
    "words and means the gold program."
)
NOTES = (
    "The paper trains its baselines on the 694,689 questions of CLEVR and its own parser on "
    "10,000 of them; it reports one run.",
)
COLUMNS = {s.dataset: [t for t in SPLITS if t.dataset == s.dataset] for s in SPLITS}
"""Data set -> its splits in the paper."""
PARTS = ("train", "dev", "test")


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
        first = (self.get(split, row.variant) for row in rows_of("span"))
        chosen = [result for result in first if result is not None]
        rest = [r for r in self.all if (r.setup.dataset, r.setup.split) == _key(split)]
        return [*chosen, *(r for r in rest if r not in chosen)]

    def further(self) -> list[Result]:
        """Results on splits that the paper does not have, of its data sets."""
        known = {_key(split) for split in SPLITS}
        return [
            r
            for r in self.all
            if r.setup.dataset in COLUMNS and (r.setup.dataset, r.setup.split) not in known
        ]


def span_report(results: Sequence[Result], sizes: Sizes | None = None) -> Report:
    """The paper's tables with ours; as JSON, all figures are fractions, the paper's too.

    ``splits`` has for each split of the paper its sizes, its F1 of trees and the figures of each
    of its models, and our results on it; ``further`` has our results on other splits of the same
    data sets. A result has ``row`` (null if it is none of the paper's), ``variant``, ``encoder``,
    ``sizes``, ``data``, and for each metric its mean, half interval (``ci95``) and seeds.

    Args:
        sizes: numbers of examples counted in the data; without them those of the result files.
    """
    ours = OurResults(results)
    content = {
        "paper": TITLE,
        "splits": [_split(split, ours, sizes or {}) for split in SPLITS],
        "further": [
            {"dataset": r.setup.dataset, "split": r.setup.split, **_result(r)}
            for r in ours.further()
        ],
    }
    return Report(tables(results, sizes), content, PREFACE)


def tables(results: Sequence[Result], sizes: Sizes | None = None) -> list[Grid]:
    """Tables 1 to 3, then ours beyond the paper; `sizes` as for `span_report`."""
    ours = OurResults(results)
    return [
        table1(ours, sizes or {}),
        *(_table2(ours, dataset) for dataset in COLUMNS),
        _table3(ours),
        *(grid for grid in (_further_splits(ours), _by_family(ours)) if grid is not None),
    ]


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
            mine = _sizes_of(first[0])
        shown = (NOTHING if size is None else f"{size:,}" for size in mine)
        rows.append((split.data_name, split.name, *(f"{n:,}" for n in split.sizes), *shown))
    sides = (f"{part}, {side}" for side in ("paper", "ours") for part in PARTS)
    notes = (*NOTES, *data_notes(used))
    return Grid("Table 1: number of examples", ("data", "split", *sides), tuple(rows), notes)


def _table2(ours: OurResults, dataset: str) -> Grid:
    """Denotation accuracy on one data set: each row of the paper, ours under it."""
    splits = COLUMNS[dataset]
    encoders = {row.model: row.encoder for row in published_rows("span", dataset, "denotation")}
    rows, used = list[tuple[str, ...]](), list[Result]()
    for model in models():
        if model in encoders:
            pairs = (figures(model, dataset, split.split) for split in splits)
            cells = ((NOTHING,) * 2 if two is None else map("{:.1f}".format, two) for two in pairs)
            rows.append(
                (model, f"paper, {encoders[model]}", *(text for two in cells for text in two))
            )
        for row in rows_of("span", dataset):
            if row.paper == model:
                rows.append(_our_row(ours, row, splits, used))
    sides = (f"{split.name} {part}" for split in splits for part in ("dev", "test"))
    title = f"Table 2, {splits[0].data_name}: denotation accuracy, percent"
    return Grid(title, ("model", "from", *sides), tuple(rows), data_notes(used))


def _our_row(
    ours: OurResults, row: Row, splits: Sequence[Split], used: list[Result]
) -> tuple[str, ...]:
    """The line of a row of ours; its results are added to `used`."""
    results = [ours.get(split, row.variant) for split in splits]
    there = [result for result in results if result is not None]
    used += there
    source = ", ".join(["ours", *sorted({r.setup.encoder for r in there})])
    cells = (cell(r, name) for r in results for name in ("dev_denotation", "denotation"))
    return (row.variant, source, *cells)


def _table3(ours: OurResults) -> Grid:
    """F1 of the trees on test, without φ; ours also against the nearest tree of the program."""
    columns = {
        f"{row.variant}{more}": (row.variant, name)
        for row in rows_of("span")
        if row.paper == MAIN
        for name, more in (("tree_f1", ""), ("tree_f1_equivalent", ", equivalent"))
    }
    lines = tuple(
        (
            *(split.data_name, split.name, f"{split.f1:.1f}"),
            *(cell(ours.get(split, variant), name) for variant, name in columns.values()),
        )
        for split in SPLITS
    )
    used = [r for split in SPLITS for r in ours.of(split) if "tree_f1" in r.metrics]
    notes = (TREES, *data_notes(used)) if used else ()
    head = ("data", "split", "paper", *columns)
    # The column of the main variant stands even where it is empty.
    return Grid("Table 3: F1 of trees on test, percent", head, lines, notes).without_empty(4)


def _further_splits(ours: OurResults) -> Grid | None:
    """Ours on splits of SCAN that the paper does not have; None without any."""
    chosen = [result for result in ours.further() if result.setup.dataset == "scan_sp"]
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
    chosen = in_order("scan_sp", chosen)
    return result_grid(title, columns, chosen, data_notes(chosen)).without_empty()


def _by_family(ours: OurResults) -> Grid | None:
    """Ours on CLOSURE by family of question; None without any."""
    (closure,) = (split for split in SPLITS if split.split == "closure")
    grid = by_kind("closure", ours.of(closure))
    if grid is None:
        return None
    head = ("family", *(name.removeprefix("closure ") for name in grid.head[1:]))
    title = "Beyond the paper, CLOSURE by family: denotation accuracy, percent"
    return Grid(title, head, grid.rows, grid.notes)


def count_sizes(data: str | Path | None) -> dict[Key, tuple[int, int, int]]:
    """How many examples the data hold, of the paper's splits that are there; raises DataError if
    none of them is there."""
    counted: dict[Key, tuple[int, int, int]] = {}
    missing: DataError | None = None
    for split in SPLITS:
        try:
            read = load(split.dataset, split.split, data)
        except DataError as error:
            missing = error
            continue
        counted[_key(split)] = (len(read.train), len(read.dev), len(read.test))
    if not counted and missing is not None:
        raise missing
    return counted


def _split(split: Split, ours: OurResults, sizes: Sizes) -> dict[str, Any]:
    pairs = {model: figures(model, split.dataset, split.split) for model in models()}
    counted = sizes.get(_key(split))
    return {
        "dataset": split.dataset,
        "split": split.split,
        "paper": {
            "name": f"{split.data_name} {split.name}",
            "sizes": dict(zip(PARTS, split.sizes, strict=True)),
            "tree_f1": _fraction(split.f1),
            "denotation": {
                model: pair and {"dev": _fraction(pair[0]), "test": _fraction(pair[1])}
                for model, pair in pairs.items()
            },
        },
        "counted": None if counted is None else dict(zip(PARTS, counted, strict=True)),
        "ours": [_result(result) for result in ours.of(split)],
    }


def _result(result: Result) -> dict[str, Any]:
    setup = result.setup
    rows = {row.variant: row.key for row in rows_of("span")}
    found = {name: result.mean_ci95(name) for name in result.metrics if name in SHOWN}
    found |= {GROUP + kind: result.mean_ci95(GROUP + kind) for kind in kinds(result)}
    order = [*(name for name in SHOWN if name in found), *(n for n in found if n not in SHOWN)]
    return {
        "row": rows.get(setup.variant),
        "variant": setup.variant,
        "encoder": setup.encoder,
        "sizes": dict(zip(PARTS, _sizes_of(result), strict=True)),
        "data": setup.data,
        "metrics": {
            name: {"mean": found[name][0], "ci95": found[name][1], "seeds": len(result.seeds(name))}
            for name in order
        },
    }


def _sizes_of(result: Result) -> tuple[int, int | None, int]:
    return result.setup.train_size, result.setup.dev_size, result.setup.test_size


def _fraction(percent: float) -> float:
    return round(percent / 100, 4)


def _key(split: Split) -> Key:
    return split.dataset, split.split
