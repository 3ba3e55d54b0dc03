"""From what the decoder says of each piece of a question to one query graph."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from partwise.graph.grounding.implied import relation_numbers
from partwise.graph.grounding.vocabulary import SAME, Labels
from partwise.graph.phrases.associations import Incidence
from partwise.graph.phrases.examples import Gathered
from partwise.graph.phrases.pieces import Node, Pieces, PlacedPiece
from partwise.language.query.graph import Triple

Unit = tuple[Node, ...]
"""What stands in a slot: coordinated entities together, or one phrase."""
SURE = 1.0 - 1e-7
"""No chance is taken to be higher."""
JUST = 0.5 + 1e-6
"""The chance of what is said only because something must be."""
Said = NDArray[np.floating]
"""``[N, N, labels]``: probability of each label from slot to slot."""


@dataclass
class Assembled:
    """A graph whose variables have provisional names.

    Attributes:
        answer: the node that is likeliest to be asked for.
        sources: for each triple the piece, and the pair of slots, that say it most.
        log_probability: of all that was said.
    """

    edges: set[Triple] = field(default_factory=set)
    attributes: set[Triple] = field(default_factory=set)
    answer: str | None = None
    sources: dict[Triple, tuple[int, int, int, float]] = field(default_factory=dict)
    log_probability: float = 0.0

    def say(self, triple: Triple, piece: int, pair: tuple[int, int], strength: float) -> None:
        """Note where a triple comes from."""
        old = self.sources.get(triple)
        if old is None or strength > old[3]:
            self.sources[triple] = (piece, *pair, strength)


def units(slot: tuple[Node, ...]) -> list[Unit]:
    """What stands in a slot."""
    return [slot] if all(node < 0 for node in slot) else [(node,) for node in slot]


class _Classes:
    """Nodes that are one (disjoint sets), and the names of what they are."""

    def __init__(self, entities: Mapping[Node, str]) -> None:
        self.entities = entities
        self.parent: dict[Unit, Unit] = {}

    def find(self, unit: Unit) -> Unit:
        self.parent.setdefault(unit, unit)
        while self.parent[unit] != unit:
            unit = self.parent[unit]
        return unit

    def unite(self, one: Unit, other: Unit) -> None:
        first, second = self.find(one), self.find(other)
        if first == second:
            return
        # Entities stay on top: the class has their names.
        if self._named(first):
            first, second = second, first
        self.parent[first] = second

    def _named(self, unit: Unit) -> bool:
        return all(node < 0 for node in unit)

    def names(self, unit: Unit) -> tuple[str, ...]:
        """Entities, or one provisional variable."""
        top = self.find(unit)
        if self._named(top):
            return tuple(dict.fromkeys(self.entities[node] for node in top))
        return (f"?{top[0]}",)


def held_together(said: Said, labels: Labels) -> Said:
    """A piece's chances, with its graph made connected: the likeliest links that are missing.

    A phrase's graph hangs together; alignment asked for no less.
    """
    links = said[:, :, : len(labels.relations)]
    size = len(said)
    own = np.arange(size)
    best = links.max(2)
    best[own, own] = -1.0
    found = said
    parts = [{node} for node in range(size)]
    order = sorted(itertools.permutations(range(size), 2), key=lambda p: -best[p])
    for one, other in order:
        first = next(part for part in parts if one in part)
        second = next(part for part in parts if other in part)
        if first is second:
            continue
        if best[one, other] <= 0.5:
            found = found.copy()
            found[one, other, int(links[one, other].argmax())] = JUST
        parts = [part for part in parts if part is not second]
        first |= second
    return found


def assemble(
    pieces: Pieces,
    said: Sequence[Said],
    labels: Labels,
    implied: Said,
    shared: Collection[str] = (),
) -> Assembled:
    """Unite the graphs of all pieces.

    A node bears an attribute if some piece says so and no edge implies it.

    Args:
        implied: ``[attributes, 4 * relations]``, the chance that an edge implies an attribute, as
            `Implications` has it.
        shared: categories of which coordinated phrases stand for one node.
    """
    found = Assembled()
    classes = _Classes(pieces.entities)
    same = labels.relation(SAME)
    for placed, mine in zip(pieces.pieces, said, strict=True):
        for one, other in _one(placed, mine, same, shared):
            classes.unite(one, other)
    spoken: dict[str, Gathered[tuple[int, int]]] = defaultdict(Gathered)
    for number, (placed, mine) in enumerate(zip(pieces.pieces, said, strict=True)):
        for triple, (start, end) in _edges(found, classes, number, placed, mine, labels, same):
            edge = triple.predicate
            spoken[triple.subject].edges.add(Incidence(edge, True, start == 0))
            spoken[triple.object].edges.add(Incidence(edge, False, end == 0))
        for slot, nodes in enumerate(placed.slots):
            for unit in units(nodes):
                for name in classes.names(unit):
                    spoken[name].places.append((number, slot))
    asked = {
        name: _attributes(found, name, where, said, implied, labels)
        for name, where in spoken.items()
    }
    found.answer = max(asked, key=lambda name: asked[name], default=None)
    return found


def _one(
    placed: PlacedPiece, said: Said, same: int, shared: Collection[str]
) -> Iterator[tuple[Unit, Unit]]:
    """Units of a piece that are one."""
    for one, other in itertools.combinations(range(len(placed.slots)), 2):
        if max(said[one, other, same], said[other, one, same]) > 0.5:
            yield from itertools.product(units(placed.slots[one]), units(placed.slots[other]))
    for name, nodes in zip(placed.piece.slots, placed.slots, strict=True):
        several = units(nodes)
        if len(several) > 1 and name in shared:
            yield from ((several[0], more) for more in several[1:])


def _edges(
    found: Assembled,
    classes: _Classes,
    number: int,
    placed: PlacedPiece,
    said: Said,
    labels: Labels,
    same: int,
) -> Iterator[tuple[Triple, tuple[int, int]]]:
    """What a piece says, each triple as often as it says it, and between which slots."""
    size = len(placed.slots)
    for one, other in itertools.permutations(range(size), 2):
        said_here = said[one, other, : len(labels.relations)]
        sure = np.maximum(said_here, 1.0 - said_here)
        found.log_probability += float(np.log(np.maximum(sure, 1e-12)).sum())
        for label in np.nonzero(said_here > 0.5)[0]:
            if label == same:
                continue
            for left, right in itertools.product(
                units(placed.slots[one]), units(placed.slots[other])
            ):
                for s, o in itertools.product(classes.names(left), classes.names(right)):
                    # Two slots that turned out to be one node: nothing relates to itself.
                    if s == o:
                        continue
                    triple = Triple(s, labels.relations[label], o)
                    found.edges.add(triple)
                    found.say(triple, number, (one, other), float(said_here[label]))
                    yield triple, (one, other)


def _attributes(
    found: Assembled,
    name: str,
    here: Gathered[tuple[int, int]],
    said: Sequence[Said],
    implied: Said,
    labels: Labels,
) -> float:
    """Noisy-or of the pieces that speak of a node, unless an edge implies it.

    Returns:
        How likely the node is what is asked for.
    """
    # Nodes of one slot that are one are spoken of there once.
    places = list(dict.fromkeys(here.places))
    mine = np.stack([said[piece][slot, slot] for piece, slot in places])
    silent = np.log1p(-np.minimum(mine, SURE)).sum(0)
    unsaid = 1.0 - implied[:, relation_numbers(here.edges, labels)]
    chance = (1.0 - np.exp(silent[labels.plus])) * unsaid.prod(1)
    sure = np.maximum(chance, 1.0 - chance)
    found.log_probability += float(np.log(np.maximum(sure, 1e-12)).sum())
    for label in np.nonzero(chance > 0.5)[0]:
        triple = Triple(name, *labels.attributes[label])
        found.attributes.add(triple)
        strengths = [float(said[piece][slot, slot][labels.plus][label]) for piece, slot in places]
        strength, (piece, slot) = max(zip(strengths, places, strict=True), key=lambda one: one[0])
        found.say(triple, piece, (slot, slot), strength)
    return 1.0 - math.exp(float(silent[labels.answer]))
