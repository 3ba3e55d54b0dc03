"""Selectional preference: which labels go together at a node, learned from graphs.

"What was directed by a composer employed by M3 and edited by M0" has two trees; in one a composer
is edited. No composer in the training graphs is, though both words are common: the pair of labels
is far rarer at one node than chance predicts. This chooses between the trees of a question.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from partwise.language.query.graph import QueryGraph, Triple

SMOOTH = 0.5


@dataclass(frozen=True)
class SelectionalPreference:
    """Counts of labels at nodes, and of pairs; only pairs rarer than chance have a score."""

    nodes: int
    single: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]

    @staticmethod
    def learn(graphs: Iterable[QueryGraph]) -> SelectionalPreference:
        """Count over the nodes of graphs."""
        nodes = 0
        single: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        for graph in graphs:
            for labels in _labels(graph.triples, graph.attributes):
                nodes += 1
                single.update(labels)
                pairs.update(itertools.combinations(labels, 2))
        return SelectionalPreference(nodes, single, pairs)

    def score(self, edges: Iterable[Triple], attributes: Collection[Triple]) -> float:
        """At most 0; lower for nodes that bear labels which do not go together."""
        return sum(
            self._pmi(*pair)
            for labels in _labels({*edges, *attributes}, attributes)
            for pair in itertools.combinations(labels, 2)
        )

    def _pmi(self, one: str, other: str) -> float:
        expected = self.single.get(one, 0) * self.single.get(other, 0) / max(1, self.nodes)
        observed = self.pairs.get((one, other), 0)
        return min(0.0, math.log((observed + SMOOTH) / (expected + SMOOTH)))

    def to_dict(self) -> dict[str, Any]:
        """The counts as JSON values."""
        pairs = [[one, other, times] for (one, other), times in sorted(self.pairs.items())]
        return {"nodes": self.nodes, "single": dict(sorted(self.single.items())), "pairs": pairs}

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> SelectionalPreference:
        """Read the output of `to_dict`."""
        pairs = {(str(a), str(b)): int(times) for a, b, times in values["pairs"]}
        single = {str(label): int(times) for label, times in values["single"].items()}
        return SelectionalPreference(int(values["nodes"]), single, pairs)


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
