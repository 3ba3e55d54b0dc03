"""The compiled chart: the same results as the readable one, in microseconds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from partwise.chart import logspace, scaled, viterbi
from partwise.chart.algebra.base import Algebra
from partwise.chart.lazy import LazyLists
from partwise.chart.scores import Marginals, SpanScores
from partwise.chart.semiring import Derivation
from partwise.chart.tables import Tables, tables_of
from partwise.chart.tree import JOIN, SpanTree

FIRST_MARGIN = 4.0
"""How far under the untyped bound the first search looks; only speed depends on it."""


def compiled_before() -> bool:
    """Whether machine code of the charts is kept from an earlier run, so that none is to be made.

    Making it takes some twenty seconds, once after installation.
    """
    search: Any = viterbi.search
    module = viterbi.__name__.rpartition(".")[2]
    return any(Path(search.stats.cache_path).glob(f"{module}.{search.py_func.__name__}-*.nbi"))


def _search(scores: SpanScores, tables: Tables, margin: float) -> Any:
    return viterbi.search(
        scores.constants,
        scores.join,
        scores.gap,
        tables.starts(scores),
        tables.table,
        tables.final,
        tables.middle,
        tables.degree,
        tables.partners,
        tables.pair_of,
        tables.outer,
        tables.outer_degree,
        tables.outer_partners,
        len(tables.pair_rows),
        margin,
    )


def best(scores: SpanScores, algebra: Algebra) -> Derivation | None:
    """The best tree, or None if no tree has a final state and a finite score."""
    top, lead, state, _, chart = _search(scores, tables_of(algebra), FIRST_MARGIN)
    if state < 0:
        return None
    n = scores.n
    tree = _trace(chart, scores.columns, lead, n, int(state))
    if lead > 0:
        tree = SpanTree(0, n, JOIN, (tree,))
    return Derivation(float(top), tree)


def _constant(chart: Any, columns: Any, i: int, j: int, k: int, state: int) -> SpanTree:
    leaf = SpanTree(i, j, int(columns[chart[4][i, j, state]]))
    return leaf if j == k else SpanTree(i, k, JOIN, (leaf,))


def _trace(chart: Any, columns: Any, i: int, k: int, state: int) -> SpanTree:
    kind, a, b, left, middle, right = (int(x) for x in chart[3][i, k, state])
    if kind in (viterbi.BARE, viterbi.PADDED):
        return _constant(chart, columns, i, a, k, state)
    one = _trace(chart, columns, i, a, left)
    if kind == viterbi.BINARY:
        return SpanTree(i, k, JOIN, (one, _trace(chart, columns, a, k, right)))
    between = _constant(chart, columns, a, int(chart[6][a, b, middle]), b, middle)
    return SpanTree(i, k, JOIN, (one, between, _trace(chart, columns, b, k, right)))


def trees(scores: SpanScores, algebra: Algebra) -> Iterator[Derivation]:
    """All trees, best first, each found when it is asked for."""
    tables = tables_of(algebra)
    margin = FIRST_MARGIN
    given = 0
    while True:
        _, _, _, threshold, chart = _search(scores, tables, margin)
        lazy = LazyLists(scores, tables, chart)
        while True:
            found = lazy.get(("root", 0, scores.n, 0), given)
            # Under the threshold the pruned chart may lack trees.
            if found is None or found.score < threshold:
                break
            given += 1
            yield found
        if threshold == -np.inf:
            return
        margin = margin * 4 if margin < 2000 else np.inf


def kbest(scores: SpanScores, algebra: Algebra, k: int) -> list[Derivation]:
    """The `k` best trees, best first; fewer if there are fewer."""
    return list(islice(trees(scores, algebra), k))


def _summed(scores: SpanScores, tables: Tables) -> tuple[Any, ...]:
    """What both ways of summing over trees take, in their order."""
    return (
        scores.constants,
        scores.join,
        scores.gap,
        tables.starts(scores),
        tables.pairs,
        tables.middle,
        tables.triples,
        tables.pair_rows,
    )


def _weights(scores: SpanScores, tables: Tables) -> tuple[Any, float, float]:
    """Scaled weights, their log scale, and the weight of the sentence."""
    weights, scale = scaled.inside(*_summed(scores, tables))
    total = scaled.root_weight(weights, scale, scores.join, scores.gap, tables.final)
    return weights, scale, total


def log_partition(scores: SpanScores, algebra: Algebra) -> float:
    """Log of the sum of exp(score) over all trees."""
    tables = tables_of(algebra)
    _, scale, total = _weights(scores, tables)
    if total >= scaled.FAINT:
        return float(scale + np.log(total))
    cell = logspace.inside(*_summed(scores, tables))[1]
    return float(logspace.log_partition(cell, scores.join, scores.gap, tables.final))


def marginals(scores: SpanScores, algebra: Algebra) -> Marginals:
    """Label posteriors by inside-outside; in log space where scaled weights would vanish."""
    tables = tables_of(algebra)
    weights, scale, weight = _weights(scores, tables)
    if weight < scaled.FAINT:
        return _marginals_in_logs(scores, tables)
    named, joined = scaled.outside(
        weights,
        scale,
        weight,
        scores.constants,
        scores.join,
        scores.gap,
        tables.starts(scores),
        tables.pairs,
        tables.final,
        tables.middle,
        tables.triples,
        tables.pair_rows,
    )
    return Marginals(named, joined, float(scale + np.log(weight)))


def _marginals_in_logs(scores: SpanScores, tables: Tables) -> Marginals:
    bare, cell, mid, pre = logspace.inside(*_summed(scores, tables))
    total = float(logspace.log_partition(cell, scores.join, scores.gap, tables.final))
    if total == -np.inf:
        return Marginals(np.zeros_like(scores.constants), np.zeros_like(scores.join), total)
    named, joined = logspace.outside(
        total,
        bare,
        cell,
        mid,
        pre,
        scores.constants,
        scores.join,
        scores.gap,
        tables.starts(scores),
        tables.pairs,
        tables.final,
        tables.triples,
        tables.pair_rows,
    )
    return Marginals(named, joined, total)
