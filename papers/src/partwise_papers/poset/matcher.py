"""Judges whether a question says something: the part of ESIM (Chen et al. 2017) from the question's
words to what is judged.

As in ESIM, what is judged is read as a sequence before it is aligned with the words, so that each
element looks for those that suit its neighbours too: of a verb that a question has twice, the one
beside its subject. ESIM also aligns the other way round and composes the question again. Here the
question's vectors are those of the encoder, which has composed it already, and what is judged has
few elements.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from partwise_papers.seq2seq.memory import Memory


class Matcher(nn.Module):
    """Scores of sequences of elements, each beside a question.

    Args:
        hidden: size of all vectors; even.
    """

    def __init__(self, hidden: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(hidden)
        self.read = nn.LSTM(hidden, hidden // 2, batch_first=True, bidirectional=True)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.compare = nn.Linear(4 * hidden, hidden)
        self.compose = nn.LSTM(hidden, hidden // 2, batch_first=True, bidirectional=True)
        self.judge = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, 1)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, elements: Tensor, counts: list[int], memory: Memory) -> Tensor:
        """``[sequences]``: the log odds that each is said.

        Args:
            elements: ``[sequences, length, hidden]``, those of the first question first.
            counts: how many sequences each question has.
        """
        if not len(elements):
            return elements.new_zeros(0)
        elements = self.dropout(self.norm(elements))
        elements = elements + self.read(elements)[0]
        read = self._aligned(elements, counts, memory)
        both = torch.cat([elements, read, elements - read, elements * read], -1)
        composed, _ = self.compose(self.dropout(torch.relu(self.compare(both))))
        pooled = torch.cat([composed.mean(1), composed.amax(1)], -1)
        out: Tensor = self.judge(self.dropout(pooled))[:, 0]
        return out

    def _aligned(self, elements: Tensor, counts: list[int], memory: Memory) -> Tensor:
        """``[sequences, length, hidden]``: the words that each element attends to."""
        _, length, hidden = elements.shape
        rows = pad_sequence(list(torch.split(elements, counts)), batch_first=True)
        query = self.query(rows).flatten(1, 2) * hidden**-0.5
        scores = query @ memory.vectors.transpose(1, 2)
        weights = torch.softmax(scores.masked_fill(~memory.mask[:, None], -torch.inf), -1)
        read = (weights @ memory.vectors).view(len(counts), -1, length, hidden)
        return torch.cat([one[:count] for one, count in zip(read, counts, strict=True)])
