"""The networks of the span parser.

`SpanScorer` is equation 2 of Herzig and Berant 2021 with the exact-match feature of section 3.3,
and `AnswerScorer` predicts the type of the answer from the whole question. Both take the word
vectors of all questions of a batch one after the other; `partwise.span.labels.WordRows` says where.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from partwise.span.config import SpanParserConfig
from partwise.span.labels import LEXICON_SCALE

BLOCKED = -1e4
"""Logit of a label that cannot stand at a span; finite, so that gradients are."""


class SpanScorer(nn.Module):
    """``s(x_ij, c) = [W2 relu(W1 [h_i; h_j])]_c + λ δ(x_ij, c)``. W1 is applied to the two halves
    of its input apart, so that it costs one product a word and not one a span. λ is ten times a
    learned weight that starts at one. With `lexicon_violations` there is a second such feature,
    whose weight starts at minus a half, for predicates that the lexicon would rather see elsewhere
    (`Prepared.conflicts`)."""

    def __init__(self, dim: int, outputs: int, config: SpanParserConfig) -> None:
        super().__init__()
        self.dropout = nn.Dropout(config.dropout)
        self.left = nn.Linear(dim, config.hidden)
        self.right = nn.Linear(dim, config.hidden, bias=False)
        self.out = nn.Linear(config.hidden, outputs)
        self.match_weight = nn.Parameter(torch.tensor(1.0))
        self.conflict_weight = None
        if config.lexicon_violations:
            self.conflict_weight = nn.Parameter(torch.tensor(-0.5))

    def forward(self, first: Tensor, last: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """``[spans, outputs]``, what the words say. `first`, `last`: ``[words, dim]``, word vectors
        as starts and as ends; `starts`, `ends`: ``[spans]``, rows of these."""
        hidden = self.left(first)[starts] + self.right(last)[ends]
        logits: Tensor = self.out(self.dropout(torch.relu(hidden)))
        return logits

    def with_features(
        self,
        logits: Tensor,
        named: Tensor,
        conflicts: Tensor,
        blocked: Tensor,
        bonus: Tensor | None = None,
    ) -> Tensor:
        """Logits with what phrases say; all of ``[spans, outputs]``. `named`, `conflicts`,
        `blocked`: see `Prepared`; `bonus`: in units of a lexicon feature."""
        logits = logits.float() + LEXICON_SCALE * self.match_weight * named
        if self.conflict_weight is not None:
            logits = logits + LEXICON_SCALE * self.conflict_weight * conflicts
        if bonus is not None:
            logits = logits + LEXICON_SCALE * bonus
        return logits.masked_fill(blocked, BLOCKED)


class AnswerScorer(nn.Module):
    """``log p(what is asked for | question)``, from its first word's vector and its last one's.
    What is asked for is a set of parts, as in `kind_of_answer`, whose logits are summed. `answers`:
    the parts of each answer."""

    member: Tensor

    def __init__(self, dim: int, answers: Sequence[Sequence[str]], dropout: float) -> None:
        super().__init__()
        parts = sorted({part for answer in answers for part in answer})
        member = torch.tensor([[float(part in answer) for part in parts] for answer in answers])
        self.register_buffer("member", member, persistent=False)
        self.dropout, self.out = nn.Dropout(dropout), nn.Linear(2 * dim, len(parts))

    def forward(self, first: Tensor, last: Tensor, heads: Tensor, tails: Tensor) -> Tensor:
        """``[questions, answers]``; `first` and `last` as for `SpanScorer`, `heads` and `tails`:
        ``[questions]``, rows of these."""
        whole = torch.cat([first[heads], last[tails]], 1).float()
        with torch.autocast(whole.device.type, enabled=False):
            return torch.log_softmax(self.out(self.dropout(whole)) @ self.member.T, -1)
