"""Encoders: questions to two vectors a word, one for spans that start there, one for ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from partwise.language.tokenizer import Words


class Encoder(Protocol):
    """What a parser asks of an encoder; implementations are `torch.nn.Module`s."""

    dim: int
    """Size of a vector."""
    name: str
    """Which encoder this is, for reports."""

    def __call__(self, batch: Sequence[Words]) -> tuple[Tensor, Tensor]:
        """``[questions, longest, dim]`` twice: vectors of words as starts and as ends."""
        ...

    def fits(self, words: Words) -> bool:
        """Whether a question is short enough."""
        ...

    def config(self) -> dict[str, Any]:
        """What `load_encoder` needs, beside the weights, to build it again."""
        ...

    def save_files(self, folder: Path) -> None:
        """Write vocabularies and the like."""
        ...


def pad_index(rows: Sequence[Sequence[int]]) -> Tensor:
    """``[rows, longest]`` of whole numbers, padded with 0."""
    longest = max((len(row) for row in rows), default=0)
    return torch.tensor([list(row) + [0] * (longest - len(row)) for row in rows], dtype=torch.long)
