"""The published parser, to measure against: untyped K-best CKY, then types at the root.

Algorithm 1 of Herzig and Berant (2021) with the ternary rule of section 3.4, in plain Python as
it was published: every cell keeps the K best joins of all splits, whatever they mean; the trees of
the root are then tried in order of score until one spells a well-typed program. As in the
reference implementation, a gap hangs on a bare constant to its left, and a ternary join that
scores less than zero is dropped. Its list of stop words is left out.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

from partwise.chart.algebra import NONE, Algebra
from partwise.chart.scores import JOIN, SpanScores, SpanTree

Item = tuple[float, int, int, int, tuple["Item", ...]]
"""Score, start, end, label, children."""


@dataclass(frozen=True)
class Outcome:
    """What the search found.

    Attributes:
        tree: the first valid tree, if any.
        tried: how many trees of the root were looked at.
        chart_seconds: until the first tree of the root was known.
        seconds: all of it.
        capped: whether time ran out.
    """

    tree: SpanTree | None
    score: float
    tried: int
    chart_seconds: float
    seconds: float
    capped: bool


class OutOfTime(Exception):
    """The cap was reached."""


class KBestCKY:
    """Algorithm 1 over one sentence's scores."""

    def __init__(self, scores: SpanScores, k: int, ternary: bool, deadline: float) -> None:
        self.k, self.ternary, self.deadline = k, ternary, deadline
        self.n = scores.n
        # Lists of floats, as indexing an array for one number at a time is slow.
        self.constants = scores.constants.tolist()
        self.join = scores.join.tolist()
        self.free = (scores.gap == 0).tolist()
        self.columns = scores.columns.tolist()
        self.bare: dict[tuple[int, int], list[Item]] = {}
        self.cells: dict[tuple[int, int], list[Item]] = {}

    def fill(self) -> None:
        """All cells, shorter spans first."""
        for length in range(1, self.n + 1):
            for i in range(self.n - length + 1):
                self._cell(i, i + length)

    def roots(self) -> list[Item]:
        """All trees of the whole sentence that the chart holds, best first."""
        n, label = self.n, self.join[0][self.n]
        found = list(self._candidates(0, n))
        for lead in range(1, n):
            if self.free[0][lead]:
                found += [(label + item[0], 0, n, JOIN, (item,)) for item in self.cells[lead, n]]
        return sorted(found, key=_score, reverse=True)

    def _cell(self, i: int, k: int) -> None:
        if time.perf_counter() > self.deadline:
            raise OutOfTime
        named = zip(self.constants[i][k], self.columns, strict=True)
        leaves = [(score, i, k, label, ()) for score, label in named if score > -math.inf]
        self.bare[i, k] = heapq.nlargest(self.k, leaves, key=_score)
        if (i, k) != (0, self.n):
            self.cells[i, k] = heapq.nlargest(self.k, self._candidates(i, k), key=_score)

    def _candidates(self, i: int, k: int) -> Iterator[Item]:
        label, cells = self.join[i][k], self.cells
        yield from self.bare[i, k]
        for a in range(i + 1, k):
            if self.free[a][k]:
                for one in self.bare[i, a]:
                    yield label + one[0], i, k, JOIN, (one,)
            for one in cells[i, a]:
                for two in cells[a, k]:
                    yield label + one[0] + two[0], i, k, JOIN, (one, two)
        if self.ternary:
            yield from self._triples(i, k)

    def _triples(self, i: int, k: int) -> Iterator[Item]:
        label, cells = self.join[i][k], self.cells
        for a, b in itertools.combinations(range(i + 1, k), 2):
            for one in cells[i, a]:
                for two in cells[a, b]:
                    base = label + one[0] + two[0]
                    for three in cells[b, k]:
                        score = base + three[0]
                        if score >= 0.0:
                            yield score, i, k, JOIN, (one, two, three)


def _score(item: Item) -> float:
    return item[0]


def parse(
    scores: SpanScores, types: Algebra, k: int = 5, ternary: bool = True, cap: float = 20.0
) -> Outcome:
    """The first well-typed tree that the K-best search comes upon.

    Args:
        cap: seconds after which the search gives up.
    """
    begin = time.perf_counter()
    search = KBestCKY(scores, k, ternary, begin + cap)
    tried, charted = 0, cap
    try:
        search.fill()
        roots = search.roots()
        charted = time.perf_counter() - begin
        for tried, item in enumerate(roots, 1):
            state = _state(item, types)
            if state != NONE and types.final[state]:
                return _outcome(item, tried, charted, begin)
            if time.perf_counter() > search.deadline:
                raise OutOfTime
    except OutOfTime:
        return Outcome(None, -math.inf, tried, charted, time.perf_counter() - begin, True)
    return Outcome(None, -math.inf, tried, charted, time.perf_counter() - begin, False)


def _outcome(item: Item, tried: int, charted: float, begin: float) -> Outcome:
    return Outcome(_tree(item), item[0], tried, charted, time.perf_counter() - begin, False)


def _state(item: Item, types: Algebra) -> int:
    """What the tree means to the types: the check that the paper makes at the root."""
    _, _, _, label, parts = item
    if not parts:
        return int(types.start[label])
    states = [_state(part, types) for part in parts]
    if NONE in states:
        return NONE
    if len(states) == 1:
        return states[0]
    if len(states) == 2:
        return int(types.table[states[0], states[1]])
    outer = int(types.outer_table[states[0], states[2]])
    return NONE if outer == NONE else int(types.table[states[1], outer])


def _tree(item: Item) -> SpanTree:
    _, start, end, label, parts = item
    return SpanTree(start, end, label, tuple(_tree(part) for part in parts))
