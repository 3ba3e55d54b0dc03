"""The k best trees of a filled Viterbi chart, found lazily (Huang and Chiang 2005, algorithm 3).

An item's derivations are listed only as far as better items ask for them: until then its Viterbi
score stands for it. So the work is that of the few items in the trees that are given, not that of
the whole chart.
"""

from __future__ import annotations

import heapq
import itertools
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from partwise.chart.algebra.base import IntArray, SearchRules
from partwise.chart.scores import NEVER, SpanScores
from partwise.chart.tree import JOIN, Derivation, SpanTree
from partwise.chart.viterbi import Chart

Item = tuple[str, int, int, int]
"""What it is (leaf, bare, mid, cell or root), from where to where, and its column or state."""

Edge = tuple[float, tuple[Item, ...], float]
"""The score of its label, its parts, and the score of its best derivation."""

Entry = tuple[float, int, int, tuple[int, ...]]
"""Minus the score, the order of arrival, the edge's number, and the ranks of its parts."""


class LazyLists:
    """The derivations of each item, best first, as far as they are asked for.

    Args:
        start: the state of the constant of each column.
        chart: filled over `scores`; trees that its threshold cuts off are not found.
    """

    def __init__(
        self, scores: SpanScores, start: IntArray, rules: SearchRules, chart: Chart
    ) -> None:
        self.scores, self.start, self.rules, self.chart = scores, start, rules, chart
        self.edges: dict[Item, list[Edge]] = {}
        self.done: dict[Item, list[Derivation]] = {}
        self.heaps: dict[Item, list[Entry]] = {}
        self.seen: set[tuple[Item, int, tuple[int, ...]]] = set()
        self.count = itertools.count()

    def get(self, item: Item, rank: int) -> Derivation | None:
        """The derivation of an item that has this rank, from 0."""
        if item not in self.heaps:
            self._open(item)
        done, heap = self.done[item], self.heaps[item]
        while len(done) <= rank and heap:
            _, _, number, ranks = heapq.heappop(heap)
            done.append(self._derivation(item, number, ranks))
            for place in range(len(ranks)):
                self._push(item, number, (*ranks[:place], ranks[place] + 1, *ranks[place + 1 :]))
        return done[rank] if rank < len(done) else None

    def _open(self, item: Item) -> None:
        kind, i, k, state = item
        edges = {
            "leaf": self._leaf_edges,
            "bare": self._bare_edges,
            "mid": self._constant_edges,
            "cell": self._cell_edges,
            "root": self._root_edges,
        }[kind](i, k, state)
        self.edges[item], self.done[item] = edges, []
        heap: list[Entry] = [
            (-score, next(self.count), number, (0,) * len(parts))
            for number, (_, parts, score) in enumerate(edges)
            if score != NEVER
        ]
        heapq.heapify(heap)
        self.heaps[item] = heap

    def _push(self, item: Item, number: int, ranks: tuple[int, ...]) -> None:
        if (item, number, ranks) in self.seen:
            return
        self.seen.add((item, number, ranks))
        total, parts, _ = self.edges[item][number]
        for part, rank in zip(parts, ranks, strict=True):
            found = self.get(part, rank)
            if found is None:
                return
            total += found.score
        if total != NEVER:
            heapq.heappush(self.heaps[item], (-total, next(self.count), number, ranks))

    def _derivation(self, item: Item, number: int, ranks: tuple[int, ...]) -> Derivation:
        kind, i, k, column = item
        score, parts, _ = self.edges[item][number]
        below: list[SpanTree] = []
        for part, rank in zip(parts, ranks, strict=True):
            found = self.get(part, rank)
            assert found is not None
            score += found.score
            below.append(found.tree)
        if kind == "leaf":
            return Derivation(score, SpanTree(i, k, int(self.scores.columns[column])))
        if len(below) == 1 and (below[0].start, below[0].end) == (i, k):
            return Derivation(score, below[0])
        return Derivation(score, SpanTree(i, k, JOIN, tuple(below)))

    # --- edges ---------------------------------------------------------------------------

    def _leaf_edges(self, i: int, k: int, column: int) -> list[Edge]:
        score = float(self.scores.constants[i, k, column])
        return [(score, (), score)]

    @cached_property
    def _columns(self) -> dict[int, NDArray[np.int64]]:
        """State -> columns of the constants that have it."""
        return {int(s): np.nonzero(self.start == s)[0] for s in np.unique(self.start)}

    def _bare_edges(self, i: int, k: int, state: int) -> list[Edge]:
        named = self.scores.constants[i, k]
        columns = (int(column) for column in self._columns.get(state, ()))
        return [(0.0, (("leaf", i, k, c),), float(named[c])) for c in columns]

    def _constant_edges(self, i: int, k: int, state: int) -> list[Edge]:
        """A constant from i, with a gap up to k if it ends before."""
        columns = self._columns.get(state)
        if columns is None:
            return []
        best = self.scores.constants[i, i + 1 : k + 1][:, columns].max(1)
        label = float(self.scores.join[i, k])
        edges: list[Edge] = []
        for j in range(k, i, -1):
            extra = 0.0 if j == k else label
            if j == k or self.scores.gap[j, k] == 0:
                edges.append((extra, (("bare", i, j, state),), extra + float(best[j - i - 1])))
        return edges

    def _live(self, i: int, k: int) -> IntArray:
        found: IntArray = self.chart.states[i, k, : self.chart.size[i, k]]
        return found.astype(np.int32)

    def _cell_edges(self, i: int, k: int, state: int) -> list[Edge]:
        edges = self._constant_edges(i, k, state)
        for a in range(i + 1, k):
            edges += self._binary(i, a, k, state)
        # Few middles make any given state.
        middles = self.rules.middle & (self.rules.table == state).any(1)
        if middles.any():
            for a, b in itertools.combinations(range(i + 1, k), 2):
                edges += self._ternary(i, a, b, k, state, middles)
        return edges

    def _binary(self, i: int, a: int, k: int, state: int) -> list[Edge]:
        lefts, rights = self._live(i, a), self._live(a, k)
        label = float(self.scores.join[i, k])
        rows, columns = np.nonzero(self.rules.table[np.ix_(lefts, rights)] == state)
        left, right = lefts[rows], rights[columns]
        totals = label + self.chart.value[i, a, left] + self.chart.value[a, k, right]
        return [
            (label, (("cell", i, a, x), ("cell", a, k, y)), total)
            for x, y, total in zip(left.tolist(), right.tolist(), totals.tolist(), strict=True)
        ]

    def _ternary(
        self, i: int, a: int, b: int, k: int, state: int, middles: NDArray[np.bool_]
    ) -> list[Edge]:
        between = np.nonzero(middles & (self.chart.mid[a, b] != NEVER))[0]
        if not len(between) or not self.chart.size[i, a] or not self.chart.size[b, k]:
            return []
        lefts, rights = self._live(i, a), self._live(b, k)
        outer = self.rules.outer[np.ix_(lefts, rights)]
        makes = (self.rules.table[between][:, outer] == state) & (outer >= 0)
        numbers, rows, columns = np.nonzero(makes)
        middle, left, right = between[numbers], lefts[rows], rights[columns]
        label = float(self.scores.join[i, k])
        totals = label + self.chart.value[i, a, left] + self.chart.value[b, k, right]
        return [
            (
                label,
                (("cell", i, a, x), ("mid", a, b, m), ("cell", b, k, y)),
                total + self._middle(a, b, m),
            )
            for x, m, y, total in zip(
                left.tolist(), middle.tolist(), right.tolist(), totals.tolist(), strict=True
            )
        ]

    def _middle(self, a: int, b: int, state: int) -> float:
        return max(score for _, _, score in self._constant_edges(a, b, state))

    def _root_edges(self, start: int, n: int, _: int) -> list[Edge]:
        edges: list[Edge] = []
        for p in range(n):
            if p > 0 and self.scores.gap[0, p] != 0:
                continue
            extra = float(self.scores.join[0, n]) if p > 0 else 0.0
            for state in self._live(p, n).tolist():
                if self.rules.final[state]:
                    total = extra + float(self.chart.value[p, n, state])
                    edges.append((extra, (("cell", p, n, state),), total))
        return edges
