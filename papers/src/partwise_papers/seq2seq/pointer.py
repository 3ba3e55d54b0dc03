"""From a decoder's vectors to the next token: written, or copied from the question."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwise_papers.seq2seq.memory import Memory

TINY = 1e-30
"""Probabilities are kept this far from 0 where their logarithm is taken."""


class PointerGenerator(nn.Module):
    """A mixture of writing a token and copying a word (See, Liu and Manning 2017, section 2.2).

    Args:
        hidden: size of the decoder's vectors.
        tokens: size of the output vocabulary.
        copy: whether words may be copied; else all is written.
    """

    def __init__(self, hidden: int, tokens: int, copy: bool) -> None:
        super().__init__()
        self.write = nn.Linear(hidden, tokens)
        self.copy = copy
        if copy:
            self.query = nn.Linear(hidden, hidden, bias=False)
            self.gate = nn.Linear(2 * hidden, 1)

    def forward(self, vectors: Tensor, memory: Memory) -> Tensor:
        """Log probabilities, ``[rows, steps, tokens + longest]``.

        Args:
            vectors: ``[rows, steps, hidden]``; see `Memory` for rows.
        """
        written = torch.log_softmax(self.write(vectors).float(), -1)
        if not self.copy:
            room = written.new_full((*vectors.shape[:2], memory.mask.shape[1]), -torch.inf)
            return torch.cat([written, room], -1)
        mixed = self._mixed(memory.grouped(vectors), memory.grouped(written), memory)
        # Nothing is learned from what cannot be copied.
        logs = mixed.clamp(min=TINY).log().masked_fill(mixed == 0, -torch.inf)
        return logs.view(*vectors.shape[:2], -1)

    def _mixed(self, vectors: Tensor, written: Tensor, memory: Memory) -> Tensor:
        """``[questions, steps, tokens + longest]``, probabilities."""
        scores = self.query(vectors) @ memory.vectors.transpose(1, 2) / vectors.shape[-1] ** 0.5
        scores = scores.float().masked_fill(~memory.mask[:, None], -torch.inf)
        weights = torch.softmax(scores, -1)
        read = weights.to(memory.vectors.dtype) @ memory.vectors
        gate = torch.sigmoid(self.gate(torch.cat([vectors, read], -1)).float())
        places = memory.numbers[:, None].expand(-1, vectors.shape[1], -1)
        mixed = torch.cat([gate * written.exp(), torch.zeros_like(weights)], -1)
        return mixed.scatter_add(2, places, (1 - gate) * weights)
