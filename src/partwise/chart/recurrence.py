"""The chart on arrays, all spans of one length at a time; start here to read how a chart works.

One derivation a tree: the sentence is an optional leading φ, then constants, each with an
optional φ gap on its right; over these, binary joins, and ternary joins whose middle is a
constant and whose outer parts combine first (paper section 3.4). A span's label is a constant, or
`join` for a constant with its gap, for every composed span, and for the root over a leading φ.

What a chart holds of a span are *items*: sub-trees by their state, constants that may be a middle,
bare constants, and left parts with a middle, so that all joins are in O(n³). What is asked for is a
choice of semiring: the best tree by the greatest score, sums by products of weights. The k best
trees are listed lazily in a filled chart (Huang and Chiang 2005, algorithm 3).
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.chart.algebra import NONE, Algebra, BoolArray, IntArray, SearchRules
from partwise.chart.scores import (
    JOIN,
    NEVER,
    FloatArray,
    Marginals,
    ScoredTree,
    SpanScores,
    SpanTree,
    check_scores,
)
from partwise.interface.budget import Work

Numbers = NDArray[np.intp]


class Semiring(NamedTuple):
    """How scores of parts become those of wholes, and how those of derivations add up.

    Attributes:
        zero: of no derivation.
        times: of two parts.
        plus: of two derivations.
        add: of groups of derivations along the first axis, by where each begins.
        cost: how many joins of a compiled chart take as long as one.
        scaled: whether values are weights, relative to `QuestionScores.inside`.
        pair: of ``[joins, splits, spans]`` left and right parts, over all splits; None for
            products of matrices.
    """

    zero: float
    times: np.ufunc
    plus: np.ufunc
    add: Callable[[FloatArray, Numbers], FloatArray]
    pair: Callable[[FloatArray, FloatArray], FloatArray] | None
    cost: int = 10
    scaled: bool = False


def _log_sum(values: FloatArray, first: Numbers) -> FloatArray:
    top = np.maximum.reduceat(values, first)
    sizes = np.diff(first, append=len(values))
    shifted = values - np.repeat(np.where(top == NEVER, 0.0, top), sizes, 0)
    sums: FloatArray = np.log(np.add.reduceat(np.exp(shifted), first)) + top
    return sums


def _log_sum_of_splits(values: FloatArray) -> FloatArray:
    top = values.max(1, keepdims=True)
    values -= np.where(top == NEVER, 0.0, top)
    sums: FloatArray = np.log(np.exp(values, out=values).sum(1)) + top[:, 0]
    return sums


MAX = Semiring(
    NEVER, np.add, np.maximum, np.maximum.reduceat, lambda left, right: (left + right).max(1)
)
"""The best derivation."""
LOG_SUM = Semiring(
    NEVER,
    np.add,
    np.logaddexp,
    _log_sum,
    lambda left, right: _log_sum_of_splits(left + right),
    40,
)
"""The log of the sum of exp(score)."""
WEIGHTS = Semiring(
    0.0,
    np.multiply,
    np.add,
    np.add.reduceat,
    None,
    cost=3,
    scaled=True,
)
"""The sum of weights."""


class Spans(NamedTuple):
    """The spans of one length, numbered ``i * (n + 1) + k``, by their start.

    Attributes:
        whole: ``[spans]``.
        left, right: ``[splits, spans]``, the parts of each.
    """

    whole: Numbers
    left: Numbers
    right: Numbers


@lru_cache(128)
def spans_of(n: int) -> list[Spans]:
    """The spans of a sentence, by their length; there are none of length 0."""
    size = n + 1
    found = [Spans(*np.zeros((3, 0, 0), np.intp))]
    for length in range(1, size):
        i, a = np.arange(size - length), np.arange(1, length)[:, None]
        k = i + length
        found.append(Spans(i * size + k, i * size + i + a, (i + a) * size + k))
    return found


class Estimates(NamedTuple):
    """The best scores where any two parts compose, ``[spans]`` unless said otherwise.

    Attributes:
        bare: ``[2, spans]``, a usable constant alone, and one that may be a middle.
        cell: a sub-tree.
        middle: a constant, with or without its gap, as the middle of a ternary join.
        pair: a left part with a middle.
    """

    bare: FloatArray
    cell: FloatArray
    middle: FloatArray
    pair: FloatArray


class QuestionScores:
    """The scores of a question by numbers of spans, and the best that any tree could score.

    Attributes:
        gap: 0 where a span may be φ, else ``-inf``.
        constants: ``[usable constants, spans]``, by the states of `start`.
        order: the columns of these.
        states, first: the states that these have, and where the constants of each begin.
        between: ``[states]``, 1 for those that may be a middle.
        lead, ends: ``[n]``, what so many words of leading φ score, and the span behind them.
    """

    def __init__(self, scores: SpanScores, algebra: Algebra) -> None:
        self.scores, self.algebra, self.n = scores, algebra, scores.n
        self.spans, self.size = spans_of(self.n), (self.n + 1) ** 2
        self.join = scores.join.ravel()
        self.gap = np.where(scores.gap == 0, 0.0, NEVER).ravel()
        start = algebra.starts(scores.columns)
        order = np.argsort(start, kind="stable")[(start == NONE).sum() :]
        columns = scores.constants.reshape(self.size, -1).T
        self.order, self.constants, self.start = order, columns[order], start[order]
        self.states, self.first = np.unique(self.start, return_index=True)
        self.between = algebra.middle[self.states].astype(int)
        self.lead = scores.join[0, self.n] + self.gap[: self.n]
        self.lead[0] = 0.0
        self.ends = np.arange(self.n) * (self.n + 1) + self.n

    @cached_property
    def inside(self) -> Estimates:
        """Of each span."""
        bare = np.full((2, self.size), NEVER)
        bare[0] = self.constants.max(0, initial=NEVER)
        bare[1] = self.constants[self.algebra.middle[self.start]].max(0, initial=NEVER)
        alone = bare.copy()
        if not len(self.algebra.sum_rules.pair_rules):
            alone[1] = NEVER
        cell, middle = alone.copy()
        pair = np.full_like(cell, NEVER)
        for whole, left, right in self.spans[2:]:
            label, rest = self.join[whole], cell[right]
            gaps = (alone[:, left] + self.gap[right]).max(1) + label
            parts = np.maximum(cell[left], pair[left]) + rest
            np.maximum(gaps[0], parts.max(0) + label, out=gaps[0])
            pair[whole] = (cell[left] + middle[right]).max(0)
            cell[whole] = np.maximum(cell[whole], gaps[0])
            middle[whole] = np.maximum(middle[whole], gaps[1])
        return Estimates(bare, cell, middle, pair)

    @cached_property
    def bound(self) -> float:
        """No tree scores more."""
        return float((self.inside.cell[self.ends] + self.lead).max())

    @cached_property
    def outside(self) -> Estimates:
        """Around each span."""
        _, cell, middle, pair = self.inside
        out = np.full((3, self.size), NEVER)
        out_cell, out_middle, out_pair = out
        out_cell[self.ends] = self.lead
        for whole, left, right in reversed(self.spans[2:]):
            above, before = out_cell[whole] + self.join[whole], out_pair[whole]
            outer = above + cell[right]
            out_pair[left] = np.maximum(out_pair[left], outer)
            np.maximum(outer, before + middle[right], out=outer)
            out_cell[left] = np.maximum(out_cell[left], outer)
            inner = above + np.maximum(cell[left], pair[left])
            out_cell[right] = np.maximum(out_cell[right], inner)
            out_middle[right] = np.maximum(out_middle[right], before + cell[left])
        return Estimates(out, out_cell, out_middle, out_pair)


class ArrayChart:
    """The inside values of all items that may count.

    Attributes:
        cell, middle: ``[states, spans]``.
        pair: ``[left parts with a middle, spans]``.
        bare: ``[states, spans]``, of the states that constants have.
        root: of all whole trees.
    """

    def __init__(
        self, question: QuestionScores, semiring: Semiring, work: Work, limit: float = NEVER
    ) -> None:
        self.question, self.semiring, self.work, self.limit = question, semiring, work, limit
        algebra = question.algebra
        self.rules, states = algebra.join_rules, algebra.n_states
        self.tops = question.inside if semiring.scaled else None
        pairs = len(algebra.sum_rules.pair_rules)
        self.values = np.full((3 * states + pairs, question.size), semiring.zero)
        self.cell, self.middle = self.values[:states], self.values[states : 2 * states]
        self.pair = self.values[3 * states :]
        # Which items any span has.
        self.some = np.zeros(len(self.values), bool)
        with np.errstate(all="ignore"):
            self.bare = self._bare()
            for spans in question.spans[1:]:
                self._fill(self._alive(spans))
            lead, root = question.lead, algebra.root(question.scores)[:, None]
            if self.tops is not None:
                lead = _weights(lead + self.tops.cell[question.ends], np.array(question.bound))
                root = np.exp(root)
            self.whole = semiring.times(semiring.times(self.cell[:, question.ends], lead), root)
            self.root = float(semiring.plus.reduce(self.whole, axis=None))

    @cached_property
    def has_cell(self) -> BoolArray:
        """``[spans]``, whether a span has any sub-tree."""
        some: BoolArray = np.logical_or.reduce(self.cell > NEVER)
        return some

    def best(self, i: int, k: int) -> dict[int, float]:
        """State -> score of the best sub-tree over a span."""
        values = self.cell[:, i * (self.question.n + 1) + k]
        return {int(state): float(values[state]) for state in np.nonzero(values > NEVER)[0]}

    def _bare(self) -> FloatArray:
        question = self.question
        constants = question.constants
        if not len(constants):
            return constants
        if self.tops is not None:
            kinds = question.algebra.middle[question.start].astype(int)
            constants = _weights(constants, self.tops.bare[kinds])
        return self.semiring.add(constants, question.first)

    def _alive(self, spans: Spans) -> Spans:
        """The spans with an item that is in a tree over the threshold."""
        if self.limit == NEVER:
            return spans
        inside, outside, whole = self.question.inside, self.question.outside, spans.whole
        alive = inside.cell[whole] + outside.cell[whole] >= self.limit
        alive |= inside.middle[whole] + outside.middle[whole] >= self.limit
        alive |= inside.pair[whole] + outside.pair[whole] >= self.limit
        return Spans(whole[alive], spans.left[:, alive], spans.right[:, alive])

    def _fill(self, spans: Spans) -> None:
        """Make the items of spans of one length."""
        if not len(spans.whole):
            return
        self._add_constants(spans)
        self._add_joins(spans)
        if self.limit > NEVER:
            outside, whole = self.question.outside, spans.whole
            for items, around in (
                (self.cell, outside.cell),
                (self.middle, outside.middle),
                (self.pair, outside.pair),
            ):
                here = items[:, whole]
                items[:, whole] = np.where(here + around[whole] >= self.limit, here, NEVER)
        if self.tops is not None:
            here = self.values[:, spans.whole]
            self.values[:, spans.whole] = np.where(here < VANISHED, 0.0, here)
        self.some |= (self.values[:, spans.whole] != self.semiring.zero).any(1)

    def _factor(self, label: FloatArray | float, parts: str, spans: Spans) -> FloatArray | float:
        """What a join with a label counts, over its parts: names of their and its own estimates."""
        if self.tops is None:
            return label
        left, right, whole = (getattr(self.tops, name) for name in parts.split())
        return _weights(label + left[spans.left] + right[spans.right], whole[spans.whole])

    def _add_constants(self, spans: Spans) -> None:
        """Constants with or without a gap, as sub-trees and as middles."""
        question, times, plus = self.question, self.semiring.times, self.semiring.plus
        whole, left, right = spans
        gap = question.gap[right] + question.join[whole]
        between = np.nonzero(question.between)[0]
        for items, states, name in (
            (self.cell, slice(None), "cell"),
            (self.middle, between, "middle"),
        ):
            bare = self.bare[states]
            alone: FloatArray | float = 0.0
            after = gap
            if self.tops is not None:
                tops = self.tops.bare[question.between[states]]
                top = getattr(self.tops, name)[whole]
                alone, after = _weights(tops[:, whole], top), _weights(tops[:, left] + gap, top)
            made = times(bare[:, whole], alone)
            if len(left):
                made = plus(made, plus.reduce(times(bare[:, left], after), axis=1))
            items[question.states[states][:, None], whole] = made

    def _add_joins(self, spans: Spans) -> None:
        whole, left, right = spans
        rules, states = self.rules, self.question.algebra.n_states
        # The left parts are cells, cells before a middle, and pairs.
        here = np.concatenate([self.some[:states], self.some[:states], self.some[3 * states :]])
        kept = np.nonzero(here[rules.left] & self.some[rules.right])[0]
        if not len(left) or not len(kept):
            return
        left_parts, one = np.unique(rules.left[kept], return_inverse=True)
        right_parts, other = np.unique(rules.right[kept], return_inverse=True)
        gathered = PART * (len(left_parts) + len(right_parts))
        self.work.spend((self.semiring.cost * len(kept) + gathered) * left.size)
        times, label = self.semiring.times, self.question.join[whole]
        cells, before, pairs = np.split(left_parts, left_parts.searchsorted([states, 2 * states]))
        lefts = np.concatenate(
            [
                times(self.cell[cells][:, left], self._factor(label, "cell cell cell", spans)),
                times(
                    self.cell[before - states][:, left],
                    self._factor(0.0, "cell middle pair", spans),
                ),
                times(
                    self.pair[pairs - 2 * states][:, left],
                    self._factor(label, "pair cell cell", spans),
                ),
            ]
        )
        rights = self.values[right_parts][:, right]
        if self.semiring.pair is None:
            # One product of matrices a span is faster than its joins one by one.
            every = lefts.transpose(2, 0, 1) @ rights.transpose(2, 1, 0)
            made = every.reshape(len(whole), -1)[:, one * len(right_parts) + other].T
        else:
            made = np.empty((len(kept), len(whole)))
            # Parts that stay in the processor's cache.
            step = max(1, CHUNK // left.size)
            for x in range(0, len(kept), step):
                some = slice(x, x + step)
                parts = lefts.take(one[some], 0), rights.take(other[some], 0)
                made[some] = self.semiring.pair(*parts)
        results = rules.result[kept]
        first = np.append(0, 1 + np.nonzero(results[1:] != results[:-1])[0])
        at = results[first][:, None], whole
        self.values[at] = self.semiring.plus(self.values[at], self.semiring.add(made, first))


def _weights(scores: FloatArray, tops: FloatArray) -> FloatArray:
    """Weights relative to scores that none is above."""
    weights: FloatArray = np.exp(np.where(tops == NEVER, NEVER, scores - tops))
    return weights


PART = 30
"""How many joins of a compiled chart take as long as one part of joins takes."""
CHUNK = 1 << 14
"""Joins that are made at once; only speed depends on it."""

FAINT, VANISHED = 1e-100, 1e-140
"""Least weight of the sentence at which weights that count as nothing are far below rounding, and
the weights that do; far smaller ones would be slow to multiply."""

MOST = 2000.0
"""The margin from which nothing is dropped."""

SLACK = 1e-9
"""Rounding of sums taken in different orders, for a threshold of up to one; relative above."""


def _question(scores: SpanScores, algebra: Algebra) -> QuestionScores:
    check_scores(scores.constants, scores.join)
    return QuestionScores(scores, algebra)


def log_partition(scores: SpanScores, algebra: Algebra, work: Work | None = None) -> float:
    """Log of the sum of exp(score) over all trees."""
    question, work = _question(scores, algebra), work or Work()
    if question.bound == NEVER:
        return NEVER
    total = ArrayChart(question, WEIGHTS, work).root
    if total >= FAINT:
        return math.log(total) + question.bound
    return ArrayChart(question, LOG_SUM, work).root


def best(scores: SpanScores, algebra: Algebra, work: Work | None = None) -> ScoredTree | None:
    """The best tree, or None if no tree has a final state and a finite score. Raises TooCostlyError
    if the work that is left is not enough, here and below."""
    return next(trees(scores, algebra, work), None)


def trees(scores: SpanScores, algebra: Algebra, work: Work | None = None) -> Iterator[ScoredTree]:
    """All trees, best first, each made when it is asked for."""
    question, work = _question(scores, algebra), work or Work()
    lists = LazyLists(scores, algebra, work)
    margin, given, most = FIRST_MARGIN, 0, FIRST_TREES
    while True:
        threshold, chart = _search(question, work, margin)
        while True:
            lists.fill(chart, most)
            # Under the threshold the pruned chart may lack trees.
            while given < most and (tree := lists.get(("root", 0, scores.n, 0), given)):
                if tree.score < threshold:
                    break
                given += 1
                yield tree
            if given < most:
                break
            most *= 4
        if threshold == NEVER:
            return
        margin = _wider(margin)


FIRST_MARGIN = 4.0
"""How far under the untyped bound the first search looks; only speed depends on it."""

FIRST_TREES = 64
"""How many trees are listed before more of each item's joins are kept; only speed depends on it."""


