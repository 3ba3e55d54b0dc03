"""Learned scores of readings: what a span is by its words in context, and how well a name fits it.

The score of a reading is a sum over its labels, over the words that gave nothing, and over what was
added without a word::

    score(span, label) = role(span)[role] + match(span, name) + weights . features(label)

Roles that stand one behind the other have a score, too, and so has the shape of the program, by the
question as a whole.

A table, a column or a value has no row of its own in any matrix, so those of a database that was
never seen are scored like all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import normalize

from partwise.database.reading.labels import Label
from partwise.database.reading.names import Thing
from partwise.database.reading.search import features, pair_feature, skip_features
from partwise.database.reading.text import Word

HIDDEN, MATCH, WHOLE = 192, 96, 96
"""Sizes of the hidden layer of spans, of the space in which spans and names are compared, and of
the hidden layer of whole questions."""
Array = NDArray[np.float32]


class Vocabulary(NamedTuple):
    """What has a score of its own, in any database.

    Attributes:
        roles: of labels, as `role_of` names them.
        shifts: what is added without a word.
        features: of labels and of words that give nothing.
    """

    roles: tuple[str, ...]
    shifts: tuple[str, ...]
    features: tuple[str, ...]


def role_of(label: Label, role: str) -> str:
    """The name of a label's role; an operation is told by its name, too."""
    return f"{role} {label.op}" if label.thing is not None and label.op else role


class Scored(NamedTuple):
    """The scores of one question, of all its spans.

    Attributes:
        spans: ``(start, end)`` -> row of `roles` and `match`.
        roles: ``[spans, roles]``.
        match: ``[spans, names]``; for a thing the best of its names counts.
        skip: ``[words]``.
        shift: ``[shifts]``.
    """

    spans: Mapping[tuple[int, int], int]
    roles: Array
    match: Array
    skip: Array
    shift: Array


class ReadingScorer(nn.Module):
    """Scores of roles, names, words and shifts from the vectors of a question.

    Args:
        dim: size of a word's vector.
        weights: of features, where learning begins.
    """

    def __init__(
        self, dim: int, vocabulary: Vocabulary, weights: Mapping[str, float] | None = None
    ) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        begin = weights or {}
        self.role_ids = {name: number for number, name in enumerate(vocabulary.roles)}
        self.shift_ids = {name: number for number, name in enumerate(vocabulary.shifts)}
        self.feature_ids = {name: number for number, name in enumerate(vocabulary.features)}
        self.weights = nn.Parameter(
            torch.tensor([begin.get(name, 0.0) for name in vocabulary.features])
        )
        self.span = nn.Sequential(nn.Linear(4 * dim, HIDDEN), nn.GELU(), nn.Dropout(0.5))
        self.role = nn.Linear(HIDDEN, len(vocabulary.roles))
        self.asks = nn.Linear(2 * dim, MATCH)
        self.named = nn.Linear(dim, MATCH)
        self.scale = nn.Parameter(torch.tensor(1.0))
        last = nn.Linear(64, 1)
        self.word = nn.Sequential(nn.Linear(2 * dim, 64), nn.GELU(), last)
        added = nn.Linear(WHOLE, len(vocabulary.shifts))
        self.shifts = nn.Sequential(nn.Linear(2 * dim, WHOLE), nn.GELU(), nn.Dropout(0.5), added)
        for layer in (self.role, added, last):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def spans(self, words: Tensor, spans: Tensor) -> tuple[Tensor, Tensor]:
        """Scores of roles, and vectors to compare with names.

        Args:
            words: ``[words, dim]``, of one question.
            spans: ``[spans, 2]``, first words and ends.

        Returns:
            ``[spans, roles]`` and ``[spans, MATCH]``.
        """
        whole = words.mean(0)
        sums = torch.cat([words.new_zeros(1, words.shape[1]), words.cumsum(0)])
        starts, ends = spans[:, 0], spans[:, 1]
        mean = (sums[ends] - sums[starts]) / (ends - starts)[:, None]
        edge = words.new_zeros(1, words.shape[1])
        around = torch.cat([edge, words, edge])
        before, after = around[starts], around[ends + 1]
        hidden = self.span(torch.cat([mean, before, after, whole.expand_as(mean)], 1))
        return self.role(hidden), normalize(self.asks(torch.cat([mean, whole.expand_as(mean)], 1)))

    def names(self, names: Tensor) -> Tensor:
        """Names in the space in which they are compared, ``[names, MATCH]``."""
        return normalize(self.named(names))

    def skips(self, words: Tensor) -> Tensor:
        """Scores of words that give nothing, ``[words]``."""
        return self.word(torch.cat([words, words.mean(0).expand_as(words)], 1))[:, 0]  # type: ignore[no-any-return]

    def shift(self, words: Tensor) -> Tensor:
        """Scores of what is added, ``[shifts]``."""
        return self.shifts(torch.cat([words.mean(0), words.amax(0)]))  # type: ignore[no-any-return]

    @torch.no_grad()
    def scored(self, words: Tensor, names: Tensor, spans: Iterable[tuple[int, int]]) -> Scored:
        """All scores of a question.

        Args:
            words: ``[words, dim]``.
            names: what `names` gave for those of the database.
        """
        listed = list(dict.fromkeys(spans))
        index = {span: number for number, span in enumerate(listed)}
        roles, asks = self.spans(words, torch.tensor(listed or [(0, 1)]))
        match = self.scale * asks @ names.T
        parts = (roles, match, self.skips(words), self.shift(words))
        return Scored(index, *(part.numpy() for part in parts))


