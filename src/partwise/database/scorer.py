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

import torch
from torch import Tensor, nn

from partwise.chart.k_best import Item
from partwise.database.context import SIZE, Context, ContextLayers, relations_of
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
from partwise.labels.members import Linears
from partwise.labels.open_labels import OpenLabels

WHOLE = 96
"""Size of the hidden layer of whole questions."""
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


class QuestionTensors(NamedTuple):
    """What the network reads of a question.

    Attributes:
        words: ``[words, dim]``.
        names: ``[names, dim]``, of the context.
        types: ``[names]``, numbers of `types.TYPES`.
        relations: ``[words + names, words + names]``, as `relations_of` gives them.
        spans: ``[spans, 2]``, first words and ends.
        items: ``[items, most]``, the names of each, some of them twice.
    """

    words: Tensor
    names: Tensor
    types: Tensor
    relations: Tensor
    spans: Tensor
    items: Tensor


class SchemaScores(NamedTuple):
    """The scores of one question, by each member.

    Attributes:
        roles: ``[members, spans, roles]``.
        match: ``[members, spans, items]``.
        prior: ``[members, items, roles]``.
        skips: ``[members, words]``.
        steps: ``[members, steps]``.
    """

    roles: Tensor
    match: Tensor
    prior: Tensor
    skips: Tensor
    steps: Tensor


def tensors_of(
    context: Context,
    words: Tensor,
    names: Tensor,
    spans: Iterable[tuple[int, int]],
    places: Iterable[Sequence[int]],
) -> QuestionTensors:
    """A question as the network reads it. `words`: ``[words, dim]``. `names`: ``[names, dim]``, of
    all names of the database. `spans`: that are scored. `places`: of each item that is scored, its
    names in the context."""
    some = [list(each) for each in places]
    longest = max(map(len, some), default=1)
    items = [[*each, *each[:1] * (longest - len(each))] for each in some]
    return QuestionTensors(
        words,
        names[list(context.rows)],
        torch.tensor(context.types, dtype=torch.long),
        relations_of(context, len(words)),
        torch.tensor(list(spans) or [(0, 1)]),
        torch.tensor(items, dtype=torch.long).view(len(items), longest),
    )


class SchemaScorer(nn.Module):
    """Scores of spans, words and steps from the vectors of a question. `dim`: size of a word's
    vector. `prices`: of joins, unary steps, slots and implicit steps, where learning begins; what
    is not in the vocabulary keeps them. `members`: how many sets of weights there are."""

    def __init__(
        self, dim: int, vocabulary: SchemaVocabulary, prices: Mapping[str, float], members: int = 1
    ) -> None:
        super().__init__()
        self.vocabulary, self.prices, self.members = vocabulary, prices, members
        self.role_ids, self.step_ids, self.feature_ids = (
            {name: number for number, name in enumerate(names)} for names in vocabulary
        )
        first = torch.tensor([first_weight(name, prices) for name in vocabulary.features])
        self.weights = nn.Parameter(first.repeat(members, 1))
        self.context = ContextLayers(members, dim)
        self.labels = OpenLabels(members, dim, SIZE, len(vocabulary.roles))
        self.word = nn.Sequential(
            Linears(members, 2 * dim, 64), nn.GELU(), Linears(members, 64, 1, zero=True)
        )
        self.whole = nn.Sequential(
            Linears(members, 2 * dim, WHOLE),
            nn.GELU(),
            nn.Dropout(0.5),
            Linears(members, WHOLE, len(vocabulary.steps), zero=True),
        )

    def forward(
        self,
        words: Tensor,
        names: Tensor,
        types: Tensor,
        relations: Tensor,
        spans: Tensor,
        items: Tensor,
    ) -> SchemaScores:
        """All scores of a question; see `QuestionTensors`."""
        here, there = self.context(words, names, types, relations)
        roles, match, prior = self.labels(words, names, here, there, spans, items)
        skips = self.word(torch.cat([words, words.mean(0).expand_as(words)], 1))[..., 0]
        steps = self.whole(torch.cat([words.mean(0), words.amax(0)])[None])[:, 0]
        return SchemaScores(roles, match, prior, skips, steps)

    def rest(self, features: Mapping[str, float]) -> float:
        """What figures give that no training had."""
        new = (name for name in features if name not in self.feature_ids)
        return math.fsum(first_weight(name, self.prices) * features[name] for name in new)


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

    @torch.no_grad()
    def __init__(
        self,
        scorer: SchemaScorer,
        question: SchemaQuestion,
        words: Tensor,
        names: Tensor,
        rows: Mapping[SchemaItem, Sequence[int]],
        guide: Guide | None = None,
    ) -> None:
        super().__init__(question, scorer.prices, guide)
        self.scorer = scorer
        places = question.context.places(rows)
        self._items = {item: number for number, item in enumerate(places)}
        starts = sorted({known.start for known in question.constants})
        ends = sorted({known.end for known in question.constants})
        spans = [(start, end) for start in starts for end in ends if start < end]
        self._spans = {span: number for number, span in enumerate(spans)}
        read = tensors_of(question.context, words, names, spans, places.values())
        self._roles, self._match, self._prior, skips, steps = (
            table.mean(0).numpy() for table in scorer(*read)
        )
        self._skips: list[float] = skips.tolist()
        self._steps: dict[str, float] = dict(
            zip(scorer.vocabulary.steps, steps.tolist(), strict=True)
        )
        weights = scorer.weights.mean(0).tolist()
        self._weights: dict[str, float] = dict(
            zip(scorer.vocabulary.features, weights, strict=True)
        )

    def _places(self, use: RoleUse) -> tuple[int, int | None, int | None]:
        item = None if use.item is None else self._items.get(use.item)
        return self._spans[use.start, use.end], self.scorer.role_ids.get(use.role), item

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
