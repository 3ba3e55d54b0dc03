"""The k best trees of a filled Viterbi chart, found lazily (Huang and Chiang 2005, algorithm 3).

An item's derivations are listed only as far as better items ask for them: until then its Viterbi
score stands for it. So the work is that of the few items in the trees that are given, not that of
the whole chart.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from partwise.chart.algebra.base import IntArray, SearchRules
from partwise.chart.cells import Chart
from partwise.chart.scores import NEVER, SpanScores
from partwise.chart.tree import JOIN, ScoredTree, SpanTree
from partwise.interface.budget import Work

OPEN, POP = 20_000, 5_000
"""How many joins take as long as listing an item's edges, and as one more derivation of it."""

Item = tuple[str, int, int, int]
"""What it is (bare, mid, cell or root), from where to where, and its state."""

Edge = tuple[float, tuple[Item, ...], float]
"""The score of its label, its parts, and the score of its best derivation."""

Entry = tuple[float, int, int, tuple[int, ...]]
"""Minus the score, the order of arrival, the edge's number, and the ranks of its parts."""


class LazyLists:
    """The derivations of each item, best first, as far as they are asked for.

    Args:
        start: the state of the constant of each column.
        chart: filled over `scores`; trees that its threshold cuts off are not found.
        most: trees that are wanted; each is of the `most` best joins of its items.
        best_joins: `partwise.chart.edges.best_joins`, compiled or not.
    """

    def __init__(
        self,
        scores: SpanScores,
        start: IntArray,
        rules: SearchRules,
        chart: Chart,
        most: int,
        work: Work,
        best_joins: Callable[..., Any],
    ) -> None:
        self.scores, self.start, self.rules, self.chart = scores, start, rules, chart
        self.most, self.work, self._best_joins = most, work, best_joins
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
        totals, joins = self._best_joins(
            self.chart, i, k, state, label, self.rules, self.most, self.work.joins
        )
        for total, (a, b, left, middle, right) in zip(totals.tolist(), joins.tolist(), strict=True):
            between: tuple[Item, ...] = () if middle < 0 else (("mid", a, b, middle),)
            edges.append((label, (("cell", i, a, left), *between, ("cell", b, k, right)), total))
        return edges

    def _live(self, i: int, k: int) -> IntArray:
        live: IntArray = self.chart.states[i, k, : self.chart.size[i, k]]
        return live

    def _root_edges(self, start: int, n: int, _: int) -> list[Edge]:
        edges: list[Edge] = []
        for p in range(n):
            if p > 0 and self.scores.gap[0, p] != 0:
                continue
            extra = float(self.scores.join[0, n]) if p > 0 else 0.0
            for state in self._live(p, n).tolist():
                label = extra + float(self.rules.root[state])
                if label != NEVER:
                    total = label + float(self.chart.value[p, n, state])
                    edges.append((label, (("cell", p, n, state),), total))
        return edges
