"""Which labels go together at a node, learned from graphs: chooses between readings of a question.

"What was directed by a composer employed by M3 and edited by M0" has two trees; in one a composer
is edited. No composer in the training graphs is, though both words are common: the pair of labels
is far rarer at one node than chance would have it.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from partwise.language.query.graph import QueryGraph, Triple

SMOOTH = 0.5


@dataclass(frozen=True)
class Plausibility:
    """Counts of labels at nodes, and of pairs of them; only pairs rarer than chance speak."""

    nodes: int
    single: Mapping[str, int]
    pairs: Mapping[tuple[str, str], int]

    @staticmethod
    def learn(graphs: Iterable[QueryGraph]) -> Plausibility:
        """Count over the nodes of graphs."""
        nodes = 0
        single: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        for graph in graphs:
            for labels in _labels(graph.triples, graph.attributes).values():
                nodes += 1
                single.update(labels)
                pairs.update(itertools.combinations(sorted(labels), 2))
        return Plausibility(nodes, dict(single), dict(pairs))

    def score(self, edges: Iterable[Triple], attributes: Iterable[Triple]) -> float:
        """At most 0; lower for nodes that bear labels which do not go together."""
        given = set(attributes)
        return sum(
            self._pair(*pair)
            for labels in _labels({*edges, *given}, given).values()
            for pair in itertools.combinations(sorted(labels), 2)
        )

    def _pair(self, one: str, other: str) -> float:
        expected = self.single.get(one, 0) * self.single.get(other, 0) / max(1, self.nodes)
        seen = self.pairs.get((one, other), 0)
        return min(0.0, math.log((seen + SMOOTH) / (expected + SMOOTH)))

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        pairs = [[one, other, times] for (one, other), times in sorted(self.pairs.items())]
        return {"nodes": self.nodes, "single": dict(sorted(self.single.items())), "pairs": pairs}

    @staticmethod
    def from_dict(values: dict[str, Any]) -> Plausibility:
        """From JSON."""
        pairs = {(str(a), str(b)): int(times) for a, b, times in values["pairs"]}
        single = {str(label): int(times) for label, times in values["single"].items()}
        return Plausibility(int(values["nodes"]), single, pairs)


def _labels(triples: Iterable[Triple], attributes: Iterable[Triple]) -> dict[str, set[str]]:
    """What each node bears: attributes, and predicates with the end that it is."""
    constants = set(attributes)
    found: dict[str, set[str]] = defaultdict(set)
    for triple in triples:
        if triple in constants:
            found[triple.subject].add(f"{triple.predicate} {triple.object}")
        else:
            found[triple.subject].add(f"{triple.predicate} >")
            found[triple.object].add(f"< {triple.predicate}")
    return found
