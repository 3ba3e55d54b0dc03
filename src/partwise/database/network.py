"""The network that scores phrases of a question over a schema.

Its scores of a tree are a sum over the tree's steps; see `partwise.database.scorer`. All of it is
learned several times, by members that begin otherwise; a score is their mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from partwise.database.context import HEADS, LAYERS, RELATIONS, SIZE
from partwise.database.features import first_weight
from partwise.database.scorer import SchemaVocabulary
from partwise.database.spans.types import TYPES
from partwise.encoders.functions import Function
from partwise.labels.members import Embeddings, Linears, Norms
from partwise.labels.open_labels import OpenLabels

WHOLE = 96
"""Size of the hidden layer of whole questions."""


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


class ContextLayers(nn.Module):
    """Layers of attention over words and names. `members`: how many sets of weights there are.
    `dim`: size of the vectors of words and names."""

    def __init__(self, members: int, dim: int) -> None:
        super().__init__()
        self.word, self.name = Linears(members, dim, SIZE), Linears(members, dim, SIZE)
        self.types = Embeddings(members, len(TYPES), SIZE)
        self.layers = nn.ModuleList(_Layer(members) for _ in range(LAYERS))
        self.last = Norms(members, SIZE)
        self.dropout = nn.Dropout(0.2)

    def forward(
        self, words: Tensor, names: Tensor, types: Tensor, relations: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Words and names, each in the light of the others. `words`: ``[words, dim]``. `names`:
        ``[names, dim]``, of `Context.rows`. `types`: ``[names]``, of `Context.types`. `relations`:
        as `relations_of` gives them. Returns ``[members, words, SIZE]`` and ``[members, names,
        SIZE]``."""
        told = self.name(names) + self.types(types)
        here = self.dropout(torch.cat([self.word(words), told], 1))
        for layer in self.layers:
            here = layer(here, relations)
        here = self.last(here)
        count = words.shape[0]
        return here[:, :count], here[:, count:]


class _Layer(nn.Module):
    def __init__(self, members: int) -> None:
        super().__init__()
        self.first, self.second = Norms(members, SIZE), Norms(members, SIZE)
        self.all, self.out = Linears(members, SIZE, 3 * SIZE), Linears(members, SIZE, SIZE)
        self.bias = Embeddings(members, RELATIONS, HEADS, zero=True)
        self.inner = nn.Sequential(
            Linears(members, SIZE, 2 * SIZE),
            nn.GELU(),
            nn.Dropout(0.2),
            Linears(members, 2 * SIZE, SIZE),
        )
        self.dropout = nn.Dropout(0.2)

    def forward(self, here: Tensor, relations: Tensor) -> Tensor:
        """Vectors after one layer, ``[members, words + names, SIZE]``."""
        members, size, _ = here.shape
        parts = self.all(self.first(here)).view(members, size, 3, HEADS, SIZE // HEADS)
        asks, keys, values = parts.permute(2, 0, 3, 1, 4)
        bias = self.bias(relations).permute(0, 3, 1, 2)
        seen = scaled_dot_product_attention(asks, keys, values, attn_mask=bias)
        here = here + self.dropout(self.out(seen.transpose(1, 2).reshape(members, size, SIZE)))
        return here + self.dropout(self.inner(self.second(here)))  # type: ignore[no-any-return]


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
        """All scores of a question; see `scorer.QuestionArrays`."""
        here, there = self.context(words, names, types, relations)
        roles, match, prior = self.labels(words, names, here, there, spans, items)
        skips = self.word(torch.cat([words, words.mean(0).expand_as(words)], 1))[..., 0]
        steps = self.whole(torch.cat([words.mean(0), words.amax(0)])[None])[:, 0]
        return SchemaScores(roles, match, prior, skips, steps)

    def means(self, **question: Tensor) -> tuple[Tensor, ...]:
        """The mean scores of all members, as `SchemaScores` without a dimension for these, and the
        means of the weights, ``[features]``."""
        return (*(table.mean(0) for table in self(**question)), self.weights.mean(0))

    def function(self) -> Function:
        """`means`, as it is saved."""
        example = {
            **{"words": torch.ones(3, self.labels.dim), "names": torch.ones(2, self.labels.dim)},
            "types": torch.zeros(2, dtype=torch.long),
            "relations": torch.zeros(5, 5, dtype=torch.long),
            "spans": torch.tensor([[0, 1], [1, 3]]),
            "items": torch.tensor([[0, 1], [1, 1]]),
        }
        axes = {
            **{"words": ("words", ""), "names": ("names", ""), "types": ("names",)},
            **{"relations": ("all", "all"), "spans": ("spans", ""), "items": ("items", "most")},
        }
        return Function(self.means, example, axes)

    def rest(self, features: Mapping[str, float]) -> float:
        """What figures give that no training had."""
        new = (name for name in features if name not in self.feature_ids)
        return math.fsum(first_weight(name, self.prices) * features[name] for name in new)
