"""What words tell of labels and attributes: learned from whole questions, then from pieces."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from partwise.graph.phrases.pieces import Piece, Pieces
from partwise.language.query.graph import QueryGraph

SAME = "="
"""The label of two nodes that are one."""
FLOOR = 1e-6
SAME_COST = -2.0
"""Score of saying that two nodes are one: less than any learned edge, more than a chance one."""
TELLING = 0.3
"""An attribute is a word's if it comes from the word in this share of its questions."""
SURE = 0.02
"""The least chance that is given to an attribute, or to its absence."""

Attribute = tuple[str, str]
"""A predicate and a constant."""
Bags = Counter[tuple[tuple[str, ...], tuple[Any, ...]]]
"""How often these words were seen with these labels."""
Label = tuple[str, bool]
"""A predicate between two slots, and whether it goes from the first to the second."""


class Incidence(NamedTuple):
    """An edge as one of its nodes has it.

    Attributes:
        begins: whether it begins there.
        head: whether the node is the first of the piece that says the edge: the one whom the phrase
            describes, and not one by whom it describes another.
    """

    predicate: str
    begins: bool
    head: bool


@dataclass
class Counts:
    """How often a piece was seen.

    Attributes:
        labels: how often each label stood between two slots.
    """

    times: float = 0.0
    labels: Counter[tuple[tuple[int, int], Label]] = field(default_factory=Counter)


class Associations:
    """How strongly a word of a piece tells of a label, learned from whole questions (IBM 1).

    Attributes:
        table: (word, predicate) -> share.
        attributes: word -> attributes that mostly come with it, with how often they do.
    """

    def __init__(self, rounds: int = 5) -> None:
        self.rounds = rounds
        self.table: dict[tuple[str, str], float] = {}
        self.known: dict[tuple[Piece, tuple[int, int], Label], float] = {}
        self.attributes: dict[str, dict[Attribute, float]] = {}

    def learn(self, pairs: Iterable[tuple[Pieces, QueryGraph]]) -> Associations:
        """Expectation-maximisation over bags of words and labels."""
        edges: Bags = Counter()
        attributes: Bags = Counter()
        times: Counter[str] = Counter()
        for pieces, graph in pairs:
            bag = tuple(sorted({w for p in pieces.pieces for w in content(p.piece)}))
            times.update(bag)
            edges[bag, tuple(sorted({t.predicate for t in graph.edges}))] += 1
            attributes[bag, tuple(sorted({(p, o) for _, p, o in graph.attributes}))] += 1
        self.table = _shares(_expected(edges, self.rounds))
        # Most words tell of no attribute, so a word's share is that of all its questions.
        shares = _shares(_expected(attributes, self.rounds, times), times)
        for (word, attribute), share in shares.items():
            if share >= TELLING:
                self.attributes.setdefault(word, {})[attribute] = share
        return self

    def bearing(self, piece: Piece, borne: Collection[Attribute]) -> tuple[set[Attribute], float]:
        """The attributes that the words of a piece tell of, and how well nodes with some fit."""
        said: set[Attribute] = set()
        score = 0.0
        for word in content(piece):
            for attribute, share in self.attributes.get(word, {}).items():
                chance = share if attribute in borne else 1.0 - share
                score += math.log(max(chance, SURE))
                said.add(attribute)
        return said, score

    def observe(self, counts: Mapping[Piece, Counts]) -> None:
        """Go by pieces of alignments from now on, and by words where a piece was not seen."""
        self.known = {
            (piece, pair, label): max(times / count.times, FLOOR)
            for piece, count in counts.items()
            for (pair, label), times in count.labels.items()
        }

    def score(self, piece: Piece, pair: tuple[int, int], label: Label) -> float:
        """Log-probability of an edge in a piece."""
        seen = self.known.get((piece, pair, label)) if self.known else None
        if seen is not None:
            return math.log(seen)
        if label[0] == SAME and not self.known:
            return SAME_COST
        words = content(piece)
        best = max((self.table.get((word, label[0]), 0.0) for word in words), default=0.0)
        return math.log(max(best, FLOOR)) - (1.0 if self.known else 0.0)


def content(piece: Piece) -> tuple[str, ...]:
    """The words of a piece with the element that they stand in."""
    return tuple(f"{e.name}:{word}" for e in piece.elements for word in e.words if e.name != word)


def _expected(
    bags: Bags, rounds: int, sums: Mapping[str, float] | None = None
) -> dict[tuple[str, Any], float]:
    """How often each word is what a label comes from, as expected after some rounds.

    Args:
        sums: what a word's counts are shares of, if not of their own sum.
    """
    table: dict[tuple[str, Any], float] = {}
    counts: dict[tuple[str, Any], float] = {}
    for _ in range(rounds):
        counts = defaultdict(float)
        for (words, labels), times in bags.items():
            for label in labels:
                weights = [table.get((word, label), 0.0) if table else 1.0 for word in words]
                total = sum(weights) or 1.0
                for word, weight in zip(words, weights, strict=True):
                    counts[word, label] += times * weight / total
        table = _shares(counts, sums)
    return counts


def _shares(
    counts: Mapping[tuple[str, Any], float], sums: Mapping[str, float] | None = None
) -> dict[tuple[str, Any], float]:
    if sums is None:
        added: dict[str, float] = defaultdict(float)
        for (word, _), count in counts.items():
            added[word] += count
        sums = added
    return {key: count / sums[key[0]] for key, count in counts.items()}
