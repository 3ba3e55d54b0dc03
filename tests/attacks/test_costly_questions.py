"""No legal question takes more work than its budget, and others are answered beside it."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from partwise import GraphParser, SpanParser
from partwise.chart import Algebra, SpanScores, TreeDistribution, warm_up
from partwise.errors import PartwiseError
from partwise.graph import strategy
from partwise.interface.budget import TOO_COSTLY, Budget

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
    for what in ("argmax", "log_partition", "marginals", "entropy"):
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
