"""The Evolved Transformer (So et al. 2019), found by a search over architectures."""

from __future__ import annotations

from torch import Tensor, nn

from partwise_papers.seq2seq.attention import causal_bias
from partwise_papers.seq2seq.config import Seq2SeqConfig
from partwise_papers.seq2seq.memory import Cache, Memory
from partwise_papers.seq2seq.stacks.base import Stack, placed
from partwise_papers.seq2seq.stacks.evolved_cells import DecoderCell, EncoderCell

KEPT = 6
"""Tensors that the cache has of a cell."""


class EvolvedStack(Stack):
    """Cells as published, each about as deep as two layers of a Transformer.

    ``feedforward`` is the size of the widest parts, four times ``hidden`` in the paper.
    """

    def __init__(self, config: Seq2SeqConfig, decoder: bool) -> None:
        super().__init__(config, decoder)
        cell = DecoderCell if decoder else EncoderCell
        self.cells = nn.ModuleList([cell(config) for _ in range(config.layers)])
        self.norm, self.dropout = nn.LayerNorm(config.hidden), nn.Dropout(config.dropout)

    def encode(self, inputs: Tensor, mask: Tensor) -> Tensor:
        """See `Stack`."""
        vectors = self.dropout(placed(inputs, 0))
        for cell in self.cells:
            vectors = cell(vectors, mask)
        out: Tensor = self.norm(vectors)
        return out

    def begin(self, memory: Memory) -> Cache:
        """See `Stack`."""
        empty = (cell.empty(memory) for cell in self.cells)  # type: ignore[operator]
        return tuple(one for cache in empty for one in cache)

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """See `Stack`."""
        cache = cache or self.begin(memory)
        before = cache[0].shape[1]
        vectors = self.dropout(placed(inputs, before))
        bias = causal_bias(inputs.shape[1], before, inputs.device)
        after: Cache = ()
        for number, cell in enumerate(self.cells):
            own = cache[KEPT * number : KEPT * (number + 1)]
            vectors, kept = cell(vectors, bias, memory, own)
            after += kept
        return self.norm(vectors), after
