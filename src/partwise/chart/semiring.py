"""Semirings for the readable chart: the same recurrence gives the best tree, a sum, a list."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from partwise.chart.tree import Derivation, SpanTree

V = TypeVar("V")


class Semiring(Protocol[V]):
    """Values of sub-trees: how a label, a choice and a combination of parts are valued."""

    def leaf(self, score: float, node: SpanTree) -> V:
        """The value of one constant."""
        ...

    def add(self, values: Sequence[V]) -> V:
        """Choice between derivations; of none for an empty list."""
        ...

    def join(self, score: float, start: int, end: int, parts: Sequence[V]) -> V:
        """A node of label `join` and this score over parts."""
        ...

    def is_zero(self, value: V) -> bool:
        """Whether there is no derivation."""
        ...


class LogSum(Semiring[float]):
    """Sum of exp(score) over trees, in log space."""

    def leaf(self, score: float, node: SpanTree) -> float:
        return score

    def add(self, values: Sequence[float]) -> float:
        top = max(values, default=-math.inf)
        if top == -math.inf:
            return top
        return top + math.log(sum(math.exp(value - top) for value in values))

    def join(self, score: float, start: int, end: int, parts: Sequence[float]) -> float:
        return score + sum(parts)

    def is_zero(self, value: float) -> bool:
        return value == -math.inf


Best = tuple[Derivation, ...]


@dataclass(frozen=True)
class KBest(Semiring[Best]):
    """The `k` best trees with their scores, best first."""

    k: int

    def leaf(self, score: float, node: SpanTree) -> Best:
        return () if score == -math.inf else (Derivation(score, node),)

    def add(self, values: Sequence[Best]) -> Best:
        every = [derivation for value in values for derivation in value]
        return tuple(heapq.nlargest(self.k, every, key=lambda d: d.score))

    def join(self, score: float, start: int, end: int, parts: Sequence[Best]) -> Best:
        if score == -math.inf:
            return ()
        combined: list[tuple[float, tuple[SpanTree, ...]]] = [(score, ())]
        for part in parts:
            combined = [(s + d.score, (*trees, d.tree)) for s, trees in combined for d in part]
        nodes: Iterator[Derivation] = (
            Derivation(s, SpanTree(start, end, -1, trees)) for s, trees in combined
        )
        return tuple(heapq.nlargest(self.k, nodes, key=lambda d: d.score))

    def is_zero(self, value: Best) -> bool:
        return not value
