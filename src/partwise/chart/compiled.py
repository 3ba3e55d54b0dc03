"""The compiled chart: the same results as the readable one, in microseconds."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from partwise.algebra.base import Algebra
from partwise.chart import logspace, scaled, viterbi
from partwise.chart.scores import Marginals, SpanScores
from partwise.chart.semiring import Derivation
from partwise.chart.tables import Tables, tables_of
from partwise.tree import JOIN, SpanTree

FIRST_MARGIN = 4.0
"""How far under the untyped bound the first search looks; only speed depends on it."""

Item = tuple[str, int, int, int]
Edge = tuple[float, tuple[Item, ...]]


def _search(scores: SpanScores, tables: Tables, margin: float) -> Any:
    return viterbi.search(
        scores.constants,
        scores.join,
        scores.gap,
        tables.start[scores.columns],
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


class _Lazy:
    """Lazy k-best (Huang and Chiang 2005, algorithm 3) over a filled Viterbi chart."""

    def __init__(self, scores: SpanScores, tables: Tables, chart: Any) -> None:
        self.scores, self.tables, self.chart = scores, tables, chart
        self.done: dict[Item, list[Derivation]] = {}
        self.heaps: dict[Item, list[tuple[float, int, Edge, tuple[int, ...]]]] = {}
        self.seen: dict[Item, set[tuple[int, tuple[int, ...]]]] = {}
        self.count = itertools.count()

    def get(self, item: Item, rank: int) -> Derivation | None:
        """The derivation of an item that has this rank, from 0."""
        if item not in self.heaps:
            self.heaps[item], self.done[item], self.seen[item] = [], [], set()
            for edge in self._edges(item):
                self._push(item, edge, (0,) * len(edge[1]))
        done, heap = self.done[item], self.heaps[item]
        while len(done) <= rank and heap:
            minus, _, edge, ranks = heapq.heappop(heap)
            done.append(Derivation(-minus, self._tree(item, edge, ranks)))
            for place in range(len(ranks)):
                raised = (*ranks[:place], ranks[place] + 1, *ranks[place + 1 :])
                self._push(item, edge, raised)
        return done[rank] if rank < len(done) else None

    def _push(self, item: Item, edge: Edge, ranks: tuple[int, ...]) -> None:
        if (id(edge), ranks) in self.seen[item]:
            return
        self.seen[item].add((id(edge), ranks))
        total = edge[0]
        for part, rank in zip(edge[1], ranks, strict=True):
            found = self.get(part, rank)
            if found is None:
                return
            total += found.score
        if total != -np.inf:
            heapq.heappush(self.heaps[item], (-total, next(self.count), edge, ranks))

    def _tree(self, item: Item, edge: Edge, ranks: tuple[int, ...]) -> SpanTree:
        parts = [self.done[part][rank].tree for part, rank in zip(edge[1], ranks, strict=True)]
        kind, i, k, state = item
        if kind == "leaf":
            return SpanTree(i, k, int(self.scores.columns[state]))
        if len(parts) == 1 and (parts[0].start, parts[0].end) == (i, k):
            return parts[0]
        return SpanTree(i, k, JOIN, tuple(parts))

    def _edges(self, item: Item) -> Iterator[Edge]:
        kind, i, k, state = item
        edges = {
            "leaf": self._leaf_edges,
            "bare": self._bare_edges,
            "mid": self._constant_edges,
            "cell": self._cell_edges,
            "root": self._root_edges,
        }[kind](i, k, state)
        # Edges are told apart by identity, so they must stay alive.
        self.done.setdefault(item, [])
        kept = list(edges)
        self.__dict__.setdefault("_kept", []).append(kept)
        return iter(kept)

    def _leaf_edges(self, i: int, k: int, column: int) -> Iterator[Edge]:
        yield float(self.scores.constants[i, k, column]), ()

    def _bare_edges(self, i: int, k: int, state: int) -> Iterator[Edge]:
        for column in np.nonzero(self.tables.start[self.scores.columns] == state)[0]:
            if self.scores.constants[i, k, column] != -np.inf:
                yield 0.0, (("leaf", i, k, int(column)),)

    def _constant_edges(self, i: int, k: int, state: int) -> Iterator[Edge]:
        yield 0.0, (("bare", i, k, state),)
        for j in range(i + 1, k):
            if self.scores.gap[j, k] == 0:
                yield float(self.scores.join[i, k]), (("bare", i, j, state),)

    def _live(self, i: int, k: int) -> list[int]:
        return [int(s) for s in self.chart[2][i, k, : self.chart[1][i, k]]]

    def _cell_edges(self, i: int, k: int, state: int) -> Iterator[Edge]:
        yield from self._constant_edges(i, k, state)
        table, outer_table = self.tables.table, self.tables.outer
        middle = self.tables.middle
        label = float(self.scores.join[i, k])
        for a in range(i + 1, k):
            for left in self._live(i, a):
                for right in self._live(a, k):
                    if table[left, right] == state:
                        yield label, (("cell", i, a, left), ("cell", a, k, right))
        for a, b in itertools.combinations(range(i + 1, k), 2):
            middles = np.nonzero(middle & (self.chart[5][a, b] != -np.inf))[0]
            for left in self._live(i, a) if len(middles) else ():
                for right in self._live(b, k):
                    outer = outer_table[left, right]
                    for m in middles if outer >= 0 else ():
                        if table[m, outer] == state:
                            parts: tuple[Item, ...] = (
                                ("cell", i, a, left),
                                ("mid", a, b, int(m)),
                                ("cell", b, k, right),
                            )
                            yield label, parts

    def _root_edges(self, start: int, n: int, _: int) -> Iterator[Edge]:
        for p in range(n):
            if p > 0 and self.scores.gap[0, p] != 0:
                continue
            for state in self._live(p, n):
                if self.tables.final[state]:
                    extra = float(self.scores.join[0, n]) if p > 0 else 0.0
                    yield extra, (("cell", p, n, state),)


def kbest(scores: SpanScores, algebra: Algebra, k: int) -> list[Derivation]:
    """The `k` best trees, best first; fewer if there are fewer."""
    tables = tables_of(algebra)
    margin = FIRST_MARGIN
    while True:
        _, _, _, threshold, chart = _search(scores, tables, margin)
        lazy = _Lazy(scores, tables, chart)
        found: list[Derivation] = []
        while len(found) < k:
            derivation = lazy.get(("root", 0, scores.n, 0), len(found))
            if derivation is None:
                break
            found.append(derivation)
        # Under the threshold the pruned chart may lack trees.
        if threshold == -np.inf or (len(found) == k and found[-1].score >= threshold):
            return found
        margin = margin * 4 if margin < 2000 else np.inf


def _inside(scores: SpanScores, tables: Tables) -> Any:
    return logspace.inside(
        scores.constants,
        scores.join,
        scores.gap,
        tables.start[scores.columns],
        tables.pairs,
        tables.middle,
        tables.triples,
        tables.pair_rows,
    )


def _weights(scores: SpanScores, tables: Tables) -> tuple[Any, float, float]:
    """Scaled weights, their log scale, and the weight of the sentence."""
    weights, scale = scaled.inside(
        scores.constants,
        scores.join,
        scores.gap,
        tables.start[scores.columns],
        tables.pairs,
        tables.middle,
        tables.triples,
        tables.pair_rows,
    )
    total = scaled.root_weight(weights, scale, scores.join, scores.gap, tables.final)
    return weights, scale, total


def log_partition(scores: SpanScores, algebra: Algebra) -> float:
    """Log of the sum of exp(score) over all trees."""
    tables = tables_of(algebra)
    _, scale, total = _weights(scores, tables)
    if total >= scaled.FAINT:
        return float(scale + np.log(total))
    cell = _inside(scores, tables)[1]
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
        tables.start[scores.columns],
        tables.pairs,
        tables.final,
        tables.middle,
        tables.triples,
        tables.pair_rows,
    )
    return Marginals(named, joined, float(scale + np.log(weight)))


def _marginals_in_logs(scores: SpanScores, tables: Tables) -> Marginals:
    bare, cell, mid, pre = _inside(scores, tables)
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
        tables.start[scores.columns],
        tables.pairs,
        tables.final,
        tables.triples,
        tables.pair_rows,
    )
    return Marginals(named, joined, total)
