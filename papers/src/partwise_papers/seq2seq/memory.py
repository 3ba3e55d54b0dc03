"""What a decoder reads and carries along: an encoded question, and a cache."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

Cache = tuple[Tensor, ...]
"""What a decoder keeps from step to step; the first dimension of each is the batch."""


class Memory(NamedTuple):
    """Encoded questions.

    Attributes:
        vectors: ``[questions, longest, hidden]``.
        mask: ``[questions, longest]``, true for words.
        numbers: ``[questions, longest]``, what copying a word writes; 0 for padding.
    """

    vectors: Tensor
    mask: Tensor
    numbers: Tensor

    def picked(self, rows: Tensor) -> Memory:
        """Some of the questions, in any order and number."""
        return Memory(*(one[rows] for one in self))


def picked(cache: Cache, rows: Tensor) -> Cache:
    """The cache of some rows of a batch."""
    return tuple(one[rows] for one in cache)