def _search(question: QuestionScores, work: Work, margin: float) -> tuple[float, ArrayChart]:
    """The chart of all that scores so much less than the bound of all trees, or of more if that is
    nothing; and the threshold in force."""
    known = NEVER
    while True:
        threshold = max(question.bound - margin, known) if question.bound > NEVER else NEVER
        limit = threshold - SLACK * max(1.0, abs(threshold)) if threshold > NEVER else NEVER
        chart = ArrayChart(question, MAX, work, limit)
        # A tree under the threshold may have lost a better rival under it, too.
        if chart.root >= threshold:
            return threshold, chart
        known, margin = chart.root, _wider(margin)


def _wider(margin: float) -> float:
    return margin * 4 if margin < MOST else np.inf


def best_joins(
    chart: ArrayChart, i: int, k: int, state: int, label: float, rules: SearchRules, most: int
) -> tuple[FloatArray, IntArray]:
    """The `most` best joins that make a state over a span, by the best trees of their parts: their
    scores, and ``(a, b, left, middle, right)`` of each, the same a and b for a binary one."""
    size, some = chart.question.n + 1, chart.has_cell
    inner = np.arange(i + 1, k)
    starts, ends = inner[some[i * size + inner]], inner[some[inner * size + k]]
    found = []
    for kind in range(2):
        left, middle, right = rules.making[
            rules.first[kind, state] : rules.first[kind, state + 1]
        ].T
        pairs = starts[:, None] == ends if kind == 0 else starts[:, None] < ends
        a, b = (
            each[number] for each, number in zip((starts, ends), np.nonzero(pairs), strict=True)
        )
        if not len(a) or not len(left):
            continue
        chart.work.joins[0] += len(a) * len(left)
        totals = label + chart.cell[left, i * size + a[:, None]]
        totals = totals + chart.cell[right, b[:, None] * size + k]
        if kind:
            totals += chart.middle[middle, a[:, None] * size + b[:, None]]
        place, rule = np.nonzero(totals > NEVER)
        parts = (a[place], b[place], left[rule], middle[rule], right[rule])
        found.append((totals[place, rule], np.stack(parts, 1)))
    if not found:
        return np.zeros(0), np.zeros((0, 5), np.int32)
    totals, joins = (np.concatenate(each) for each in zip(*found, strict=True))
    order = np.argsort(-totals, kind="stable")[:most]
    return totals[order], joins[order]


