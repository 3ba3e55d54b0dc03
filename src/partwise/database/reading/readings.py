"""Readings of a question, and what scores them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from partwise.database.reading.label import Label
from partwise.execution.relational.program import Program


class Used(NamedTuple):
    """A label with the role that it has in a reading."""

    label: Label
    role: str


@dataclass(frozen=True)
class Reading:
    """A program of a question.

    Attributes:
        used: the labels that gave it, from left to right.
        skipped: numbers of the words that gave nothing.
        shifts: what was added without a word.
        score: the higher, the likelier.
        shape: of the program, as `shape_of` names it.
    """

    program: Program
    used: tuple[Used, ...]
    skipped: tuple[int, ...]
    shifts: tuple[str, ...]
    score: float
    shape: tuple[str, ...] = ()


class ReadingScores(Protocol):
    """Scores of one question's labels."""

    def use(self, label: Label, role: str) -> float:
        """Of a label in a role."""
        ...

    def pair(self, before: Used | None, after: Used | None) -> float:
        """Of a label in its role behind another; None is the beginning, or the end."""
        ...

    def skip(self, word: int) -> float:
        """Of a word that gives nothing."""
        ...

    def shift(self, name: str) -> float:
        """Of something that is added without a word, or of part of a program's shape."""
        ...

    def members(self, reading: Reading) -> NDArray[np.float32]:
        """Of a reading, by each member, ``[members]``."""
        ...
