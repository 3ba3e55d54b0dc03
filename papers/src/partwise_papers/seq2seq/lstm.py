"""The LSTM decoder with attention and input feeding (Luong, Pham and Manning 2015)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from partwise_papers.seq2seq.memory import Cache, Memory


class LSTMDecoder(nn.Module):
    """Each step reads the last token and what the last step attended to.

    Args:
        hidden: size of all vectors.
    """

    def __init__(self, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.layers = layers
        sizes = [2 * hidden, *[hidden] * (layers - 1)]
        self.cells = nn.ModuleList([nn.LSTMCell(size, hidden) for size in sizes])
        self.first = nn.Linear(hidden, 2 * layers * hidden)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.attended = nn.Linear(2 * hidden, hidden)
        self.dropout = nn.Dropout(dropout)

    def begin(self, memory: Memory) -> Cache:
        """States before the first step: of the mean of the question's vectors."""
        mask = memory.mask[..., None].to(memory.vectors.dtype)
        mean = (memory.vectors * mask).sum(1) / mask.sum(1).clamp(min=1)
        states = torch.tanh(self.first(mean)).chunk(2 * self.layers, -1)
        return (*states, torch.zeros_like(states[0]))

    def forward(self, inputs: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        """Vectors of the next tokens, and the cache behind them.

        Args:
            inputs: ``[rows, steps, hidden]``, vectors of the tokens before; see `Memory` for rows.
        """
        made = []
        # Vectors of tokens are drawn small, for stacks, which scale them, too.
        for step in (inputs * inputs.shape[-1] ** 0.5).unbind(1):
            vector, cache = self._step(step, memory, cache)
            made.append(vector)
        return torch.stack(made, 1), cache

    def _step(self, token: Tensor, memory: Memory, cache: Cache) -> tuple[Tensor, Cache]:
        *states, attended = cache
        below, after = torch.cat([token, attended], -1), []
        for number, cell in enumerate(self.cells):
            pair = cell(below, (states[2 * number], states[2 * number + 1]))
            after += pair
            below = self.dropout(pair[0])
        asked = memory.grouped(self.query(below)[:, None])
        scores = (asked @ memory.vectors.transpose(1, 2)).float()
        weights = torch.softmax(scores.masked_fill(~memory.mask[:, None], -torch.inf), -1)
        read = (weights.to(memory.vectors.dtype) @ memory.vectors).view(below.shape)
        attended = torch.tanh(self.attended(torch.cat([read, below], -1)))
        return self.dropout(attended), (*after, attended)