def kbest(scores: SpanScores, algebra: Algebra, k: int) -> list[ScoredTree]:
    """The `k` best trees, best first; fewer if there are fewer."""
    return list(islice(trees(scores, algebra), k))


def marginals(scores: SpanScores, algebra: Algebra) -> Marginals:
    """Label posteriors by inside-outside."""
    question = _question(scores, algebra)
    chart = ArrayChart(question, LOG_SUM, Work())
    named, joined = np.zeros_like(scores.constants), np.zeros_like(scores.join)
    root = np.zeros(len(scores.root) + 1)
    if chart.root > NEVER:
        with np.errstate(all="ignore"):
            shares = _Shares(chart)
            named[...], joined[...] = shares.named(), shares.joined.reshape(joined.shape)
        # The last one is of what counts nothing.
        np.add.at(root, algebra.asked(len(scores.root)), shares.whole.sum(1))
    return Marginals(named, joined, chart.root, root[:-1])


class _Shares:
    """What share of all trees has an item, passed down from whole sentences to their parts.

    Attributes:
        values: ``[items, spans]``, as in `ArrayChart`.
        bare: ``[states of constants, spans]``.
        joined: ``[spans]``, of those with the label of a join.
        whole: ``[states, n]``, whole sentences by their state and the words of leading φ.
    """

    def __init__(self, chart: ArrayChart) -> None:
        self.chart, self.question = chart, chart.question
        question = chart.question
        self.values, self.bare = np.zeros_like(chart.values), np.zeros_like(chart.bare)
        self.joined = np.zeros(question.size)
        self.whole = np.exp(chart.whole - chart.root)
        self.values[: len(self.whole), question.ends] = self.whole
        for spans in reversed(question.spans[1:]):
            self._pass_to_constants(spans)
            self._pass_to_parts(spans)
        self.joined[question.n] += self.whole[:, 1:].sum()

    def _pass_to_constants(self, spans: Spans) -> None:
        question, chart, states = self.question, self.chart, self.question.algebra.n_states
        whole, left, right = spans
        gap = question.gap[right] + question.join[whole]
        for first in (0, states):
            items = question.states + first
            made, mass = (each[items[:, None], whole] for each in (chart.values, self.values))
            unit = np.where(mass > 0, np.log(mass) - made, NEVER)
            self.bare[:, whole] += np.exp(unit + chart.bare[:, whole])
            share = np.exp(unit[:, None] + chart.bare[:, left] + gap)
            self.bare[:, left] += share
            self.joined[whole] += share.sum((0, 1))

    def _pass_to_parts(self, spans: Spans) -> None:
        chart, rules, states = self.chart, self.chart.rules, self.question.algebra.n_states
        whole, left, right = spans
        made, mass = chart.values[:, whole], self.values[:, whole]
        unit = np.where(mass > 0, np.log(mass) - made, NEVER)
        unit[: 2 * states] += self.question.join[whole]
        lefts = rules.left + np.select(
            [rules.left < states, rules.left < 2 * states], [0, -states], states
        )
        share = chart.values[:, left][lefts] + chart.values[:, right][rules.right]
        share = np.exp(share + unit[rules.result][:, None])
        self.joined[whole] += share[rules.result < 2 * states].sum((0, 1))
        for items, at in ((lefts, left), (rules.right, right)):
            order = np.argsort(items, kind="stable")
            some, first = np.unique(items[order], return_index=True)
            if len(some) and len(left):
                self.values[some[:, None, None], at] += np.add.reduceat(share[order], first)

    def named(self) -> FloatArray:
        """``[n+1, n+1, columns]``, of constants."""
        question, chart = self.question, self.chart
        kinds = np.searchsorted(question.states, question.start)
        share = np.exp(question.constants - chart.bare[kinds]) * self.bare[kinds]
        named = np.zeros((question.size, len(question.scores.columns)))
        named[:, question.order] = np.where(self.bare[kinds] > 0, share, 0.0).T
        return named.reshape(question.scores.constants.shape)


