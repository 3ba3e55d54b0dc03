"""What a domain of query graphs does by itself, and with a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from partwise.errors import DataError, ExecutionError, QuerySyntaxError
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph, Triple

F = "http://films.example/"
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
