"""The span scorer of equation 2, with the exact-match feature of section 3.3."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from partwise.span.config import SpanParserConfig
from partwise.span.labels import Prepared

LEXICON_SCALE = 10.0
"""Logits in one unit of a lexicon feature's weight, as in the paper's code."""
BLOCKED = -1e4
"""Logit of a label that cannot stand at a span; finite, so that gradients are."""


class SpanScorer(nn.Module):
    """``s(x_ij, c) = [W2 relu(W1 [h_i; h_j])]_c + λ δ(x_ij, c)``.

    W1 is applied to the two halves of its input apart, so that it costs one product a word and
    not one a span. λ is ten times a learned weight that starts at one. With `lexicon_violations`
    there is a second such feature, whose weight starts at minus a half, for predicates that the
    lexicon would rather see elsewhere (`Prepared.conflicts`).
    """

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

    def forward(
        self,
        first: Tensor,
        last: Tensor,
        batch: Sequence[Prepared],
        bonuses: Sequence[Tensor] | None = None,
    ) -> list[Tensor]:
        """Logits ``[spans, outputs]`` of each question.

        Args:
            first, last: ``[questions, longest, dim]`` word vectors as starts and as ends.
            bonuses: ``[spans, outputs]`` of each question, in units of a lexicon feature.
        """
        device = first.device
        hidden = []
        for left, right, question in zip(self.left(first), self.right(last), batch, strict=True):
            spans = torch.from_numpy(question.spans).to(device)
            hidden.append(left[spans[:, 0]] + right[spans[:, 1] - 1])
        logits = self.out(self.dropout(torch.relu(torch.cat(hidden))))
        scored = []
        sizes = [len(question.spans) for question in batch]
        for number, (part, question) in enumerate(
            zip(torch.split(logits, sizes), batch, strict=True)
        ):
            matches = torch.from_numpy(question.matches).to(device)
            bonus = torch.zeros_like(part, dtype=torch.float32)
            bonus[matches[:, 0], matches[:, 1]] = 1.0
            part = part.float() + LEXICON_SCALE * self.match_weight * bonus
            if self.conflict_weight is not None:
                against = torch.from_numpy(question.conflicts).to(device)
                part = part + LEXICON_SCALE * self.conflict_weight * against
            if bonuses is not None:
                part = part + LEXICON_SCALE * bonuses[number]
            scored.append(part.masked_fill(torch.from_numpy(question.blocked).to(device), BLOCKED))
        return scored


class AnswerScorer(nn.Module):
    """``log p(what is asked for | question)``, from its first word's vector and its last one's.

    What is asked for is a set of parts, as in `kind_of_answer`, whose logits are summed.

    Args:
        answers: the parts of each answer.
    """

    member: Tensor

    def __init__(self, dim: int, answers: Sequence[Sequence[str]], dropout: float) -> None:
        super().__init__()
        parts = sorted({part for answer in answers for part in answer})
        member = torch.tensor([[float(part in answer) for part in parts] for answer in answers])
        self.register_buffer("member", member, persistent=False)
        self.dropout, self.out = nn.Dropout(dropout), nn.Linear(2 * dim, len(parts))

    def forward(self, first: Tensor, last: Tensor, batch: Sequence[Prepared]) -> Tensor:
        """``[questions, answers]``.

        Args:
            first, last: as for `SpanScorer`.
        """
        ends = [question.n - 1 for question in batch]
        whole = torch.cat([first[:, 0], last[torch.arange(len(batch)), ends]], 1).float()
        with torch.autocast(whole.device.type, enabled=False):
            return torch.log_softmax(self.out(self.dropout(whole)) @ self.member.T, -1)
