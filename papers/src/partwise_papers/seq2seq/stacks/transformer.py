"""The Transformer; its layer and its stack have parts that other stacks replace."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from partwise_papers.seq2seq.attention import Attention, causal_bias, padding_bias
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.memory import Cache, Memory
from partwise_papers.seq2seq.stacks.base import Stack, placed


class TransformerLayer(nn.Module):
    """Self-attention, attention to the question in decoders, and a feed-forward part.

    Each with a residual around it and its norm in front (Xiong et al. 2020), which needs no long
    warm-up.
    """

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__()
        self.own, self.own_norm = self.attention(config), self.norm(config)
        self.other, self.other_norm = None, None
        if decoder:
            self.other, self.other_norm = self.attention(config), self.norm(config)
        self.inner = nn.Sequential(self.norm(config), *self.feedforward(config))
        self.dropout = nn.Dropout(config.dropout)

    @staticmethod
    def attention(config: Seq2SeqConfig) -> Attention:
        """An attention of the layer."""
        return Attention(config.hidden, config.heads, config.dropout)

    @staticmethod
    def norm(config: Seq2SeqConfig) -> nn.Module:
        """A norm of the layer, or of the whole stack."""
        return nn.LayerNorm(config.hidden)

    @staticmethod
    def feedforward(config: Seq2SeqConfig) -> tuple[nn.Module, ...]:
        """The feed-forward part, behind its norm."""
        return (
            nn.Linear(config.hidden, config.feedforward),
            nn.ReLU(),
            nn.Dropout(config.dropout),
            nn.Linear(config.feedforward, config.hidden),
        )

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

    def remembered(self, inputs: Tensor, cache: Cache) -> Cache:
        """The cache behind inputs whose own vectors are not asked for."""
        return self.own.remembered(self.own_norm(inputs), cache)

    def _rest(self, inputs: Tensor, memory: Memory | None) -> Tensor:
        if self.other is not None and self.other_norm is not None and memory is not None:
            read = self.other.recalled(self.other_norm(inputs), memory)
            inputs = inputs + self.dropout(read)
        out: Tensor = inputs + self.dropout(self.inner(inputs))
        return out


class TransformerStack(Stack):
    """The Transformer (Vaswani et al. 2017).

    Attributes:
        Layer: what its layers are.
    """

    Layer: ClassVar[type[TransformerLayer]] = TransformerLayer

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__(config, decoder)
        self.layers = nn.ModuleList([self.Layer(config, decoder) for _ in range(config.layers)])
        self.norm, self.dropout = self.Layer.norm(config), nn.Dropout(config.dropout)

    def placed(self, inputs: Tensor, begin: int) -> Tensor:
        """What the lowest layer reads, ``[rows, steps, hidden]``; places count from `begin`."""
        return placed(inputs, begin)

    def encoder_bias(self, mask: Tensor) -> Tensor:
        """What `Attention` adds to the scores of words."""
        return padding_bias(mask)

    def decoder_bias(self, steps: int, before: int, device: torch.device) -> Tensor:
        """What `Attention` adds to the scores of `steps` tokens and those `before` them."""
        return causal_bias(steps, before, device)

    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """See `Stack`."""
        vectors, bias = self.dropout(self.placed(inputs, 0)), self.encoder_bias(mask)
        for layer in self.layers:
            vectors = layer.encode(vectors, bias)  # type: ignore[operator]
        out: Tensor = self.norm(vectors)
        return out

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """See `Stack`."""
        before = cache[0].shape[1] if cache else 0
        vectors = self.dropout(self.placed(inputs, before))
        bias = self.decoder_bias(inputs.shape[1], before, inputs.device)
        after: Cache = ()
        for number, layer in enumerate(self.layers):
            own = cache[2 * number : 2 * number + 2]
            vectors, kept = layer(vectors, bias, memory, own)
            after += kept
        return self.norm(vectors), after