OPEN, POP = 20_000, 5_000
"""How many joins take as long as listing an item's edges, and as one more derivation of it."""

Item = tuple[str, int, int, int]
"""What it is (bare, mid, cell or root), from where to where, and its state."""

Edge = tuple[float, tuple[Item, ...], float]
"""The score of its label, its parts, and the score of its best derivation."""

Entry = tuple[float, int, int, tuple[int, ...]]
"""Minus the score, the order of arrival, the edge's number, and the ranks of its parts."""


class LazyLists:
    """The derivations of each item, best first, as far as they are asked for."""

    def __init__(self, scores: SpanScores, algebra: Algebra, work: Work) -> None:
        self.scores, self.start, self.work = scores, algebra.starts(scores.columns), work
        self.rules, self.root = algebra.search_rules, algebra.root(scores)

    def fill(self, chart: ArrayChart, most: int) -> None:
        """Begin again with another chart over the scores; trees that its threshold cuts off are not
        found. `most`: trees that are wanted, each of the `most` best joins of its items."""
        self.chart, self.most = chart, most
        self.edges: dict[Item, list[Edge]] = {}
        self.done: dict[Item, list[ScoredTree]] = {}
        self.heaps: dict[Item, list[Entry]] = {}
        self.seen: set[tuple[Item, int, tuple[int, ...]]] = set()
        self.count = itertools.count()

    def get(self, item: Item, rank: int) -> ScoredTree | None:
        """The derivation of an item that has this rank, from 0."""
        if item not in self.heaps:
            self._open(item)
        done, heap = self.done[item], self.heaps[item]
        while len(done) <= rank and heap:
            self.work.spend(POP)
            _, _, number, ranks = heapq.heappop(heap)
            made = self._derivation(item, number, ranks)
            assert made is not None
            done.append(made)
            for place in range(len(ranks)):
                self._push(item, number, (*ranks[:place], ranks[place] + 1, *ranks[place + 1 :]))
        return done[rank] if rank < len(done) else None

    def _open(self, item: Item) -> None:
        self.work.spend(OPEN)
        kind, i, k, state = item
        make = {
            "bare": self._bare_edges,
            "mid": self._constant_edges,
            "cell": self._cell_edges,
            "root": self._root_edges,
        }[kind]
        self.edges[item], self.done[item] = make(i, k, state), []
        self.heaps[item] = [
            (-score, next(self.count), number, (0,) * len(parts))
            for number, (_, parts, score) in enumerate(self.edges[item])
            if score != NEVER
        ]
        heapq.heapify(self.heaps[item])

    def _push(self, item: Item, number: int, ranks: tuple[int, ...]) -> None:
        if (item, number, ranks) not in self.seen:
            self.seen.add((item, number, ranks))
            made = self._derivation(item, number, ranks)
            if made is not None and made.score != NEVER:
                heapq.heappush(self.heaps[item], (-made.score, next(self.count), number, ranks))

    def _derivation(self, item: Item, number: int, ranks: tuple[int, ...]) -> ScoredTree | None:
        """What an edge makes of the parts of these ranks, None if one has not as many."""
        kind, i, k, state = item
        score, parts, _ = self.edges[item][number]
        if kind == "bare":
            column = self._columns[state][number]
            return ScoredTree(score, SpanTree(i, k, int(self.scores.columns[column])))
        below: list[SpanTree] = []
        for part, rank in zip(parts, ranks, strict=True):
            one = self.get(part, rank)
            if one is None:
                return None
            score += one.score
            below.append(one.tree)
        if len(below) == 1 and (below[0].start, below[0].end) == (i, k):
            return ScoredTree(score, below[0])
        return ScoredTree(score, SpanTree(i, k, JOIN, tuple(below)))

    # --- edges ---------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> dict[int, list[int]]:
        """State -> columns of the constants that have it."""
        return {int(s): np.nonzero(self.start == s)[0].tolist() for s in np.unique(self.start)}

    def _bare_edges(self, i: int, k: int, state: int) -> list[Edge]:
        scores = self.scores.constants[i, k, self._columns[state]].tolist()
        return [(score, (), score) for score in scores]

    def _constant_edges(self, i: int, k: int, state: int) -> list[Edge]:
        """A constant from i, with a gap up to k if it ends before."""
        if state not in self._columns:
            return []
        best = self.scores.constants[i, i + 1 : k + 1][:, self._columns[state]].max(1)
        label = float(self.scores.join[i, k])
        edges: list[Edge] = []
        for j in range(k, i, -1):
            extra = 0.0 if j == k else label
            if j == k or self.scores.gap[j, k] == 0:
                edges.append((extra, (("bare", i, j, state),), extra + float(best[j - i - 1])))
        return edges

    def _cell_edges(self, i: int, k: int, state: int) -> list[Edge]:
        edges = self._constant_edges(i, k, state)
        label = float(self.scores.join[i, k])
        totals, joins = best_joins(self.chart, i, k, state, label, self.rules, self.most)
        for total, (a, b, left, middle, right) in zip(totals.tolist(), joins.tolist(), strict=True):
            between: tuple[Item, ...] = () if middle < 0 else (("mid", a, b, middle),)
            edges.append((label, (("cell", i, a, left), *between, ("cell", b, k, right)), total))
        return edges

    def _root_edges(self, start: int, n: int, _: int) -> list[Edge]:
        edges: list[Edge] = []
        for p in range(n):
            if p > 0 and self.scores.gap[0, p] != 0:
                continue
            extra = float(self.scores.join[0, n]) if p > 0 else 0.0
            for state, value in self.chart.best(p, n).items():
                label = extra + float(self.root[state])
                if label != NEVER:
                    total = label + value
                    edges.append((label, (("cell", p, n, state),), total))
        return edges
