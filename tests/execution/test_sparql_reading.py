"""Reading a knowledge graph: literals in the places of a query's parameters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from partwise.errors import ExecutionError
from partwise.execution.sparql import SPARQL, GraphValue, Row, RowStore, literal
from partwise.language.values import Many, Number, One, Truth

TURTLE = """@prefix : <https://x.example/> .
:e :title "Emma" ; :year 1815 .
:d :title "Dracula" ; :year 1897 .
:q :title "say \\"$of\\"" ; :year 1900 .
"""


class Heard(RowStore):
    """Keeps the queries it is asked, and gives one row."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        self.row, self.queries = row, list[str]()

    def ask(self, query: str) -> bool:
        raise AssertionError

    def rows(self, query: str, limit: int) -> Sequence[Row]:
        self.queries.append(query)
        return [self.row]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> SPARQL:
    file = tmp_path_factory.mktemp("graph") / "data.ttl"
    file.write_text(TURTLE, encoding="utf-8")
    return SPARQL(file, prefixes={"": "https://x.example/"})


def test_sets_and_values_fill_a_query(graph: SPARQL) -> None:
    query = "SELECT ?t { VALUES ?t $of ?b :title ?t ; :year ?y FILTER (?y > $year) } ORDER BY ?t"
    some = Many(["Emma", "Dracula", 'x" } ; DROP ALL', 'say "$of"'])
    assert graph.column(query, of=some, year=1820) == ("Dracula", 'say "$of"')
    assert graph.column(query, of=some, year=Number(1000)) == ("Dracula", "Emma", 'say "$of"')
    assert graph.column(query, of=One([]), year=0) == ()


def test_texts_and_comments_hold_no_parameters() -> None:
    store = Heard({"t": GraphValue("x")})
    query = "SELECT ?t { ?b ?p \"$of\", '$of', <x:$of> . # $of\n VALUES ?t $of }"
    assert SPARQL(store).column(query, of=Many(["a", 2])) == ("x",)
    assert store.queries == [query.replace("?t $of", '?t { "a" 2 }')]


def test_mistakes_are_told() -> None:
    one, two = Heard({"t": GraphValue("x")}), Heard({"t": GraphValue("x"), "y": GraphValue("z")})
    with pytest.raises(ExecutionError, match=r"nothing is given for \$of"):
        SPARQL(one).column("SELECT ?t { VALUES ?t $of }")
    with pytest.raises(ExecutionError, match="selects several variables"):
        SPARQL(two).column("SELECT ?t ?y { ?t ?p ?y }")
    with pytest.raises(ExecutionError, match="no such file"):
        SPARQL(Path("nix.ttl")).column("SELECT ?t { ?t ?p ?y }")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('a "b"\\\n', '"a \\"b\\"\\\\\\n"'),
        (3, "3"),
        (True, "true"),
        (Truth(False), "false"),
        (Number(2.5), "2.5"),
    ],
)
def test_literals(value: object, text: str) -> None:
    assert literal(value) == text


def test_other_values_are_refused() -> None:
    with pytest.raises(ExecutionError, match="no text or number"):
        literal(None)
