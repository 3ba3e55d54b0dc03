"""Query graphs compared with gold ones, and their answers on a store."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from partwise.domains.films.domain import FILMS
from partwise.errors import DataError, ExecutionError
from partwise.evaluation.metrics import NO_PARSE
from partwise.graph.denotations import Denotations
from partwise.graph.metrics import (
    ASKED,
    ATTRIBUTES,
    EDGES,
    FILTERS,
    HEAD,
    GraphMetrics,
    score_graphs,
)
from partwise.graph.mistakes import graph_mistakes
from partwise.graph.result import GraphParse
from partwise.interface.data import Example
from partwise.language.query.graph import QueryGraph
from partwise.language.query.sparql_read import parse_query
from partwise.language.tokenizer import tokenize

BINDINGS = (("M0", "https://films.example/Tide"), ("M1", "https://films.example/Ada"))
GOLD = "SELECT DISTINCT ?x0 WHERE { M0 film:director ?x0 . ?x0 film:spouse ?x1 . ?x1 a film:Actor }"
OTHER = (
    "SELECT DISTINCT ?x0 WHERE { M0 film:director ?x1 . ?x1 film:spouse ?x0 . ?x0 a film:Actor }"
)
FILTER = "SELECT DISTINCT ?x0 WHERE { M0 film:spouse ?x0 . FILTER ( M0 != ?x0 ) }"


def example(query: str, bindings: tuple[tuple[str, str], ...] = BINDINGS) -> Example[QueryGraph]:
    return Example("Who", parse_query(query), "here:1", context=bindings)


def parse(query: str | None) -> GraphParse:
    graph = None if query is None else parse_query(query)
    return GraphParse(tokenize("Who"), graph, reason=None if graph else "no idea")


def one(gold: str, guess: str | None) -> GraphMetrics:
    return score_graphs(FILMS, [example(gold)], [parse(guess)])


@pytest.mark.parametrize(
    ("gold", "guess", "wrong", "edges"),
    [
        (GOLD, GOLD, None, True),
        (GOLD, GOLD.replace("?x1", "?x7"), None, True),
        (GOLD, None, NO_PARSE, False),
        (GOLD, GOLD.replace("spouse", "sibling"), EDGES, False),
        (GOLD, GOLD.replace("Actor", "Editor"), ATTRIBUTES, True),
        (GOLD, GOLD.replace("?x1 a", "?x0 a"), ATTRIBUTES, True),
        (GOLD, GOLD.replace("SELECT DISTINCT ?x0", "ASK"), HEAD, True),
        (GOLD, OTHER, ASKED, True),
        (FILTER, FILTER.replace(" . FILTER ( M0 != ?x0 )", ""), FILTERS, True),
    ],
)  # fmt: skip
def test_a_query_is_first_wrong_in_one_thing(
    gold: str, guess: str | None, wrong: str | None, edges: bool
) -> None:
    metrics = one(gold, guess)
    assert metrics.outcomes[0].wrong == wrong
    assert metrics.exact_match == float(wrong is None)
    assert metrics.edges_match == float(edges)
    assert metrics.by_error() == ({} if wrong is None else {wrong: 1})
    assert metrics.no_parse == int(guess is None)
    assert metrics.denotation is None
    assert "denotation" not in metrics.to_json()


def test_means_and_breakdowns() -> None:
    ask = "ASK WHERE { M0 film:director M1 }"
    examples = [example(GOLD), example(GOLD), example(ask), example(ask)]
    parses = [parse(GOLD), parse(None), parse(ask), parse(ask.replace("director", "editor"))]
    metrics = score_graphs(FILMS, examples, parses)
    assert metrics.exact_match == metrics.edges_match == 0.5
    assert metrics.by_variables() == {0: (0.5, 2), 2: (0.5, 2)}
    assert metrics.to_json()["by_variables"]["2"] == {"exact_match": 0.5, "n": 2}
    assert metrics.to_json()["errors"] == {NO_PARSE: 1, EDGES: 1}
    lines = graph_mistakes(FILMS, examples, parses, metrics).splitlines()
    assert len(lines) == 2
    assert '"predicted": null' in lines[0]
    assert '"error": "no idea"' in lines[0]
    assert '"missing": ["M0 film:director M1"], "extra": ["M0 film:editor M1"]' in lines[1]
    with pytest.raises(ValueError, match="1 parses for 4 examples"):
        score_graphs(FILMS, examples, parses[:1])


def test_variables_that_nobody_can_name_do_not_match() -> None:
    many = {f"?x{i}": f"?x{i}" for i in range(60)}
    text = " . ".join(f"?x{i} film:spouse ?x{(i + 1) % 60}" for i in range(60))
    other = " . ".join(f"?x{i} film:spouse ?x{(i + 7) % 60}" for i in range(60))
    metrics = one(f"ASK WHERE {{ {text} }}", f"ASK WHERE {{ {other} }}")
    assert metrics.outcomes[0].wrong == EDGES
    assert metrics.outcomes[0].variables == len(many)


class Store:
    """Knows the answer by a word of the query."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, query: str) -> bool:
        self.asked.append(query)
        return "film:director" in query

    def select(self, query: str, limit: int) -> list[str]:
        self.asked.append(query)
        if "film:editor" in query:
            raise ExecutionError("down")
        return [f"https://films.example/{n}" for n in range(1 + ("film:sequel" in query))]

    def labels(self, iris: Iterable[str]) -> dict[str, str]:
        raise AssertionError("nobody needs names")


def denoted(gold: str, guess: str | None, bindings: object = BINDINGS) -> GraphMetrics:
    answers = Denotations(Store(), FILMS)
    assert isinstance(bindings, tuple)
    return score_graphs(FILMS, [example(gold, bindings)], [parse(guess)], answers)


def test_answers_are_compared() -> None:
    assert denoted(GOLD, GOLD).denotation == 1
    assert denoted(GOLD, GOLD.replace("Actor", "Editor")).denotation == 1
    assert denoted(GOLD, GOLD.replace("spouse", "sequel")).denotation == 0
    # Whether and what are no equal answers.
    assert denoted(GOLD, GOLD.replace("SELECT DISTINCT ?x0", "ASK")).denotation == 0
    none = denoted(GOLD, None)
    assert (none.denotation, none.no_parse, none.failed) == (0, 1, 0)
    down = denoted(GOLD, GOLD.replace("spouse", "editor"))
    assert (down.denotation, down.no_parse, down.failed) == (0, 0, 1)
    assert down.outcomes[0].error == "down"
    assert down.to_json()["failed"] == 1


def test_a_query_that_says_nothing_is_never_right() -> None:
    gold = example("ASK WHERE { M0 film:director M1 }")
    empty = GraphParse(tokenize("Was"), QueryGraph("ask", frozenset()))
    metrics = score_graphs(FILMS, [gold], [empty], Denotations(Store(), FILMS))
    assert metrics.denotation == 0
    assert metrics.outcomes[0].error == "the query says nothing"


def test_a_gold_query_that_fails_is_named() -> None:
    with pytest.raises(DataError, match=r"here:1: the gold query fails to run.*down"):
        denoted(GOLD.replace("spouse", "editor"), GOLD)
    with pytest.raises(DataError, match="M0 stands for no entity"):
        denoted(GOLD, GOLD, ())


def test_a_query_runs_once() -> None:
    store = Store()
    answers = Denotations(store, FILMS)
    score_graphs(FILMS, [example(GOLD)] * 5, [parse(GOLD)] * 5, answers)
    assert len(store.asked) == 1
    assert "PREFIX film:" in store.asked[0]
