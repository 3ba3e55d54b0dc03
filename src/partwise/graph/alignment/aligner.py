"""Phrase-graph alignment: which node of the gold graph each constituent stands for.

A constituent's meaning is a small connected graph over its own node and those of the constituents
inside. So an alignment maps every constituent to a node of the gold graph such that the images of
each fragment hang together (by an edge, or by being one node), and every edge and variable of the
gold graph is covered by some fragment. Several alignments may do this. Then word-label association
decides (IBM Model 1 over fragments), and after it the counts of fragments in the first alignments.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

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
from partwise.graph.grammar.decomposition import Decomposition, Node, PlacedFragment
from partwise.language.query.graph import QueryGraph, Triple

BEAM = 48
EDGE_WORTH = 3.0
UNTOLD = -4.0
"""Score of an attribute of a node that no words aligned with the node predict."""
Evidence = tuple[frozenset[Triple], float]
"""The triples that are covered, and their score."""


@dataclass(frozen=True)
class Alignment:
    """Images of a question's nodes in the gold graph, and how good they are."""

    images: Images
    score: float


@dataclass
class _Partial:
    images: Images
    covered: frozenset[Triple]
    score: float

    @property
    def promise(self) -> float:
        """What the beam goes by: every edge must be covered in the end."""
        return self.score + EDGE_WORTH * len(self.covered)


class Aligner:
    """Aligns decompositions with gold graphs.

    Args:
        associations: how strongly words predict labels.
    """

    def __init__(self, associations: IbmModel1) -> None:
        self.associations = associations

    def align(self, question: Decomposition, graph: QueryGraph) -> list[Alignment]:
        """The best alignments, best first; none if no alignment explains the graph."""
        gold, groups = GoldGraph(graph), _coordinated_entities(question)
        if set(question.entities.values()) - gold.nodes:
            return []
        partial = {
            node: [_Partial({node: (name,)}, frozenset(), 0.0)]
            for node, name in question.entities.items()
        }
        beam: list[_Partial] = []
        for own in by_constituent(question.fragments):
            head = own[0].head
            inner = (slot for one in own for slot in one.slots[one.fragment.headed :])
            inside = list(dict.fromkeys(node for slot in inner for node in slot))
            combined = self._combine([partial[node] for node in inside])
            beam = self._extend(own, inside, combined, gold, groups)
            if not beam:
                return []
            if head is not None:
                partial[head] = beam
        whole = [
            Alignment(
                # Some attributes no words predict: "who" alone says that it is a person.
                one.images,
                one.score + UNTOLD * len(graph.attributes - one.covered),
            )
            for one in beam
            if one.covered >= graph.edges
            and gold.variables <= {name for image in one.images.values() for name in image}
        ]
        return sorted(whole, key=lambda one: -one.score)

    @staticmethod
    def _combine(parts: Sequence[list[_Partial]]) -> list[_Partial]:
        """All ways to take one alignment of each constituent inside, the best `BEAM` of them."""
        beam = [_Partial({}, frozenset(), 0.0)]
        for part in parts:
            pairs = (
                _Partial(
                    one.images | other.images, one.covered | other.covered, one.score + other.score
                )
                for one in beam
                for other in part
            )
            beam = _best(pairs)
        return beam

    def _extend(
        self,
        own: list[PlacedFragment],
        inside: list[Node],
        beam: list[_Partial],
        gold: GoldGraph,
        groups: Sequence[Image],
    ) -> list[_Partial]:
        """Add the image of the constituent's own node, and what its fragments then say.

        Args:
            inside: the nodes of the fragments but for the constituent's own.
        """
        head = own[0].head
        extended = []
        # Alignments that differ only further inside have the same evidence here.
        known: dict[tuple[Image, ...], Evidence | None] = {}
        around: dict[tuple[Image, ...], list[Image]] = {}
        for one in beam:
            near = tuple(one.images[node] for node in inside)
            if near not in around:
                around[near] = [()] if head is None else gold.around(set(near), groups)
            for image in around[near]:
                here = *near, image
                if here in known and known[here] is None:
                    continue
                images = one.images if head is None else {**one.images, head: image}
                if here not in known:
                    known[here] = self._evidence(own, images, gold)
                evidence = known[here]
                if evidence is not None:
                    covered, score = evidence
                    extended.append(_Partial(images, one.covered | covered, one.score + score))
        return _best(extended)

    def _evidence(
        self, own: list[PlacedFragment], images: Mapping[Node, Image], gold: GoldGraph
    ) -> Evidence | None:
        score = 0.0
        links, triples = self.links(own, images, gold.between)
        for placed, mine in zip(own, links, strict=True):
            if not connected(len(placed.slots), mine):
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
        return frozenset(triples), score

    def links(
        self, own: Sequence[PlacedFragment], images: Mapping[Node, Image], between: Between
    ) -> tuple[list[Links], set[Triple]]:
        """What the fragments of one constituent say: labels by pair of slots, and all triples.

        Where several fragments have the same nodes, each label is said by the one whose words
        predict it most.
        """
        told = [labels_of(placed, images, between) for placed in own]
        links = [mine for mine, _ in told]
        if len(own) > 1:
            # One symmetric edge may be all that two fragments have to say: then both say it.
            links = [
                mine if connected(len(placed.slots), mine) else before
                for placed, mine, before in zip(
                    own, self._shared_out(own, links), links, strict=True
                )
            ]
        return links, {triple for _, triples in told for triple in triples}

    def _shared_out(self, own: Sequence[PlacedFragment], links: Sequence[Links]) -> list[Links]:
        kept: list[Links] = [{} for _ in own]
        claims: dict[tuple[object, Label], list[tuple[float, int, tuple[int, int]]]] = {}
        for number, (placed, mine) in enumerate(zip(own, links, strict=True)):
            for pair, labels in mine.items():
                nodes = placed.slots[pair[0]], placed.slots[pair[1]]
                for label in labels:
                    score = self.associations.score(placed.fragment, pair, label)
                    claims.setdefault((nodes, label), []).append((score, number, pair))
        for (_, label), some in claims.items():
            _, number, pair = max(some)
            kept[number].setdefault(pair, set()).add(label)
        return kept


def _best(beam: Iterable[_Partial]) -> list[_Partial]:
    return heapq.nlargest(BEAM, beam, key=lambda one: one.promise)


def _coordinated_entities(question: Decomposition) -> list[Image]:
    slots = {slot for placed in question.fragments for slot in placed.slots if len(slot) > 1}
    names = question.entities
    return sorted({tuple(names[n] for n in slot) for slot in slots if set(slot) <= set(names)})


def by_constituent(fragments: Sequence[PlacedFragment]) -> list[list[PlacedFragment]]:
    """Fragments of one constituent together; the root's come last."""
    groups: dict[Node | None, list[PlacedFragment]] = {}
    for placed in fragments:
        groups.setdefault(placed.head, []).append(placed)
    return list(groups.values())
