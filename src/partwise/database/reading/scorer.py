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

from partwise.database.reading.context import SIZE, Context, ContextLayers
from partwise.database.reading.labels import Label
from partwise.database.reading.names import Thing
from partwise.database.reading.search import Used, features, pair_feature, skip_features
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


class ComparedNames(NamedTuple):
    """The names of a database.

    Attributes:
        vectors: ``[names, dim]``.
        compared: the same in the space in which they are compared, ``[names, MATCH]``.
        things: which rows are of which thing.
    """

    vectors: Tensor
    compared: Tensor
    things: Mapping[Thing, Sequence[int]]


class Scored(NamedTuple):
    """The scores of one question, of all its spans.

    Attributes:
        spans: ``(start, end)`` -> row of `roles` and `match`.
        roles: ``[spans, roles]``.
        match: ``[spans, names]``; for a thing the best of its names counts.
        skip: ``[words]``.
        shift: ``[shifts]``.
        seen: ``[spans, names of the context]``, what the words say in the light of the names.
        prior: ``[names of the context, roles]``.
        places: where the names of a thing are in `seen` and `prior`.
    """

    spans: Mapping[tuple[int, int], int]
    roles: Array
    match: Array
    skip: Array
    shift: Array
    seen: Array
    prior: Array
    places: Mapping[Thing, Sequence[int]]


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
        self.context = ContextLayers(dim)
        self.span = nn.Sequential(nn.Linear(4 * dim + 3 * SIZE, HIDDEN), nn.GELU(), nn.Dropout(0.5))
        self.seen_asks, self.seen_named = nn.Linear(SIZE, MATCH), nn.Linear(SIZE, MATCH)
        self.prior = nn.Linear(SIZE, len(vocabulary.roles))
        self.role = nn.Linear(HIDDEN, len(vocabulary.roles))
        self.asks = nn.Linear(2 * dim, MATCH)
        self.named = nn.Linear(dim, MATCH)
        self.scale = nn.Parameter(torch.tensor(1.0))
        last = nn.Linear(64, 1)
        self.word = nn.Sequential(nn.Linear(2 * dim, 64), nn.GELU(), last)
        added = nn.Linear(WHOLE, len(vocabulary.shifts))
        self.shifts = nn.Sequential(nn.Linear(2 * dim, WHOLE), nn.GELU(), nn.Dropout(0.5), added)
        for layer in (self.role, added, last, self.seen_named, self.prior):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def spans(
        self, words: Tensor, names: Tensor, context: Context, spans: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Scores of roles, vectors to compare with names, and what names add in this question.

        Args:
            words: ``[words, dim]``, of one question.
            names: ``[names, dim]``, of the context.
            spans: ``[spans, 2]``, first words and ends.

        Returns:
            ``[spans, roles]``, ``[spans, MATCH]``, `Scored.seen` and `Scored.prior`.
        """
        here, there = self.context(words, names, context)
        mean, *around = _around(words, spans)
        mine, *near = _around(here, spans)
        whole = words.mean(0).expand_as(mean)
        hidden = self.span(torch.cat([mean, *around, whole, mine, *near], 1))
        asks = normalize(self.asks(torch.cat([mean, whole], 1)))
        seen = self.seen_asks(mine) @ self.seen_named(there).T / MATCH**0.5
        return self.role(hidden), asks, seen, self.prior(there)

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
    def scored(
        self,
        words: Tensor,
        named: ComparedNames,
        context: Context,
        spans: Iterable[tuple[int, int]],
    ) -> Scored:
        """All scores of a question.

        Args:
            words: ``[words, dim]``.
            named: the names of the database.
        """
        listed = list(dict.fromkeys(spans))
        index = {span: number for number, span in enumerate(listed)}
        names = named.vectors[list(context.rows)]
        at = torch.tensor(listed or [(0, 1)])
        roles, asks, seen, prior = self.spans(words, names, context, at)
        match = self.scale * asks @ named.compared.T
        return Scored(
            spans=index,
            roles=roles.numpy(),
            match=match.numpy(),
            skip=self.skips(words).numpy(),
            shift=self.shift(words).numpy(),
            seen=seen.numpy(),
            prior=prior.numpy(),
            places=context.places(named.things),
        )


def _around(vectors: Tensor, spans: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The mean of each span, the vector before it and the one behind it."""
    sums = torch.cat([vectors.new_zeros(1, vectors.shape[1]), vectors.cumsum(0)])
    starts, ends = spans[:, 0], spans[:, 1]
    mean = (sums[ends] - sums[starts]) / (ends - starts)[:, None]
    edge = vectors.new_zeros(1, vectors.shape[1])
    around = torch.cat([edge, vectors, edge])
    return mean, around[starts], around[ends + 1]


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

    def pair(self, before: Used | None, after: Used | None) -> float:
        """Of a label in its role behind another."""
        number = self.scorer.feature_ids.get(pair_feature(before, after))
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
        if label.thing is None or label.thing not in self.things:
            return total
        places = self.scored.places[label.thing]
        if number is not None:
            total += float(self.scored.prior[places, number].max())
        if label.kind != "value":
            total += float(self.scored.match[row, self.things[label.thing]].max())
            total += float(self.scored.seen[row, places].max())
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
