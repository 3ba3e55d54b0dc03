"""What may stand in a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.errors import ExecutionError
from partwise.language.query_graph import QueryGraph, Triple
from partwise.language.sparql import bound, is_iri, last_part, named

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
    found = bound(graph("M1"), {"M0": F + "f1", "M1": F + "p1", "M7": F + "f7"})
    one, other = f"<{F}p1>", f"<{F}f1>"
    assert found.edges == {Triple(one, ":directed", other)}
    assert found.attributes == {Triple(one, ":gender", ":male")}
    assert found.filters == {(one, other)}


def test_prefixed_names_are_written_out() -> None:
    found = bound(graph(), {"M0": "wd:Q42"}, {"wd": "http://www.wikidata.org/entity/"})
    assert found.entities == ("<http://www.wikidata.org/entity/Q42>",)
    assert bound(graph(target="wd:Q42"), {}).entities == ("wd:Q42",)


@pytest.mark.parametrize(
    "iri",
    [
        "",
        "f1",
        "//films.example/f1",
        f"<{F}f1>",
        f"{F}f1> . ?s ?p <{F}f2",
        F + "f 1",
        F + "f\n1",
        F + 'f"1',
        F + "f{1}",
        F + "f\\u003e1",
        F + "f\u202e1",
        F + "f\x7f1",
        "http:",
    ],
)
def test_bindings_that_are_no_iri(iri: str) -> None:
    assert not is_iri(iri)
    with pytest.raises(ExecutionError, match="M0 is bound to"):
        bound(graph(), {"M0": iri})


def test_a_placeholder_without_a_binding() -> None:
    with pytest.raises(ExecutionError, match="M0 stands for no entity"):
        bound(graph(), {"M1": F + "f1"})


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("subject", "?x0 } #"),
        ("subject", "?x0\n"),
        ("subject", "?y"),
        ("subject", "film"),
        ("predicate", ":p ?y . ?y :q"),
        ("predicate", ":p{1}"),
        ("predicate", ""),
        ("predicate", "?p"),
        ("constant", '"a" . ?s ?p "b"'),
        ("constant", '"a\\"'),
        ("constant", "?x1"),
        ("constant", "} SERVICE :a {"),
    ],
)
def test_graphs_that_would_inject(part: str, text: str) -> None:
    with pytest.raises(ExecutionError, match="cannot stand in a query"):
        bound(graph(**{part: text}), {"M0": F + "f1"})


@pytest.mark.parametrize(
    "predicate",
    [
        "a",
        "wdt:P57",
        "ns:film.actor.film/ns:film.performance.character",
        "^ns:people.person.gender",
        "(wdt:P31/wdt:P279*)|:b",
        f"<{F}directed>",
    ],
)
@pytest.mark.parametrize(
    "constant", ["wd:Q5", f"<{F}male>", '"a \\"b\\""@en', '"1"^^xsd:integer', "1999", "true"]
)
def test_terms_of_all_kinds_may_stand(predicate: str, constant: str) -> None:
    named = graph(predicate=predicate, constant=constant)
    assert bound(named, {"M0": F + "f1"}) == named.renamed({"M0": f"<{F}f1>"})


@pytest.mark.parametrize("iri", ["a film", "http://x> . ?s ?p ?o", "x:y . ?s ?p ?o", ""])
def test_some_placeholders_may_stay_yet_what_is_bound_is_an_iri(iri: str) -> None:
    assert named(graph("M1"), {"M0": F + "f1"}).entities == ("M1", f"<{F}f1>")
    with pytest.raises(ExecutionError, match="M0 is bound to"):
        named(graph(), {"M0": iri})


@given(st.text() | st.from_regex(r"http:[<>\w/ {}\"\\]*", fullmatch=True))
def test_what_is_bound_cannot_leave_its_brackets(text: str) -> None:
    try:
        [entity] = bound(graph(), {"M0": text}).entities
    except ExecutionError:
        return
    assert entity == f"<{text}>"
    assert not set(text) & set('<>"{}|^`\\ \n\t')


@pytest.mark.parametrize(
    ("iri", "last"),
    [
        (F + "f1", "f1"),
        ("http://a.example/b#c", "c"),
        ("http://a.example/b/", "b"),
        ("urn:isbn:12", "12"),
        ("///", "///"),
    ],
)
def test_last_part(iri: str, last: str) -> None:
    assert last_part(iri) == last
