"""How phrases are used to stand in phrases: chooses between the trees of a question.

"a sibling of M0 's spouse" has two trees: the sibling of a spouse, or the spouse of a sibling. In
questions whose graphs leave no choice "a sibling of M0" never has an "'s" after it, though phrases
with "a" do, and phrases of "of" stand in those with "a". So a chain of three rules that is far
rarer than its two halves would have it tells against a tree.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from partwise.graph.phrases.chart import Phrase

SMOOTH = 0.5
CLEARLY = -1.0
"""Log-ratio of what was seen to what chance would have, above which a chain says nothing."""

Link = tuple[int, int, int]
"""A rule, the place of a part in it, and the rule of the phrase that is this part."""
Chain = tuple[Link, Link]
"""Two links, the upper one first; the phrase in the middle is in both."""


@dataclass(frozen=True)
class Habits:
    """Counts of chains of rules; only chains clearly rarer than chance speak.

    Attributes:
        upper: how often each link was the upper one of a chain.
        lower: how often each link was the lower one of a chain.
        middle: how often each rule was in the middle of one.
        chains: how often each pair of links was.
    """

    upper: Mapping[Link, int]
    lower: Mapping[Link, int]
    middle: Mapping[int, int]
    chains: Mapping[Chain, int]

    @staticmethod
    def learn(trees: Iterable[Phrase]) -> Habits:
        """Count over trees."""
        return Habits.counted(Counter(chain for tree in trees for chain in _chains(tree)))

    @staticmethod
    def counted(chains: Mapping[Chain, int]) -> Habits:
        """From the counts of chains, which tell all others."""
        upper: Counter[Link] = Counter()
        lower: Counter[Link] = Counter()
        middle: Counter[int] = Counter()
        for (above, below), times in chains.items():
            upper[above] += times
            lower[below] += times
            middle[below[0]] += times
        return Habits(upper, lower, middle, chains)

    def score(self, tree: Phrase) -> float:
        """At most 0; lower for trees with chains that are unlike those counted."""
        return sum(self._chain(above, below) for above, below in _chains(tree))

    def _chain(self, above: Link, below: Link) -> float:
        both = self.upper.get(above, 0) * self.lower.get(below, 0)
        expected = both / max(1, self.middle.get(below[0], 0))
        seen = self.chains.get((above, below), 0)
        rarer = math.log((seen + SMOOTH) / (expected + SMOOTH))
        return rarer if rarer < CLEARLY else 0.0

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        chains = sorted(self.chains.items())
        return {"chains": [[*above, *below, times] for (above, below), times in chains]}

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Habits:
        """From JSON."""
        chains = {}
        for a, b, c, d, e, f, times in values["chains"]:
            chains[(int(a), int(b), int(c)), (int(d), int(e), int(f))] = int(times)
        return Habits.counted(chains)


def _chains(tree: Phrase) -> Iterator[Chain]:
    for above, phrase in _links(tree):
        for below, _ in _links(phrase):
            yield above, below
    for _, phrase in _links(tree):
        yield from _chains(phrase)


def _links(phrase: Phrase) -> Iterator[tuple[Link, Phrase]]:
    for symbol, part in phrase.parts:
        if isinstance(part, Phrase):
            yield (phrase.rule, symbol.place, part.rule), part
