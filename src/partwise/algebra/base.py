"""What a chart needs to know of meanings: a finite automaton over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]

NONE = -1
"""The state that stands for "does not compose"."""


@dataclass(frozen=True, eq=False)
class Algebra:
    """A semantic algebra: states of (partial) meanings and how two of them compose.

    Attributes:
        start: ``[categories]``, the state of each constant, or `NONE` if it may not be used.
        table: ``[states, states]``, the state of a left part joined with a right part, or `NONE`.
        final: ``[states]``, whether a whole question may have this state.
        middle: ``[states]``, whether a *constant* of this state may stand between two parts that
            compose first (the middle of a ternary join, paper section 3.4).
    """

    start: IntArray
    table: IntArray
    final: BoolArray
    middle: BoolArray

    @property
    def n_states(self) -> int:
        """Number of states."""
        return int(self.table.shape[0])

    @cached_property
    def pairs(self) -> IntArray:
        """``[pairs, 3]``: all composing ``(left, right, result)``, sorted."""
        left, right = np.nonzero(self.table != NONE)
        return np.stack([left, right, self.table[left, right]], 1).astype(np.int32)

    @cached_property
    def triples(self) -> IntArray:
        """``[triples, 4]``: all ternary joins ``(left, middle, right, result)``.

        The outer parts compose first, then the middle with the outcome.
        """
        middles = np.nonzero(self.middle)[0]
        found = [
            (left, middle, right, self.table[middle, outer])
            for left, right, outer in self.pairs
            for middle in middles
            if self.table[middle, outer] != NONE
        ]
        return np.array(sorted(found), dtype=np.int32).reshape(-1, 4)

    def without_ternary(self) -> Algebra:
        """The same algebra with binary joins only."""
        return Algebra(self.start, self.table, self.final, np.zeros_like(self.middle))
