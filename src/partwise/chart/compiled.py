"""The compiled chart: the same results as the readable one, in microseconds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from partwise.chart import scaled, viterbi
from partwise.chart.algebra.base import Algebra
from partwise.chart.kernels import Compiler
from partwise.chart.lazy import LazyLists
from partwise.chart.scores import Marginals, SpanScores, check_scores
from partwise.chart.tree import JOIN, Derivation, SpanTree

FIRST_MARGIN = 4.0
"""How far under the untyped bound the first search looks; only speed depends on it."""


def _call(kernel: Any, scores: SpanScores, *more: Any) -> Any:
    """Run a kernel, or as long as it is being compiled in the background, the interpreted one.

    Raises:
        PartwiseError: for scores that cannot be summed.
    """
    try:
        return COMPILER.chosen(kernel)(scores.constants, scores.join, scores.gap, *more)
    except ValueError:
        check_scores(scores.constants, scores.join)
        raise


def best(scores: SpanScores, algebra: Algebra) -> Derivation | None:
    """The best tree, or None if no tree has a final state and a finite score."""
    start, rules = algebra.starts(scores.columns), algebra.search_rules
    top, lead, state, _, chart = _call(viterbi.search, scores, start, rules, FIRST_MARGIN)
    if state < 0:
        return None
    tree = _trace(chart, scores.columns, lead, scores.n, int(state))
    return Derivation(float(top), SpanTree(0, scores.n, JOIN, (tree,)) if lead > 0 else tree)


def _constant(chart: viterbi.Chart, columns: Any, i: int, j: int, k: int, state: int) -> SpanTree:
    leaf = SpanTree(i, j, int(columns[chart.name[i, j, state]]))
    return leaf if j == k else SpanTree(i, k, JOIN, (leaf,))


def _trace(chart: viterbi.Chart, columns: Any, i: int, k: int, state: int) -> SpanTree:
    a, b, left, middle, right = chart.back[i, k, state].tolist()
    if left < 0:
        return _constant(chart, columns, i, a, k, state)
    parts = [_trace(chart, columns, i, a, left), _trace(chart, columns, b, k, right)]
    if a < b:
        end = int(chart.split[a, b, middle])
        parts.insert(1, _constant(chart, columns, a, end, b, middle))
    return SpanTree(i, k, JOIN, tuple(parts))


def trees(scores: SpanScores, algebra: Algebra) -> Iterator[Derivation]:
    """All trees, best first, each made when it is asked for."""
    start, rules = algebra.starts(scores.columns), algebra.search_rules
    margin = FIRST_MARGIN
    given = 0
    while True:
        _, _, _, threshold, chart = _call(viterbi.search, scores, start, rules, margin)
        lazy = LazyLists(scores, start, rules, chart)
        # Under the threshold the pruned chart may lack trees.
        while (tree := lazy.get(("root", 0, scores.n, 0), given)) and tree.score >= threshold:
            given += 1
            yield tree
        if threshold == -np.inf:
            return
        margin = margin * 4 if margin < 2000 else np.inf


def kbest(scores: SpanScores, algebra: Algebra, k: int) -> list[Derivation]:
    """The `k` best trees, best first; fewer if there are fewer."""
    return list(islice(trees(scores, algebra), k))


def log_partition(scores: SpanScores, algebra: Algebra) -> float:
    """Log of the sum of exp(score) over all trees."""
    start, rules = algebra.starts(scores.columns), algebra.sum_rules
    scale, total = _call(scaled.total_weight, scores, start, rules)
    if total >= scaled.FAINT:
        return float(scale + np.log(total))
    return -np.inf if scale == -np.inf else _in_logs(scores, algebra).log_partition


def marginals(scores: SpanScores, algebra: Algebra) -> Marginals:
    """Label posteriors by inside-outside; in log space where scaled weights would vanish."""
    start, rules = algebra.starts(scores.columns), algebra.sum_rules
    scale, total, named, joined = _call(scaled.marginals, scores, start, rules)
    if total < scaled.FAINT:
        return _in_logs(scores, algebra)
    return Marginals(named, joined, float(scale + np.log(total)))


def _in_logs(scores: SpanScores, algebra: Algebra) -> Marginals:
    from partwise.chart.batched import Batch

    return Batch([scores], [algebra]).marginals[0]


def _compile_all() -> None:
    algebra = Algebra(np.zeros(1, np.int32), np.zeros((1, 1), np.int32), *np.ones((2, 1), bool))
    scores = SpanScores.of(np.zeros((2, 2, 1)), np.zeros((2, 2)))
    best(scores, algebra)
    marginals(scores, algebra)
    log_partition(scores, algebra)


COMPILER = Compiler(viterbi.search, _compile_all)
