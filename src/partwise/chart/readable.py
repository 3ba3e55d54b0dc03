"""The chart in plain Python, to be read and to hold the compiled one to account.

One derivation a tree: the sentence is an optional leading φ, then constants, each with an
optional φ gap on its right; over these, binary joins, and ternary joins whose middle is a
constant and whose outer parts combine first (paper section 3.4). A span's label is a constant, or
`join` for a constant with its gap, for every composed span, and for the root over a leading φ.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Generic, TypeVar

import numpy as np

from partwise.chart.algebra.base import NONE, Algebra
from partwise.chart.scores import Marginals, SpanScores
from partwise.chart.semiring import KBest, LogSum, Semiring
from partwise.chart.tree import Derivation, SpanTree

V = TypeVar("V")
Cell = dict[int, V]
"""State -> value of all sub-trees over a span with that state."""


class Inside(Generic[V]):
    """The inside recurrence over a semiring, bottom-up over spans (paper, algorithm 1)."""

    def __init__(self, scores: SpanScores, algebra: Algebra, semiring: Semiring[V]) -> None:
        self.scores, self.algebra, self.semiring = scores, algebra, semiring
        self.cells: dict[tuple[int, int], Cell[V]] = {}
        self.middles: dict[tuple[int, int], Cell[V]] = {}
        n = scores.n
        for length in range(1, n + 1):
            for start in range(n - length + 1):
                self._fill(start, start + length)
        self.root = self._root()

    def _fill(self, i: int, k: int) -> None:
        constants = self._constants(i, k)
        # The middle of a ternary join is one constant, with or without its gap.
        self.middles[i, k] = {s: v for s, v in constants.items() if self.algebra.middle[s]}
        found: dict[int, list[V]] = defaultdict(list)
        for state, value in constants.items():
            found[state].append(value)
        self._binary(i, k, found)
        self._ternary(i, k, found)
        self.cells[i, k] = self._merge(found)

    def _merge(self, found: dict[int, list[V]]) -> Cell[V]:
        merged = {state: self.semiring.add(values) for state, values in found.items()}
        return {s: value for s, value in merged.items() if not self.semiring.is_zero(value)}

    def _bare(self, i: int, k: int) -> Cell[V]:
        found: dict[int, list[V]] = defaultdict(list)
        for column, category in enumerate(self.scores.columns):
            state = int(self.algebra.start[category])
            score = float(self.scores.constants[i, k, column])
            if state != NONE and score != -math.inf:
                leaf = SpanTree(i, k, int(category))
                found[state].append(self.semiring.leaf(score, leaf))
        return self._merge(found)

    def _constants(self, i: int, k: int) -> Cell[V]:
        found: dict[int, list[V]] = defaultdict(list)
        for state, value in self._bare(i, k).items():
            found[state].append(value)
        for j in range(i + 1, k):
            if self.scores.gap[j, k] == 0:
                for state, value in self._bare(i, j).items():
                    found[state].append(self._join(i, k, [value]))
        return self._merge(found)

    def _join(self, i: int, k: int, parts: list[V]) -> V:
        return self.semiring.join(float(self.scores.join[i, k]), i, k, parts)

    def _binary(self, i: int, k: int, found: dict[int, list[V]]) -> None:
        for a in range(i + 1, k):
            for left, one in self.cells[i, a].items():
                for right, two in self.cells[a, k].items():
                    state = int(self.algebra.table[left, right])
                    if state != NONE:
                        found[state].append(self._join(i, k, [one, two]))

    def _ternary(self, i: int, k: int, found: dict[int, list[V]]) -> None:
        table, outer_table = self.algebra.table, self.algebra.outer_table
        for a in range(i + 1, k):
            for b in range(a + 1, k):
                for left, one in self.cells[i, a].items():
                    for right, three in self.cells[b, k].items():
                        outer = int(outer_table[left, right])
                        for middle, two in self.middles[a, b].items() if outer != NONE else ():
                            state = int(table[middle, outer])
                            if state != NONE:
                                found[state].append(self._join(i, k, [one, two, three]))

    def _root(self) -> V:
        n = self.scores.n
        final = self.algebra.final
        values = [value for s, value in self.cells.get((0, n), {}).items() if final[s]]
        for p in range(1, n):
            if self.scores.gap[0, p] == 0:
                for state, value in self.cells[p, n].items():
                    if final[state]:
                        values.append(self._join(0, n, [value]))
        return self.semiring.add(values)


def kbest(scores: SpanScores, algebra: Algebra, k: int) -> list[Derivation]:
    """The `k` best trees, best first; fewer if there are fewer."""
    return list(Inside(scores, algebra, KBest(k)).root)


def log_partition(scores: SpanScores, algebra: Algebra) -> float:
    """Log of the sum of exp(score) over all trees."""
    return Inside(scores, algebra, LogSum()).root


def marginals(scores: SpanScores, algebra: Algebra) -> Marginals:
    """Label posteriors by definition: one minus the share of the trees that lack the label."""
    total = log_partition(scores, algebra)
    constants, join = np.zeros_like(scores.constants), np.zeros_like(scores.join)

    def share(kind: str, index: tuple[int, ...]) -> float:
        changed = {"constants": scores.constants.copy(), "join": scores.join.copy()}
        changed[kind][index] = -np.inf
        without = SpanScores(changed["constants"], changed["join"], scores.gap, scores.columns)
        return 1.0 - math.exp(log_partition(without, algebra) - total)

    if total > -math.inf:
        for i in range(scores.n):
            for k in range(i + 1, scores.n + 1):
                join[i, k] = share("join", (i, k))
                for column in np.nonzero(scores.constants[i, k] > -np.inf)[0]:
                    constants[i, k, column] = share("constants", (i, k, int(column)))
    return Marginals(constants, join, total)
