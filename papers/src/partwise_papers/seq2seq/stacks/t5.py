"""The stack of T5 (Raffel et al. 2020), with the feed-forward part of its version 1.1.

T5's optimizer, Adafactor, moves each weight by a share of its size, and ours, Adam, moves all
alike. So what T5 begins with small or large weights for is a constant factor here: attention scores
are divided, and the biases of distances are learned in smaller units. The functions that can be
learned are the same.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu

from partwise_papers.seq2seq.attention import Attention
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.memory import Cache, Memory
from partwise_papers.seq2seq.stacks.base import scaled
from partwise_papers.seq2seq.stacks.transformer import TransformerLayer, TransformerStack

BUCKETS, FARTHEST = 32, 128
"""How many buckets of distances there are, and from where on all are in the last one."""
TINY = 1e-6
"""What norms add to a mean square."""
GAIN = 64.0
"""The unit in which the biases of distances are learned."""


def bucketed(offsets: Tensor, both: bool) -> Tensor:
    """The bucket of each offset (Raffel et al. 2020, section 2.1).

    Half of the buckets are for one distance each, the others for distances that grow as their
    logarithm, up to `FARTHEST`.

    Args:
        offsets: places of what is seen minus those of what sees, of any shape.
        both: whether what comes later is seen; it has the upper half of the buckets then. Else it
            is in bucket 0.
    """
    count = BUCKETS // 2 if both else BUCKETS
    distances = offsets.abs() if both else (-offsets).clamp(min=0)
    exact = count // 2
    grown = torch.log(distances.clamp(min=1) / exact) / math.log(FARTHEST / exact)
    far = (exact + (grown * (count - exact)).long()).clamp(max=count - 1)
    return torch.where(distances < exact, distances, far) + (offsets > 0) * (count if both else 0)


class GatedGELU(nn.Module):
    """A feed-forward part with a gate (Shazeer 2020, GEGLU), without biases."""

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        sizes = config.hidden, config.feedforward
        self.gate, self.value = nn.Linear(*sizes, bias=False), nn.Linear(*sizes, bias=False)
        self.out = nn.Linear(config.feedforward, config.hidden, bias=False)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, vectors: Tensor) -> Tensor:
        """Of the shape of `vectors`."""
        gate = gelu(self.gate(vectors), approximate="tanh")
        out: Tensor = self.out(self.dropout(gate * self.value(vectors)))
        return out


class T5Layer(TransformerLayer):
    """Norms only scale, and nothing has a bias."""

    @staticmethod
    def attention(config: Seq2SeqConfig) -> Attention:
        """See `TransformerLayer`."""
        return Attention(config.hidden, config.heads, config.dropout, biased=False)

    @staticmethod
    def norm(config: Seq2SeqConfig) -> nn.Module:
        """See `TransformerLayer`."""
        return nn.RMSNorm(config.hidden, eps=TINY)

    @staticmethod
    def feedforward(config: Seq2SeqConfig) -> tuple[nn.Module, ...]:
        """See `TransformerLayer`."""
        return (GatedGELU(config),)


class T5Stack(TransformerStack):
    """Places are known by biases of attention alone, which all layers share."""

    Layer = T5Layer

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__(config, decoder)
        self.distances = nn.Embedding(BUCKETS, config.heads)
        # As T5 begins, once they are scaled.
        nn.init.normal_(self.distances.weight, std=config.hidden**-0.5 / GAIN)

    def placed(self, inputs: Tensor, begin: int) -> Tensor:
        """See `TransformerStack`; nothing tells the places here."""
        return scaled(inputs)

    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """See `Stack`."""
        return self.dropout(super().encode(inputs, mask))  # type: ignore[no-any-return]

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """See `Stack`."""
        vectors, cache = super().forward(inputs, memory, cache)
        return self.dropout(vectors), cache

    def encoder_bias(self, mask: Tensor) -> Tensor:
        """See `TransformerStack`."""
        return super().encoder_bias(mask) + self._relative(mask.shape[1], 0, mask.device)

    def decoder_bias(self, steps: int, before: int, device: torch.device) -> Tensor:
        """See `TransformerStack`."""
        later = super().decoder_bias(steps, before, device)
        return later + self._relative(steps, before, device)

    def _relative(self, steps: int, before: int, device: torch.device) -> Tensor:
        """``[1, heads, steps, before + steps]``, of the distances between all places."""
        seen = torch.arange(before + steps, device=device)
        offsets = seen[None] - seen[before:, None]
        biases: Tensor = self.distances(bucketed(offsets, not self.decoder))
        return GAIN * biases.permute(2, 0, 1)[None]
