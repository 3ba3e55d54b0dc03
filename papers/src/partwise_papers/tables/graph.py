"""Tables of query graphs: ours alone, and on MCWQ beside the published figures."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from statistics import fmean

from rich.console import Group
from rich.text import Text

from partwise.evaluation.result import EDGES_MATCH, GRAPH, Result
from partwise.evaluation.results import load_results
from partwise_papers.tables.grid import NOTHING, Grid, cell, spread
from partwise_papers.tables.published_graph import MCWQ, MCWQ_SOURCE, ORDER, SIZES, SPLITS, TITLE
from partwise_papers.tables.report import by_dataset, data_notes, protocols, to_json

HEADS = {"exact_match": "exact match", EDGES_MATCH: "edges only", "denotation": "denotation"}
METRICS = (
    "Exact match: the whole query, up to the names of its variables. Edges only: what Gai and Jain "
    "(2021) predict and score, without types, genders, nationalities, filters and the head. A "
    "variant with -paper in its name predicts nothing else, and is given the number of variables "
    "from the gold query."
)
PUBLISHED = (
    f"{MCWQ_SOURCE}: trained on the official queries, exact match as its leaderboard counts it. "
    "Ours: the whole query, up to the names of its variables."
)


def graph_tables(results: Sequence[Result]) -> list[Grid]:
    """All our results on query graphs, then those on MCWQ beside the published figures."""
    ours = graph_results(results)
    return [*([all_results(ours)] if ours else []), beside_published(ours)]


def graph_results(
    results: Sequence[Result], variants: Collection[str] | None = None
) -> list[Result]:
    """Results of graph parsers by data set and split, the main variants first.

    Args:
        variants: only these; all without it.
    """
    mine = [
        result
        for result in results
        if result.setup.system == GRAPH and (variants is None or result.setup.variant in variants)
    ]
    mine.sort(key=lambda result: _rank(result.setup.variant))
    return [result for some in by_dataset(mine).values() for result in some]


def all_results(ours: Sequence[Result]) -> Grid:
    """A row for each data set, split and variant."""
    rows = [
        (
            *(r.setup.dataset, r.setup.split, r.setup.variant),
            *(cell(r, metric) for metric in HEADS),
            _parameters(r),
            f"{r.setup.train_size:,} / {r.setup.test_size:,}",
        )
        for r in ours
    ]
    head = ("data", "split", "variant", *HEADS.values(), "parameters", "train / test")
    title = "Query graphs: test, mean over seeds in percent ± 95 % confidence (seeds)"
    notes = (METRICS, *protocols(ours), *data_notes(ours))
    return Grid(title, head, tuple(rows), notes).without_empty(4)


def beside_published(ours: Sequence[Result]) -> Grid:
    """Exact match on the MCD splits of MCWQ: published models, then ours."""
    rows = [
        (
            name,
            MCWQ_SOURCE,
            *(f"{value:.1f}" for value in (*three, fmean(three))),
            SIZES.get(name, NOTHING),
        )
        for name, three in MCWQ.items()
    ]
    mcwq = [r for r in ours if r.setup.dataset == "mcwq" and r.setup.split in SPLITS]
    variants = dict.fromkeys(r.setup.variant for r in mcwq if r.seeds("exact_match"))
    used: list[Result] = []
    for variant in sorted(variants, key=_rank):
        found = {r.setup.split: r for r in mcwq if r.setup.variant == variant}
        used += found.values()
        three = [found.get(split) for split in SPLITS]
        cells = (cell(result, "exact_match") for result in three)
        rows.append((variant, "ours", *cells, _mean(three), _sizes(found.values())))
    head = ("model", "from", *(split.upper() for split in SPLITS), "mean", "parameters")
    title = "MCWQ in English: exact match on test, percent"
    return Grid(title, head, tuple(rows), (PUBLISHED, *data_notes(used))).without_empty(6)


def graph_markdown(results: str | Path) -> str:
    """The tables in Markdown.

    Raises:
        DataError: as `load_results`.
    """
    body = "\n".join(grid.markdown() for grid in graph_tables(load_results(results)))
    return f"{TITLE}.\n\n{body}"


def graph_rich(results: str | Path) -> Group:
    """The tables for a terminal.

    Raises:
        DataError: as `load_results`.
    """
    grids = graph_tables(load_results(results))
    return Group(Text(TITLE), Text(""), *(grid.rich() for grid in grids))


def graph_json(results: str | Path) -> str:
    """The published figures as fractions, and our result files, as a JSON object.

    Raises:
        DataError: as `load_results`.
    """
    published = {
        name: {split: round(value / 100, 4) for split, value in zip(SPLITS, three, strict=True)}
        for name, three in MCWQ.items()
    }
    ours = to_json(graph_results(load_results(results)))
    content = {"title": TITLE, "published": {"mcwq": published}, "ours": ours}
    return json.dumps(content, indent=2, ensure_ascii=False)


def _mean(three: Sequence[Result | None]) -> str:
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


def _parameters(result: Result) -> str:
    count = result.setup.parameters
    return NOTHING if count is None else f"{count:,}"


def _rank(variant: str) -> tuple[int, str]:
    return (ORDER.index(variant) if variant in ORDER else len(ORDER)), variant
