"""The chart in plain Python, to be read and to hold the other two to account.

One derivation a tree: the sentence is an optional leading φ, then constants, each with an
optional φ gap on its right; over these, binary joins, and ternary joins whose middle is a
constant and whose outer parts combine first (paper section 3.4). A span's label is a constant, or
`join` for a constant with its gap, for every composed span, and for the root over a leading φ.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from partwise.chart.algebra import NONE, Algebra
from partwise.chart.scores import JOIN, ScoredTree, SpanScores, SpanTree

V = TypeVar("V")
Cell = dict[int, V]
"""State -> value of all sub-trees over a span with that state."""


@dataclass(frozen=True)
class Semiring(Generic[V]):
    """Values of sub-trees.

    Attributes:
        leaf: the value of a constant with this score.
        add: choice between derivations; falsy or ``-inf`` for none.
        join: a node of label `join` with this score over parts.
        weigh: whole trees by what their question asks for, with its score.
    """

    leaf: Callable[[float, SpanTree], V]
    add: Callable[[Sequence[V]], V]
    join: Callable[[float, tuple[int, int], Sequence[V]], V]
    weigh: Callable[[float, V], V]


def log_sum(values: Sequence[float]) -> float:
    """Log of the sum of exp(value)."""
    top = max(values, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(sum(math.exp(value - top) for value in values))


LOG_SUM = Semiring[float](
    lambda score, tree: score,
    log_sum,
    lambda score, span, parts: score + sum(parts),
    lambda score, value: score + value,
)
"""Sums of exp(score) over trees, in log space."""

Best = tuple[ScoredTree, ...]


def k_best(k: int) -> Semiring[Best]:
    """The `k` best trees with their scores, best first."""

    def add(values: Sequence[Best]) -> Best:
        every = itertools.chain.from_iterable(values)
        possible = (derivation for derivation in every if derivation.score != -math.inf)
        return tuple(heapq.nlargest(k, possible, key=lambda derivation: derivation.score))

    def joined(score: float, span: tuple[int, int], parts: Sequence[ScoredTree]) -> ScoredTree:
        total = sum((part.score for part in parts), start=score)
        return ScoredTree(total, SpanTree(*span, JOIN, tuple(part.tree for part in parts)))

    def join(score: float, span: tuple[int, int], parts: Sequence[Best]) -> Best:
        return add([tuple(joined(score, span, some) for some in itertools.product(*parts))])

    def weigh(score: float, trees: Best) -> Best:
        return add([tuple(replace(tree, score=tree.score + score) for tree in trees)])

    return Semiring(lambda score, tree: (ScoredTree(score, tree),), add, join, weigh)


class Inside(Generic[V]):
    """The inside recurrence over a semiring, bottom-up over spans (paper, algorithm 1)."""

    def __init__(self, scores: SpanScores, algebra: Algebra, semiring: Semiring[V]) -> None:
        self.scores, self.algebra, self.semiring = scores, algebra, semiring
        self.cells: dict[tuple[int, int], Cell[V]] = {}
        self.middles: dict[tuple[int, int], Cell[V]] = {}
        n = scores.n
        for length in range(1, n + 1):
            for i in range(n - length + 1):
                k = i + length
                constants = self._together(self._constants(i, k))
                # The middle of a ternary join is one constant, with or without its gap.
                self.middles[i, k] = {s: v for s, v in constants.items() if algebra.middle[s]}
                ways = itertools.chain(constants.items(), self._binary(i, k), self._ternary(i, k))
                self.cells[i, k] = self._together(ways)
        asked = algebra.root(scores)
        whole = self._together(self._whole())
        self.root = semiring.add(
            [semiring.weigh(float(asked[state]), value) for state, value in whole.items()]
        )

    def _together(self, ways: Iterable[tuple[int, V]]) -> Cell[V]:
        values: dict[int, list[V]] = defaultdict(list)
        for state, value in ways:
            values[state].append(value)
        added = {state: self.semiring.add(every) for state, every in values.items()}
        return {state: value for state, value in added.items() if value not in ((), -math.inf)}

    def _join(self, i: int, k: int, *parts: V) -> V:
        return self.semiring.join(float(self.scores.join[i, k]), (i, k), parts)

    def _bare(self, i: int, k: int) -> Iterator[tuple[int, V]]:
        for column, category in enumerate(self.scores.columns):
            state = int(self.algebra.start[category])
            score = float(self.scores.constants[i, k, column])
            if state != NONE and score != -math.inf:
                yield state, self.semiring.leaf(score, SpanTree(i, k, int(category)))

    def _constants(self, i: int, k: int) -> Iterator[tuple[int, V]]:
        yield from self._bare(i, k)
        for j in range(i + 1, k):
            if self.scores.gap[j, k] == 0:
                for state, value in self._bare(i, j):
                    yield state, self._join(i, k, value)

    def _binary(self, i: int, k: int) -> Iterator[tuple[int, V]]:
        for a in range(i + 1, k):
            for left, one in self.cells[i, a].items():
                for right, two in self.cells[a, k].items():
                    state = int(self.algebra.table[left, right])
                    if state != NONE:
                        yield state, self._join(i, k, one, two)

    def _ternary(self, i: int, k: int) -> Iterator[tuple[int, V]]:
        table, outer_table = self.algebra.table, self.algebra.outer_table
        for a, b in itertools.combinations(range(i + 1, k), 2):
            for left, one in self.cells[i, a].items():
                for right, three in self.cells[b, k].items():
                    outer = int(outer_table[left, right])
                    for middle, two in self.middles[a, b].items() if outer != NONE else ():
                        state = int(table[middle, outer])
                        if state != NONE:
                            yield state, self._join(i, k, one, two, three)

    def _whole(self) -> Iterator[tuple[int, V]]:
        n = self.scores.n
        yield from self.cells[0, n].items()
        for p in range(1, n):
            if self.scores.gap[0, p] == 0:
                for state, value in self.cells[p, n].items():
                    yield state, self._join(0, n, value)


def kbest(scores: SpanScores, algebra: Algebra, k: int) -> list[ScoredTree]:
    """The `k` best trees, best first; fewer if there are fewer."""
    return list(Inside(scores, algebra, k_best(k)).root)


def log_partition(scores: SpanScores, algebra: Algebra) -> float:
    """Log of the sum of exp(score) over all trees."""
    return Inside(scores, algebra, LOG_SUM).root
