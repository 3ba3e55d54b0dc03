"""The definition that every chart is held to: list all labelled trees and look at each.

Trees are built from words up without any recurrence over scores; what a tree scores and what it
means are then read off the finished tree alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from partwise.chart.algebra import NONE, Algebra, IntArray
from partwise.chart.scores import JOIN, SpanScores, SpanTree


class TooMany(Exception):
    """More trees than a test should look at."""


class Enumerator:
    """All trees over a question that some algebra state accepts.

    Args:
        limit: most sub-trees over one span.
    """

    def __init__(self, scores: SpanScores, algebra: Algebra, limit: int = 4000) -> None:
        self.scores, self.algebra, self.limit = scores, algebra, limit
        self.known: dict[tuple[int, int], list[SpanTree]] = {}

    def complete(self) -> list[SpanTree]:
        """Trees of the whole question with a final state."""
        n = self.scores.n
        found = list(self.parts(0, n))
        for lead in range(1, n):
            if self.scores.gap[0, lead] == 0 and self.scores.join[0, n] != -math.inf:
                found += [SpanTree(0, n, JOIN, (part,)) for part in self.parts(lead, n)]
        return [tree for tree in found if accepted(tree, self.algebra)]

    def parts(self, start: int, end: int) -> list[SpanTree]:
        """Sub-trees over a span that have a state and a finite score."""
        if (start, end) not in self.known:
            kept = []
            for tree in self._candidates(start, end):
                if state_of(tree, self.algebra) is not None:
                    kept.append(tree)
                if len(kept) > self.limit:
                    raise TooMany
            self.known[start, end] = kept
        return self.known[start, end]

    def leaves(self, start: int, end: int) -> Iterator[SpanTree]:
        """Constants over exactly this span."""
        for column, category in enumerate(self.scores.columns):
            if self.scores.constants[start, end, column] != -math.inf:
                yield SpanTree(start, end, int(category))

    def constants(self, start: int, end: int) -> Iterator[SpanTree]:
        """Constants, bare or with a gap on the right."""
        yield from self.leaves(start, end)
        if self.scores.join[start, end] == -math.inf:
            return
        for stop in range(start + 1, end):
            if self.scores.gap[stop, end] == 0:
                for leaf in self.leaves(start, stop):
                    yield SpanTree(start, end, JOIN, (leaf,))

    def _candidates(self, start: int, end: int) -> Iterator[SpanTree]:
        yield from self.constants(start, end)
        if self.scores.join[start, end] == -math.inf:
            return
        inner = range(start + 1, end)
        for split in inner:
            for both in itertools.product(self.parts(start, split), self.parts(split, end)):
                yield SpanTree(start, end, JOIN, both)
        for one, two in itertools.combinations(inner, 2):
            middles = list(self.constants(one, two))
            outer = itertools.product(self.parts(start, one), middles, self.parts(two, end))
            for three in outer if middles else ():
                yield SpanTree(start, end, JOIN, three)


def state_of(tree: SpanTree, algebra: Algebra) -> int | None:
    """The state that the algebra gives to a tree, or None if it does not compose."""
    if not tree.children:
        state = int(algebra.start[tree.label])
        return None if state == NONE else state
    states = [state_of(child, algebra) for child in tree.children]
    if None in states:
        return None
    if len(states) == 1:
        return states[0]
    if len(states) == 2:
        return _apply(algebra.table, states[0], states[1])
    if not algebra.middle[states[1]]:
        return None
    outer = algebra.table if algebra.outer is None else algebra.outer
    return _apply(algebra.table, states[1], _apply(outer, states[0], states[2]))


def _apply(table: IntArray, left: int | None, right: int | None) -> int | None:
    if left is None or right is None or table[left, right] == NONE:
        return None
    return int(table[left, right])


def accepted(tree: SpanTree, algebra: Algebra) -> bool:
    """Whether a whole tree has a final state."""
    state = state_of(tree, algebra)
    return state is not None and bool(algebra.final[state])


def score_of(tree: SpanTree, scores: SpanScores) -> float:
    """Sum of the labels' scores over spans; φ scores zero."""
    column = {int(category): x for x, category in enumerate(scores.columns)}
    return sum(
        float(scores.join[span] if label == JOIN else scores.constants[(*span, column[label])])
        for span, label in tree.labels().items()
    )


def log_partition(trees: list[SpanTree], scores: SpanScores) -> float:
    """Log of the sum of exp(score)."""
    found = [score_of(tree, scores) for tree in trees]
    top = max(found, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(score - top) for score in found))


def marginals(trees: list[SpanTree], scores: SpanScores) -> tuple[np.ndarray, np.ndarray]:
    """Posterior of each constant and of `join` on each span."""
    named, joined = np.zeros_like(scores.constants), np.zeros_like(scores.join)
    total = log_partition(trees, scores)
    column = {int(category): x for x, category in enumerate(scores.columns)}
    for tree in trees:
        weight = math.exp(score_of(tree, scores) - total)
        for span, label in tree.labels().items():
            if label == JOIN:
                joined[span] += weight
            else:
                named[(*span, column[label])] += weight
    return named, joined
