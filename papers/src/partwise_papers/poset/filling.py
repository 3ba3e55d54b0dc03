"""From a sketch and primitives to a query: the steps filled in all ways, and the query of some."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from partwise.language.query_graph import Head, QueryGraph, Triple
from partwise_papers.poset.sketch import CONSTANT, ENTITY, Primitive, Step, said, step_of

SHARE = 0.5
"""Of a relation's edges that have a filter in train, at least, where its ends must differ."""


class Filled(NamedTuple):
    """A step with a primitive and entities in the place of its classes."""

    step: Step
    triple: Triple
    primitive: Primitive


def fillings(
    steps: Iterable[Step], primitives: Iterable[Primitive], entities: Sequence[str]
) -> list[Filled]:
    """All ways to fill each of the steps, in a fixed order."""
    kinds: dict[str, list[Primitive]] = {}
    for one in sorted(primitives):
        kinds.setdefault(one.kind, []).append(one)
    return [
        Filled(step, Triple(subject, one.predicate, end), one)
        for step in sorted(steps)
        for one in kinds.get(step.kind, ())
        for subject in _nodes(step.subject, one, entities)
        for end in _nodes(step.object, one, entities)
        if subject != end
    ]


def _nodes(element: str, primitive: Primitive, entities: Sequence[str]) -> Iterator[str]:
    """What an element of a sketch may stand for."""
    if element == ENTITY:
        yield from entities
    else:
        yield primitive.constant if element == CONSTANT else element


def filled_steps(graph: QueryGraph) -> frozenset[Filled]:
    """The steps of a query's sketch as the query fills them."""
    return frozenset(Filled(step_of(*one), *one) for one in said(graph))


def composed(head: Head, chosen: Collection[Filled], differing: Collection[str]) -> QueryGraph:
    """The query of filled steps.

    Args:
        differing: relations whose two ends must differ, which queries state as filters.

    Raises:
        QueryError: if it selects and says nothing of what it selects.
    """
    edges = frozenset(one.triple for one in chosen if not one.primitive.constant)
    attributes = frozenset(one.triple for one in chosen if one.primitive.constant)
    filters = frozenset((s, o) for s, p, o in edges if p in differing)
    return QueryGraph(head, edges, attributes, filters)


def differing_relations(graphs: Iterable[QueryGraph]) -> list[str]:
    """The relations whose ends must differ in training queries."""
    edges: dict[str, list[bool]] = {}
    for graph in graphs:
        for subject, predicate, end in graph.edges:
            edges.setdefault(predicate, []).append((subject, end) in graph.filters)
    return sorted(one for one, some in edges.items() if sum(some) >= SHARE * len(some))


def likeliest(
    needed: Collection[Hashable], candidates: Sequence[Filled], odds: Sequence[float]
) -> set[Filled]:
    """The filled steps that are said: the likely ones, and for whatever is needed and these lack,
    the likeliest one that has it.

    Args:
        needed: steps, primitives and entities.
        odds: log odds of the candidates.
    """
    chosen: set[Filled] = set()
    missing = set(needed)
    for value, one in sorted(zip(odds, candidates, strict=True), reverse=True):
        parts = {one.step, one.primitive, one.triple.subject, one.triple.object}
        if value > 0 or parts & missing:
            chosen.add(one)
            missing -= parts
    return chosen
