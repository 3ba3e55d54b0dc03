"""Query graphs compared with gold ones, and their answers on a store."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest

from cases import cases
from partwise.domains.films.domain import FILMS
from partwise.errors import DataError, ExecutionError
from partwise.evaluation.metrics import NO_PARSE, Scores, mistakes, score
from partwise.graph.config import GraphParserConfig
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query

EDGES, ATTRIBUTES, HEAD, ASKED, FILTERS = "edges", "attributes", "head", "asked node", "filters"
BINDINGS = (("M0", "https://films.example/Tide"), ("M1", "https://films.example/Ada"))
GOLD = "SELECT DISTINCT ?x0 WHERE { M0 film:director ?x0 . ?x0 film:spouse ?x1 . ?x1 a film:Actor }"
OTHER = (
    "SELECT DISTINCT ?x0 WHERE { M0 film:director ?x1 . ?x1 film:spouse ?x0 . ?x0 a film:Actor }"
)
FILTER = "SELECT DISTINCT ?x0 WHERE { M0 film:spouse ?x0 . FILTER ( M0 != ?x0 ) }"


def example(query: str, bindings: tuple[tuple[str, str], ...] = BINDINGS) -> Example[QueryGraph]:
    return Example("Who", parse_query(query), "here:1", context=bindings)


def predicted(query: str | None) -> QueryGraph | None:
    return None if query is None else parse_query(query)


def one(gold: str, guess: str | None) -> Scores:
    return score(FILMS, [example(gold)], [predicted(guess)], run=False)


@cases("gold, guess, wrong, edges")
def test_a_query_is_first_wrong_in_one_thing(
    gold: str, guess: str | None, wrong: str | None, edges: bool
) -> None:
    metrics = one(gold, guess)
    assert metrics.outcomes[0].wrong == wrong
    assert metrics.exact_match == float(wrong is None)
    assert metrics.partial.get(EDGES, 0.0) == float(edges)
    assert metrics.errors == ({} if wrong is None else {wrong: 1})
    assert metrics.no_parse == int(guess is None)
    assert metrics.denotation is None
    assert "denotation" not in metrics.to_json()


def test_means_and_breakdowns() -> None:
    ask = "ASK WHERE { M0 film:director M1 }"
    examples = [example(GOLD), example(GOLD), example(ask), example(ask)]
    queries = [GOLD, None, ask, ask.replace("director", "editor")]
    metrics = score(FILMS, examples, [predicted(query) for query in queries], run=False)
    assert metrics.exact_match == metrics.partial[EDGES] == 0.5
    assert metrics.groups("exact_match") == {"0 variables": 0.5, "2 variables": 0.5}
    assert metrics.to_json()["edges_match"] == 0.5
    assert metrics.to_json()["errors"] == {NO_PARSE: 1, EDGES: 1}
    with pytest.raises(ValueError, match="1 predictions for 4 examples"):
        score(FILMS, examples, [predicted(GOLD)])
    none = score(FILMS, examples, [None] * 4, run=False).to_json()
    assert none["edges_match"] == 0
    assert none["errors"] == {NO_PARSE: 4}


def test_a_mistake_names_the_triples_that_differ() -> None:
    gold = example("ASK WHERE { M0 film:director M1 }")
    parser = GraphParser.create(FILMS, GraphParserConfig())
    other = parse_query("ASK WHERE { M0 film:editor M1 }")
    predictions = [Prediction("Who", meaning=other), Prediction("Who", reason="no idea")]
    scores = score(FILMS, [gold] * 2, [one.meaning for one in predictions], run=False)
    text = mistakes(parser, [gold] * 2, predictions, scores)
    none, wrong = map(json.loads, text.splitlines())
    assert (none["predicted"], none["error"], none["extra"]) == (None, "no idea", [])
    assert (wrong["missing"], wrong["extra"]) == (["M0 film:director M1"], ["M0 film:editor M1"])
    assert wrong["wrong"] == EDGES


def test_variables_that_nobody_can_name_do_not_match() -> None:
    many = {f"?x{i}": f"?x{i}" for i in range(60)}
    text = " . ".join(f"?x{i} film:spouse ?x{(i + 1) % 60}" for i in range(60))
    other = " . ".join(f"?x{i} film:spouse ?x{(i + 7) % 60}" for i in range(60))
    metrics = one(f"ASK WHERE {{ {text} }}", f"ASK WHERE {{ {other} }}")
    assert metrics.outcomes[0].wrong == EDGES
    assert metrics.outcomes[0].group == f"{len(many)} variables"


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


def denoted(
    gold: str, guess: str | None, bindings: tuple[tuple[str, str], ...] = BINDINGS
) -> Scores:
    domain = replace(FILMS, store=Store())
    return score(domain, [example(gold, bindings)], [predicted(guess)])


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
    empty = QueryGraph("ask", frozenset())
    metrics = score(replace(FILMS, store=Store()), [gold], [empty])
    assert metrics.denotation == 0
    assert metrics.outcomes[0].error == "the query says nothing"


def test_a_gold_query_that_fails_is_named() -> None:
    with pytest.raises(DataError, match=r"here:1: the gold .* fails to run.*down"):
        denoted(GOLD.replace("spouse", "editor"), GOLD)
    with pytest.raises(DataError, match="M0 stands for no entity"):
        denoted(GOLD, GOLD, ())


def test_a_query_runs_once() -> None:
    store = Store()
    score(replace(FILMS, store=store), [example(GOLD)] * 5, [predicted(GOLD)] * 5)
    assert len(store.asked) == 1
    assert "PREFIX film:" in store.asked[0]


@pytest.fixture(scope="module")
def films() -> GraphParser:
    return GraphParser.from_pretrained("films")


@pytest.mark.parametrize("question", FILMS.examples)
def test_examples_are_answered(films: GraphParser, question: str) -> None:
    reply = films(question)
    assert reply.lines, reply.reason


def test_who_cannot_be_understood_is_told_how_to_ask(films: GraphParser) -> None:
    reply = films("Who may ever have made Alien?")
    assert reply.lines == ()
    offered = " or ".join(map(repr, FILMS.examples[:2]))
    assert str(reply.reason).endswith(f"it understands questions such as {offered}")
