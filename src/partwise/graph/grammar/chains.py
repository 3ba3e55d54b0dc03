"""Pointwise mutual information of rule chains: chooses between the trees of a question.

"a sibling of M0 's spouse" has two trees: the sibling of a spouse, or the spouse of a sibling. In
questions whose graphs leave no choice "a sibling of M0" never has an "'s" after it, though phrases
with "a" do, and phrases of "of" stand in those with "a". So a chain of three rules that is far
rarer than its two halves predict is evidence against a tree.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from partwise.graph.grammar.chart import Constituent

SMOOTH = 0.5
THRESHOLD = -1.0
"""Log-ratio of observed to expected counts from which on a chain adds nothing."""

Link = tuple[int, int, int]
"""A rule, the place of a part in it, and the rule of the constituent that is this part."""
Chain = tuple[Link, Link]
"""Two links, the upper one first; the constituent in the middle is in both."""


@dataclass(frozen=True)
class RuleChains:
    """Counts of chains of rules; only chains clearly rarer than chance have a score."""

    chains: Mapping[Chain, int]

    @staticmethod
    def learn(trees: Iterable[Constituent]) -> RuleChains:
        """Count over trees."""
        return RuleChains(Counter(chain for tree in trees for chain in _chains(tree)))

    @cached_property
    def _margins(self) -> tuple[Counter[Link], Counter[Link], Counter[int]]:
        """How often each link was the upper one, the lower one, and each rule in the middle."""
        upper, lower, middle = Counter[Link](), Counter[Link](), Counter[int]()
        for (above, below), times in self.chains.items():
            upper[above] += times
            lower[below] += times
            middle[below[0]] += times
        return upper, lower, middle

    def score(self, tree: Constituent) -> float:
        """At most 0; lower for trees with chains that are unlike those counted."""
        return sum(self._pmi(above, below) for above, below in _chains(tree))

    def _pmi(self, above: Link, below: Link) -> float:
        upper, lower, middle = self._margins
        expected = upper[above] * lower[below] / max(1, middle[below[0]])
        observed = self.chains.get((above, below), 0)
        ratio = math.log((observed + SMOOTH) / (expected + SMOOTH))
        return ratio if ratio < THRESHOLD else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The counts as JSON values."""
        chains = sorted(self.chains.items())
        return {"chains": [[*above, *below, times] for (above, below), times in chains]}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> RuleChains:
        """Read the output of `to_dict`."""
        rows = [tuple(map(int, row)) for row in values["chains"]]
        return RuleChains({((a, b, c), (d, e, f)): times for a, b, c, d, e, f, times in rows})


def _chains(tree: Constituent) -> Iterator[Chain]:
    for above, part in _links(tree):
        for below, _ in _links(part):
            yield above, below
    for _, part in _links(tree):
        yield from _chains(part)


def _links(tree: Constituent) -> Iterator[tuple[Link, Constituent]]:
    for symbol, part in tree.parts:
        if isinstance(part, Constituent):
            yield (tree.rule, symbol.place, part.rule), part
