"""The k best phrases against the list of all trees."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from phrase_problems import Frame, PhraseProblem, TooMany, phrase_problems, score_of, words_of

from partwise.chart.k_best import Beam, Item, k_best

EVERYTHING = Beam(math.inf, math.inf, math.inf, 99, 10**9)
usual = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow], deadline=None)


def found_in(problem: PhraseProblem, beam: Beam) -> list[Item]:
    return k_best(problem.constants, problem.scores, problem.algebra, beam)


def truth(problem: PhraseProblem) -> dict[Frame, float]:
    try:
        return problem.best()
    except TooMany:
        assume(False)
        raise


@usual
@given(phrase_problems())
def test_without_a_beam_all_frames_are_found_with_their_scores(problem: PhraseProblem) -> None:
    wanted = truth(problem)
    event(f"frames {min(len(wanted), 20) // 5 * 5}")
    found = found_in(problem, EVERYTHING)
    assert {item.meaning: item.score for item in found} == pytest.approx(wanted)
    assert [item.score for item in found] == sorted((i.score for i in found), reverse=True)


@usual
@given(phrase_problems(), st.integers(1, 4), st.integers(1, 3), st.sampled_from((1.0, 5.0)))
def test_a_beam_finds_trees_that_there_are(
    problem: PhraseProblem, cell: int, inner: int, margin: float
) -> None:
    wanted = truth(problem)
    for item in found_in(problem, Beam(cell, inner, margin, 3, 5, 0.5)):
        assert item.score <= wanted[item.meaning] + 1e-9
        assert item.score == pytest.approx(score_of(item, problem.scores))
        assert sorted(words_of(item, problem.constants)) == problem.words
