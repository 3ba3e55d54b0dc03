"""Aligned pieces of a whole training set, counted."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from partwise.graph.phrases.align import Aligner, Alignment, Links, by_phrase
from partwise.graph.phrases.associations import SAME, Associations, Attribute, Counts, Incidence
from partwise.graph.phrases.pieces import Piece, Pieces
from partwise.graph.phrases.plausible import Plausibility
from partwise.language.query.graph import ANSWER, QueryGraph, Triple

FIRST = 8000
"""So many examples, drawn at random, are aligned by word association; then all, by the pieces
counted there."""
SEED = "first to be aligned"
Place = TypeVar("Place")
Context = tuple[tuple[tuple[Piece, int], ...], tuple[Incidence, ...]]
"""The places (piece, slot) where a node is spoken of, and the edges that it has."""


@dataclass
class Gathered(Generic[Place]):
    """What a question says of a node, while it is gone through.

    Attributes:
        places: where the node is spoken of.
        edges: those that are said of it.
    """

    places: list[Place] = field(default_factory=list)
    edges: set[Incidence] = field(default_factory=set)


@dataclass
class Spoken:
    """What the gold graphs say of nodes that were spoken of in the same places."""

    times: float = 0.0
    attributes: Counter[Attribute] = field(default_factory=Counter)
    answers: float = 0.0


@dataclass
class Aligned:
    """What alignment learned.

    Attributes:
        pieces: how often each label stood at each pair of slots of a piece.
        contexts: attributes of nodes.
        shared: categories of which coordinated phrases stand for one node ("whose director edited
            M0 and wrote M1").
        chosen: for each example the tree (by place among its trees) that was aligned, or None.
        plausibility: which labels go together at a node, to choose between trees.
    """

    pieces: dict[Piece, Counts]
    contexts: dict[Context, Spoken]
    shared: tuple[str, ...]
    chosen: list[int | None]
    plausibility: Plausibility


def align_all(
    examples: Sequence[tuple[Sequence[Pieces], QueryGraph]],
    tell: Callable[[int, int, Alignment], None] | None = None,
) -> Aligned:
    """Align the phrase trees of all examples with their graphs.

    Args:
        examples: for each its trees as pieces, the likeliest first, and its gold graph.
        tell: called with each example that could be aligned, its tree, and its alignment.
    """
    associations = Associations().learn((trees[0], graph) for trees, graph in examples if trees)
    # Drawn, as data sets are often sorted: the first of MCWQ all begin with "did".
    drawn = random.Random(SEED).sample(range(len(examples)), min(FIRST, len(examples)))
    first = [examples[number] for number in sorted(drawn)]
    for some, last in ((first, False), (examples, True)):
        aligner = Aligner(associations)
        pieces: dict[Piece, Counts] = {}
        contexts: dict[Context, Spoken] = {}
        chosen: list[int | None] = []
        together: Counter[str] = Counter()
        for number, (trees, graph) in enumerate(some):
            place, alignment = _first_aligned(aligner, trees, graph)
            chosen.append(place)
            if place is not None and alignment is not None:
                _count(aligner, trees[place], alignment, graph, pieces, contexts if last else None)
                _coordinated(trees[place], alignment, together)
                if last and tell is not None:
                    tell(number, place, alignment)
        associations.observe(pieces)
    shared = tuple(sorted(category for category, more in together.items() if more > 0))
    return Aligned(pieces, contexts, shared, chosen, Plausibility.learn(g for _, g in examples))


def _first_aligned(
    aligner: Aligner, trees: Sequence[Pieces], graph: QueryGraph
) -> tuple[int | None, Alignment | None]:
    """The best alignment over all trees; most questions have one tree."""
    best: tuple[int | None, Alignment | None] = (None, None)
    for place, pieces in enumerate(trees):
        found = aligner.align(pieces, graph)
        if found and (best[1] is None or found[0].score > best[1].score):
            best = place, found[0]
    return best


def _count(
    aligner: Aligner,
    pieces: Pieces,
    alignment: Alignment,
    graph: QueryGraph,
    counts: dict[Piece, Counts],
    contexts: dict[Context, Spoken] | None,
) -> None:
    between: dict[tuple[str, str], list[Triple]] = defaultdict(list)
    for edge in graph.edges:
        between[edge.subject, edge.object].append(edge)
    images = alignment.images
    spoken: dict[str, Gathered[tuple[Piece, int]]] = defaultdict(Gathered)
    for own in by_phrase(pieces.pieces):
        for placed, links in zip(own, aligner.links(own, images, between)[0], strict=True):
            count = counts.setdefault(placed.piece, Counts())
            count.times += 1
            count.labels.update((pair, label) for pair, some in links.items() for label in some)
            for slot, nodes in enumerate(placed.slots):
                for name in {name for node in nodes for name in images[node]}:
                    spoken[name].places.append((placed.piece, slot))
                    spoken[name].edges |= edges_at(slot, links)
    if contexts is not None:
        _contexts(spoken, graph, contexts)


def edges_at(slot: int, links: Links) -> set[Incidence]:
    """The edges of a slot."""
    return {
        Incidence(name, forth == (slot == pair[0]), slot == 0)
        for pair, labels in links.items()
        for name, forth in labels
        if name != SAME and slot in pair
    }


def _coordinated(pieces: Pieces, alignment: Alignment, together: Counter[str]) -> None:
    """Count for each category how often coordinated phrases were one node, and how often not."""
    for placed in pieces.pieces:
        for name, nodes in zip(placed.piece.slots, placed.slots, strict=True):
            if len(nodes) > 1 and nodes[0] >= 0:
                one = len({alignment.images[node] for node in nodes}) == 1
                together[name] += 1 if one else -1


def _contexts(
    spoken: Mapping[str, Gathered[tuple[Piece, int]]],
    graph: QueryGraph,
    contexts: dict[Context, Spoken],
) -> None:
    borne: dict[str, list[Attribute]] = defaultdict(list)
    for node, predicate, constant in graph.attributes:
        borne[node].append((predicate, constant))
    for name, said in spoken.items():
        key = tuple(sorted(said.places, key=repr)), tuple(sorted(said.edges))
        context = contexts.setdefault(key, Spoken())
        context.times += 1
        context.attributes.update(borne[name])
        context.answers += graph.head == "select" and name == ANSWER


def attributes_of(graphs: Iterable[QueryGraph]) -> list[Attribute]:
    """All attributes that graphs have, sorted."""
    return sorted({(a.predicate, a.object) for graph in graphs for a in graph.attributes})
