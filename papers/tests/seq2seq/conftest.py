"""What the tests of sequence-to-sequence parsers share: small stacks over random vectors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.stacks import Memory

HIDDEN = 16


@pytest.fixture
def small() -> Callable[..., Seq2SeqConfig]:
    """Settings of two layers of 16 numbers, for a decoder's name."""

    def made(decoder: str, **more: object) -> Seq2SeqConfig:
        sizes = {"hidden": HIDDEN, "heads": 2, "feedforward": 32, "dropout": 0.0, **more}
        return Seq2SeqConfig(decoder=decoder, encoder="stack", **sizes)  # type: ignore[arg-type]

    return made


@pytest.fixture
def vectors() -> Callable[[int, int], Tensor]:
    """Random vectors, ``[rows, length, 16]``, the same at each call."""

    def drawn(rows: int, length: int) -> Tensor:
        return torch.randn(rows, length, HIDDEN, generator=torch.Generator().manual_seed(5))

    return drawn


@pytest.fixture
def memory(vectors: Callable[[int, int], Tensor]) -> Memory:
    """Two questions of four words and of two."""
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    return Memory(vectors(2, 4), mask, torch.zeros(2, 4, dtype=torch.long))
