"""Which of several things of one name is meant: the first that what is said of it may hold of.

"Who played Forrest Gump?" means the character and not the film, since nobody plays a film. What the
query says of a name is asked of each thing of that name, with all else left open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from partwise.errors import PartwiseError
from partwise.graph.linking.linker import Linked
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import QueryGraph, Triple
from partwise.language.query.sparql_write import bound, write_query

MOST = 20
"""Things of one name that are tried."""


def likeliest(linked: Linked, graph: QueryGraph, domain: GraphDomain) -> Linked:
    """The question with each ambiguous name bound to what the query can be about.

    Where nothing of the name fits, or the store fails, the name stays as it was bound.
    """
    for name, iris in linked.ambiguous.items():
        said = _said_of(name, graph)
        if said is None or linked.bindings.get(name) != iris[0]:
            continue
        chosen = _first(name, iris[:MOST], said, domain)
        if chosen not in (None, iris[0]):
            first = (chosen, *(iri for iri in iris if iri != chosen))
            linked = replace(
                linked,
                bindings={**linked.bindings, name: chosen},
                ambiguous={**linked.ambiguous, name: first},
            )
    return linked


def _first(name: str, iris: Sequence[str], said: QueryGraph, domain: GraphDomain) -> str | None:
    for iri in iris:
        try:
            query = bound(said, {name: iri}, domain.prefixes)
            if domain.knowledge.ask(write_query(query, "sparql", prefixes=domain.prefixes)):
                return iri
        except PartwiseError:
            return None
    return None


def _said_of(name: str, graph: QueryGraph) -> QueryGraph | None:
    """The edges and attributes of a node, the other ends left open; None if there are none."""
    fresh = iter(range(len(graph.edges)))
    edges = set()
    for edge in graph.edges:
        ends = (edge.subject, edge.object)
        if name in ends and ends != (name, name):
            other = f"?x{next(fresh)}"
            subject, target = (end if end == name else other for end in ends)
            edges.add(Triple(subject, edge.predicate, target))
    attributes = frozenset(one for one in graph.attributes if one.subject == name)
    return QueryGraph("ask", frozenset(edges), attributes) if edges or attributes else None
