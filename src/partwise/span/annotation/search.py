"""The best tree whose constants stand on given words."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from partwise.chart import compiled
from partwise.chart.algebra.base import NONE, Algebra
from partwise.chart.scores import NEVER, FloatArray, SpanScores
from partwise.chart.tree import SpanTree

Leaf = tuple[int, int, int]
"""A constant on words: ``(start, end, category number)``, end excluded."""


def leaves_of(tree: SpanTree) -> frozenset[Leaf]:
    """The constants of a tree with their words."""
    return frozenset((n.start, n.end, n.label) for n in tree.walk() if not n.children)


def best_over(algebra: Algebra, leaves: Collection[Leaf], join: FloatArray) -> SpanTree | None:
    """The tree with the most score that has exactly these constants, None if there is none.

    Args:
        join: ``[n+1, n+1]``, the score of a composed span; constants score zero.
    """
    columns = np.unique([category for _, _, category in leaves])
    if (algebra.start[columns] == NONE).any():
        return None
    constants = np.full((*join.shape, len(columns)), NEVER)
    for start, end, category in leaves:
        constants[start, end, np.searchsorted(columns, category)] = 0.0
    found = compiled.best(SpanScores.of(constants, join, columns=columns), algebra)
    if found is None or leaves_of(found.tree) != frozenset(leaves):
        return None
    return found.tree
