"""The report of the span paper: its tables with ours, and the same as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from partwise.errors import DataError
from partwise.interface.registry import load
from partwise_papers.results.result import GROUP, Result
from partwise_papers.tables.columns import kinds
from partwise_papers.tables.grid import NOTHING, Report
from partwise_papers.tables.published_span import ROWS, SPLITS, TABLE2, TITLE, Split, figures
from partwise_papers.tables.report import SHOWN
from partwise_papers.tables.span import OurResults, Sizes, tables

PREFACE = (
    f"{TITLE}: the paper's figures, and ours under them or beside them. Ours: mean over seeds ± "
    f"half of the 95 % interval (number of seeds); {NOTHING} where there is no result. The paper "
    "reports one run."
)


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
    known = {(split.dataset, split.split) for split in SPLITS}
    names = {dataset for dataset, _ in known}
    content = {
        "paper": TITLE,
        "splits": [_split(split, ours, sizes or {}) for split in SPLITS],
        "further": [
            {"dataset": r.setup.dataset, "split": r.setup.split, **_result(r)}
            for r in ours.all
            if r.setup.dataset in names and (r.setup.dataset, r.setup.split) not in known
        ],
    }
    return Report(tables(results, sizes), content, PREFACE)


def count_sizes(data: str | Path | None) -> dict[tuple[str, str], tuple[int, int, int]]:
    """How many examples the data hold, of the paper's splits that are there.

    Raises:
        DataError: if none of them is there.
    """
    counted: dict[tuple[str, str], tuple[int, int, int]] = {}
    missing: DataError | None = None
    for split in SPLITS:
        try:
            read = load(split.dataset, split.split, data)
        except DataError as error:
            missing = error
            continue
        counted[split.dataset, split.split] = (len(read.train), len(read.dev), len(read.test))
    if not counted and missing is not None:
        raise missing
    return counted


def _split(split: Split, ours: OurResults, sizes: Sizes) -> dict[str, Any]:
    counted = sizes.get((split.dataset, split.split))
    return {
        "dataset": split.dataset,
        "split": split.split,
        "paper": {
            "name": f"{split.data_name} {split.name}",
            "sizes": _named(split.sizes),
            "tree_f1": _fraction(split.f1),
            "denotation": {model: _pair(model, split) for model in TABLE2},
        },
        "counted": None if counted is None else _named(counted),
        "ours": [_result(result) for result in ours.of(split)],
    }


def _result(result: Result) -> dict[str, Any]:
    setup = result.setup
    rows: Mapping[str, str] = {name: row.key for row in ROWS for name in row.variants}
    metrics = [*SHOWN, *(GROUP + kind for kind in kinds(result))]
    return {
        "row": rows.get(setup.variant),
        "variant": setup.variant,
        "encoder": setup.encoder,
        "sizes": _named((setup.train_size, setup.dev_size, setup.test_size)),
        "data": setup.data,
        "metrics": {name: _metric(result, name) for name in metrics if result.seeds(name)},
    }


def _metric(result: Result, name: str) -> dict[str, Any]:
    mean, half = result.mean_ci95(name)
    return {"mean": mean, "ci95": half, "seeds": len(result.seeds(name))}


def _pair(model: str, split: Split) -> dict[str, float] | None:
    pair = figures(model, split.dataset, split.split)
    return None if pair is None else {"dev": _fraction(pair[0]), "test": _fraction(pair[1])}


def _fraction(percent: float) -> float:
    return round(percent / 100, 4)


def _named(sizes: Sequence[int | None]) -> dict[str, int | None]:
    return dict(zip(("train", "dev", "test"), sizes, strict=True))
