"""What the span scorer scores, and how a question is made ready for it: `Labels` is its output
space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.chart.scores import NEVER, SpanScores
from partwise.language.domain import Domain
from partwise.language.text import Words, only_punctuation
from partwise.span.config import SpanParserConfig

KEPT = 2_000
"""Questions whose phrases are remembered; each takes some ten kilobytes."""
DEFAULT = SpanParserConfig()
PHI_OUTPUT, JOIN_OUTPUT, FIRST_CONSTANT = 0, 1, 2
LEXICON_SCALE = 10.0
"""Logits in one unit of a lexicon feature's weight, as in the paper's code."""


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

    @property
    def named(self) -> NDArray[np.bool_]:
        """``[spans, outputs]``, True where `matches` are."""
        named = np.zeros(self.blocked.shape, bool)
        named[self.matches[:, 0], self.matches[:, 1]] = True
        return named

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


class WordRows(NamedTuple):
    """Where a batch of questions stands among the word vectors of all, ``[questions * longest,
    dim]``.

    Attributes:
        starts, ends: ``[spans]``, of each question's spans, one question after the other: the rows
            of their first words and of their last ones.
        heads, tails: ``[questions]``, the rows of their first words and of their last ones.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    heads: NDArray[np.int64]
    tails: NDArray[np.int64]

    @classmethod
    def of(cls, batch: Sequence[Prepared], longest: int) -> WordRows:
        heads = longest * np.arange(len(batch))
        spans = [question.spans + head for question, head in zip(batch, heads, strict=True)]
        starts, ends = np.concatenate(spans).T
        tails = heads + np.array([question.n - 1 for question in batch])
        return cls(starts, ends - 1, heads, tails)
