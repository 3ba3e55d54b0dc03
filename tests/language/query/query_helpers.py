"""Small query graphs at random, and the smallest naming by trying all of them."""

from __future__ import annotations

from itertools import permutations

from hypothesis import strategies as st

from partwise.language.query_graph import ANSWER, QueryGraph, Triple

PREDICATES = ("ns:p", "ns:p|ns:q", "^ns:q", "a")
ENTITIES = ("M0", "M1", "M10")
CONSTANTS = ("ns:m.1", "ns:m.10")


@st.composite
def query_graphs(draw: st.DrawFn, variables: int = 5) -> QueryGraph:
    """A graph with up to so many variables, named ?x0, ?x1, ... without gaps."""
    count = draw(st.integers(1, variables))
    names = [f"?x{i}" for i in range(count)]
    nodes = st.sampled_from([*names, *ENTITIES])
    predicates = st.sampled_from(PREDICATES)
    edges = draw(st.frozensets(st.builds(Triple, nodes, predicates, nodes), max_size=9))
    lone = [n for n in names if not any(n in (edge.subject, edge.object) for edge in edges)]
    attributes = draw(
        st.frozensets(st.builds(Triple, nodes, predicates, st.sampled_from(CONSTANTS)), max_size=3)
    ) | {Triple(name, "a", draw(st.sampled_from(CONSTANTS))) for name in lone}
    head = draw(st.sampled_from(("ask", "select")))
    graph = QueryGraph(head, edges, attributes)
    pairs = st.tuples(*[st.sampled_from(sorted(graph.nodes))] * 2)
    return QueryGraph(head, edges, attributes, draw(st.frozensets(pairs, max_size=3)))


@st.composite
def renamed_pairs(draw: st.DrawFn, variables: int = 5) -> tuple[QueryGraph, QueryGraph]:
    """A graph, and the same with other names."""
    graph = draw(query_graphs(variables))
    free = [name for name in graph.variables if name != ANSWER or graph.head == "ask"]
    return graph, graph.renamed(dict(zip(free, draw(st.permutations(free)), strict=True)))


def smallest(graph: QueryGraph) -> QueryGraph:
    """The definition of the canonical form, word by word."""
    names = [f"?x{i}" for i in range(len(graph.variables))]
    namings = (dict(zip(graph.variables, order, strict=True)) for order in permutations(names))
    found = [
        graph.renamed(naming)
        for naming in namings
        if graph.head == "ask" or naming[ANSWER] == ANSWER
    ]
    return min(found, key=lines)


def lines(graph: QueryGraph) -> tuple[list[bytes], list[bytes]]:
    """What is compared."""
    triples = sorted(str(triple).encode() for triple in graph.triples)
    filters = sorted(f"FILTER ( {one} != {other} )".encode() for one, other in graph.filters)
    return triples, filters
