"""Learned scores of readings: what a span is by its words in context, and how well a name fits it.

The score of a reading is a sum over its labels, over the words that gave nothing, and over what was
added without a word::

    score(span, label) = role(span)[role] + match(span, name) + weights . features(label)

Roles that stand one behind the other have a score, too, and so has the shape of the program, by the
question as a whole. All of this is learned several times, by members that begin otherwise; a score
is their mean, and how far they agree tells how sure it is.

A table, a column or a value has no row of its own in any matrix, so those of a database that was
never seen are scored like all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import normalize

from partwise.database.context import SIZE, Context, ContextLayers, relations_of
from partwise.database.reading.features import FIRST_WEIGHTS, features, pair_feature, skip_features
from partwise.database.reading.label import Label
from partwise.database.reading.readings import Reading, Used
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.text import Word
from partwise.labels.members import Linears

HIDDEN, MATCH, WHOLE = 192, 96, 96
"""Sizes of the hidden layer of spans, of the space in which spans and names are compared, and of
the hidden layer of whole questions."""
Array = NDArray[np.float32]


class ScoredNames(NamedTuple):
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
        compared: the same in the space in which they are compared, ``[members, names, MATCH]``.
        things: which rows are of which thing.
    """

    vectors: Tensor
    compared: Tensor
    things: Mapping[SchemaItem, Sequence[int]]


class Scored(NamedTuple):
    """The scores of one question, of all its spans, by each member.

    Attributes:
        spans: ``(start, end)`` -> row of `roles` and `match`.
        roles: ``[members, spans, roles]``.
        match: ``[members, spans, names]``; for a thing the best of its names counts.
        skip: ``[members, words]``.
        shift: ``[members, shifts]``.
        seen: ``[members, spans, names of the context]``, what the words say in the light of the
            names.
        prior: ``[members, names of the context, roles]``.
        places: where the names of a thing are in `seen` and `prior`.
    """

    spans: Mapping[tuple[int, int], int]
    roles: Array
    match: Array
    skip: Array
    shift: Array
    seen: Array
    prior: Array
    places: Mapping[SchemaItem, Sequence[int]]


