"""The canonical form is the smallest of all namings, and found where all cannot be tried."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from query_helpers import query_graphs, renamed_pairs, smallest

from partwise.errors import QueryError
from partwise.language import query_graph as canonical_module
from partwise.language.query_graph import (
    MAX_READS,
    QueryGraph,
    Triple,
    VariableNames,
    canonical,
    expected_head,
    with_filters,
)
from partwise.language.sparql import parse_query, write_query


@settings(max_examples=300)
@given(query_graphs())
def test_the_smallest_of_all_namings(graph: QueryGraph) -> None:
    assert canonical(graph) == smallest(graph)


@settings(max_examples=200)
@given(renamed_pairs(9))
def test_equal_up_to_names(pair: tuple[QueryGraph, QueryGraph]) -> None:
    graph, other = pair
    assert canonical(graph) == canonical(other)
    assert canonical(canonical(graph)) == canonical(graph)


def test_names_of_more_than_ten_variables_sort_bytewise() -> None:
    texts = " . ".join(f"?x{i} :p M{i:02}" for i in range(12))
    found = write_query(canonical(parse_query(f"ASK {{ {texts} }}")), "wikidata")
    assert "?x1 :p M01 . ?x10 :p M02 . ?x11 :p M03 . ?x2 :p M04" in found


def asking(edges: Iterable[tuple[int, int]], more: Iterable[Triple] = ()) -> QueryGraph:
    triples = {Triple(f"?x{one}", ":p", f"?x{other}") for one, other in edges}
    return QueryGraph("ask", frozenset({*triples, *more}))


def turned(graph: QueryGraph) -> QueryGraph:
    names = graph.variables
    step = next(k for k in range(7, 99) if len(names) % k)
    order = sorted(range(len(names)), key=lambda i: (i * step % len(names), i))
    return graph.renamed({name: names[i] for name, i in zip(names, order, strict=True)})


ALIKE = {
    "star": asking((0, i) for i in range(1, 25)),
    "star inwards": asking((i, 0) for i in range(1, 25)),
    "pairs": asking((2 * i, 2 * i + 1) for i in range(12)),
    "complete": asking((i, j) for i in range(14) for j in range(14) if i != j),
    "cycle": asking((i, (i + 1) % 16) for i in range(16)),
    "triangles": asking((3 * i + a, 3 * i + (a + 1) % 3) for i in range(6) for a in range(3)),
    "two levels": asking([*((0, i) for i in range(1, 13)), *((i, i + 12) for i in range(1, 13))]),
    "cube": asking((i, i ^ (1 << bit)) for i in range(16) for bit in range(4)),
    "Paley": asking((i, (i + s) % 13) for i in range(13) for s in (1, 3, 4, 9, 10, 12)),
    "rook's moves": asking(
        (i, j)
        for i in range(16)
        for j in range(16)
        if i != j and (i // 4 == j // 4 or i % 4 == j % 4)
    ),
    "told apart by entities": asking(
        ((0, i) for i in range(1, 15)), (Triple(f"M{i}", ":q", f"?x{i}") for i in range(1, 15))
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_many_variables_that_are_alike(name: str) -> None:
    graph = ALIKE[name]
    assert len(graph.variables) >= 12
    naming = VariableNames(graph)
    naming.best()
    assert naming.reads < MAX_READS // 10
    assert turned(graph).variables == graph.variables
    assert canonical(graph) == canonical(turned(graph))
    assert sorted(canonical(graph).variables) == sorted(
        f"?x{i}" for i in range(len(graph.variables))
    )


def test_seven_variables_are_always_named() -> None:
    # The worst: all orders tie until the entities' lines are read.
    attributes = frozenset(Triple(f"?x{i}", "a", ":c") for i in range(7))
    graph = QueryGraph(
        "ask", frozenset(Triple("M0", f":p{i}", f"?x{i}") for i in range(7)), attributes
    )
    naming = VariableNames(graph)
    naming.best()
    assert 5_040 < naming.reads < MAX_READS
    assert "M0 :p6 ?x6" in write_query(canonical(graph), "wikidata")


def test_what_cannot_be_named_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical_module, "MAX_READS", 5_000)
    with pytest.raises(QueryError, match="with 51 variables; at most 50"):
        canonical(asking((i, i + 1) for i in range(50)))
    levels = [*((0, i) for i in range(1, 12)), *((i, i + 11) for i in range(1, 12))]
    far = [Triple(f"?x{i + 11}", ":r", f"M{i}") for i in range(1, 12)]
    with pytest.raises(QueryError, match="23 variables are too much alike"):
        canonical(asking(levels, far))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ASK { ?x0 :p ?x1 }", "SELECT DISTINCT ?x0 { ?x0 :p ?x1 }"),
        ("SELECT DISTINCT ?x0 { ?x0 :p ?x1 }", "SELECT DISTINCT ?x0 { ?x1 :p ?x0 }"),
        ("ASK { ?x0 :p ?x1 . ?x1 :p ?x2 }", "ASK { ?x0 :p ?x1 . ?x2 :p ?x1 }"),
        ("ASK { ?x0 :p M0 FILTER(?x0 != M0) }", "ASK { ?x0 :p M0 FILTER(M0 != ?x0) }"),
        ("ASK { ?x0 :p ?x0 }", "ASK { ?x0 :p ?x1 }"),
        ("ASK { ?x0 a :c . M0 :p ?x0 }", "ASK { M0 a :c . M0 :p ?x0 }"),
    ],
)
def test_not_the_same(one: str, other: str) -> None:
    assert canonical(parse_query(one)) != canonical(parse_query(other))
    renamed = parse_query(one.replace("?x1", "?x7"))
    assert canonical(parse_query(one)) == canonical(renamed)


def test_filters_follow_from_triples() -> None:
    bare = parse_query("ASK { M0 :wed ?x0 . ?x0 :wed :Q . ?x0 :of M1 . FILTER ( M1 != ?x0 ) }")
    assert with_filters(bare, {":wed"}).filters == {("M0", "?x0")}
    assert with_filters(bare, ()).filters == frozenset()
    assert with_filters(bare, {":wed"}).triples == bare.triples


def test_the_head_follows_the_first_word() -> None:
    heads = [expected_head(q, {"did"}) for q in ("Did M0 go", "did", "Who went", "Who did", "")]
    assert heads == ["ask", "ask", "select", "select", "select"]
