"""A query graph's answer from a store, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from partwise.errors import PartwiseError
from partwise.language.graph_domain import LIMIT, GraphDomain
from partwise.language.query.answer import GraphAnswer, QueryStore
from partwise.language.query.graph import QueryGraph


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
    here = replace(domain, store=store, limit=limit)
    query = None
    try:
        query = here.query(graph, bindings)
        return here.named(here.run(graph, bindings))
    except PartwiseError as error:
        return GraphAnswer(query=query, reason=f"the query does not run: {error}")
