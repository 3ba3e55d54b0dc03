"""Learned scores of trees over a schema: what a span does, and how well a name fits it.

The score of a tree is a sum over its steps::

    role(span) + match(span, names) + prior(item) + whole(question)[step] + weights . features

A table, a column or a value has no row of its own in any matrix, so those of a database that was
never seen are scored like all others. All of this is learned several times, by members that begin
otherwise; a score is their mean, and how far they agree tells how sure it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.chart.k_best import Item
from partwise.database.context import Context, relations_of
from partwise.database.features import (
    RoleUse,
    SchemaQuestion,
    ScoredPart,
    first_weight,
    links_part,
    step_part,
)
from partwise.database.phrases import SpanConstant
from partwise.database.spans.names import SchemaItem
from partwise.encoders.functions import Functions

Array = NDArray[np.float32]
Guide = Callable[[SpanConstant], float]
"""What is added to the score of a constant, to find what a known query says."""


class SchemaVocabulary(NamedTuple):
    """What has a score of its own, in any database.

    Attributes:
        roles: of spans.
        steps: joins, slots and implicit steps, which the question as a whole scores.
        features: figures with a weight.
    """

    roles: tuple[str, ...]
    steps: tuple[str, ...]
    features: tuple[str, ...]


class SchemaModel(NamedTuple):
    """What was learned of scores.

    Attributes:
        functions: with ``scorer``, as `partwise.database.network.SchemaScorer.means` gives it.
        prices: of joins, unary steps, slots and implicit steps, for what is not in the vocabulary.
    """

    functions: Functions
    vocabulary: SchemaVocabulary
    prices: Mapping[str, float]


class QuestionArrays(NamedTuple):
    """What the network reads of a question beside the vectors.

    Attributes:
        types: ``[names]``, numbers of `types.TYPES`.
        relations: ``[words + names, words + names]``, as `relations_of` gives them.
        spans: ``[spans, 2]``, first words and ends.
        items: ``[items, most]``, the names of each, some of them twice.
    """

    types: NDArray[np.int64]
    relations: NDArray[np.int64]
    spans: NDArray[np.int64]
    items: NDArray[np.int64]


def arrays_of(
    context: Context,
    words: int,
    spans: Iterable[tuple[int, int]],
    places: Iterable[Sequence[int]],
) -> QuestionArrays:
    """A question as the network reads it. `words`: how many it has. `spans`: that are scored.
    `places`: of each item that is scored, its names in the context."""
    some = [list(each) for each in places]
    longest = max(map(len, some), default=1)
    items = [[*each, *each[:1] * (longest - len(each))] for each in some]
    return QuestionArrays(
        np.array(context.types, np.int64),
        relations_of(context, words),
        np.array(list(spans) or [(0, 1)], np.int64),
        np.array(items, np.int64).reshape(len(items), longest),
    )


class HandScores:
    """The scores of one question before anything is learned, for a search. `prices`: of joins,
    unary steps, slots and implicit steps."""

    def __init__(
        self, question: SchemaQuestion, prices: Mapping[str, float], guide: Guide | None = None
    ) -> None:
        self.question, self.prices, self.guide = question, prices, guide
        self._kept: dict[tuple[object, ...], float] = {}

    def constant(self, number: int) -> float:
        """Of a constant."""
        more = 0.0 if self.guide is None else self.guide(self.question.constants[number])
        return self._sum(self.question.constant(number)) + more

    def skip(self, word: int) -> float:
        """Of a word that gives nothing."""
        return self._sum(self.question.skip(word)) + self._skip(word)

    def join(self, name: str, left: Item, right: Item) -> float:
        """Of a join."""
        key = (name, left.constant, left.start, left.end, right.constant, right.start, right.end)
        made = self._kept.get(key)
        if made is None:
            made = self._kept[key] = self._sum(self.question.join(name, left, right))
        return made

    def unary(self, name: str, item: Item) -> float:
        """Of a unary step."""
        key = (name, item.start, item.end)
        made = self._kept.get(key)
        if made is None:
            made = self._kept[key] = self._sum(self.question.unary(name, item))
        return made

    def fill(self, slot: str, item: Item, last: str, same: str) -> float:
        """Of what a modifier does in a frame."""
        key = (slot, item.constant, item.start, item.end, last, same)
        made = self._kept.get(key)
        if made is None:
            made = self._kept[key] = self._sum(self.question.fill(slot, item, last, same))
        return made

    def links(self, number: int) -> float:
        """Of the links between a modifier and its frame."""
        key = ("links", number)
        made = self._kept.get(key)
        if made is None:
            made = self._kept[key] = self._sum(links_part(number))
        return made

    def step(self, name: str) -> float:
        """Of something that no word says, or of the shape of a frame."""
        key = ("step", name)
        made = self._kept.get(key)
        if made is None:
            made = self._kept[key] = self._sum(step_part(name))
        return made

    def _sum(self, part: ScoredPart) -> float:
        return math.fsum(first_weight(name, self.prices) * x for name, x in part.features)

    def _skip(self, word: int) -> float:
        return 0.0


class ChartScores(HandScores):
    """The learned scores of one question, for a search: the mean of all members. `words`: ``[words,
    dim]``. `names`: ``[names, dim]``, of all names of the database. `rows`: which of them are of
    which item."""

    def __init__(
        self,
        model: SchemaModel,
        question: SchemaQuestion,
        words: Array,
        names: Array,
        rows: Mapping[SchemaItem, Sequence[int]],
        guide: Guide | None = None,
    ) -> None:
        super().__init__(question, model.prices, guide)
        context, known = question.context, model.vocabulary
        places = context.places(rows)
        self._items = {item: number for number, item in enumerate(places)}
        self._role_ids = {name: number for number, name in enumerate(known.roles)}
        starts = sorted({constant.start for constant in question.constants})
        ends = sorted({constant.end for constant in question.constants})
        spans = [(start, end) for start in starts for end in ends if start < end]
        self._spans = {span: number for number, span in enumerate(spans)}
        read = arrays_of(context, len(words), spans, places.values())._asdict()
        near = names[list(context.rows)]
        made = model.functions("scorer", words=words, names=near, **read)
        self._roles, self._match, self._prior, skips, steps, weights = made
        self._skips: list[float] = skips.tolist()
        self._steps: dict[str, float] = dict(zip(known.steps, steps.tolist(), strict=True))
        self._weights: dict[str, float] = dict(zip(known.features, weights.tolist(), strict=True))

    def _places(self, use: RoleUse) -> tuple[int, int | None, int | None]:
        item = None if use.item is None else self._items.get(use.item)
        return self._spans[use.start, use.end], self._role_ids.get(use.role), item

    def _sum(self, part: ScoredPart) -> float:
        total = self._steps.get(part.step, 0.0)
        for name, value in part.features:
            weight = self._weights.get(name)
            total += value * (first_weight(name, self.prices) if weight is None else weight)
        for use in part.uses:
            span, role, item = self._places(use)
            if role is not None:
                total += float(self._roles[span, role])
            if item is not None:
                total += 0.0 if role is None else float(self._prior[item, role])
                total += float(self._match[span, item]) if use.named else 0.0
        return total

    def _skip(self, word: int) -> float:
        return self._skips[word]
