"""Tables of query graphs: ours alone, and on MCWQ beside the published figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from partwise_papers.results.result import Result
from partwise_papers.tables.grid import NOTHING, Grid, Report
from partwise_papers.tables.published import MCD, Published, published_rows
from partwise_papers.tables.results import (
    by_dataset,
    cell,
    data_notes,
    metric,
    protocols,
    result_grid,
    setup_field,
    spread,
    variant,
)

TITLE = (
    "Query graphs: our results, and the published figures of Cui et al. (2022), Compositional "
    "Generalization in Multilingual Semantic Parsing over Wikidata"
)
SIZES = {"T5-base": "220M", "mT5-small": "300M", "mT5-base": "580M"}
"""Parameters of the pretrained ones (Raffel et al. 2020; Xue et al. 2021)."""
ORDER = ("declared", "latent", "flat", "flat-recombined", "flat-paper")
"""Our variants, the main ones first; others follow by name."""
HEADS = {"exact_match": "exact match", "edges_match": "edges only", "denotation": "denotation"}
METRICS = (
    "Exact match: the whole query, up to the names of its variables. Edges only: what Gai et al. "
    "(2021) predict and score, without types, genders, nationalities, filters and the head. A "
    "variant with -paper in its name predicts nothing else, and is given the number of variables "
    "from the gold query."
)
PUBLISHED = (
    "Cui et al. 2022: trained on the official queries, exact match as its leaderboard counts it. "
    "Ours: the whole query, up to the names of its variables."
)


def graph_report(results: Sequence[Result]) -> Report:
    """Our results on query graphs, then those on MCWQ beside the published figures.

    As JSON, the published figures as fractions, and the content of our result files.
    """
    ours = [result for result in results if result.setup.system == "graph"]
    ours.sort(key=lambda result: _rank(result.setup.variant))
    ours = [result for some in by_dataset(ours).values() for result in some]
    fractions = {
        row.model: {split: round(row.figures[split] / 100, 4) for split in MCD} for row in _mcwq()
    }
    content = {
        "title": TITLE,
        "published": {"mcwq": fractions},
        "ours": [result.to_json() for result in ours],
    }
    return Report([*([_all(ours)] if ours else []), _beside(ours)], content, f"{TITLE}.")


def _mcwq() -> list[Published]:
    return [row for row in published_rows("graph", "mcwq", "exact_match") if row.data == "MCWQ"]


def _all(ours: Sequence[Result]) -> Grid:
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


def _beside(ours: Sequence[Result]) -> Grid:
    """Exact match on the MCD splits of MCWQ: published models, then ours."""
    rows = []
    for row in _mcwq():
        three = [row.figures[split] for split in MCD]
        shown = (f"{value:.1f}" for value in (*three, fmean(three)))
        rows.append((row.model, row.source, *shown, SIZES.get(row.model, NOTHING)))
    mcwq = [r for r in ours if r.setup.dataset == "mcwq" and r.setup.split in MCD]
    by_variant: dict[str, dict[str, Result]] = {}
    for result in sorted(mcwq, key=lambda result: _rank(result.setup.variant)):
        by_variant.setdefault(variant(result.setup), {})[result.setup.split] = result
    used: list[Result] = []
    for name, by_split in by_variant.items():
        if any(result.seeds("exact_match") for result in by_split.values()):
            used += by_split.values()
            three_ = [by_split.get(split) for split in MCD]
            cells = (cell(result, "exact_match") for result in three_)
            rows.append((name, "ours", *cells, over_splits(three_), _sizes(by_split.values())))
    head = ("model", "from", *(split.upper() for split in MCD), "mean", "parameters")
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
