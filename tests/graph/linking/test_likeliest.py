"""Of several things of one name that is meant of which the query may hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from partwise import GraphParser
from partwise.domains.films.domain import FILMS
from partwise.errors import ExecutionError
from partwise.graph.linking.linker import Linked
from partwise.graph.linking.questions import likeliest
from partwise.language.query_graph import QueryGraph, Triple

FILM, CHARACTER = "http://f/gump", "http://f/gump_character"
LINKED = Linked("Who played M0", {"M0": FILM}, {"M0": (FILM, CHARACTER)}, {"M0": "Gump"})
PLAYED = QueryGraph("select", frozenset({Triple("?x0", "film:plays", "M0")}))


class Store:
    """Knows which queries hold by the IRI in them."""

    def __init__(self, *holds: str) -> None:
        self.holds, self.asked = holds, list[str]()

    def ask(self, query: str) -> bool:
        self.asked.append(query)
        if not self.holds:
            raise ExecutionError("the store is gone")
        return any(f"<{iri}>" in query for iri in self.holds)

    def select(self, query: str, limit: int) -> list[str]:
        raise AssertionError(query)

    def labels(self, iris: object) -> dict[str, str]:
        raise AssertionError(iris)


def test_the_first_that_fits_is_taken() -> None:
    store = Store(CHARACTER)
    found = likeliest(LINKED, PLAYED, replace(FILMS, store=store))
    assert found.bindings == {"M0": CHARACTER}
    assert found.ambiguous == {"M0": (CHARACTER, FILM)}
    assert len(store.asked) == 2


def test_the_usual_one_stays_where_it_fits() -> None:
    store = Store(FILM, CHARACTER)
    assert likeliest(LINKED, PLAYED, replace(FILMS, store=store)) == LINKED
    assert len(store.asked) == 1


@pytest.mark.parametrize("holds", [(), ("http://f/other",)])
def test_where_nothing_fits_or_the_store_fails_all_stays(holds: tuple[str, ...]) -> None:
    assert likeliest(LINKED, PLAYED, replace(FILMS, store=Store(*holds))) == LINKED


def test_other_ends_are_left_open() -> None:
    graph = QueryGraph(
        "ask",
        frozenset({Triple("M0", "film:director", "M1"), Triple("?x0", "film:sequel", "M0")}),
        frozenset({Triple("M1", "film:gender", "film:female")}),
    )
    store = Store(FILM)
    likeliest(LINKED, graph, replace(FILMS, store=store))
    (query,) = store.asked
    assert "M1" not in query
    assert "gender" not in query
    assert query.count("?x") == 2


def test_a_name_that_nothing_is_said_of_is_left_alone() -> None:
    graph = QueryGraph("ask", frozenset({Triple("M1", "film:director", "M2")}))
    store = Store(CHARACTER)
    assert likeliest(LINKED, graph, replace(FILMS, store=store)) == LINKED
    assert store.asked == []


def test_a_character_is_told_from_the_film_of_its_name() -> None:
    films = GraphParser.from_pretrained("films")
    assert str(films("Who played Forrest Gump?")) == "Tom Hanks"
    assert str(films("Who directed Forrest Gump?")) == "Robert Zemeckis"
