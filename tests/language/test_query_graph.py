"""Query graphs: canonical forms, what is written and read and may stand in a query, domains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import cases, rows
from partwise.errors import (
    DataError,
    ExecutionError,
    QueryError,
    QuerySyntaxError,
)
from partwise.language import query_graph as canonical_module
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import (
    ANSWER,
    MAX_READS,
    QueryGraph,
    Triple,
    VariableNames,
    canonical,
    expected_head,
    with_filters,
)
from partwise.language.sparql import (
    DIALECTS,
    Dialect,
    bind,
    is_iri,
    last_part,
    name_entities,
    parse_query,
    write_query,
)

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
    return graph, graph.rename(dict(zip(free, draw(st.permutations(free)), strict=True)))


def smallest(graph: QueryGraph) -> QueryGraph:
    """The definition of the canonical form, word by word."""
    names = [f"?x{i}" for i in range(len(graph.variables))]
    namings = (dict(zip(graph.variables, order, strict=True)) for order in permutations(names))
    found = [
        graph.rename(naming)
        for naming in namings
        if graph.head == "ask" or naming[ANSWER] == ANSWER
    ]
    return min(found, key=lines)


def lines(graph: QueryGraph) -> tuple[list[bytes], list[bytes]]:
    """What is compared."""
    triples = sorted(str(triple).encode() for triple in graph.triples)
    filters = sorted(f"FILTER ( {one} != {other} )".encode() for one, other in graph.filters)
    return triples, filters


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
    return graph.rename({name: names[i] for name, i in zip(names, order, strict=True)})


ALIKE = dict(rows(globals(), "ALIKE"))


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


@cases("one, other")
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


SPOUSE = "ns:p.spouse_s/ns:p.marriage.spouse|ns:f.married_to"
GRAPH = QueryGraph(
    "select",
    frozenset({Triple("?x0", SPOUSE, "M1"), Triple("M0", "ns:made", "?x0")}),
    frozenset({Triple("?x0", "a", "ns:p.person")}),
    frozenset({("?x0", "M1")}),
)
CFQ = f"""SELECT DISTINCT ?x0 WHERE {{
?x0 a ns:p.person .
?x0 {SPOUSE} M1 .
FILTER ( ?x0 != M1 ) .
M0 ns:made ?x0
}}"""
WIKIDATA = (
    f"SELECT DISTINCT ?x0 WHERE {{ ?x0 a ns:p.person . ?x0 {SPOUSE} M1 . M0 ns:made ?x0 . "
    "FILTER ( ?x0 != M1 ) }"
)
SPARQL = f"""PREFIX ns: <http://example.org/ns/>
SELECT DISTINCT ?x0 WHERE {{
  <http://example.org/ns/zero> ns:made ?x0 .
  ?x0 a ns:p.person .
  ?x0 {SPOUSE} <http://example.org/one> .
  FILTER ( ?x0 != <http://example.org/one> ) .
}}"""


def test_the_dialects() -> None:
    assert write_query(GRAPH, "cfq") == CFQ
    assert write_query(GRAPH, "wikidata") == WIKIDATA
    prefixes = {"ns": "http://example.org/ns/"}
    bindings = {"M0": "ns:zero", "M1": "http://example.org/one"}
    assert write_query(name_entities(GRAPH, bindings, prefixes), "sparql", prefixes) == SPARQL
    unbound = write_query(GRAPH, "sparql", prefixes)
    assert parse_query(CFQ) == parse_query(WIKIDATA) == parse_query(unbound) == GRAPH
    asking = parse_query("ASK WHERE { M0 ns:made M1 }")
    assert asking.head == "ask"
    assert write_query(asking, "cfq") == "SELECT count(*) WHERE {\nM0 ns:made M1\n}"
    assert write_query(asking, "wikidata") == "ASK WHERE { M0 ns:made M1 }"
    assert write_query(asking, "sparql") == "ASK WHERE {\n  M0 ns:made M1 .\n}"


@given(query_graphs(), st.sampled_from(DIALECTS))
def test_what_is_written_reads_back(graph: QueryGraph, dialect: Dialect) -> None:
    text = write_query(graph, dialect)
    assert parse_query(text) == graph
    assert write_query(parse_query(text), dialect) == text


def test_entities_sort_bytewise_and_only_constants_are_attributes() -> None:
    graph = parse_query("ASK { M10 :p M2 . M1 :p ?x1 . M1 :p wd:Q5 . M1 :p <http://x> . M1 a M2 }")
    assert {triple.object for triple in graph.attributes} == {"wd:Q5", "<http://x>"}
    assert {triple.object for triple in graph.edges} == {"M2", "?x1"}
    assert write_query(graph, "wikidata").index("M10") > write_query(graph, "wikidata").index("M1 ")


@cases("text")
def test_spellings(text: str) -> None:
    assert parse_query(text) == QueryGraph("ask", frozenset({Triple("M0", "p:q", "?x1")}))


def test_paths_are_one_text_and_dots_beside_filters_may_go() -> None:
    graph = parse_query("ASK { M0 ^p:a.b / p:c | ^ <http://d> ?x0 FILTER(?x0 != M0) M0 a ?x0 }")
    assert {edge.predicate for edge in graph.edges} == {"^p:a.b/p:c|^<http://d>", "a"}
    assert graph.filters == {("?x0", "M0")}


@cases("text, message, at")
def test_what_is_outside_is_refused_in_its_place(text: str, message: str, at: str) -> None:
    with pytest.raises(QuerySyntaxError, match=message) as caught:
        parse_query(text)
    assert caught.value.position == (text.index(at) if at else len(text))
    shown, caret = str(caught.value).splitlines()[-2:]
    assert shown[caret.index("^") :].startswith(at[:10])


@cases("text")
def test_hostile_texts_end_in_a_short_message(text: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse_query(text)
    assert len(str(caught.value)) < 600


@given(st.text("ASK{} M0?x1:p.!=()FILTER^|/<>'\"\n", max_size=60))
def test_any_text_reads_or_is_refused(text: str) -> None:
    try:
        graph = parse_query(f"ASK {{ {text} }}")
    except QuerySyntaxError:
        return
    assert parse_query(write_query(graph, "cfq")) == graph


@pytest.mark.parametrize("iri", ["not an iri", "http://x> SELECT"])
def test_prefixes_are_iris(iri: str) -> None:
    with pytest.raises(QueryError, match="IRI"):
        write_query(GRAPH, "sparql", {"ns": iri})


def test_unknown_dialect() -> None:
    with pytest.raises(QueryError, match="no dialect 'sql'; there are cfq, wikidata, sparql"):
        write_query(GRAPH, "sql")  # type: ignore[arg-type]


F = "http://films.example/"


def graph(
    subject: str = "?x0", predicate: str = ":directed", target: str = "M0", constant: str = ":male"
) -> QueryGraph:
    return QueryGraph(
        "ask",
        frozenset({Triple(subject, predicate, target)}),
        frozenset({Triple(subject, ":gender", constant)}),
        frozenset({(subject, target)}),
    )


def test_placeholders_become_iris_everywhere() -> None:
    found = bind(graph("M1"), {"M0": F + "f1", "M1": F + "p1", "M7": F + "f7"})
    one, other = f"<{F}p1>", f"<{F}f1>"
    assert found.edges == {Triple(one, ":directed", other)}
    assert found.attributes == {Triple(one, ":gender", ":male")}
    assert found.filters == {(one, other)}


def test_prefixed_names_are_written_out() -> None:
    found = bind(graph(), {"M0": "wd:Q42"}, {"wd": "http://www.wikidata.org/entity/"})
    assert found.entities == ("<http://www.wikidata.org/entity/Q42>",)
    assert bind(graph(target="wd:Q42"), {}).entities == ("wd:Q42",)


@cases("iri")
def test_bindings_that_are_no_iri(iri: str) -> None:
    assert not is_iri(iri)
    with pytest.raises(ExecutionError, match="M0 is bound to"):
        bind(graph(), {"M0": iri})


def test_a_placeholder_without_a_binding() -> None:
    with pytest.raises(ExecutionError, match="M0 stands for no entity"):
        bind(graph(), {"M1": F + "f1"})


@cases("part, text")
def test_graphs_that_would_inject(part: str, text: str) -> None:
    with pytest.raises(ExecutionError, match="cannot stand in a query"):
        bind(graph(**{part: text}), {"M0": F + "f1"})


@cases("predicate")
@pytest.mark.parametrize(
    "constant", ["wd:Q5", f"<{F}male>", '"a \\"b\\""@en', '"1"^^xsd:integer', "1999", "true"]
)
def test_terms_of_all_kinds_may_stand(predicate: str, constant: str) -> None:
    named = graph(predicate=predicate, constant=constant)
    assert bind(named, {"M0": F + "f1"}) == named.rename({"M0": f"<{F}f1>"})


@pytest.mark.parametrize("iri", ["a film", "http://x> . ?s ?p ?o", "x:y . ?s ?p ?o", ""])
def test_some_placeholders_may_stay_yet_what_is_bound_is_an_iri(iri: str) -> None:
    assert name_entities(graph("M1"), {"M0": F + "f1"}).entities == ("M1", f"<{F}f1>")
    with pytest.raises(ExecutionError, match="M0 is bound to"):
        name_entities(graph(), {"M0": iri})


@given(st.text() | st.from_regex(r"http:[<>\w/ {}\"\\]*", fullmatch=True))
def test_what_is_bound_cannot_leave_its_brackets(text: str) -> None:
    try:
        [entity] = bind(graph(), {"M0": text}).entities
    except ExecutionError:
        return
    assert entity == f"<{text}>"
    assert not set(text) & set('<>"{}|^`\\ \n\t')


@cases("iri, last")
def test_last_part(iri: str, last: str) -> None:
    assert last_part(iri) == last


SELECT = QueryGraph("select", frozenset({Triple("M0", "f:directed", "?x0")}))
ASK = QueryGraph("ask", frozenset({Triple("M0", "f:directed", "M1")}))
CONTEXT = {"M0": F + "p1", "M1": "f:f1"}


class Few:
    """A store with the same answer to all questions."""

    closed = False

    def ask(self, query: str) -> bool:
        return True

    def select(self, query: str, limit: int) -> list[str]:
        return ["b", "a", "c", "c"][:limit]

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        return {iri: {"a": "Zebra", "b": "alpha"}.get(iri, iri) for iri in iris}

    def names(self, limit: int) -> dict[str, list[str]]:
        return {}


DOMAIN = GraphDomain("films", "cfq", prefixes={"f": F}, store=Few())


def test_queries_are_read_and_written_in_the_dialect_of_the_domain() -> None:
    text = DOMAIN.write(SELECT)
    assert text == "SELECT DISTINCT ?x0 WHERE {\nM0 f:directed ?x0\n}"
    assert DOMAIN.read(text) == SELECT
    with pytest.raises(QuerySyntaxError):
        DOMAIN.read("SELECT everything")


def test_canonical_graphs_are_equal_whatever_their_variables_are_called() -> None:
    one, other = (
        QueryGraph("ask", frozenset({Triple("M0", "p", name), Triple(name, "q", "M1")}))
        for name in ("?x0", "?x7")
    )
    assert one != other
    assert DOMAIN.canonical(one) == DOMAIN.canonical(other)


def test_answers_are_compared_by_values_and_shown_by_names() -> None:
    value = DOMAIN.run(SELECT, CONTEXT)
    assert DOMAIN.denotation(value) == {"a", "b", "c"}
    assert DOMAIN.show(value) == ["alpha", "c", "Zebra"]
    assert DOMAIN.show(DOMAIN.run(ASK, CONTEXT)) == ["yes"]
    assert DOMAIN.denotation(DOMAIN.run(ASK, CONTEXT)) is True
    assert DOMAIN.is_empty(())
    assert not DOMAIN.is_empty(False)
    assert not DOMAIN.is_empty(value)


def test_an_answer_that_was_cut_off_compares_with_nothing() -> None:
    few = GraphDomain("films", "cfq", prefixes={"f": F}, store=Few(), limit=2)
    value = few.run(SELECT, CONTEXT)
    assert few.show(value) == ["alpha", "Zebra"]
    with pytest.raises(DataError, match="more than 2 values"):
        few.denotation(value)


def test_what_has_no_store_or_no_binding_does_not_run() -> None:
    with pytest.raises(ExecutionError, match="M0 stands for no entity"):
        DOMAIN.run(SELECT)
    with pytest.raises(ExecutionError, match="give a store"):
        GraphDomain("films", "cfq", prefixes={"f": F}).run(SELECT, CONTEXT)


def test_its_own_store_is_opened_once() -> None:
    opened = []

    @contextmanager
    def store() -> Iterator[Few]:
        opened.append(1)
        yield Few()

    domain = GraphDomain("films", "cfq", prefixes={"f": F}, open_store=store)
    assert not opened
    assert domain.run(ASK, CONTEXT) is True
    assert domain.run(ASK, CONTEXT) is True
    assert opened == [1]


def test_edges_are_told_apart_from_the_rest() -> None:
    typed = QueryGraph("ask", ASK.edges, frozenset({Triple("M0", "a", "f:Person")}))
    assert DOMAIN.partial_matches(ASK, ASK) == dict.fromkeys(
        ("edges", "attributes", "head", "asked node", "filters"), True
    )
    matches = DOMAIN.partial_matches(ASK, typed)
    assert (matches["edges"], matches["attributes"], matches["head"]) == (True, False, True)
    assert not DOMAIN.partial_matches(ASK, SELECT)["edges"]


def test_a_context_is_what_placeholders_stand_for() -> None:
    assert DOMAIN.read_context("M0=http://a.b/c,M1=f:x") == {"M0": "http://a.b/c", "M1": "f:x"}
    for text in ("M0", "x=http://a.b/c", "M0=", ""):
        with pytest.raises(DataError, match="binds nothing"):
            DOMAIN.read_context(text)
