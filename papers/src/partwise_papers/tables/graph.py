"""Tables of query graphs: ours alone, and on MCWQ beside the published figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from partwise_papers.results.result import Result
from partwise_papers.tables.columns import (
    by_dataset,
    cell,
    data_notes,
    metric,
    protocols,
    result_grid,
    setup_field,
    spread,
)
from partwise_papers.tables.grid import NOTHING, Grid, Report
from partwise_papers.tables.published_graph import (
    MCWQ,
    MCWQ_SOURCE,
    MCWQ_SOURCES,
    ORDER,
    SIZES,
    SPLITS,
    TITLE,
)

HEADS = {"exact_match": "exact match", "edges_match": "edges only", "denotation": "denotation"}
METRICS = (
    "Exact match: the whole query, up to the names of its variables. Edges only: what Gai et al. "
    "(2021) predict and score, without types, genders, nationalities, filters and the head. A "
    "variant with -paper in its name predicts nothing else, and is given the number of variables "
    "from the gold query."
)
PUBLISHED = (
    f"{MCWQ_SOURCE}: trained on the official queries, exact match as its leaderboard counts it. "
    "Ours: the whole query, up to the names of its variables."
)


def graph_report(results: Sequence[Result]) -> Report:
    """Our results on query graphs, then those on MCWQ beside the published figures.

    As JSON, the published figures as fractions, and the content of our result files.
    """
    ours = graph_results(results)
    published = {
        name: {split: round(value / 100, 4) for split, value in zip(SPLITS, three, strict=True)}
        for name, three in MCWQ.items()
    }
    content = {
        "title": TITLE,
        "published": {"mcwq": published},
        "ours": [result.to_json() for result in ours],
    }
    grids = [*([all_results(ours)] if ours else []), beside_published(ours)]
    return Report(grids, content, f"{TITLE}.")


def graph_results(results: Sequence[Result]) -> list[Result]:
    """Results of graph parsers by data set and split, the main variants first."""
    mine = [result for result in results if result.setup.system == "graph"]
    mine.sort(key=lambda result: _rank(result.setup.variant))
    return [result for some in by_dataset(mine).values() for result in some]


def all_results(ours: Sequence[Result]) -> Grid:
    """A row for each data set, split and variant."""
    columns = {
        **{"data": setup_field("dataset"), "split": setup_field("split")},
        "variant": setup_field("variant"),
        **{head: metric(name) for name, head in HEADS.items()},
        "parameters": lambda result: _sizes([result]) or NOTHING,
        "train / test": lambda r: f"{r.setup.train_size:,} / {r.setup.test_size:,}",
    }
    title = "Query graphs: test, mean over seeds in percent ± 95 % confidence (seeds)"
    notes = (METRICS, *protocols(ours), *data_notes(ours))
    return result_grid(title, columns, ours, notes).without_empty(4)


def beside_published(ours: Sequence[Result]) -> Grid:
    """Exact match on the MCD splits of MCWQ: published models, then ours."""
    rows = [
        (
            name,
            MCWQ_SOURCES.get(name, MCWQ_SOURCE),
            *(f"{value:.1f}" for value in (*three, fmean(three))),
            SIZES.get(name, NOTHING),
        )
        for name, three in MCWQ.items()
    ]
    mcwq = [r for r in ours if r.setup.dataset == "mcwq" and r.setup.split in SPLITS]
    variants = dict.fromkeys(r.setup.variant for r in mcwq if r.seeds("exact_match"))
    used: list[Result] = []
    for variant in sorted(variants, key=_rank):
        by_split = {r.setup.split: r for r in mcwq if r.setup.variant == variant}
        used += by_split.values()
        three = [by_split.get(split) for split in SPLITS]
        cells = (cell(result, "exact_match") for result in three)
        rows.append((variant, "ours", *cells, over_splits(three), _sizes(by_split.values())))
    head = ("model", "from", *(split.upper() for split in SPLITS), "mean", "parameters")
    title = "MCWQ in English: exact match on test, percent"
    return Grid(title, head, tuple(rows), (PUBLISHED, *data_notes(used))).without_empty(6)


def over_splits(three: Sequence[Result | None]) -> str:
    """Mean over the splits for each seed that all of them have, then over these seeds."""
    there = [result for result in three if result is not None]
    if len(there) < len(three):
        return NOTHING
    seeds = set.intersection(*(set(result.seeds("exact_match")) for result in there))
    if not seeds:
        return NOTHING
    return spread(
        [fmean(r.runs[seed].metrics["exact_match"] for r in there) for seed in sorted(seeds)]
    )


def _sizes(results: Iterable[Result]) -> str:
    """Parameters; the numbers of labels and words differ between training sets."""
    counts = sorted({r.setup.parameters for r in results if r.setup.parameters is not None})
    return " to ".join(f"{count:,}" for count in dict.fromkeys((*counts[:1], *counts[-1:])))


def _rank(variant: str) -> tuple[int, str]:
    return (ORDER.index(variant) if variant in ORDER else len(ORDER)), variant
