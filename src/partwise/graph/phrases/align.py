"""Which node of the gold graph each phrase stands for: found, never given.

A phrase's meaning is a small connected graph over its own node and those of the phrases inside. So
an alignment sends every phrase to a node of the gold graph such that within each piece the images
hang together (by an edge, or by being one), and every edge and variable of the gold graph is
covered by some piece. Where several alignments do this, word-label association decides (IBM model
1 over pieces), and after it the pieces seen in alignments that leave no choice.
"""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from partwise.graph.phrases.associations import SAME, Associations, Attribute, Label
from partwise.graph.phrases.pieces import Node, Pieces, PlacedPiece
from partwise.language.query.graph import QueryGraph, Triple

BEAM = 48
EDGE_WORTH = 3.0
UNTOLD = -4.0
"""Score of an attribute of a node that no words aligned with the node tell of."""

NOTHING: frozenset[Attribute] = frozenset()
Image = tuple[str, ...]
"""Nodes of the gold graph; more than one if a phrase stands for coordinated entities."""
Images = dict[Node, Image]
Links = dict[tuple[int, int], set[Label]]
"""Labels by pair of slots, the lower slot first."""


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
    """Aligns phrases with gold graphs.

    Args:
        associations: what words tell of labels.
    """

    def __init__(self, associations: Associations) -> None:
        self.associations = associations

    def align(self, pieces: Pieces, graph: QueryGraph) -> list[Alignment]:
        """The best alignments, best first; none if no alignment explains the graph."""
        gold = _Gold(graph, _groups(pieces))
        if set(pieces.entities.values()) - gold.nodes:
            return []
        partial: dict[Node, list[_Partial]] = {
            node: [_Partial({node: (name,)}, frozenset(), 0.0)]
            for node, name in pieces.entities.items()
        }
        found: list[_Partial] = []
        for own in by_phrase(pieces.pieces):
            inside = list(dict.fromkeys(n for p in own for s in _inner(p) for n in s))
            head = own[0].slots[0][0] if own[0].piece.headed else None
            combined = self._combine([partial[node] for node in inside])
            found = self._extend(own, inside, head, combined, gold)
            if not found:
                return []
            if head is not None:
                partial[head] = found
        whole = [
            p
            for p in found
            if p.covered >= graph.edges
            and gold.variables <= {name for image in p.images.values() for name in image}
        ]
        # Some attributes no phrase's words tell of: "who" alone says that it is a person.
        scores = [p.score + UNTOLD * len(graph.attributes - p.covered) for p in whole]
        order = sorted(range(len(whole)), key=lambda number: -scores[number])
        return [Alignment(whole[number].images, scores[number]) for number in order]

    @staticmethod
    def _combine(parts: Sequence[list[_Partial]]) -> list[_Partial]:
        """All ways to take one alignment of each phrase inside, the best `BEAM` of them."""
        beam = [_Partial({}, frozenset(), 0.0)]
        for part in parts:
            beam = heapq.nlargest(
                BEAM,
                (
                    _Partial(
                        {**one.images, **other.images},
                        one.covered | other.covered,
                        one.score + other.score,
                    )
                    for one in beam
                    for other in part
                ),
                key=lambda p: p.promise,
            )
        return beam

    def _extend(
        self,
        own: list[PlacedPiece],
        inside: list[Node],
        head: Node | None,
        beam: list[_Partial],
        gold: _Gold,
    ) -> list[_Partial]:
        """Add the image of the phrase's own node, and what its pieces then say.

        Args:
            inside: the nodes of the pieces but for the phrase's own.
        """
        found = []
        # Alignments that differ only further inside are told the same here.
        told: dict[tuple[Image, ...], tuple[frozenset[Triple], float] | None] = {}
        around: dict[tuple[Image, ...], list[Image]] = {}
        for one in beam:
            near = tuple(one.images[node] for node in inside)
            if near not in around:
                around[near] = gold.around(set(near)) if head is not None else [()]
            for image in around[near]:
                here = *near, image
                if here in told and told[here] is None:
                    continue
                images = one.images if head is None else {**one.images, head: image}
                if here not in told:
                    told[here] = self._said(own, images, gold)
                said = told[here]
                if said is not None:
                    covered, score = said
                    found.append(_Partial(images, one.covered | covered, one.score + score))
        return heapq.nlargest(BEAM, found, key=lambda p: p.promise)

    def _said(
        self, own: list[PlacedPiece], images: Mapping[Node, Image], gold: _Gold
    ) -> tuple[frozenset[Triple], float] | None:
        covered: set[Triple] = set()
        score = 0.0
        links, triples = self.links(own, images, gold.between)
        for placed, mine in zip(own, links, strict=True):
            if not connected(len(placed.slots), mine):
                return None
            for pair, labels in mine.items():
                # Sorted, so that the sum is the same to the last bit in every process.
                score += sum(
                    self.associations.score(placed.piece, pair, one) for one in sorted(labels)
                )
            borne = {
                attribute
                for slot in placed.slots
                for node in slot
                for name in images[node]
                for attribute in gold.attributes.get(name, ())
            }
            said, bearing = self.associations.bearing(placed.piece, borne)
            score += bearing
            triples |= {
                Triple(name, *attribute)
                for slot in placed.slots
                for node in slot
                for name in images[node]
                for attribute in said & gold.attributes.get(name, NOTHING)
            }
        covered |= triples
        return frozenset(covered), score

    def links(
        self,
        own: Sequence[PlacedPiece],
        images: Mapping[Node, Image],
        between: Mapping[tuple[str, str], list[Triple]],
    ) -> tuple[list[Links], set[Triple]]:
        """What the pieces of one phrase say: for each the labels by pair of slots; and the triples.

        Where a phrase has several pieces over the same nodes, each label is said by the one whose
        words tell of it most.
        """
        said = [labels_of(placed, images, between) for placed in own]
        links = [one for one, _ in said]
        triples = {triple for _, some in said for triple in some}
        if len(own) > 1:
            shared = self._shared_out(own, links)
            # One symmetric edge may be all that two pieces have to say: then both say it.
            links = [
                mine if connected(len(placed.slots), mine) else before
                for placed, mine, before in zip(own, shared, links, strict=True)
            ]
        return links, triples

    def _shared_out(self, own: Sequence[PlacedPiece], links: Sequence[Links]) -> list[Links]:
        kept: list[Links] = [{} for _ in own]
        sayings: dict[tuple[object, Label], list[tuple[float, int, tuple[int, int]]]] = {}
        for number, (placed, mine) in enumerate(zip(own, links, strict=True)):
            for pair, labels in mine.items():
                nodes = placed.slots[pair[0]], placed.slots[pair[1]]
                for label in labels:
                    score = self.associations.score(placed.piece, pair, label)
                    sayings.setdefault((nodes, label), []).append((score, number, pair))
        for (_, label), some in sayings.items():
            _, number, pair = max(some)
            kept[number].setdefault(pair, set()).add(label)
        return kept


