"""Poset decoding (paper, section 3.1): the successors of each path are a set, whose members are
predicted apart from each other and in no order."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwise_papers.seq2seq.memory import Memory


class PosetDecoder(nn.Module):
    """One step of a GRU with attention from an element to its successors.

    Args:
        elements: how many there are; number 0 is the top.
        hidden: size of all vectors.
    """

    def __init__(self, elements: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(elements, hidden)
        self.first = nn.Linear(hidden, hidden)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.cell = nn.GRUCell(2 * hidden, hidden)
        self.out = nn.Linear(3 * hidden, elements)
        self.dropout = nn.Dropout(dropout)

    def begin(self, memory: Memory) -> Tensor:
        """``[questions, hidden]``: states before the top, of the mean of the question's vectors."""
        mask = memory.mask[..., None].to(memory.vectors.dtype)
        mean = (memory.vectors * mask).sum(1) / mask.sum(1).clamp(min=1)
        return torch.tanh(self.first(mean))

    def forward(
        self, elements: Tensor, states: Tensor, rows: Tensor, memory: Memory
    ) -> tuple[Tensor, Tensor]:
        """States of paths one element longer, and the log odds of what may follow them.

        Args:
            elements: ``[paths]``, the number of the last one of each.
            states: ``[paths, hidden]``, those of the paths without it.
            rows: ``[paths]``, the number of each path's question.

        Returns:
            ``[paths, hidden]`` and ``[paths, elements]``.
        """
        vectors = memory.vectors[rows]
        query = self.query(states) * states.shape[1] ** -0.5
        scores = (vectors @ query[..., None])[..., 0]
        scores = scores.masked_fill(~memory.mask[rows], -torch.inf)
        read = (torch.softmax(scores, -1)[:, None] @ vectors)[:, 0]
        embedded = self.dropout(self.embedding(elements))
        after = self.cell(torch.cat([embedded, read], -1), states)
        out = self.out(self.dropout(torch.cat([after, read, embedded], -1)))
        return after, out
