"""SPARQL that is so deep that the store's library would bring its process down."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from partwise.errors import ExecutionError, QuerySyntaxError
from partwise.execution.sparql import LocalStore
from partwise.language.sparql import parse_query

MANY = 50_000
NESTED = {
    "groups": "ASK " + "{" * MANY + "?a ?b ?c" + "}" * MANY,
    "brackets": "ASK { FILTER(" + "(" * MANY + "1" + ")" * MANY + ") }",
    "nodes": "ASK { ?a <x:p> " + "[ <x:p> " * MANY + "1" + "]" * MANY + " }",
    "lists": "ASK { ?a <x:p> " + "(" * MANY + "1" + ")" * MANY + " }",
    "open": "ASK " + "{" * MANY,
}
CHAINED = {
    "not": "ASK { FILTER(" + "!" * MANY + "true) }",
    "sums": "ASK { FILTER(1" + "+1" * MANY + ") }",
    "paths": "ASK { ?a " + "/".join(["<x:p>"] * MANY) + " ?b }",
    "unions": "ASK { {?a ?b ?c} " + " UNION {?a ?b ?c}" * MANY + " }",
    "filters": "ASK { ?a <x:p> ?b" + " FILTER (?a != ?b)" * MANY + " }",
}
FINE = "ASK " + "{" * 150 + "?a ?b ?c" + "}" * 150


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStore]:
    file = tmp_path_factory.mktemp("graph") / "data.ttl"
    file.write_text("<x:a> <x:p> <x:b> .", encoding="utf-8")
    with LocalStore(file, timeout=5.0) as opened:
        yield opened


@pytest.mark.parametrize("name", NESTED)
def test_nested_queries_are_refused_before_they_run(store: LocalStore, name: str) -> None:
    before = store._process.pid
    with pytest.raises(ExecutionError, match="more than 200 brackets inside one another"):
        store.ask(NESTED[name])
    assert store.ask(FINE)
    assert store._process.pid == before


@pytest.mark.parametrize("name", CHAINED)
def test_a_process_that_goes_down_is_replaced(store: LocalStore, name: str) -> None:
    with pytest.raises(ExecutionError, match=r"brought its process down|was stopped"):
        store.ask(CHAINED[name])
    assert store.ask(FINE)


def test_the_reader_refuses_depth() -> None:
    with pytest.raises(QuerySyntaxError):
        parse_query("ASK { " + "{" * MANY + "M0 a film:Person" + "}" * MANY + " }")
    path = "/".join(["film:x"] * 200)
    assert parse_query(f"ASK {{ M0 {path} M1 }}").edges
    with pytest.raises(QuerySyntaxError, match="a property path of more than 200 steps"):
        parse_query(f"ASK {{ M0 {path}/film:x M1 }}")
