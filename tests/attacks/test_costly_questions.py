"""Questions and queries that cost much: answered or refused, in bounded time."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from partwise import GraphParser, SpanParser
from partwise.chart import Algebra, SpanScores, TreeDistribution, warm_up
from partwise.domains.films.domain import FILMS
from partwise.domains.geography import Geography
from partwise.errors import ExecutionError, PartwiseError, QuerySyntaxError
from partwise.execution.sparql import LocalStore
from partwise.graph import strategy
from partwise.graph.linking import QuestionLinker
from partwise.interface.budget import TOO_COSTLY, Budget
from partwise.language.sparql import parse_query
from partwise.language.typed import TypedReader

HONEST = {
    "geography": "what is the capital of texas",
    "films": "Who directed Alien?",
}
COSTLY = ("capital of", "texas", "texas state", "most", "new york", "largest")


@pytest.fixture
def in_time() -> Iterator[None]:
    """A minute of this process; each of these questions once took half of that or more."""
    warm_up()

    def stop(*_: Any) -> None:
        raise AssertionError("a question takes without end")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 60.0)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(scope="module")
def geography() -> SpanParser:
    return SpanParser.from_pretrained("geography")


def longest(phrase: str, words: int) -> str:
    """A phrase over and over, up to so many words."""
    return " ".join((phrase.split() * words)[:words])


def test_costly_questions_are_answered_or_refused(geography: SpanParser, in_time: None) -> None:
    asked = [longest(phrase, geography.config.max_words) for phrase in COSTLY]
    *said, honest = geography.parse([*asked, HONEST["geography"]], k=8, at_least=0.0)
    for one in said:
        assert (one.meaning is None) == (one.reason == TOO_COSTLY)
    assert honest.meaning is not None
    assert any(one.meaning is not None for one in said)


@pytest.mark.parametrize(("kind", "name"), [(SpanParser, "geography"), (GraphParser, "films")])
@pytest.mark.parametrize("budget", [Budget(joins=20_000), Budget(seconds=0.0)])
def test_what_costs_more_than_its_budget_is_refused(kind: Any, name: str, budget: Budget) -> None:
    warm_up()
    parser = kind.from_pretrained(name)
    before, parser.budget = parser.parse([HONEST[name]])[0], budget
    said = parser.parse([HONEST[name], longest(HONEST[name], 16)])
    assert [one.reason for one in said][1] == TOO_COSTLY
    assert [one.meaning for one in said][1] is None
    parser.budget = Budget()
    after = parser.parse([HONEST[name]])[0]
    assert (after.meaning, after.score) == (before.meaning, before.score)


def test_the_outcome_depends_on_the_work_alone(geography: SpanParser) -> None:
    question = longest("capital of", 30)
    geography.budget = Budget(joins=20_000_000)
    try:
        one, other = geography.parse([question], k=8)[0], geography.parse([question], k=8)[0]
    finally:
        geography.budget = Budget()
    assert one.reason == other.reason
    assert len(one.alternatives) == len(other.alternatives)


@pytest.mark.parametrize("wrong", [math.inf, math.nan, 1e301])
@pytest.mark.parametrize("backend", ["compiled", "torch"])
def test_scores_that_nothing_can_sum_are_refused(wrong: float, backend: Any) -> None:
    algebra = Algebra(np.zeros(1, np.int32), np.zeros((1, 1), np.int32), *np.ones((2, 1), bool))
    constants, join = np.zeros((5, 5, 1)), np.zeros((5, 5))
    constants[1, 3] = wrong
    scores = SpanScores.of(constants, join)
    for what in ("argmax", "log_partition", "marginals"):
        with pytest.raises(PartwiseError, match="finite numbers"):
            getattr(TreeDistribution(scores, algebra, backend), what)
    with pytest.raises(PartwiseError):
        TreeDistribution(scores, algebra, backend).topk(3)


def test_coordinated_names_are_explained_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parser, calls = GraphParser.from_pretrained("films"), []
    explain = strategy.relevance
    monkeypatch.setattr(strategy, "relevance", lambda *given: calls.append(1) or explain(*given))
    names = [" , ".join(f"M{i}" for i in range(k, k + 8)) + f" , and M{k + 8}" for k in (0, 9)]
    said = parser.parse([f"Did {names[0]} direct , edit , and write {names[1]}"])[0]
    assert said.meaning is not None
    assert len(said.meaning.triples) == 243
    assert len(calls) <= 6


GENEROUS = 60
"""Seconds for all of them; where the work grew with the square of the text, it took far more."""
TEXTS = (
    "texas ohio utah cities " * 20_000,
    "tell me " * 40_000 + "texas",
    ", . ! ? please " * 20_000,
    "u.s." * 50_000,
    "pleese thx " * 50,
    "a" * 100_000,
    " ".join("directr movei actro" for _ in range(60)),
)


def test_long_texts_end() -> None:
    domain = Geography()
    reader = TypedReader(domain.vocabulary, domain.typed_matcher, domain.typing, {"texas"})
    films = QuestionLinker(FILMS)
    signal.alarm(GENEROUS)
    try:
        for text in TEXTS:
            reader(text)
            films.rewrite(text)
    finally:
        signal.alarm(0)


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
