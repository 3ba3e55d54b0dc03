"""The matcher against the enumeration of all assignments."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from partwise.language.query_graph import ANSWER, QueryGraph, Triple
from partwise_papers.films.matcher import Matcher

THINGS = ("a", "b", "c", "d")
PREDICATES = ("p", "q", "p|q")
NODES = ("?x0", "?x1", "?x2", "M0", "M1")

facts = st.frozensets(
    st.tuples(st.sampled_from(THINGS), st.sampled_from("pq"), st.sampled_from(THINGS)), max_size=10
)
triples = st.builds(
    Triple, st.sampled_from(NODES), st.sampled_from(PREDICATES), st.sampled_from(NODES)
)
attributes = st.builds(Triple, st.sampled_from(NODES), st.just("q"), st.sampled_from(THINGS))


@given(
    facts,
    st.frozensets(triples, max_size=4),
    st.frozensets(attributes, max_size=2),
    st.booleans(),
    st.tuples(st.sampled_from(THINGS), st.sampled_from(THINGS)),
    st.booleans(),
)
def test_answers_are_those_of_all_assignments(
    known: frozenset[tuple[str, str, str]],
    edges: frozenset[Triple],
    said: frozenset[Triple],
    select: bool,
    entities: tuple[str, str],
    differ: bool,
) -> None:
    if select:
        edges |= {Triple(ANSWER, "p|q", "?x1")}
    filters = frozenset((e.subject, e.object) for e in edges) if differ else frozenset()
    graph = QueryGraph("select" if select else "ask", edges, said, filters)
    bindings = dict(zip(("M0", "M1"), entities, strict=True))
    expected = set()
    for values in product(THINGS, repeat=len(graph.variables)):
        at = {**bindings, **dict(zip(graph.variables, values, strict=True))}
        holds = all(
            any((at[s], one, at.get(o, o)) in known for one in p.split("|"))
            for s, p, o in graph.triples
        )
        if holds and all(at[one] != at[other] for one, other in filters):
            expected.add(at.get(ANSWER, ""))
    matcher = Matcher(known)
    assert matcher.ask(graph, bindings) == bool(expected)
    if select:
        assert matcher.select(graph, bindings) == expected