class ReadingScorer(nn.Module):
    """Scores of roles, names, words and shifts from the vectors of a question.

    Args:
        dim: size of a word's vector.
        weights: of features, where learning begins.
        members: how many sets of weights there are.
    """

    def __init__(
        self,
        dim: int,
        vocabulary: ScoredNames,
        weights: Mapping[str, float] | None = None,
        members: int = 1,
    ) -> None:
        super().__init__()
        self.vocabulary, self.members = vocabulary, members
        begin = weights or {}
        self.role_ids = {name: number for number, name in enumerate(vocabulary.roles)}
        self.shift_ids = {name: number for number, name in enumerate(vocabulary.shifts)}
        self.feature_ids = {name: number for number, name in enumerate(vocabulary.features)}
        first = torch.tensor([begin.get(name, 0.0) for name in vocabulary.features])
        self.weights = nn.Parameter(first.repeat(members, 1))
        self.scale = nn.Parameter(torch.ones(members, 1, 1))
        self.context = ContextLayers(members, dim)
        read = Linears(members, 4 * dim + 3 * SIZE, HIDDEN)
        self.span = nn.Sequential(read, nn.GELU(), nn.Dropout(0.5))
        self.role = Linears(members, HIDDEN, len(vocabulary.roles), zero=True)
        self.seen_asks = Linears(members, SIZE, MATCH)
        self.seen_named = Linears(members, SIZE, MATCH, zero=True)
        self.prior = Linears(members, SIZE, len(vocabulary.roles), zero=True)
        self.asks, self.named = Linears(members, 2 * dim, MATCH), Linears(members, dim, MATCH)
        self.word = nn.Sequential(
            Linears(members, 2 * dim, 64), nn.GELU(), Linears(members, 64, 1, zero=True)
        )
        self.shifts = nn.Sequential(
            Linears(members, 2 * dim, WHOLE),
            nn.GELU(),
            nn.Dropout(0.5),
            Linears(members, WHOLE, len(vocabulary.shifts), zero=True),
        )

    @torch.no_grad()
    def take_over(self, other: ReadingScorer) -> None:
        """Take the weights of another scorer of the same sizes, as far as both have a name for
        them; what is new keeps those that it began with."""
        own, theirs = self._ids(), other._ids()
        known = dict(other.named_parameters())
        for name, one in self.named_parameters():
            layer = name.rpartition(".")[0] or name
            if layer not in own:
                one.copy_(known[name])
                continue
            shared = [
                (own[layer][key], at) for key, at in theirs[layer].items() if key in own[layer]
            ]
            here, there = map(list, zip(*shared, strict=True)) if shared else ([], [])
            one[..., here] = known[name][..., there]

    def _ids(self) -> dict[str, dict[str, int]]:
        """Layers whose last dimension has names -> these."""
        return {
            "weights": self.feature_ids,
            "role": self.role_ids,
            "prior": self.role_ids,
            "shifts.3": self.shift_ids,
        }

    def spans(
        self, words: Tensor, names: Tensor, context: Context, spans: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Scores of roles, vectors to compare with names, and what names add in this question.

        Args:
            words: ``[words, dim]``, of one question.
            names: ``[names, dim]``, of the context.
            spans: ``[spans, 2]``, first words and ends.

        Returns:
            ``[members, spans, roles]``, ``[members, spans, MATCH]``, `Scored.seen` and
            `Scored.prior`.
        """
        types = torch.tensor(context.types, dtype=torch.long)
        here, there = self.context(words, names, types, relations_of(context, len(words)))
        dim, whole = words.shape[1], words.mean(0, keepdim=True)
        reads, *later = self.span
        assert isinstance(reads, Linears)
        # A product with the mean of some words is the mean of the products with these, and there
        # are fewer words than spans.
        *of_words, of_all = reads.weight[:, : 4 * dim].chunk(4, 1)
        of_these = reads.weight[:, 4 * dim :].chunk(3, 1)
        inside, before, after = (
            words @ one + here @ other for one, other in zip(of_words, of_these, strict=True)
        )
        hidden = _means(inside, spans) + _beside(before, after, spans)
        hidden = hidden + (whole @ of_all + reads.bias)
        for layer in later:
            hidden = layer(hidden)
        of_mean, of_all = self.asks.weight.chunk(2, 1)
        asks = _means(words @ of_mean, spans) + (whole @ of_all + self.asks.bias)
        asks = normalize(asks, dim=-1)
        mine = _means(here @ self.seen_asks.weight, spans) + self.seen_asks.bias
        seen = mine @ self.seen_named(there).mT / MATCH**0.5
        return self.role(hidden), asks, seen, self.prior(there)

    def names(self, names: Tensor) -> Tensor:
        """Names in the space in which they are compared, ``[members, names, MATCH]``."""
        return normalize(self.named(names), dim=-1)

    def skips(self, words: Tensor) -> Tensor:
        """Scores of words that give nothing, ``[members, words]``."""
        return self.word(torch.cat([words, words.mean(0).expand_as(words)], 1))[..., 0]  # type: ignore[no-any-return]

    def shift(self, words: Tensor) -> Tensor:
        """Scores of what is added, ``[members, shifts]``."""
        return self.shifts(torch.cat([words.mean(0), words.amax(0)])[None])[:, 0]  # type: ignore[no-any-return]

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
        match = self.scale * asks @ named.compared.mT
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


def _means(vectors: Tensor, spans: Tensor) -> Tensor:
    """The mean of the words of each span; the words are the last dimension but one."""
    sums = torch.cat([torch.zeros_like(vectors[..., :1, :]), vectors.cumsum(-2)], -2)
    starts, ends = spans[:, 0], spans[:, 1]
    return (sums[..., ends, :] - sums[..., starts, :]) / (ends - starts)[:, None]


def _beside(before: Tensor, after: Tensor, spans: Tensor) -> Tensor:
    """The sum of the vectors of the words before and behind each span."""
    edge = torch.zeros_like(before[..., :1, :])
    first, last = torch.cat([edge, before], -2), torch.cat([after, edge], -2)
    return first[..., spans[:, 0], :] + last[..., spans[:, 1], :]


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
        things: Mapping[SchemaItem, Sequence[int]],
    ) -> None:
        self.scorer, self.scored, self.words, self.things = scorer, scored, words, things
        self._weights = scorer.weights.detach().numpy()
        self._nothing = np.zeros(scorer.members, dtype=np.float32)
        self._uses: dict[tuple[int, str], Array] = {}
        self._means: dict[tuple[int, str], float] = {}
        self._mean = self._weights.mean(0)
        self._pairs: dict[str, float] = {}
        self._shifts: dict[str, float] = {}
        self._known: dict[str, Array] = {}

    # --- means, which a search asks for again and again ------------------------------------

    def pair(self, before: Used | None, after: Used | None) -> float:
        """Of a label in its role behind another."""
        name = pair_feature(before, after)
        if name not in self._pairs:
            number = self.scorer.feature_ids.get(name)
            self._pairs[name] = 0.0 if number is None else float(self._mean[number])
        return self._pairs[name]

    def use(self, label: Label, role: str) -> float:
        """Of a label in a role."""
        key = (id(label), role)
        if key not in self._means:
            self._means[key] = float(self._use(label, role).mean())
        return self._means[key]

    def skip(self, word: int) -> float:
        """Of a word that gives nothing."""
        return self._skip_means[word]

    @cached_property
    def _skip_means(self) -> list[float]:
        return [float(self._skip(word).mean()) for word in range(len(self.words))]

    def shift(self, name: str) -> float:
        """Of something that is added without a word, or of part of a program's shape."""
        if name not in self._shifts:
            self._shifts[name] = float(self._shift(name).mean())
        return self._shifts[name]

    # --- by member -------------------------------------------------------------------------

    def members(self, reading: Reading) -> Array:
        """The score of a reading by each member, ``[members]``."""
        pairs = pairwise([None, *reading.used, None])
        parts = [self._use(label, role) for label, role in reading.used]
        parts += [self._feature(pair_feature(before, after)) for before, after in pairs]
        parts += map(self._skip, reading.skipped)
        parts += map(self._shift, (*reading.shifts, *reading.shape))
        return np.sum(parts, axis=0)  # type: ignore[no-any-return]

    def _use(self, label: Label, role: str) -> Array:
        key = (id(label), role)
        if key not in self._uses:
            self._uses[key] = self._used(label, role)
        return self._uses[key]

    def _used(self, label: Label, role: str) -> Array:
        row = self.scored.spans[label.start, label.end]
        total = self._sum(features(label, role))
        number = self.scorer.role_ids.get(role_of(label, role))
        if number is not None:
            total = total + self.scored.roles[:, row, number]
        if label.thing is None or label.thing not in self.things:
            return total
        places = self.scored.places[label.thing]
        if number is not None:
            total = total + self.scored.prior[:, places, number].max(1)
        if label.kind != "value":
            if label.kind != "state":
                # What speaks of a state does not name its column.
                total = total + self.scored.match[:, row, self.things[label.thing]].max(1)
            total = total + self.scored.seen[:, row, places].max(1)
        return total

    def _skip(self, word: int) -> Array:
        return self._sum(skip_features(self.words[word])) + self.scored.skip[:, word]

    def _shift(self, name: str) -> Array:
        number = self.scorer.shift_ids.get(name)
        learned = self._nothing if number is None else self.scored.shift[:, number]
        return learned + self._feature(f"shift {name}")

    def _feature(self, name: str) -> Array:
        """Of a feature that is 1."""
        if name not in self._known:
            self._known[name] = self._sum({name: 1.0})
        return self._known[name]

    def _sum(self, named: Mapping[str, float]) -> Array:
        ids = self.scorer.feature_ids
        known = [(ids[name], value) for name, value in named.items() if name in ids]
        # What no list of the training had has the weight that learning would have begun with.
        new = sum(FIRST_WEIGHTS.get(one, 0.0) * named[one] for one in named if one not in ids)
        total = self._nothing + np.float32(new)
        if not known:
            return total
        at, values = zip(*known, strict=True)
        return total + self._weights[:, list(at)] @ np.array(values, dtype=np.float32)  # type: ignore[no-any-return]
