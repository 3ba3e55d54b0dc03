"""How much work one question may take, counted so that the outcome is the same everywhere."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from partwise.errors import TooCostlyError

T = TypeVar("T")
NO_LIMIT = 1 << 61
TOO_COSTLY = "this question is too costly: shorten it, or name fewer things"


@dataclass(frozen=True)
class Budget:
    """What a parser may spend on one question. `joins`: of parts in its charts, of some two
    nanoseconds; slower steps count as many. `seconds`: wall time after which it is given up between
    two steps, which makes the outcome depend on the machine; None for no such limit."""

    joins: int = 800_000_000
    seconds: float | None = None

    def start(self) -> Work:
        return Work(self.joins, self.seconds)


class Work:
    """The work on one question, counted in `joins`, ``[done, allowed]``, an array that compiled
    charts count in."""

    def __init__(self, joins: int = NO_LIMIT, seconds: float | None = None) -> None:
        self.joins: NDArray[np.int64] = np.array([0, joins])
        self._end = None if seconds is None else time.monotonic() + seconds

    def spend(self, joins: int = 0) -> None:
        """Count joins, before they are done where their number is known. Raises TooCostlyError if
        there is not enough left for them."""
        self.joins[0] += min(joins, NO_LIMIT)
        late = self._end is not None and time.monotonic() > self._end
        if late or self.joins[0] > self.joins[1]:
            raise TooCostlyError(TOO_COSTLY)

    def each(self, items: Iterable[T], joins: int) -> Iterator[T]:
        for item in items:
            self.spend(joins)
            yield item
