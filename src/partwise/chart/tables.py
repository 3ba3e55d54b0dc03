"""An algebra's tables in the shapes that the compiled charts walk."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from partwise.chart.algebra.base import NONE, Algebra, BoolArray, IntArray, Starts
from partwise.chart.scores import SpanScores


@dataclass(frozen=True, eq=False)
class Tables:
    """Derived tables of an `Algebra`.

    Attributes:
        start, table, final, middle: as in the algebra.
        pairs: ``[pairs, 3]`` composing ``(left, right, result)``.
        degree, partners: how many, and which, right states compose with each left state.
        pair_of: ``[states, states]``, the number of a ``(left, middle)`` that some right part
            completes to a ternary join, or `NONE`.
        outer, outer_degree, outer_partners: the same for the outer parts of ternary joins.
        pair_rows: ``[ternary pairs, 2]``, its inverse.
        triples: ``[triples, 5]``: ``(left, middle, right, result, ternary pair)``.
    """

    start: Starts
    table: IntArray
    final: BoolArray
    middle: BoolArray
    pairs: IntArray
    degree: IntArray
    partners: IntArray
    pair_of: IntArray
    outer: IntArray
    outer_degree: IntArray
    outer_partners: IntArray
    pair_rows: IntArray
    triples: IntArray

    def starts(self, scores: SpanScores) -> IntArray:
        """``[columns]``, the state of the constant of each column."""
        return np.ascontiguousarray(self.start[scores.columns], np.int32)


_KNOWN: WeakKeyDictionary[Algebra, Tables] = WeakKeyDictionary()


def tables_of(algebra: Algebra) -> Tables:
    """The tables of an algebra, computed once."""
    if algebra not in _KNOWN:
        _KNOWN[algebra] = _derive(algebra)
    return _KNOWN[algebra]


def _derive(algebra: Algebra) -> Tables:
    n_states = algebra.n_states
    degree, partners = _partners(algebra.table)
    outer_degree, outer_partners = _partners(algebra.outer_table)
    triples = algebra.triples
    rows = np.unique(triples[:, :2], axis=0) if len(triples) else np.zeros((0, 2), np.int32)
    pair_of = np.full((n_states, n_states), NONE, np.int32)
    pair_of[rows[:, 0], rows[:, 1]] = np.arange(len(rows))
    numbers = pair_of[triples[:, 0], triples[:, 1]].reshape(-1, 1)
    return Tables(
        algebra.start,
        np.ascontiguousarray(algebra.table, np.int32),
        np.ascontiguousarray(algebra.final),
        np.ascontiguousarray(algebra.middle),
        algebra.pairs.reshape(-1, 3),
        degree,
        partners,
        pair_of,
        np.ascontiguousarray(algebra.outer_table, np.int32),
        outer_degree,
        outer_partners,
        rows.astype(np.int32),
        np.concatenate([triples, numbers], 1).astype(np.int32),
    )


def _partners(table: IntArray) -> tuple[IntArray, IntArray]:
    """How many right states each left state composes with, and which."""
    degree = (table != NONE).sum(1).astype(np.int32)
    partners = np.full((len(table), max(1, int(degree.max(initial=0)))), NONE, np.int32)
    for left in range(len(table)):
        partners[left, : degree[left]] = np.nonzero(table[left] != NONE)[0]
    return degree, partners
