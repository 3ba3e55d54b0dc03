"""Stacks of attention layers, for encoders and decoders alike."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable

import torch
from torch import Tensor, nn

from partwise_papers.seq2seq.attention import Attention, causal_bias, padding_bias
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
        """What the last call adds to the loss of training; None for nothing."""
        return None


def positions(length: int, begin: int, hidden: int, like: Tensor) -> Tensor:
    """``[length, hidden]``: sines and cosines of places (Vaswani et al. 2017, section 3.5)."""
    places = torch.arange(begin, begin + length, device=like.device, dtype=torch.float32)
    pairs = torch.arange(0, hidden, 2, device=like.device, dtype=torch.float32)
    angles = places[:, None] * torch.exp(pairs * (-math.log(10_000.0) / hidden))
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :hidden].to(like.dtype)


class TransformerLayer(nn.Module):
    """Self-attention, attention to the question in decoders, and a feed-forward part.

    Each with a residual around it and its norm in front (Xiong et al. 2020), which needs no long
    warm-up.
    """

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__()
        size, heads = config.hidden, (config.hidden, config.heads, config.dropout)
        self.own, self.own_norm = Attention(*heads), nn.LayerNorm(size)
        self.other, self.other_norm = None, None
        if decoder:
            self.other, self.other_norm = Attention(*heads), nn.LayerNorm(size)
        self.inner = nn.Sequential(
            nn.LayerNorm(size),
            nn.Linear(size, config.feedforward),
            nn.ReLU(),
            nn.Dropout(config.dropout),
            nn.Linear(config.feedforward, size),
        )
        self.dropout = nn.Dropout(config.dropout)

    def encode(self, inputs: Tensor, bias: Tensor) -> Tensor:
        """``[rows, length, hidden]``; `bias` is that of `Attention`."""
        normed = self.own_norm(inputs)
        return self._rest(inputs + self.dropout(self.own(normed, normed, bias)), None)

    def forward(
        self, inputs: Tensor, bias: Tensor, memory: Memory, cache: Cache
    ) -> tuple[Tensor, Cache]:
        """``[rows, steps, hidden]``, and the cache behind it."""
        seen, cache = self.own.cached(self.own_norm(inputs), cache, bias)
        return self._rest(inputs + self.dropout(seen), memory), cache

    def _rest(self, inputs: Tensor, memory: Memory | None) -> Tensor:
        if self.other is not None and self.other_norm is not None and memory is not None:
            bias = padding_bias(memory.mask)
            read = self.other(self.other_norm(inputs), memory.vectors, bias)
            inputs = inputs + self.dropout(read)
        out: Tensor = inputs + self.dropout(self.inner(inputs))
        return out


class TransformerStack(Stack):
    """The Transformer (Vaswani et al. 2017)."""

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__(config, decoder)
        self.layers = nn.ModuleList(
            [TransformerLayer(config, decoder) for _ in range(config.layers)]
        )
        self.norm, self.dropout = nn.LayerNorm(config.hidden), nn.Dropout(config.dropout)

    def _placed(self, inputs: Tensor, begin: int) -> Tensor:
        scaled = inputs * self.config.hidden**0.5
        out: Tensor = self.dropout(
            scaled + positions(inputs.shape[1], begin, self.config.hidden, inputs)
        )
        return out

    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """See `Stack`."""
        vectors, bias = self._placed(inputs, 0), padding_bias(mask)
        for layer in self.layers:
            vectors = layer.encode(vectors, bias)  # type: ignore[operator]
        out: Tensor = self.norm(vectors)
        return out

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """See `Stack`."""
        before = cache[0].shape[1] if cache else 0
        vectors = self._placed(inputs, before)
        bias = causal_bias(inputs.shape[1], before, inputs.device)
        after: Cache = ()
        for number, layer in enumerate(self.layers):
            own = cache[2 * number : 2 * number + 2]
            vectors, kept = layer(vectors, bias, memory, own)
            after += kept
        return self.norm(vectors), after


STACKS: dict[str, Callable[[Seq2SeqConfig, bool], Stack]] = {"transformer": TransformerStack}
"""Decoder of `Seq2SeqConfig` -> what makes its stack."""
