"""From the decoder's probabilities for each fragment of a question to one query graph."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from partwise.graph.alignment.corpus import Mentions
from partwise.graph.alignment.ibm1 import SAME, Incidence
from partwise.graph.grammar.decomposition import Decomposition, Node, PlacedFragment, Slot, units
from partwise.graph.grounding.implied import relation_numbers
from partwise.graph.grounding.labels import GraphLabels
from partwise.graph.grounding.predicted import Array, PredictedGraph
from partwise.interface.budget import Work
from partwise.language.query_graph import Triple

SAID = 5_000
"""How many joins of a chart of spans take as long as one thing that a fragment says."""
SURE = 1.0 - 1e-7
"""No probability is taken to be higher."""
JUST = 0.5 + 1e-6
"""The probability of what is said only because something must be."""
LEAST = 1e-12
"""No probability is taken to be lower."""


class _Merged:
    """Nodes that are one (disjoint sets), and the names of what they are."""

    def __init__(self, entities: Mapping[Node, str]) -> None:
        self.entities = entities
        self.parent: dict[Slot, Slot] = {}

    def find(self, unit: Slot) -> Slot:
        while (parent := self.parent.get(unit, unit)) != unit:
            unit = parent
        return unit

    def unite(self, one: Slot, other: Slot) -> None:
        first, second = self.find(one), self.find(other)
        if first != second:
            # Entities stay on top: the set has their names.
            lower, upper = (second, first) if first[0] < 0 else (first, second)
            self.parent[lower] = upper

    def names(self, unit: Slot) -> tuple[str, ...]:
        """Entities, or one provisional variable."""
        top = self.find(unit)
        if top[0] < 0:
            return tuple(dict.fromkeys(self.entities[node] for node in top))
        return (f"?{top[0]}",)


def connected_probabilities(probabilities: Array, labels: GraphLabels) -> Array:
    """A fragment's probabilities, with its graph made connected by the likeliest missing links.

    A phrase's graph hangs together; alignment asked for no less.
    """
    links = probabilities[:, :, : len(labels.relations)]
    size = len(probabilities)
    best, connected, part = links.max(2), probabilities, list(range(size))
    pairs = itertools.permutations(range(size), 2)
    for one, other in sorted(pairs, key=lambda pair: -best[pair]):
        if part[one] == part[other]:
            continue
        if best[one, other] <= 0.5:
            connected = connected.copy()
            connected[one, other, int(links[one, other].argmax())] = JUST
        part = [part[one] if number == part[other] else number for number in part]
    return connected


@dataclass
class Assembler:
    """Unites the graphs of all fragments of a question.

    A node bears an attribute if some fragment says so and no edge implies it.

    Attributes:
        probabilities: of each fragment, ``[N, N, labels]``: of each label from slot to slot.
        implied: ``[attributes, 4 * relations]``, the probability that an edge implies an
            attribute, as `Implications` has it.
        work: counts what the question takes.
        sources: for each triple the fragment, and the pair of slots, that say it most, and how
            probably.
        log_probability: of all that was said.
    """

    question: Decomposition
    probabilities: Sequence[Array]
    labels: GraphLabels
    implied: Array
    work: Work = field(default_factory=Work)
    sources: dict[Triple, tuple[int, tuple[int, int], float]] = field(default_factory=dict)
    log_probability: float = 0.0

    def graph(self, shared: Collection[str] = ()) -> PredictedGraph:
        """The graph of the question.

        Args:
            shared: categories of which coordinated phrases stand for one node.
        """
        self.merged = _Merged(self.question.entities)
        fragments = list(zip(self.question.fragments, self.probabilities, strict=True))
        for placed, mine in fragments:
            pairs = _same(placed, mine, self.labels.numbers[SAME], shared)
            for one, other in self.work.each(pairs, SAID):
                self.merged.unite(one, other)
        mentions: dict[str, Mentions[tuple[int, int]]] = defaultdict(Mentions)
        edges: set[Triple] = set()
        for number, (placed, mine) in enumerate(fragments):
            for triple, (start, end) in self.work.each(self._edges(number, placed, mine), SAID):
                edges.add(triple)
                mentions[triple.subject].edges.add(Incidence(triple.predicate, True, start == 0))
                mentions[triple.object].edges.add(Incidence(triple.predicate, False, end == 0))
            for slot, nodes in enumerate(placed.slots):
                for unit in units(nodes):
                    for name in self.work.each(self.merged.names(unit), SAID):
                        mentions[name].places.append((number, slot))
        asked = {name: self._attributes(name, where) for name, where in mentions.items()}
        return PredictedGraph(
            edges,
            set(self.sources) - edges,
            max(asked, key=lambda name: asked[name], default=None),
            math.exp(self.log_probability),
            {triple: (number, pair) for triple, (number, pair, _) in self.sources.items()},
        )

    def _say(self, triple: Triple, number: int, pair: tuple[int, int], probability: float) -> None:
        if triple not in self.sources or probability > self.sources[triple][2]:
            self.sources[triple] = number, pair, probability

    def _count(self, probabilities: Array) -> None:
        """Add the log-probability of the likelier outcome of each label."""
        sure = np.maximum(probabilities, 1.0 - probabilities)
        self.log_probability += float(np.log(np.maximum(sure, LEAST)).sum())

    def _edges(
        self, number: int, placed: PlacedFragment, probabilities: Array
    ) -> Iterator[tuple[Triple, tuple[int, int]]]:
        """What a fragment says, each triple as often as it says it, and between which slots."""
        relations = self.labels.relations
        slots = [[self.merged.names(unit) for unit in units(slot)] for slot in placed.slots]
        for pair in itertools.permutations(range(len(slots)), 2):
            mine = probabilities[pair][: len(relations)]
            self._count(mine)
            for label in np.nonzero(mine > 0.5)[0]:
                if relations[label] == SAME:
                    continue
                for left, right in itertools.product(slots[pair[0]], slots[pair[1]]):
                    for one, other in itertools.product(left, right):
                        # Two slots that turned out to be one node: nothing relates to itself.
                        if one != other:
                            triple = Triple(one, relations[label], other)
                            self._say(triple, number, pair, float(mine[label]))
                            yield triple, pair

    def _attributes(self, name: str, mentions: Mentions[tuple[int, int]]) -> float:
        """Noisy-or of the fragments that mention a node, unless an edge implies the attribute.

        Returns:
            How likely the node is what is asked for.
        """
        # Nodes of one slot that are one are mentioned there once.
        places = list(dict.fromkeys(mentions.places))
        mine = np.stack([self.probabilities[number][slot, slot] for number, slot in places])
        silent = np.log1p(-np.minimum(mine, SURE)).sum(0)
        unsaid = 1.0 - self.implied[:, relation_numbers(mentions.edges, self.labels)]
        borne = (1.0 - np.exp(silent[self.labels.plus])) * unsaid.prod(1)
        self._count(borne)
        for label in np.nonzero(borne > 0.5)[0]:
            strengths = mine[:, self.labels.plus][:, label]
            first = int(strengths.argmax())
            number, slot = places[first]
            triple = Triple(name, *self.labels.attributes[label])
            self._say(triple, number, (slot, slot), float(strengths[first]))
        return 1.0 - math.exp(float(silent[self.labels.answer]))


def _same(
    placed: PlacedFragment, probabilities: Array, same: int, shared: Collection[str]
) -> Iterator[tuple[Slot, Slot]]:
    """Units of a fragment that are one node."""
    for one, other in itertools.combinations(range(len(placed.slots)), 2):
        if max(probabilities[one, other, same], probabilities[other, one, same]) > 0.5:
            yield from itertools.product(units(placed.slots[one]), units(placed.slots[other]))
    for name, nodes in zip(placed.fragment.slots, placed.slots, strict=True):
        first, *rest = units(nodes)
        if name in shared:
            yield from ((first, more) for more in rest)
