"""Phrase-graph alignment: which node of the gold graph each constituent stands for.

A constituent's meaning is a small connected graph over its own node and those of the constituents
inside. So an alignment maps every constituent to a node of the gold graph such that the images of
each fragment hang together (by an edge, or by being one node), and every edge and variable of the
gold graph is covered by some fragment. Several alignments may do this. Then word-label association
decides (IBM Model 1 over fragments), and after it the counts of fragments in the first alignments.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from partwise.graph.alignment.ibm1 import IbmModel1, Label
from partwise.graph.alignment.links import (
    Between,
    GoldGraph,
    Image,
    Images,
    Links,
    connected,
    labels_of,
)
from partwise.graph.grammar.decomposition import Decomposition, Node, PlacedFragment, Slot
from partwise.language.query_graph import QueryGraph, Triple

BEAM = 48
EDGE_WORTH = 3.0
UNTOLD = -4.0
"""Score of an attribute of a node that no words aligned with the node predict."""


class Alignment(NamedTuple):
    """Images of nodes of a question in the gold graph, the triples that they cover, their score."""

    images: Images
    covered: frozenset[Triple] = frozenset()
    score: float = 0.0

    def joined(self, other: Alignment) -> Alignment:
        """The alignment of what either aligns."""
        return Alignment(
            self.images | other.images, self.covered | other.covered, self.score + other.score
        )


class Aligner:
    """Aligns decompositions with gold graphs.

    Args:
        associations: how strongly words predict labels.
    """

    def __init__(self, associations: IbmModel1) -> None:
        self.associations = associations

    def align(self, question: Decomposition, graph: QueryGraph) -> list[Alignment]:
        """The best alignments, best first; none if no alignment explains the graph."""
        gold = GoldGraph(graph, _coordinated_entities(question))
        if set(question.entities.values()) - gold.nodes:
            return []
        partial = {node: [Alignment({node: (name,)})] for node, name in question.entities.items()}
        beam: list[Alignment] = []
        for own in by_constituent(question.fragments):
            head = own[0].head
            inner = (slot for one in own for slot in one.slots[one.fragment.headed :])
            inside = list(dict.fromkeys(node for slot in inner for node in slot))
            beam = [Alignment({})]
            for node in inside:
                beam = _best(one.joined(other) for one in beam for other in partial[node])
            beam = self._extend(own, inside, beam, gold)
            if not beam:
                return []
            if head is not None:
                partial[head] = beam
        return sorted(_whole(beam, graph), key=lambda one: -one.score)

    def _extend(
        self,
        own: Sequence[PlacedFragment],
        inside: Sequence[Node],
        beam: Sequence[Alignment],
        gold: GoldGraph,
    ) -> list[Alignment]:
        """Add the image of the constituent's own node, and what its fragments then say.

        Args:
            inside: the nodes of the fragments but for the constituent's own.
        """
        head = own[0].head

        # Alignments that differ only further inside have the same evidence here.
        @cache
        def told(near: tuple[Image, ...]) -> list[Alignment]:
            known = dict(zip(inside, near, strict=True))
            own_images = [{}] if head is None else [{head: image} for image in gold.around(near)]
            every = [self._evidence(own, known, images, gold) for images in own_images]
            return [one for one in every if one is not None]

        return _best(
            one.joined(more)
            for one in beam
            for more in told(tuple(one.images[node] for node in inside))
        )

    def _evidence(
        self, own: Sequence[PlacedFragment], near: Images, added: Images, gold: GoldGraph
    ) -> Alignment | None:
        """What the fragments of a constituent say if its own node has the image that is added."""
        score, images = 0.0, near | added
        links, triples = self.links(own, images, gold.between)
        for placed, mine in zip(own, links, strict=True):
            if not connected(placed, mine):
                return None
            for pair, labels in mine.items():
                # Sorted, so that the sum is the same to the last bit in every process.
                score += sum(
                    self.associations.score(placed.fragment, pair, one) for one in sorted(labels)
                )
            names = [name for slot in placed.slots for node in slot for name in images[node]]
            borne = [(name, pair) for name in names for pair in gold.attributes.get(name, ())]
            predicted, fit = self.associations.bearing(placed.fragment, {a for _, a in borne})
            score += fit
            triples |= {Triple(name, *pair) for name, pair in borne if pair in predicted}
        return Alignment(added, frozenset(triples), score)

    def links(
        self, own: Sequence[PlacedFragment], images: Mapping[Node, Image], between: Between
    ) -> tuple[list[Links], set[Triple]]:
        """What the fragments of one constituent say: labels by pair of slots, and all triples.

        Where several fragments have the same nodes, each label is said by the one whose words
        predict it most.
        """
        told = [labels_of(placed, images, between) for placed in own]
        links = [mine for mine, _ in told]
        triples = {triple for _, some in told for triple in some}
        if len(own) == 1:
            return links, triples
        claims: dict[tuple[Slot, Slot, Label], list[tuple[float, int, tuple[int, int]]]]
        claims = defaultdict(list)
        for number, (placed, mine) in enumerate(zip(own, links, strict=True)):
            for (one, other), labels in mine.items():
                for label in labels:
                    score = self.associations.score(placed.fragment, (one, other), label)
                    claim = placed.slots[one], placed.slots[other], label
                    claims[claim].append((score, number, (one, other)))
        shared: list[Links] = [defaultdict(set) for _ in own]
        for (*_, label), some in claims.items():
            _, number, pair = max(some)
            shared[number][pair].add(label)
        # One symmetric edge may be all that two fragments have to say: then both say it.
        every = zip(own, shared, links, strict=True)
        return [new if connected(placed, new) else old for placed, new, old in every], triples


def _best(beam: Iterable[Alignment]) -> list[Alignment]:
    """Those that promise most: every edge must be covered in the end."""
    return heapq.nlargest(BEAM, beam, key=lambda one: one.score + EDGE_WORTH * len(one.covered))


def _whole(beam: Iterable[Alignment], graph: QueryGraph) -> Iterator[Alignment]:
    """The alignments that cover all edges and variables."""
    for one in beam:
        names = {name for image in one.images.values() for name in image}
        if one.covered >= graph.edges and names.issuperset(graph.variables):
            # Some attributes no words predict: "who" alone says that it is a person.
            missing = len(graph.attributes - one.covered)
            yield one._replace(score=one.score + UNTOLD * missing)


def _coordinated_entities(question: Decomposition) -> list[Image]:
    slots = {slot for placed in question.fragments for slot in placed.slots if len(slot) > 1}
    names = question.entities
    return sorted({tuple(names[n] for n in slot) for slot in slots if set(slot) <= set(names)})


def by_constituent(fragments: Sequence[PlacedFragment]) -> list[list[PlacedFragment]]:
    """Fragments of one constituent together; the root's come last."""
    groups: dict[Node | None, list[PlacedFragment]] = defaultdict(list)
    for placed in fragments:
        groups[placed.head].append(placed)
    return list(groups.values())
