"""The compiled chart: the same results as on arrays, in microseconds; for training and batches.
Of many trees a question, all but the best are listed on arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from partwise.chart import recurrence
from partwise.chart.algebra import Algebra, SumRules
from partwise.chart.inside import FAINT, posteriors, total_weight
from partwise.chart.kernels import KernelCompiler
from partwise.chart.recurrence import FIRST_MARGIN
from partwise.chart.recurrence import kbest as kbest
from partwise.chart.scores import JOIN, Marginals, ScoredTree, SpanScores, SpanTree, check_scores
from partwise.chart.viterbi import Chart, search
from partwise.interface.budget import Work

if TYPE_CHECKING:
    from partwise.chart.batched import ChartBatch

IN_LOGS, IN_LOGS_SPLIT = 7, 20_000
"""How many joins take as long as one in log space, and as a split of a span there."""


def _call(kernel: Any, scores: SpanScores, *more: Any) -> Any:
    """Run a kernel. Raises PartwiseError for scores that cannot be summed."""
    try:
        return kernel(scores.constants, scores.join, scores.gap, *more)
    except ValueError:
        check_scores(scores.constants, scores.join)
        raise


def _joins(n: int, rules: SumRules) -> int:
    """How many joins fill a chart."""
    return n * (n * n - 1) // 6 * (len(rules.pairs) + len(rules.pair_rules) + len(rules.triples))


def best(scores: SpanScores, algebra: Algebra, work: Work | None = None) -> ScoredTree | None:
    """The best tree, or None if no tree has a final state and a finite score. Raises TooCostlyError
    if the work that is left is not enough, here and below."""
    start, rules = algebra.starts(scores.columns), algebra.search_rules_for(scores)
    work = work or Work()
    top, lead, state, chart = _call(search, scores, start, rules, FIRST_MARGIN, work.joins)
    work.spend()
    if state < 0:
        return None
    tree = _trace(chart, scores.columns, lead, scores.n, int(state))
    return ScoredTree(float(top), SpanTree(0, scores.n, JOIN, (tree,)) if lead > 0 else tree)


def trees(scores: SpanScores, algebra: Algebra, work: Work | None = None) -> Iterator[ScoredTree]:
    """All trees, best first, each made when it is asked for."""
    first = best(scores, algebra, work)
    if first is not None:
        yield first
        listed = recurrence.trees(scores, algebra, work)
        yield from (other for other in listed if other.tree != first.tree)


def _constant(chart: Chart, columns: Any, i: int, j: int, k: int, state: int) -> SpanTree:
    leaf = SpanTree(i, j, int(columns[chart.name[i, j, state]]))
    return leaf if j == k else SpanTree(i, k, JOIN, (leaf,))


def _trace(chart: Chart, columns: Any, i: int, k: int, state: int) -> SpanTree:
    a, b, left, middle, right = chart.back[i, k, state].tolist()
    if left < 0:
        return _constant(chart, columns, i, a, k, state)
    parts = [_trace(chart, columns, i, a, left), _trace(chart, columns, b, k, right)]
    if a < b:
        end = int(chart.split[a, b, middle])
        parts.insert(1, _constant(chart, columns, a, end, b, middle))
    return SpanTree(i, k, JOIN, tuple(parts))


def log_partition(scores: SpanScores, algebra: Algebra, work: Work | None = None) -> float:
    """Log of the sum of exp(score) over all trees."""
    start, rules = algebra.starts(scores.columns), algebra.sum_rules_for(scores)
    work, joins = work or Work(), _joins(scores.n, rules)
    work.spend(joins)
    scale, total = _call(total_weight, scores, start, rules)
    if total >= FAINT:
        return float(scale + np.log(total))
    if scale == -np.inf:
        return -np.inf
    work.spend(IN_LOGS * joins + IN_LOGS_SPLIT * scores.n**2)
    return _batch(scores, algebra).totals[0]


def marginals(scores: SpanScores, algebra: Algebra) -> Marginals:
    """Label posteriors by inside-outside; in log space where scaled weights would vanish."""
    start, rules = algebra.starts(scores.columns), algebra.sum_rules_for(scores)
    scale, total, named, joined, whole = _call(posteriors, scores, start, rules)
    if total < FAINT:
        return _batch(scores, algebra).marginals[0]
    # The last one is of what counts nothing.
    root = np.zeros(len(scores.root) + 1)
    np.add.at(root, algebra.asked(len(scores.root)), whole)
    return Marginals(named, joined, float(scale + np.log(total)), root[:-1])


def _batch(scores: SpanScores, algebra: Algebra) -> ChartBatch:
    """The same in log space."""
    from partwise.chart.batched import ChartBatch

    return ChartBatch([scores], [algebra])


def _compile_all() -> None:
    algebra = Algebra(np.zeros(1, np.int32), np.zeros((1, 1), np.int32), *np.ones((2, 1), bool))
    scores = SpanScores.of(np.zeros((2, 2, 1)), np.zeros((2, 2)))
    best(scores, algebra)
    marginals(scores, algebra)
    log_partition(scores, algebra)


COMPILER = KernelCompiler(search, _compile_all)
