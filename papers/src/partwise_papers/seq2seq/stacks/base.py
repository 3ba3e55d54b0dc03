"""What a stack of attention layers is, for encoders and decoders alike."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.memory import Cache, Memory


class Stack(nn.Module, ABC):
    """Layers over vectors of words, or over vectors of the tokens before.

    Args:
        decoder: whether each step sees only what stands before it, and a question beside.
    """

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__()
        self.config, self.decoder = config, decoder

    @abstractmethod
    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """``[rows, length, hidden]`` of vectors of words.

        Args:
            inputs: ``[rows, length, hidden]``.
            mask: ``[rows, length]``, true for words.
        """

    @abstractmethod
    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """Vectors of the next tokens, and the cache behind them.

        Args:
            inputs: ``[rows, steps, hidden]``, vectors of the tokens before.
            cache: what an earlier call gave, for the steps before; empty at the beginning.
        """

    def begin(self, memory: Memory) -> Cache:
        """The cache before the first step."""
        return ()

    def penalty(self) -> Tensor | None:
        """What the last call adds to the loss of training, told once; None for nothing."""
        return None


def positions(length: int, begin: int, hidden: int, like: Tensor) -> Tensor:
    """``[length, hidden]``: sines and cosines of places (Vaswani et al. 2017, section 3.5)."""
    places = torch.arange(begin, begin + length, device=like.device, dtype=torch.float32)
    pairs = torch.arange(0, hidden, 2, device=like.device, dtype=torch.float32)
    angles = places[:, None] * torch.exp(pairs * (-math.log(10_000.0) / hidden))
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :hidden].to(like.dtype)


def scaled(inputs: Tensor) -> Tensor:
    """Vectors of words or tokens as big as what is added to them (Vaswani et al. 2017, 3.4)."""
    return inputs * math.sqrt(inputs.shape[-1])


def placed(inputs: Tensor, begin: int) -> Tensor:
    """Vectors of words or tokens with their places, which count from `begin`."""
    return scaled(inputs) + positions(inputs.shape[1], begin, inputs.shape[2], inputs)
