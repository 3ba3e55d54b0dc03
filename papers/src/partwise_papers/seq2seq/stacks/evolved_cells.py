"""The cells of the Evolved Transformer (So et al. 2019, figure 3), and their convolutions."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import glu, pad

from partwise_papers.seq2seq.attention import Attention, padding_bias
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.memory import Cache, Memory

SEEN, SEEN_BELOW = 10, 6
"""Steps before its own that the widest upper and the lower convolution of a decoder see."""


def attention_of(config: Seq2SeqConfig, times: int = 1) -> Attention:
    """An attention with as many heads as the settings say, or more times as many."""
    return Attention(config.hidden, times * config.heads, config.dropout)


class SeparableConvolution(nn.Module):
    """A convolution of each channel by itself, then one of width 1 over all channels.

    Args:
        inputs, outputs: numbers of channels.
        width: steps that each result sees.
    """

    def __init__(self, inputs: int, outputs: int, width: int) -> None:
        super().__init__()
        self.each = nn.Conv1d(inputs, inputs, width, groups=inputs, bias=False)
        self.all = nn.Linear(inputs, outputs)

    def forward(self, vectors: Tensor) -> Tensor:
        """``[rows, steps - width + 1, outputs]`` of ``[rows, steps, inputs]``."""
        out: Tensor = self.all(self.each(vectors.transpose(1, 2)).transpose(1, 2))
        return out


def added(wide: Tensor, narrow: Tensor) -> Tensor:
    """The sum of two branches, the narrow one filled up with zeros."""
    return wide + pad(narrow, (0, wide.shape[-1] - narrow.shape[-1]))


class EncoderCell(nn.Module):
    """Gated linear unit, convolutions, self-attention and a feed-forward part."""

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        size, wide, narrow = config.hidden, config.feedforward, config.hidden // 2
        self.dropout = nn.Dropout(config.dropout)
        self.gated = nn.Sequential(nn.LayerNorm(size), nn.Linear(size, 2 * size))
        self.above = nn.LayerNorm(size)
        self.left = nn.Sequential(nn.Linear(size, wide), nn.ReLU(), self.dropout)
        self.right = nn.Conv1d(size, narrow, 3, padding=1)
        self.between = nn.LayerNorm(wide)
        self.below = SeparableConvolution(wide, narrow, 9)
        self.own_norm, self.own = nn.LayerNorm(size), attention_of(config)
        self.dense = nn.Sequential(
            nn.LayerNorm(size),
            nn.Linear(size, wide),
            nn.ReLU(),
            self.dropout,
            nn.Linear(wide, size),
        )

    def forward(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """``[rows, length, hidden]``; `mask` is true for words."""
        vectors = inputs + self.dropout(glu(self.gated(inputs), -1))
        vectors = vectors + self.dropout(self.convolved(vectors, mask))
        normed = self.own_norm(vectors)
        vectors = vectors + self.dropout(self.own(normed, normed, padding_bias(mask)))
        out: Tensor = vectors + self.dropout(self.dense(vectors))
        return out

    def convolved(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Two branches, then the convolution below them; padding is zeros for all of them."""
        words = mask[..., None]
        normed = self.above(vectors) * words
        right = self.right(normed.transpose(1, 2)).transpose(1, 2).relu()
        both = self.between(added(self.left(normed), self.dropout(right))) * words
        narrow = self.below(pad(both, (0, 0, 4, 4)))
        return added(torch.zeros_like(vectors), narrow)


class DecoderCell(nn.Module):
    """Two attentions side by side, causal convolutions, two more attentions, feed-forward."""

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        size, wide = config.hidden, config.feedforward
        self.dropout = nn.Dropout(config.dropout)
        self.first_norm = nn.LayerNorm(size)
        self.first_own, self.first_other = attention_of(config, 2), attention_of(config)
        self.above = nn.LayerNorm(size)
        self.left = SeparableConvolution(size, 2 * size, SEEN + 1)
        self.right = SeparableConvolution(size, size // 2, SEEN_BELOW + 1)
        self.between = nn.LayerNorm(2 * size)
        self.below = SeparableConvolution(2 * size, size, SEEN_BELOW + 1)
        self.own_norm, self.own = nn.LayerNorm(size), attention_of(config)
        self.other_norm, self.other = nn.LayerNorm(size), attention_of(config)
        self.dense = nn.Sequential(
            nn.LayerNorm(size),
            nn.Linear(size, wide),
            nn.SiLU(),
            self.dropout,
            nn.LayerNorm(wide),
            nn.Linear(wide, size),
        )

    def empty(self, memory: Memory) -> Cache:
        """The cache before the first step: nothing to attend to, zeros before convolutions."""
        rows, _, size = memory.vectors.shape
        lengths = ((0, size),) * 4 + ((SEEN, size), (SEEN_BELOW, 2 * size))
        return tuple(memory.vectors.new_zeros(rows, *one) for one in lengths)

    def forward(
        self, inputs: Tensor, bias: Tensor, memory: Memory, cache: Cache
    ) -> tuple[Tensor, Cache]:
        """``[rows, steps, hidden]``, and the cache behind it.

        Args:
            bias: that of `Attention` for later steps.
            cache: keys and values of both self-attentions, and what the convolutions saw.
        """
        normed = self.first_norm(inputs)
        left, first = self.first_own.cached(normed, cache[:2], bias)
        right = self.first_other.recalled(normed, memory)
        vectors = inputs + self.dropout(left) + self.dropout(right)
        made, seen = self.convolved(vectors, cache[4:])
        vectors = vectors + self.dropout(made)
        made, own = self.own.cached(self.own_norm(vectors), cache[2:4], bias)
        vectors = vectors + self.dropout(made)
        made = self.other.recalled(self.other_norm(vectors), memory)
        vectors = vectors + self.dropout(made)
        return vectors + self.dropout(self.dense(vectors)), (*first, *own, *seen)

    def convolved(self, vectors: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        """Two branches, then the convolution below them, and what they will see of these steps.

        Args:
            cache: ``[rows, SEEN, hidden]`` and ``[rows, SEEN_BELOW, 2 * hidden]``.
        """
        read = torch.cat([cache[0], self.above(vectors)], 1)
        left = self.dropout(self.left(read).relu())
        right = self.dropout(self.right(read[:, SEEN - SEEN_BELOW :]))
        both = torch.cat([cache[1], self.between(added(left, right))], 1)
        return self.below(both), (read[:, -SEEN:], both[:, -SEEN_BELOW:])
