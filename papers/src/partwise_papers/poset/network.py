"""The network of a poset parser: an encoder, and a part for each of the three predictions."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from partwise.encoders import Encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.language.text import Words
from partwise_papers.poset.config import PosetConfig
from partwise_papers.poset.decoder import PosetDecoder
from partwise_papers.poset.filling import Filled
from partwise_papers.poset.matcher import Matcher
from partwise_papers.poset.phrases import entity_of
from partwise_papers.poset.sketch import CONSTANT, Primitive, is_variable
from partwise_papers.poset.traversal import Traversal, Traversed, elements_of
from partwise_papers.seq2seq.memory import Memory

Places = Mapping[Primitive, Sequence[float]]
"""Primitive -> where the words of a question stand for it; nowhere for those only in its query."""


class Numbered(NamedTuple):
    """Things of questions, with a vector each.

    Attributes:
        numbers: of each question, thing -> its number among those of all questions.
        vectors: ``[things, hidden]``.
    """

    numbers: list[dict[Any, int]]
    vectors: Tensor


class PosetNetwork(nn.Module):
    """Questions to sketches, and to the log odds of primitives and of filled steps.

    Args:
        primitives: all that are known.
        variables: how many a sketch may have.
    """

    def __init__(
        self,
        config: PosetConfig,
        encoder: Encoder,
        primitives: Sequence[Primitive],
        variables: int,
    ) -> None:
        super().__init__()
        size, drop = config.hidden, config.dropout
        self.encoder = encoder
        self.bridge = nn.Sequential(nn.Linear(encoder.dim, size), nn.LayerNorm(size))
        self.primitives, self.variables = list(primitives), variables
        self.numbers = {one: number for number, one in enumerate(self.primitives)}
        elements = elements_of(variables)
        self.decoder = PosetDecoder(len(elements), size, drop)
        self.traversal = Traversal(self.decoder, elements)
        self.primitive = nn.Embedding(len(self.primitives), size)
        self.node = nn.Linear(size, size)
        self.which, self.whether = Matcher(size, drop), Matcher(size, drop)

    def encode(self, batch: Sequence[Words]) -> Memory:
        """Encoded questions; nothing is copied."""
        vectors = self.bridge(self.encoder(batch)[0])
        lengths = torch.tensor([len(words) for words in batch], device=vectors.device)
        mask = torch.arange(vectors.shape[1], device=vectors.device)[None] < lengths[:, None]
        return Memory(vectors, mask, mask.long())

    def spoken(self, proposed: Sequence[Places], memory: Memory) -> Numbered:
        """Of each question, the primitives that it may speak of: their own vectors, and the means
        of those of the words that may stand for them."""
        longest = memory.mask.shape[1]
        numbers = [self.numbers[one] for some in proposed for one in some]
        bags = [
            [row * longest + word for place in places for word in {floor(place), ceil(place)}]
            for row, some in enumerate(proposed)
            for places in some.values()
        ]
        own = self.primitive(torch.tensor(numbers, dtype=torch.long, device=memory.mask.device))
        return _numbered(proposed, own + _means(memory.vectors.flatten(0, 1), bags))

    def primitive_odds(self, spoken: Numbered, memory: Memory) -> list[Tensor]:
        """Of each question, the log odds that its query has each primitive."""
        counts = [len(some) for some in spoken.numbers]
        return list(torch.split(self.which(spoken.vectors[:, None], counts, memory), counts))

    def step_odds(
        self,
        candidates: Sequence[Sequence[Filled]],
        spoken: Numbered,
        nodes: Numbered,
        memory: Memory,
    ) -> list[Tensor]:
        """Of each question, the log odds that its query has each filled step.

        A step stands for the paths that it lies on: its variables are read as the decoder's states
        behind the paths to them, see `nodes`.
        """
        end = self.decoder.embedding.weight[self.traversal.numbers[CONSTANT]]
        vectors = torch.cat([nodes.vectors, end[None]])
        last = len(nodes.vectors)
        rows = [
            (known[t.subject], said[primitive], known.get(t.object, last))
            for known, said, some in zip(nodes.numbers, spoken.numbers, candidates, strict=True)
            for _, t, primitive in some
        ]
        counts = [len(some) for some in candidates]
        picked = torch.tensor(rows, dtype=torch.long, device=vectors.device).view(-1, 3)
        subject, relation, target = picked.unbind(1)
        three = torch.stack([vectors[subject], spoken.vectors[relation], vectors[target]], 1)
        return list(torch.split(self.whether(three, counts, memory), counts))

    def nodes(self, batch: Sequence[Words], traversed: Traversed, memory: Memory) -> Numbered:
        """Of each question, the nodes: the means of the states behind all paths to a variable, and
        of the vectors of an entity's words."""
        longest = memory.mask.shape[1]
        known: list[dict[str, list[int]]] = []
        for row, (question, places) in enumerate(zip(batch, traversed.places, strict=True)):
            own: dict[str, list[int]] = {}
            for place, word in enumerate(question.words):
                if name := entity_of(word):
                    own.setdefault(name, []).append(row * longest + place)
            for path, state in places.items():
                if path and is_variable(path[-1]):
                    own.setdefault(path[-1], []).append(len(batch) * longest + state)
            known.append(own)
        weight = torch.cat([memory.vectors.flatten(0, 1), self.node(traversed.states)])
        return _numbered(known, _means(weight, [bag for own in known for bag in own.values()]))

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters that learn slowly."""
        slow = isinstance(self.encoder, PretrainedEncoder)
        return list(self.encoder.parameters()) if slow else []


def _numbered(known: Sequence[Iterable[Any]], vectors: Tensor) -> Numbered:
    """What is known of each question, numbered in order through all questions."""
    count = itertools.count()
    return Numbered([{one: next(count) for one in some} for some in known], vectors)


def _means(vectors: Tensor, bags: Sequence[Sequence[int]]) -> Tensor:
    """``[bags, hidden]``: means of some of the vectors; zeros for none."""
    if not any(bags):
        return vectors.new_zeros(len(bags), vectors.shape[1])
    flat = torch.tensor([one for bag in bags for one in bag], device=vectors.device)
    begins = torch.tensor([0, *map(len, bags)], device=vectors.device).cumsum(0)[:-1]
    return embedding_bag(flat, vectors, begins, mode="mean")
