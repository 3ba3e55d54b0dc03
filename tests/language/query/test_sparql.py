"""What is written reads back; what is outside of the fragment is refused where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from query_helpers import query_graphs

from partwise.errors import ProgramSyntaxError, QueryError, QuerySyntaxError, TextSyntaxError
from partwise.language.query_graph import QueryGraph, Triple
from partwise.language.sparql import DIALECTS, Dialect, named, parse_query, write_query

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
    assert write_query(named(GRAPH, bindings, prefixes), "sparql", prefixes) == SPARQL
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


@pytest.mark.parametrize(
    "text",
    [
        "select Count ( * ) where{M0 p:q ?x1}",
        "SELECT count(*) WHERE {\r\n\tM0 p:q ?x1 .\r\n}",
        "PREFIX p: <http://x/> prefix : <http://y/> ASK { M0 p:q ?x1 . }",
        "ASK WHERE { M0 p:q ?x1 . M0 p:q ?x1 }",
    ],
)
def test_spellings(text: str) -> None:
    assert parse_query(text) == QueryGraph("ask", frozenset({Triple("M0", "p:q", "?x1")}))


def test_paths_are_one_text_and_dots_beside_filters_may_go() -> None:
    graph = parse_query("ASK { M0 ^p:a.b / p:c | ^ <http://d> ?x0 FILTER(?x0 != M0) M0 a ?x0 }")
    assert {edge.predicate for edge in graph.edges} == {"^p:a.b/p:c|^<http://d>", "a"}
    assert graph.filters == {("?x0", "M0")}


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("", "expected ASK or SELECT, found the end", ""),
        ("DESCRIBE M0", "expected ASK or SELECT", "DESCRIBE"),
        ("SELECT ?x0 WHERE { ?x0 p:q M0 }", r"expected 'count\(\*\)' or 'DISTINCT \?x0'", "?x0 WH"),
        ("SELECT DISTINCT ?x1 WHERE { ?x1 p:q M0 }", r"expected '\?x0'", "?x1 WH"),
        ("SELECT DISTINCT ?x0 WHERE { ?x1 p:q M0 }", "must say something of it", "SELECT"),
        ("SELECT DISTINCT ?x0 ?x1 WHERE { ?x0 p:q M0 }", "expected '{'", "?x1"),
        ("ASK { OPTIONAL { M0 p:q M1 } }", "expected an entity or a variable such as", "OPTIONAL"),
        ("ASK { { M0 p:q M1 } UNION { M0 p:q M1 } }", "expected an entity", "{ M0"),
        ('ASK { M0 p:q "text" }', "a literal", '"text"'),
        ("ASK { M0 p:q 12 }", "a literal", "12"),
        ("ASK { M0 ?x0 M1 }", "a variable as a predicate", "?x0"),
        ("ASK { M0 p:q ?who }", "variables are named", "?who"),
        ("ASK { M0 p:q ?x01 }", "variables are named", "?x01"),
        ("ASK { M0 p:q ?x1234567 }", "variables are named", "?x1234567"),
        ("ASK { wd:Q5 p:q M0 }", "expected an entity or a variable", "wd:Q5"),
        ("ASK { M0 word M1 }", "expected a predicate such as", "word"),
        ("ASK { M0 p:q+ M1 }", r"unexpected '\+'", "+"),
        ("ASK { M0 (p:q) M1 }", "expected a predicate", "(p:q"),
        ("ASK { M0 p:q/ M1 }", "expected a predicate", "M1"),
        ("ASK { M0 p:q M1 ; p:r M2 }", "unexpected ';'", ";"),
        ("ASK { M0 p:q M1 M0 p:r M2 }", r"expected '\.' or '}'", "M0 p:r"),
        ("ASK { M0 p:q M1 . . }", "expected an entity", ". }"),
        ("ASK { M0 p:q M1 . FILTER ( M0 = M1 ) }", "unexpected '='", "="),
        ("ASK { M0 p:q M1 . FILTER ( M0 != wd:Q5 ) }", "expected an entity", "wd:Q5"),
        ("ASK { M0 p:q M1 . FILTER ( M0 != ?x0 ) }", "what no triple says", "FILTER"),
        ("ASK { M0 p:q M1", r"expected '\.' or '}', found the end", ""),
        ("ASK { M0 p:q M1 } LIMIT 1", "nothing more after the query", "LIMIT"),
        ("ASK { M0 p:q M1 } #", "unexpected '#'", "#"),
        ("PREFIX p <http://x> ASK { }", "expected a prefix", "p <"),
        ("PREFIX p: x ASK { }", "expected an IRI", "x ASK"),
    ],
)
def test_what_is_outside_is_refused_in_its_place(text: str, message: str, at: str) -> None:
    with pytest.raises(QuerySyntaxError, match=message) as caught:
        parse_query(text)
    assert caught.value.position == (text.index(at) if at else len(text))
    shown, caret = str(caught.value).splitlines()[-2:]
    assert shown[caret.index("^") :].startswith(at[:10])


def test_the_caret_is_that_of_programs() -> None:
    both = [kind("odd", "ab\ncd", 4) for kind in (QuerySyntaxError, ProgramSyntaxError)]
    assert str(both[0]) == str(both[1]) == "odd at column 5\n  ab cd\n      ^"
    assert all(isinstance(error, TextSyntaxError) for error in both)
    assert isinstance(both[0], QueryError)


@pytest.mark.parametrize(
    "text",
    [
        "ASK { " + "{ " * 300_000,
        "ASK { M0 " + "(" * 300_000,
        "ASK { M0 " + "^" * 300_000,
        "ASK { M0 p:" + "a." * 300_000,
        "ASK { M0 p:" + "." * 300_000,
        "A" * 1_000_000,
        " " * 1_000_000 + "!",
        "<" * 300_000,
        "ASK { M0 p:q <" + "x" * 1_000_000,
        "ASK { M0 p:a" + "/p:b" * 200_000,
        "ASK { " + "M0 p:q M1 . " * 100_000,
        "?x" + "9" * 1_000_000,
        "ASK { M" + "9" * 1_000_000,
        "\x00\ud800",
    ],
)
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
