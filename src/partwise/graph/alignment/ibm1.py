"""How strongly words predict labels and attributes: IBM Model 1, then counts of fragments."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from partwise.graph.grammar.decomposition import Decomposition, Fragment
from partwise.language.query_graph import QueryGraph
from partwise.training.model_1 import model_1

SAME = "="
"""The label of two nodes that are one."""
FLOOR = 1e-6
SAME_COST = -2.0
"""Score of saying that two nodes are one: less than any learned edge, more than a chance one."""
TELLING = 0.3
"""An attribute is a word's if it comes from the word in this share of its questions."""
SURE = 0.02
"""The least probability of an attribute, or of its absence."""

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
        head: whether the node is the first of the fragment that says the edge: the one that the
            phrase describes, and not one by which it describes another.
    """

    predicate: str
    begins: bool
    head: bool


@dataclass
class FragmentCounts:
    """How often a fragment was seen.

    Attributes:
        labels: how often each label stood between two slots.
    """

    times: float = 0.0
    labels: Counter[tuple[tuple[int, int], Label]] = field(default_factory=Counter)


class IbmModel1:
    """How strongly the words of a fragment predict a label, learned from whole questions.

    Attributes:
        table: (word, predicate) -> share.
        attributes: word -> attributes that mostly come with it, with how often they do.
        known: log-probability of labels of fragments that were aligned.
    """

    def __init__(self, rounds: int = 5) -> None:
        self.rounds = rounds
        self.table: dict[tuple[str, str], float] = {}
        self.known: dict[tuple[Fragment, tuple[int, int], Label], float] = {}
        self.attributes: dict[str, dict[Attribute, float]] = {}

    def learn(self, pairs: Iterable[tuple[Decomposition, QueryGraph]]) -> IbmModel1:
        """Expectation-maximisation over bags of words and labels."""
        edges: Bags = Counter()
        attributes: Bags = Counter()
        times: Counter[str] = Counter()
        for question, graph in pairs:
            words = tuple(sorted({w for p in question.fragments for w in content(p.fragment)}))
            times.update(words)
            edges[words, tuple(sorted({t.predicate for t in graph.edges}))] += 1
            attributes[words, tuple(sorted({(p, o) for _, p, o in graph.attributes}))] += 1
        self.table = model_1(edges.items(), self.rounds)
        # Most words predict no attribute, so a word's share is that of all its questions.
        for (word, attribute), share in model_1(attributes.items(), self.rounds, times).items():
            if share >= TELLING:
                self.attributes.setdefault(word, {})[attribute] = share
        return self

    def bearing(
        self, fragment: Fragment, borne: Collection[Attribute]
    ) -> tuple[set[Attribute], float]:
        """The attributes that a fragment's words predict, and how well nodes with `borne` fit."""
        predicted: set[Attribute] = set()
        score = 0.0
        for word in content(fragment):
            for attribute, share in self.attributes.get(word, {}).items():
                score += math.log(max(share if attribute in borne else 1.0 - share, SURE))
                predicted.add(attribute)
        return predicted, score

    def observe(self, counts: Mapping[Fragment, FragmentCounts]) -> None:
        """Go by aligned fragments from now on, and by words where a fragment was not seen."""
        self.known = {
            (fragment, pair, label): math.log(max(times / count.times, FLOOR))
            for fragment, count in counts.items()
            for (pair, label), times in count.labels.items()
        }

    def score(self, fragment: Fragment, pair: tuple[int, int], label: Label) -> float:
        """Log-probability of an edge in a fragment."""
        seen = self.known.get((fragment, pair, label))
        if seen is not None:
            return seen
        if label[0] == SAME and not self.known:
            return SAME_COST
        shares = (self.table.get((word, label[0]), 0.0) for word in content(fragment))
        return math.log(max([FLOOR, *shares])) - (1.0 if self.known else 0.0)


def content(fragment: Fragment) -> tuple[str, ...]:
    """The words of a fragment, each with the name of its element; no literals."""
    return tuple(f"{e.name}:{w}" for e in fragment.elements for w in e.words if e.name != w)
