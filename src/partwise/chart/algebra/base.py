"""What a chart needs to know of meanings: a finite automaton over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int32]
BoolArray = NDArray[np.bool_]

NONE = -1
"""The state that stands for "does not compose"."""


class Starts(Protocol):
    """The state of each constant by its number, of one or of many; an array is such a thing."""

    def __getitem__(self, numbers: Any, /) -> Any:
        """A state for a number, an array of states for an array of numbers."""


@dataclass(frozen=True, eq=False)
class Algebra:
    """A semantic algebra: states of (partial) meanings and how two of them compose.

    Attributes:
        start: the state of each constant by its number, or `NONE` if it may not be used.
        table: ``[states, states]``, the state of a left part joined with a right part, or `NONE`.
        final: ``[states]``, whether a whole question may have this state.
        middle: ``[states]``, whether a *constant* of this state may stand between two parts that
            compose first (the middle of a ternary join, paper section 3.4).
        outer: ``[states, states]``, how the outer parts of a ternary join compose; `table` where
            that is all they do.
    """

    start: Starts
    table: IntArray
    final: BoolArray
    middle: BoolArray
    outer: IntArray | None = None

    @property
    def outer_table(self) -> IntArray:
        """How the outer parts of a ternary join compose."""
        return self.table if self.outer is None else self.outer

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
        outer_table = self.outer_table
        lefts, rights = np.nonzero(outer_table != NONE)
        found = [
            (left, middle, right, self.table[middle, outer_table[left, right]])
            for left, right in zip(lefts, rights, strict=True)
            for middle in middles
            if self.table[middle, outer_table[left, right]] != NONE
        ]
        return np.array(sorted(found), dtype=np.int32).reshape(-1, 4)

    def without_ternary(self) -> Algebra:
        """The same algebra with binary joins only."""
        return Algebra(self.start, self.table, self.final, np.zeros_like(self.middle), self.outer)
