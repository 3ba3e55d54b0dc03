"""Starting states of constants, without an array over all of a hundred thousand entities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise.chart.algebra.base import NONE
from partwise.language.vocabulary import Vocabulary


class FewStarts:
    """The states of some constants; all others may not be used."""

    def __init__(self, states: Mapping[int, int]) -> None:
        self.states = dict(states)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The constants that may be used, in order."""
        return np.array(sorted(self.states), np.int64)

    def __getitem__(self, numbers: Any) -> Any:
        if np.ndim(numbers) == 0:
            return self.states.get(int(numbers), NONE)
        return np.array([self.states.get(number, NONE) for number in numbers.tolist()], np.int32)


class KindStarts:
    """The states of predicates, and of entities by their type.

    Args:
        states: of each predicate, then of each type.
    """

    def __init__(self, vocabulary: Vocabulary, states: Sequence[int]) -> None:
        self.vocabulary = vocabulary
        self.states = np.array(states, np.int32)

    def __getitem__(self, numbers: Any) -> Any:
        if np.ndim(numbers) == 0:
            return int(self.states[self._kind(int(numbers))])
        kinds = np.array(numbers)
        for place in np.nonzero(kinds >= self.vocabulary.n_predicates)[0].tolist():
            kinds[place] = self._kind(int(kinds[place]))
        return self.states[kinds]

    def _kind(self, number: int) -> int:
        first = self.vocabulary.n_predicates
        return number if number < first else first + self.vocabulary.type_of(number)
