"""What an alignment is, checked image by image over all that there could be."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from partwise.graph.alignment import SAME, Image, Images, Label
from partwise.graph.grammar.decomposition import Decomposition, PlacedFragment
from partwise.language.query_graph import QueryGraph, Triple

Said = tuple[set[Label], set[Triple]]


def all_alignments(fragments: Decomposition, graph: QueryGraph) -> list[Images]:
    """Every way to give each phrase a node, or coordinated entities, that explains the graph."""
    entities: Images = {node: (name,) for node, name in fragments.entities.items()}
    if any(name not in graph.nodes for (name,) in entities.values()):
        return []
    places: list[Image] = [(name,) for name in sorted(graph.nodes)]
    places += sorted(coordinated_entities(fragments))
    found = []
    for chosen in itertools.product(places, repeat=len(fragments.nodes)):
        images = {**entities, **dict(zip(fragments.nodes, chosen, strict=True))}
        if explains(fragments, images, graph):
            found.append(images)
    return found


def coordinated_entities(fragments: Decomposition) -> set[Image]:
    slots = {slot for placed in fragments.fragments for slot in placed.slots}
    return {
        tuple(fragments.entities[node] for node in slot)
        for slot in slots
        if len(slot) > 1 and set(slot) <= set(fragments.entities)
    }


def explains(fragments: Decomposition, images: Images, graph: QueryGraph) -> bool:
    covered: set[Triple] = set()
    for placed in fragments.fragments:
        hold = {frozenset({slot}) for slot in range(len(placed.slots))}
        for one, other in itertools.combinations(range(len(placed.slots)), 2):
            labels, triples = said(placed, one, other, images, graph)
            covered |= triples
            if labels:
                joined = frozenset().union(*(p for p in hold if p & {one, other}))
                hold = {p for p in hold if not p & joined} | {joined}
        if len(hold) > 1:
            return False
    named = {name for image in images.values() for name in image}
    return covered == graph.edges and set(graph.variables) <= named


def said(placed: PlacedFragment, one: int, other: int, images: Images, graph: QueryGraph) -> Said:
    """Labels that hold between all that stands in two slots, and their triples."""
    kept: set[Label] | None = None
    pairs: list[tuple[str, str]] = []
    for left, right in itertools.product(
        members(placed.slots[one], images), members(placed.slots[other], images)
    ):
        if left == right:
            here: set[Label] = {(SAME, True)}
            kept = here if kept is None else kept & here
            continue
        for a, b in itertools.product(left, right):
            pairs.append((a, b))
            here = {(p, True) for s, p, o in graph.edges if (s, o) == (a, b)}
            here |= {(p, False) for s, p, o in graph.edges if (s, o) == (b, a)}
            kept = here if kept is None else kept & here
    labels = kept or set()
    triples = {
        Triple(a, p, b) if forth else Triple(b, p, a)
        for a, b in pairs
        for p, forth in labels
        if p != SAME
    }
    return labels, triples


def members(slot: tuple[int, ...], images: Images) -> Iterator[Image]:
    """Coordinated entities stand together; phrases each for themselves."""
    if all(node < 0 for node in slot):
        yield tuple(images[node][0] for node in slot)
    else:
        yield from (images[node] for node in slot)
