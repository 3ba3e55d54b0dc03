"""Revision: relations of a written query are aligned with those that a domain declares."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph, Triple, with_filters

Likeness = Callable[[str, str], float]
"""How near two relations are, each as `text_of` writes it; more is nearer."""


def text_of(triple: Triple, attribute: bool) -> str:
    """A triple's relation; that of an attribute with its constant."""
    return f"{triple.predicate} {triple.object}" if attribute else triple.predicate


def revised(graph: QueryGraph, domain: GraphDomain, likeness: Likeness) -> QueryGraph:
    """A query with relations that the domain declares, each variable being something.

    The paper (Das et al. 2021, section 2.3) replaces relations that the question's entities do not
    have in the knowledge base by the nearest that they have there. Placeholders are no entities of
    a knowledge base, so the domain decides: a relation that it does not declare is replaced by the
    nearest, and of a query that it calls impossible one relation, by the nearest that makes the
    query possible. If none does, the query is left as it is.
    """
    if not domain.relations:
        return graph
    for triple in sorted(_undeclared(graph, domain)):
        changes = list(_changes(graph, triple, domain, likeness))
        # A possible query comes first, then the nearest relation.
        best = max(changes, key=lambda one: (domain.is_possible(one[1]), one[0]), default=None)
        graph = graph if best is None else best[1]
    if domain.is_possible(graph):
        return graph
    changes = [
        change
        for triple in graph
        for change in _changes(graph, triple, domain, likeness)
        if domain.is_possible(change[1])
    ]
    return max(changes, key=lambda one: one[0], default=(0.0, graph))[1]


def _undeclared(graph: QueryGraph, domain: GraphDomain) -> set[Triple]:
    relations = {one.predicate for one in domain.relations}
    attributes = {(one.predicate, one.constant) for one in domain.attributes}
    edges = {one for one in graph.edges if one.predicate not in relations}
    return edges | {one for one in graph.attributes if one[1:] not in attributes}


def _changes(
    graph: QueryGraph, triple: Triple, domain: GraphDomain, likeness: Likeness
) -> Iterable[tuple[float, QueryGraph]]:
    """The query with another relation in a triple, with how near that is to the former."""
    attribute = triple in graph.attributes
    made: Iterable[Triple]
    if attribute:
        made = (
            triple._replace(predicate=a.predicate, object=a.constant) for a in domain.attributes
        )
    else:
        made = (triple._replace(predicate=one.predicate) for one in domain.relations)
    before = text_of(triple, attribute)
    for other in made:
        if other not in graph.triples:
            changed = _changed(graph, triple, other, domain)
            yield likeness(before, text_of(other, attribute)), changed


def _changed(graph: QueryGraph, triple: Triple, other: Triple, domain: GraphDomain) -> QueryGraph:
    """The query with another triple in place of one, and the filters that go with it."""
    if triple in graph.attributes:
        return replace(graph, attributes=graph.attributes - {triple} | {other})
    changed = replace(graph, edges=graph.edges - {triple} | {other})
    return with_filters(changed, domain.differing)
