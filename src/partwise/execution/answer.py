"""A query graph's answer: the graph as SPARQL, run on a store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from partwise.errors import PartwiseError
from partwise.execution.store import QueryStore
from partwise.execution.terms import bound
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.graph import QueryGraph
from partwise.language.query.sparql_write import write_query

LIMIT = 1000
"""Answers of a selecting query, unless told otherwise."""


@dataclass(frozen=True)
class GraphAnswer:
    """What a query graph gave.

    Attributes:
        truth: of a query that asks whether; None for one that selects, and without an answer.
        values: IRIs and texts of literals, each once, in the order of their names.
        names: a label for each value.
        more: whether there are more values than the limit let through.
        query: the SPARQL text that ran; None if there is none.
        reason: why there is no answer, if so.
    """

    truth: bool | None = None
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    more: bool = False
    query: str | None = None
    reason: str | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """The answer for a person: yes, no, or names; empty if there is none."""
        return self.names if self.truth is None else ("yes" if self.truth else "no",)


def answer_graph(
    graph: QueryGraph,
    bindings: Mapping[str, str],
    store: QueryStore,
    domain: GraphDomain,
    limit: int = LIMIT,
) -> GraphAnswer:
    """Run a query graph; what fails to run gives a reason, not an error.

    Args:
        bindings: placeholder -> IRI of the entities that the question names.
        limit: of a selecting query's values.
    """
    query = None
    try:
        found = bound(graph, bindings, domain.prefixes)
        query = write_query(found, "sparql", prefixes=domain.prefixes)
        if graph.head == "ask":
            return GraphAnswer(store.ask(query), query=query)
        query += f"\nLIMIT {limit + 1}"
        values = list(dict.fromkeys(store.select(query, limit + 1)))
        kept = values[:limit]
        named = store.labels(kept)
    except PartwiseError as error:
        return GraphAnswer(query=query, reason=f"the query does not run: {error}")
    kept.sort(key=lambda value: (named[value].casefold(), value))
    names = tuple(named[value] for value in kept)
    return GraphAnswer(values=tuple(kept), names=names, more=len(values) > limit, query=query)
