"""What fragments say of a gold graph, given the images of their nodes in it."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from partwise.graph.alignment.ibm1 import SAME, Attribute, Label
from partwise.graph.components import components
from partwise.graph.grammar.decomposition import Node, PlacedFragment, units
from partwise.language.query_graph import QueryGraph, Triple

Image = tuple[str, ...]
"""Nodes of the gold graph; more than one if a node stands for coordinated entities."""
Images = dict[Node, Image]
Links = dict[tuple[int, int], set[Label]]
"""Labels by pair of slots, the lower slot first."""
Between = Mapping[tuple[str, str], list[Triple]]
"""The edges of a graph by their ends."""


class GoldGraph:
    """A gold graph with its edges and attributes by node.

    Args:
        groups: coordinated entities of its question.
    """

    def __init__(self, graph: QueryGraph, groups: Sequence[Image] = ()) -> None:
        self.nodes, self.groups = set(graph.nodes), groups
        self.between: dict[tuple[str, str], list[Triple]] = defaultdict(list)
        self.near: dict[str, set[str]] = defaultdict(set)
        for edge in graph.edges:
            self.between[edge.subject, edge.object].append(edge)
            self.near[edge.subject].add(edge.object)
            self.near[edge.object].add(edge.subject)
        self.attributes: dict[str, list[Attribute]] = defaultdict(list)
        for subject, predicate, constant in graph.attributes:
            self.attributes[subject].append((predicate, constant))

    def around(self, images: Sequence[Image]) -> list[Image]:
        """Where a constituent's own node may be: beside the nodes inside it, or one of them."""
        inside = {name for image in images for name in image}
        near = inside.union(*(self.near[name] for name in inside)) if images else self.nodes
        fitting = (group for group in self.groups if not images or near >= set(group))
        return [*((node,) for node in sorted(near)), *fitting]


def labels_of(
    placed: PlacedFragment, images: Mapping[Node, Image], between: Between
) -> tuple[Links, set[Triple]]:
    """What a fragment says if its nodes have these images: labels by pair of slots, and triples.

    Coordinated nodes share their labels: only what holds of all of them is said.
    """
    links: Links = {}
    triples: set[Triple] = set()
    slots = [
        [tuple(name for node in unit for name in images[node]) for unit in units(slot)]
        for slot in placed.slots
    ]
    for (one, lefts), (other, rights) in itertools.combinations(enumerate(slots), 2):
        told = [
            labels
            for left, right in itertools.product(lefts, rights)
            for labels in _labels_between(left, right, between)
        ]
        shared = set(told[0]).intersection(*told[1:]) if told else set()
        if shared:
            links[one, other] = shared
            triples.update(*(labels[label] for labels in told for label in shared))
    return links, triples


def _labels_between(
    left: Image, right: Image, between: Between
) -> Iterator[dict[Label, set[Triple]]]:
    """The labels of each pair of nodes, with the triples that have them."""
    if left == right:
        yield {(SAME, True): set()}
        return
    for pair in itertools.product(left, right):
        labels: dict[Label, set[Triple]] = defaultdict(set)
        for ends, forward in ((pair, True), (pair[::-1], False)):
            for triple in between.get(ends, []):
                labels[triple.predicate, forward].add(triple)
        yield labels


def connected(placed: PlacedFragment, links: Links) -> bool:
    """Whether links hold all slots of a fragment together."""
    return len(components(range(len(placed.slots)), links)) <= 1
