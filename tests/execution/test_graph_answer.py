"""Query graphs, answered by a store."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from partwise.errors import ExecutionError
from partwise.execution.answer import answer_graph
from partwise.execution.local import LocalStore
from partwise.language.graph_domain import GraphDomain
from partwise.language.query.answer import GraphAnswer
from partwise.language.query.graph import QueryGraph, Triple

F = "http://films.example/"
DOMAIN = GraphDomain("films", "sparql", prefixes={"f": F})
DIRECTED = frozenset({Triple("M0", "f:directed", "?x0")})


def select(*edges: tuple[str, str, str]) -> QueryGraph:
    return QueryGraph("select", frozenset(Triple(*edge) for edge in edges))


def test_yes_and_no(store: LocalStore) -> None:
    graph = QueryGraph("ask", frozenset({Triple("M0", "f:directed", "M1")}))
    yes = answer_graph(graph, {"M0": F + "p1", "M1": F + "f1"}, store, DOMAIN)
    assert (yes.truth, yes.lines, yes.reason) == (True, ("yes",), None)
    assert yes.query is not None
    assert f"<{F}p1> f:directed <{F}f1>" in yes.query
    no = answer_graph(graph, {"M0": "f:p2", "M1": "f:f1"}, store, DOMAIN)
    assert (no.truth, no.lines, no.reason) == (False, ("no",), None)


def test_names_in_order(store: LocalStore) -> None:
    found = answer_graph(select(("M0", "f:directed", "?x0")), {"M0": F + "p1"}, store, DOMAIN)
    assert found.truth is None
    assert found.lines == found.names == ("Night Ferry", "Salt")
    assert found.values == (F + "f1", F + "f2")
    assert not found.more


def test_the_query_runs_as_it_is_shown(store: LocalStore) -> None:
    found = answer_graph(select(("?x0", "f:directed", "M0")), {"M0": F + "f1"}, store, DOMAIN)
    assert found.query is not None
    assert store.select(found.query, 10) == [F + "p1"]


def test_literals_are_their_own_names(store: LocalStore) -> None:
    found = answer_graph(select(("M0", "f:year", "?x0")), {"M0": F + "f2"}, store, DOMAIN)
    assert (found.values, found.names) == (("1999",), ("1999",))


def test_a_limit(store: LocalStore) -> None:
    graph = select(("M0", "f:directed", "?x0"))
    one = answer_graph(graph, {"M0": F + "p1"}, store, DOMAIN, limit=1)
    assert len(one.names) == 1
    assert one.more
    two = answer_graph(graph, {"M0": F + "p1"}, store, DOMAIN, limit=2)
    assert len(two.names) == 2
    assert not two.more


def test_nothing_found(store: LocalStore) -> None:
    found = answer_graph(select(("M0", "f:married", "?x0")), {"M0": F + "p1"}, store, DOMAIN)
    assert (found.lines, found.reason) == ((), None)


def test_a_filter_takes_away(store: LocalStore) -> None:
    edges = {Triple("?x0", "f:directed", "?x1"), Triple("?x2", "f:directed", "?x1")}
    differ = QueryGraph("ask", frozenset(edges), filters=frozenset({("?x0", "?x2")}))
    assert answer_graph(QueryGraph("ask", frozenset(edges)), {}, store, DOMAIN).truth is True
    assert answer_graph(differ, {}, store, DOMAIN).truth is False


@pytest.mark.parametrize("bindings", [{}, {"M0": "p1"}, {"M0": "http://a.example/> } #"}])
def test_what_cannot_be_bound_gives_a_reason(store: LocalStore, bindings: dict[str, str]) -> None:
    found = answer_graph(select(("M0", "f:directed", "?x0")), bindings, store, DOMAIN)
    assert found.lines == ()
    assert found.query is None
    assert found.reason is not None
    assert found.reason.startswith("the query does not run: M0 ")


def test_an_undeclared_prefix_gives_a_reason(store: LocalStore) -> None:
    found = answer_graph(select(("M0", "g:directed", "?x0")), {"M0": F + "p1"}, store, DOMAIN)
    assert found.reason is not None
    assert "cannot be read" in found.reason
    assert found.query is not None


class Down:
    """A store that is down, at once or when it comes to labels."""

    def __init__(self, found: list[str] | None) -> None:
        self.found = found

    def ask(self, query: str) -> bool:
        raise ExecutionError("down")

    def select(self, query: str, limit: int) -> list[str]:
        if self.found is None:
            raise ExecutionError("down")
        return self.found

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        raise ExecutionError("down")


@pytest.mark.parametrize("found", [None, [F + "f1"]])
def test_a_store_that_is_down_gives_a_reason(found: list[str] | None) -> None:
    got = answer_graph(select(("M0", "f:p", "?x0")), {"M0": F + "p1"}, Down(found), DOMAIN)
    assert got == GraphAnswer(query=got.query, reason="the query does not run: down")
    ask = answer_graph(QueryGraph("ask", DIRECTED), {"M0": F + "p1"}, Down(found), DOMAIN)
    assert ask.truth is None
    assert ask.lines == ()
