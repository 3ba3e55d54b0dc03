"""The k best phrases against all trees, and against the chart of finitely many states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from automaton_phrases import AutomatonPhrases, AutomatonScores
from brute import TooMany, accepted
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from phrase_problems import FrameSet, PhraseProblem, phrase_problems, score_of, words_of
from problems import Problem, problems, scores_of

from partwise.chart import compiled
from partwise.chart.algebra import Algebra
from partwise.chart.k_best import Beam, Item, k_best
from partwise.chart.scores import SpanScores
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.errors import TooCostlyError
from partwise.interface.budget import Work

TYPES = TypeAlgebra(Geography())
EVERYTHING = Beam(math.inf, math.inf, math.inf, 99, 10**9)
usual = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow], deadline=None)


def found_in(problem: PhraseProblem, beam: Beam) -> list[Item]:
    return k_best(problem.constants, problem.scores, problem.algebra, beam)


def truth(problem: PhraseProblem) -> dict[FrameSet, float]:
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


@usual
@given(phrase_problems())
def test_more_work_than_is_allowed_is_refused(problem: PhraseProblem) -> None:
    work = Work()
    given = problem.constants, problem.scores, problem.algebra, Beam()
    wanted = [item.score for item in k_best(*given, work)]
    spent = int(work.joins[0])
    assert [item.score for item in k_best(*given, Work(spent))] == wanted
    if spent:
        with pytest.raises(TooCostlyError):
            k_best(*given, Work(spent - 1))


def check_best(scores: SpanScores, algebra: Algebra) -> None:
    """The best tree is that of the compiled chart."""
    wanted = compiled.best(scores, algebra)
    phrases = AutomatonScores(scores, algebra)
    found = k_best(phrases.parts, phrases, AutomatonPhrases(algebra), EVERYTHING)
    assert bool(found) == (wanted is not None)
    if wanted is not None:
        assert found[0].score == pytest.approx(wanted.score)
        tree = phrases.tree(found[0])
        assert accepted(tree, algebra)
        assert sum(scores.of_nodes(tree).values()) == pytest.approx(found[0].score)


@usual
@given(problems(longest=5, limit=200))
def test_the_best_tree_of_an_automaton(problem: Problem) -> None:
    check_best(problem.scores, problem.algebra)


@usual
@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_the_best_tree_of_types(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    columns = rng.permutation(len(TYPES.domain.constants))[:12]
    check_best(scores_of(rng, n, columns, False, 1.0), TYPES)
