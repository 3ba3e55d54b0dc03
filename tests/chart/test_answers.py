"""What a whole question asks for counts in every chart as it does in the list of all trees."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch
from brute import score_of, state_of
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import Problem, problems

from partwise.chart import TreeDistribution, compiled, readable
from partwise.chart.batched import ChartBatch, TensorScores
from partwise.chart.distribution import Backend

CLOSE = 1e-9
ANSWERS = 3


@st.composite
def asking(draw: st.DrawFn) -> Problem:
    """A problem whose states give different answers, with a score for each answer."""
    problem = draw(problems(longest=5, limit=400))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    answer = rng.integers(0, ANSWERS, problem.algebra.n_states).astype(np.int32)
    root = -np.abs(rng.normal(0, 3, ANSWERS))
    return Problem(
        dataclasses.replace(problem.scores, root=root),
        dataclasses.replace(problem.algebra, answer=answer),
        problem.trees,
    )


def answer_of(tree: object, problem: Problem) -> int:
    assert problem.algebra.answer is not None
    return int(problem.algebra.answer[state_of(tree, problem.algebra)])  # type: ignore[arg-type]


def logs(problem: Problem) -> list[float]:
    """The score of each tree."""
    return [
        score_of(tree, problem.scores) + problem.scores.root[answer_of(tree, problem)]
        for tree in problem.trees
    ]


def total(problem: Problem) -> float:
    found = logs(problem)
    top = max(found, default=-math.inf)
    return top + math.log(math.fsum(math.exp(one - top) for one in found)) if found else top


@settings(max_examples=50, deadline=None)
@given(asking())
def test_both_back_ends_and_the_readable_chart_agree_with_the_list(problem: Problem) -> None:
    wanted, ranked = total(problem), sorted(logs(problem), reverse=True)[:3]
    shares = [math.exp(one - wanted) for one in logs(problem)]
    root = np.zeros(ANSWERS)
    for tree, share in zip(problem.trees, shares, strict=True):
        root[answer_of(tree, problem)] += share
    scores, algebra = problem.scores, problem.algebra
    assert readable.log_partition(scores, algebra) == pytest.approx(wanted, abs=CLOSE)
    best = [one.score for one in readable.kbest(scores, algebra, 3)]
    assert best == pytest.approx(ranked, abs=CLOSE)
    backends: list[Backend] = ["compiled", "torch"]
    for backend in backends:
        trees = TreeDistribution(scores, algebra, backend)
        assert [one.score for one in trees.topk(3)] == pytest.approx(ranked, abs=CLOSE)
        assert ([] if trees.argmax is None else [trees.argmax.score]) == pytest.approx(
            ranked[:1], abs=CLOSE
        )
        assert trees.log_partition == pytest.approx(wanted, abs=CLOSE)
        if problem.trees:
            np.testing.assert_allclose(trees.marginals.root, root, atol=CLOSE)


@settings(max_examples=50, deadline=None)
@given(asking())
def test_the_derivative_is_the_posterior_of_the_answers(problem: Problem) -> None:
    scores = problem.scores
    root = torch.tensor(scores.root, requires_grad=True)
    held = (torch.tensor(values) for values in (scores.constants, scores.join))
    learnt = TensorScores(*held, scores.gap, scores.columns, root)
    if problem.trees:
        ChartBatch([learnt], [problem.algebra]).log_partition().sum().backward()
        assert root.grad is not None
        wanted = compiled.marginals(scores, problem.algebra).root
        np.testing.assert_allclose(root.grad, wanted, atol=CLOSE)
