"""Query graphs, answered by a store."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from partwise.errors import DataError, ExecutionError
from partwise.evaluation.metrics import Runner
from partwise.execution.sparql import LocalStore
from partwise.language.graph_domain import GraphDomain
from partwise.language.query_graph import QueryGraph, Triple

F = "http://films.example/"
DOMAIN = GraphDomain("films", "sparql", prefixes={"f": F})
DIRECTED = frozenset({Triple("M0", "f:directed", "?x0")})


def select(*edges: tuple[str, str, str]) -> QueryGraph:
    return QueryGraph("select", frozenset(Triple(*edge) for edge in edges))


@pytest.fixture
def domain(store: LocalStore) -> GraphDomain:
    return DOMAIN.with_store(store)


def test_yes_and_no(domain: GraphDomain) -> None:
    graph = QueryGraph("ask", frozenset({Triple("M0", "f:directed", "M1")}))
    one = {"M0": F + "p1", "M1": F + "f1"}
    assert f"<{F}p1> f:directed <{F}f1>" in domain.query(graph, one)
    yes, no = domain.run(graph, one), domain.run(graph, {"M0": "f:p2", "M1": "f:f1"})
    assert (yes, domain.show(yes)) == (True, ["yes"])
    assert (no, domain.show(no)) == (False, ["no"])


def test_names_in_order(domain: GraphDomain) -> None:
    films = domain.run(select(("M0", "f:directed", "?x0")), {"M0": F + "p1"})
    assert domain.show(films) == ["Night Ferry", "Salt"]
    assert domain.denotation(films) == {F + "f1", F + "f2"}


def test_the_query_runs_as_it_is_shown(domain: GraphDomain, store: LocalStore) -> None:
    query = domain.query(select(("?x0", "f:directed", "M0")), {"M0": F + "f1"})
    assert store.select(query, 10) == [F + "p1"]


def test_literals_are_their_own_names(domain: GraphDomain) -> None:
    years = domain.run(select(("M0", "f:year", "?x0")), {"M0": F + "f2"})
    assert (years, domain.show(years)) == (("1999",), ["1999"])


def test_a_limit(domain: GraphDomain) -> None:
    graph = select(("M0", "f:directed", "?x0"))
    cut, whole = replace(domain, limit=1), replace(domain, limit=2)
    value = cut.run(graph, {"M0": F + "p1"})
    assert len(cut.show(value)) == 1
    with pytest.raises(DataError, match="more than 1 values"):
        cut.denotation(value)
    assert len(whole.show(whole.run(graph, {"M0": F + "p1"}))) == 2


def test_more_values_are_compared_than_shown(domain: GraphDomain) -> None:
    graph = select(("M0", "f:directed", "?x0"))
    compared = Runner(replace(domain, limit=1)).denotation(graph, (("M0", F + "p1"),))
    assert compared == {F + "f1", F + "f2"}


def test_no_values(domain: GraphDomain) -> None:
    none = domain.run(select(("M0", "f:married", "?x0")), {"M0": F + "p1"})
    assert none == ()
    assert domain.show(none) == []


def test_a_filter_takes_away(domain: GraphDomain) -> None:
    edges = {Triple("?x0", "f:directed", "?x1"), Triple("?x2", "f:directed", "?x1")}
    differ = QueryGraph("ask", frozenset(edges), filters=frozenset({("?x0", "?x2")}))
    assert domain.run(QueryGraph("ask", frozenset(edges))) is True
    assert domain.run(differ) is False


@pytest.mark.parametrize("bindings", [{}, {"M0": "p1"}, {"M0": "http://a.example/> } #"}])
def test_what_cannot_be_bound_does_not_run(domain: GraphDomain, bindings: dict[str, str]) -> None:
    with pytest.raises(ExecutionError, match=r"^M0 "):
        domain.run(select(("M0", "f:directed", "?x0")), bindings)


def test_an_undeclared_prefix_does_not_run(domain: GraphDomain) -> None:
    with pytest.raises(ExecutionError, match="cannot be read"):
        domain.run(select(("M0", "g:directed", "?x0")), {"M0": F + "p1"})


class Down:
    """A store that is down, at once or when it comes to labels."""

    def __init__(self, values: list[str] | None) -> None:
        self.values = values

    def ask(self, query: str) -> bool:
        raise ExecutionError("down")

    def select(self, query: str, limit: int) -> list[str]:
        if self.values is None:
            raise ExecutionError("down")
        return self.values

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        raise ExecutionError("down")

    def names(self, limit: int) -> dict[str, list[str]]:
        raise ExecutionError("down")


@pytest.mark.parametrize("values", [None, [F + "f1"]])
def test_a_store_that_is_down_is_an_error(values: list[str] | None) -> None:
    domain = DOMAIN.with_store(Down(values))
    with pytest.raises(ExecutionError, match=r"^down$"):
        domain.show(domain.run(select(("M0", "f:p", "?x0")), {"M0": F + "p1"}))
    with pytest.raises(ExecutionError, match=r"^down$"):
        domain.run(QueryGraph("ask", DIRECTED), {"M0": F + "p1"})