class LearnedScores:
    """The scores of one question, for a search.

    Args:
        things: what each name of the database names, in the order of `Scored.match`.
    """

    def __init__(
        self,
        scorer: ReadingScorer,
        scored: Scored,
        words: Sequence[Word],
        things: Mapping[Thing, Sequence[int]],
    ) -> None:
        self.scorer, self.scored, self.words, self.things = scorer, scored, words, things
        self._weights = scorer.weights.detach().numpy()
        self._skips = [
            self._sum(skip_features(word)) + float(score)
            for word, score in zip(words, scored.skip, strict=True)
        ]
        self._kept: dict[tuple[int, str], float] = {}
        self._shifts: dict[str, float] = {}

    def pair(self, before: str, role: str) -> float:
        """Of a role behind another."""
        number = self.scorer.feature_ids.get(pair_feature(before, role))
        return 0.0 if number is None else float(self._weights[number])

    def use(self, label: Label, role: str) -> float:
        """Of a label in a role."""
        key = (id(label), role)
        if key not in self._kept:
            self._kept[key] = self._use(label, role)
        return self._kept[key]

    def _use(self, label: Label, role: str) -> float:
        row = self.scored.spans[label.start, label.end]
        total = self._sum(features(label, role))
        number = self.scorer.role_ids.get(role_of(label, role))
        if number is not None:
            total += float(self.scored.roles[row, number])
        rows = self.things.get(label.thing) if label.thing is not None else None
        if rows is not None and label.kind != "value":
            total += float(self.scored.match[row, rows].max())
        return total

    def skip(self, word: int) -> float:
        """Of a word that gives nothing."""
        return self._skips[word]

    def shift(self, name: str) -> float:
        """Of something that is added without a word, or of part of a program's shape."""
        if name not in self._shifts:
            self._shifts[name] = self._shift(name)
        return self._shifts[name]

    def _shift(self, name: str) -> float:
        number = self.scorer.shift_ids.get(name)
        learned = 0.0 if number is None else float(self.scored.shift[number])
        return learned + self._sum({f"shift {name}": 1.0})

    def _sum(self, named: Mapping[str, float]) -> float:
        ids = self.scorer.feature_ids
        return sum(
            float(self._weights[ids[name]]) * value for name, value in named.items() if name in ids
        )
