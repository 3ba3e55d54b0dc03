"""What chooses between the trees of a question: pairs that are far rarer than chance predicts.

*Selectional preference*: "What was directed by a composer employed by M3 and edited by M0" has two
trees; in one a composer is edited. No composer in the training graphs is, though both words are
common: the pair of labels is far rarer at one node than chance predicts.

*Rule chains*: "a sibling of M0 's spouse" has two trees: the sibling of a spouse, or the spouse of
a sibling. In questions whose graphs leave no choice "a sibling of M0" never has an "'s" after it,
though phrases with "a" do, and phrases of "of" stand in those with "a". So a chain of three rules
that is far rarer than its two halves predict is evidence against a tree.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from partwise.graph.grammar.phrases import Constituent
from partwise.interface.settings import check_count
from partwise.language.query_graph import QueryGraph, Triple

SMOOTH = 0.5
THRESHOLD = -1.0
"""Log-ratio of observed to expected counts from which on a chain adds nothing."""

Link = tuple[int, int, int]
"""A rule, the place of a part in it, and the rule of the constituent that is this part."""
Chain = tuple[Link, Link]
"""Two links, the upper one first; the constituent in the middle is in both."""


def log_ratio(observed: float, one: float, other: float, total: float) -> float:
    """Smoothed pointwise mutual information: what was observed, to what two counts predict."""
    return math.log((observed + SMOOTH) / (one * other / max(1, total) + SMOOTH))


@dataclass(frozen=True)
class SelectionalPreference:
    """Counts of labels at nodes, and of pairs; only pairs rarer than chance have a score."""

    nodes: int
    single: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]

    @staticmethod
    def learn(graphs: Iterable[QueryGraph]) -> SelectionalPreference:
        nodes = [some for graph in graphs for some in _labels(graph.triples, graph.attributes)]
        single = Counter(label for labels in nodes for label in labels)
        pairs = Counter(pair for labels in nodes for pair in itertools.combinations(labels, 2))
        return SelectionalPreference(len(nodes), single, pairs)

    def score(self, edges: Iterable[Triple], attributes: Collection[Triple]) -> float:
        """At most 0; lower for nodes that bear labels which do not go together."""
        labels = _labels({*edges, *attributes}, attributes)
        pairs = (pair for some in labels for pair in itertools.combinations(some, 2))
        return sum(min(0.0, self._pmi(*pair)) for pair in pairs)

    def _pmi(self, one: str, other: str) -> float:
        seen = self.pairs.get((one, other), 0)
        return log_ratio(seen, self.single.get(one, 0), self.single.get(other, 0), self.nodes)

    def to_dict(self) -> dict[str, Any]:
        pairs = [[*pair, times] for pair, times in sorted(self.pairs.items())]
        return {"nodes": self.nodes, "single": dict(sorted(self.single.items())), "pairs": pairs}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> SelectionalPreference:
        pairs = {(str(a), str(b)): check_count(times) for a, b, times in values["pairs"]}
        single = {str(label): check_count(times) for label, times in values["single"].items()}
        return SelectionalPreference(check_count(values["nodes"]), single, pairs)


def _labels(triples: Iterable[Triple], attributes: Collection[Triple]) -> list[list[str]]:
    """The labels of each node, sorted: attributes, and predicates with the end that it is."""
    labels: dict[str, set[str]] = defaultdict(set)
    for triple in triples:
        if triple in attributes:
            labels[triple.subject].add(f"{triple.predicate} {triple.object}")
        else:
            labels[triple.subject].add(f"{triple.predicate} >")
            labels[triple.object].add(f"< {triple.predicate}")
    return [sorted(some) for some in labels.values()]


@dataclass(frozen=True)
class RuleChains:
    """Counts of chains of rules; only chains clearly rarer than chance have a score."""

    chains: Mapping[Chain, int]

    @staticmethod
    def learn(trees: Iterable[Constituent]) -> RuleChains:
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
        upper, lower, middle = self._margins
        ratios = (
            log_ratio(
                self.chains.get((above, below), 0), upper[above], lower[below], middle[below[0]]
            )
            for above, below in _chains(tree)
        )
        return sum(ratio if ratio < THRESHOLD else 0.0 for ratio in ratios)

    def to_dict(self) -> dict[str, Any]:
        chains = sorted(self.chains.items())
        return {"chains": [[*above, *below, times] for (above, below), times in chains]}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> RuleChains:
        rows = [tuple(map(check_count, row)) for row in values["chains"]]
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
