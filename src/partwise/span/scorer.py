"""The span scorer: what it scores, how a question is made ready for it, and its network.

`Labels` is the output space, `SpanScorer` equation 2 of Herzig and Berant 2021 with the exact-match
feature of section 3.3, and `AnswerScorer` predicts the type of the answer from the whole question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from partwise.chart.scores import NEVER, SpanScores
from partwise.language.domain import Domain
from partwise.language.text import Words, only_punctuation
from partwise.span.config import SpanParserConfig

KEPT = 2_000
"""Questions whose phrases are remembered; each takes some ten kilobytes."""
DEFAULT = SpanParserConfig()
PHI_OUTPUT, JOIN_OUTPUT, FIRST_CONSTANT = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Prepared:
    """A question made ready for scoring.

    Attributes:
        spans: ``[spans, 2]``, all ``(start, end)`` with start < end, in row-major order.
        columns: ``[columns]``, categories that the chart may use here.
        outputs: ``[columns]``, the scorer's output of each column.
        allowed: ``[spans, columns]``, False where an entity may not stand.
        matches: ``[matches, 2]``, ``(span, output)`` pairs at which a lexicon phrase stands.
        conflicts: ``[spans, outputs]``, True for predicates that go against the lexicon: some
            phrase stands within the span, and none of those that do names this predicate.
        blocked: ``[spans, outputs]``, True for entity outputs with no name at that span.
        entity: ``[columns]``, True for entities.
        known: whether any phrase of the lexicon stands in the question.
        mentions: ``[words]``, True inside a phrase that can only be a name.
        guesses: ``(start, end, category)`` of names in which an error of spelling is forgiven.
    """

    words: Words
    spans: NDArray[np.int64]
    columns: NDArray[np.int64]
    outputs: NDArray[np.int64]
    allowed: NDArray[np.bool_]
    matches: NDArray[np.int64]
    conflicts: NDArray[np.bool_]
    blocked: NDArray[np.bool_]
    entity: NDArray[np.bool_]
    known: bool
    mentions: NDArray[np.bool_]
    guesses: frozenset[tuple[int, int, int]] = frozenset()

    @property
    def n(self) -> int:
        return len(self.words)

    def row(self, start: int, end: int) -> int:
        return _row(self.n, start, end)

    def allows(self, category: int, start: int, end: int) -> bool:
        """Whether a category may stand at a span."""
        return bool(self.allowed[self.row(start, end), self.columns == category].any())

    def span_scores(self, logits: NDArray[np.floating], keep_mentions: bool = False) -> SpanScores:
        """Chart scores from the scorer's ``[spans, outputs]`` logits, relative to φ. With
        `keep_mentions`, a phrase that can only be a name must be one: neither φ nor a predicate may
        cover a part of it."""
        n = self.n
        relative = logits.astype(np.float64) - logits[:, PHI_OUTPUT : PHI_OUTPUT + 1]
        start, end = self.spans[:, 0], self.spans[:, 1]
        allowed, gap = self.allowed, np.zeros((n + 1, n + 1))
        if keep_mentions:
            named = _holding(self.spans, self.mentions)
            allowed = allowed & (self.entity | ~named[:, None])
            gap[start[named], end[named]] = NEVER
        constants = np.full((n + 1, n + 1, len(self.columns)), NEVER)
        constants[start, end] = np.where(allowed, relative[:, self.outputs], NEVER)
        join = np.full((n + 1, n + 1), NEVER)
        join[start, end] = relative[:, JOIN_OUTPUT]
        return SpanScores(constants, join, gap, self.columns)


class Labels:
    """The output space of the scorer: φ, join, then constants. With tied entities there is one
    output for each entity *type*, and which entity it is says the name found at the span, so that
    an entity never seen in training scores as a seen one. Without, each entity has its own output
    and may stand on any span (the paper's way)."""

    def __init__(self, domain: Domain, config: SpanParserConfig = DEFAULT) -> None:
        self.domain, self.config = domain, config
        self.matcher = domain.typed_matcher if config.typed else domain.matcher
        self.tied = tied = config.type_tied
        self.vocabulary = vocabulary = domain.vocabulary
        listed = vocabulary.predicates if tied else domain.constants
        # Entities that a pattern gives share an output whatever the mode; there is no list of them.
        shared = [
            entity_type
            for entity_type in vocabulary.types
            if tied or entity_type.pattern is not None
        ]
        names = [constant.category for constant in listed]
        self._shared = {
            entity_type.head: FIRST_CONSTANT + len(names) + n
            for n, entity_type in enumerate(shared)
        }
        self.names = ("φ", "join", *names, *(entity_type.label for entity_type in shared))
        self.size = len(self.names)
        self._entity_outputs = np.arange(FIRST_CONSTANT + vocabulary.n_predicates, len(self.names))
        # Where predicates have no phrases, a question without any says nothing of itself.
        self._wordless = not any(c.phrases for c in vocabulary.predicates)
        self._kept = lru_cache(maxsize=KEPT)(self._prepare)

    def output_of(self, number: int) -> int:
        known = self.vocabulary
        if number < (known.n_predicates if self.tied else known.n_listed):
            return FIRST_CONSTANT + number
        return self._shared[known.types[known.type_of(number)].head]

    @property
    def predicates(self) -> list[str]:
        """Names of the predicates, whose outputs are the first of constants."""
        return [constant.category for constant in self.vocabulary.predicates]

    def prepare(self, words: Words) -> Prepared:
        """Find the phrases of a question; kept for the next time."""
        return self._kept(words, self.vocabulary.generation)

    def _prepare(self, words: Words, _generation: int) -> Prepared:
        n, vocabulary = len(words), self.vocabulary
        starts, ends = np.triu_indices(n, 0)
        spans = np.stack([starts, ends + 1], 1)
        phrases = self.matcher.find(words)
        rows = np.array([_row(n, match.start, match.end) for match in phrases], np.int64)
        numbers = np.array([match.number for match in phrases], np.int64)
        named = numbers >= vocabulary.n_predicates
        entities = np.unique(numbers[named])
        if not self.tied:
            listed = np.arange(vocabulary.n_predicates, vocabulary.n_listed)
            entities = np.union1d(entities, listed)
        columns = np.concatenate([np.arange(vocabulary.n_predicates), entities])
        entity = columns >= vocabulary.n_predicates
        allowed = np.ones((len(spans), len(columns)), bool)
        allowed[:, entity] = not self.tied
        if not self.config.punctuation:
            means = np.array([not only_punctuation(word) for word in words.words])
            allowed[~_holding(spans, means)] = False
        allowed[rows, np.searchsorted(columns, numbers)] = True
        guesses = np.array([vocabulary.is_guess(number) for number in numbers.tolist()], bool)
        hints = (named | (self.config.lexicon == "full")) & ~guesses
        hinted = zip(rows[hints].tolist(), numbers[hints].tolist(), strict=True)
        stands = sorted({(row, self.output_of(number)) for row, number in hinted})
        matches = np.array(stands, np.int64).reshape(-1, 2)
        blocked = np.zeros((len(spans), self.size), bool)
        blocked[:, self._entity_outputs] = self.tied
        for row, number in zip(rows[named].tolist(), numbers[named].tolist(), strict=True):
            blocked[row, self.output_of(number)] = False
        mentions = np.zeros(n, bool)
        for start, end in spans[np.setdiff1d(rows[named & ~guesses], rows[~named])]:
            mentions[start:end] = True
        return Prepared(
            words,
            spans,
            columns,
            np.array([self.output_of(number) for number in columns.tolist()], np.int64),
            allowed,
            matches,
            self._conflicts(spans, matches),
            blocked,
            entity,
            bool(phrases) or self._wordless,
            mentions,
            frozenset((m.start, m.end, m.number) for m in phrases if m.guess),
        )

    def _conflicts(self, spans: NDArray[np.int64], matches: NDArray[np.int64]) -> NDArray[np.bool_]:
        named = np.zeros((len(spans), self.size), bool)
        for row, output in matches:
            start, end = spans[row]
            named[(spans[:, 0] <= start) & (spans[:, 1] >= end), output] = True
        conflicts = named.any(1, keepdims=True) & ~named
        conflicts[:, :FIRST_CONSTANT] = False
        conflicts[:, self._entity_outputs] = False
        return conflicts


def _row(n: int, start: int, end: int) -> int:
    return start * n - start * (start - 1) // 2 + (end - start - 1)


def _holding(spans: NDArray[np.int64], flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """``[spans]``: whether a span holds one of the words that ``[words]`` flags."""
    before = np.concatenate([[0], np.cumsum(flags)])
    holds: NDArray[np.bool_] = before[spans[:, 1]] > before[spans[:, 0]]
    return holds


LEXICON_SCALE = 10.0
"""Logits in one unit of a lexicon feature's weight, as in the paper's code."""
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

    def forward(
        self,
        first: Tensor,
        last: Tensor,
        batch: Sequence[Prepared],
        bonuses: Sequence[Tensor] | None = None,
    ) -> list[Tensor]:
        """Logits ``[spans, outputs]`` of each question. `first`, `last`: ``[questions, longest,
        dim]``, word vectors as starts and as ends; `bonuses`: of each question ``[spans,
        outputs]``, in units of a lexicon feature."""
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
    What is asked for is a set of parts, as in `kind_of_answer`, whose logits are summed. `answers`:
    the parts of each answer."""

    member: Tensor

    def __init__(self, dim: int, answers: Sequence[Sequence[str]], dropout: float) -> None:
        super().__init__()
        parts = sorted({part for answer in answers for part in answer})
        member = torch.tensor([[float(part in answer) for part in parts] for answer in answers])
        self.register_buffer("member", member, persistent=False)
        self.dropout, self.out = nn.Dropout(dropout), nn.Linear(2 * dim, len(parts))

    def forward(self, first: Tensor, last: Tensor, batch: Sequence[Prepared]) -> Tensor:
        """``[questions, answers]``; `first` and `last` as for `SpanScorer`."""
        ends = [question.n - 1 for question in batch]
        whole = torch.cat([first[:, 0], last[torch.arange(len(batch)), ends]], 1).float()
        with torch.autocast(whole.device.type, enabled=False):
            return torch.log_softmax(self.out(self.dropout(whole)) @ self.member.T, -1)
