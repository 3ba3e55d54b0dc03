"""What a decoder reads and carries along: an encoded question, and a cache."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor, nn

Cache = tuple[Tensor, ...]
"""What a decoder keeps from step to step; the first dimension of each is the batch."""


@dataclass(frozen=True)
class Memory:
    """Encoded questions.

    A decoder may have several rows for each question, as a beam search has. Those of one question
    stand side by side, and share its memory.

    Attributes:
        vectors: ``[questions, longest, hidden]``.
        mask: ``[questions, longest]``, true for words.
        numbers: ``[questions, longest]``, what copying a word writes; 0 for padding.
        pairs: keys and values that attentions made of the vectors, each once; the first dimension
            is that of the questions.
    """

    vectors: Tensor
    mask: Tensor
    numbers: Tensor
    pairs: dict[nn.Module, tuple[Tensor, Tensor]] = field(default_factory=dict, repr=False)

    def picked(self, places: Tensor) -> Memory:
        """Some of the questions, in any order and number."""
        pairs = {one: (key[places], value[places]) for one, (key, value) in self.pairs.items()}
        return Memory(self.vectors[places], self.mask[places], self.numbers[places], pairs)

    def grouped(self, vectors: Tensor) -> Tensor:
        """``[questions, rows of a question * steps, size]`` of ``[rows, steps, size]``."""
        return vectors.reshape(self.mask.shape[0], -1, vectors.shape[-1])


def picked(cache: Cache, rows: Tensor) -> Cache:
    """The cache of some rows of a batch."""
    return tuple(one[rows] for one in cache)