class _Gold:
    """A gold graph, ready to be asked."""

    def __init__(self, graph: QueryGraph, groups: set[Image]) -> None:
        self.nodes = set(graph.nodes)
        self.groups = sorted(groups)
        self.variables = set(graph.variables)
        self.between: dict[tuple[str, str], list[Triple]] = defaultdict(list)
        near: dict[str, set[str]] = defaultdict(set)
        for edge in graph.edges:
            self.between[edge.subject, edge.object].append(edge)
            near[edge.subject].add(edge.object)
            near[edge.object].add(edge.subject)
        self.near = near
        self.attributes: dict[str, set[Attribute]] = defaultdict(set)
        for subject, predicate, constant in graph.attributes:
            self.attributes[subject].add((predicate, constant))

    def around(self, images: set[Image]) -> list[Image]:
        """Where a phrase's own node may be: beside the nodes inside it, or one of them."""
        if not images:
            return [*((node,) for node in sorted(self.nodes)), *self.groups]
        inside = {name for image in images for name in image}
        near = inside | {n for name in inside for n in self.near[name]}
        return [*((node,) for node in sorted(near)), *(g for g in self.groups if near >= set(g))]


def labels_of(
    placed: PlacedPiece,
    images: Mapping[Node, Image],
    between: Mapping[tuple[str, str], list[Triple]],
) -> tuple[Links, set[Triple]]:
    """What a piece says if its nodes have these images: labels by pair of slots, and triples.

    Coordinated nodes share their labels: only what holds of all of them is said.
    """
    links: Links = {}
    triples: set[Triple] = set()
    for one, other in itertools.combinations(range(len(placed.slots)), 2):
        shared: set[Label] | None = None
        mine: dict[Label, set[Triple]] = defaultdict(set)
        ones, others = _units(placed.slots[one], images), _units(placed.slots[other], images)
        for left, right in itertools.product(ones, others):
            if left == right:
                shared = {(SAME, True)} if shared is None else shared & {(SAME, True)}
                continue
            for a, b in itertools.product(left, right):
                labels: set[Label] = set()
                for ends, forth in (((a, b), True), ((b, a), False)):
                    for triple in between.get(ends, []):
                        labels.add((triple.predicate, forth))
                        mine[triple.predicate, forth].add(triple)
                shared = labels if shared is None else shared & labels
        if shared:
            links[one, other] = shared
            triples.update(*(mine[label] for label in shared if label in mine))
    return links, triples


def _units(slot: tuple[Node, ...], images: Mapping[Node, Image]) -> list[Image]:
    """What stands in a slot: coordinated entities as one, coordinated phrases one by one."""
    if all(node < 0 for node in slot):
        return [tuple(name for node in slot for name in images[node])]
    return [images[node] for node in slot]


def connected(size: int, links: Links) -> bool:
    """Whether links hold all slots together."""
    reached, waiting = {0}, [0]
    while waiting:
        here = waiting.pop()
        for one, other in links:
            for a, b in ((one, other), (other, one)):
                if a == here and b not in reached:
                    reached.add(b)
                    waiting.append(b)
    return len(reached) == size or size == 0


def _groups(pieces: Pieces) -> set[Image]:
    """Coordinated entities of a question."""
    names = pieces.entities
    return {
        tuple(names[node] for node in slot)
        for placed in pieces.pieces
        for slot in placed.slots
        if len(slot) > 1 and all(node in names for node in slot)
    }


def _inner(placed: PlacedPiece) -> tuple[tuple[Node, ...], ...]:
    return placed.slots[1:] if placed.piece.headed else placed.slots


def by_phrase(pieces: Sequence[PlacedPiece]) -> list[list[PlacedPiece]]:
    """Pieces of one phrase together; the root's come last."""
    found: dict[Node | None, list[PlacedPiece]] = {}
    for placed in pieces:
        head = placed.slots[0][0] if placed.piece.headed else None
        found.setdefault(head, []).append(placed)
    return list(found.values())
