"""TreeDistribution on both back ends against the list of all trees, semiring by semiring."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from brute import Enumerator, TooMany, log_partition, marginals, score_of, state_of
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import Problem, algebra_of, problems, scores_of

from partwise.chart import SpanScores, TreeDistribution, compiled, readable
from partwise.chart.batched import (
    ChartBatch,
    LogSemiring,
    MaxSemiring,
    TensorScores,
)
from partwise.chart.distribution import Backend
from partwise.errors import PartwiseError

CLOSE = 1e-9
BACKENDS: list[Backend] = ["compiled", "torch"]


def drawn(count: int, seed: int = 0, longest: int = 6, limit: int = 400) -> Iterator[Problem]:
    """Random problems of unequal lengths, each with all its trees."""
    rng = np.random.default_rng(seed)
    while count > 0:
        kinds = int(rng.integers(1, 6))
        density = rng.choice([0.15, 0.4, 0.7, 1])
        algebra = algebra_of(rng, kinds, int(rng.integers(1, 7)), density)
        columns = rng.permutation(kinds)[: rng.integers(1, kinds + 1)]
        spread = rng.choice([0.1, 1.0, 10.0])
        n = int(rng.integers(1, longest + 1))
        scores = scores_of(rng, n, columns, rng.random() < 0.3, spread)
        try:
            trees = Enumerator(scores, algebra, limit).complete()
        except TooMany:
            continue
        yield Problem(scores, algebra, trees)
        count -= 1


PROBLEMS = list(drawn(200))


def batches(backend: Backend, size: int = 20) -> Iterator[tuple[Problem, TreeDistribution]]:
    """Each problem with its distribution, computed in batches of unequal lengths."""
    for first in range(0, len(PROBLEMS), size):
        some = PROBLEMS[first : first + size]
        scores, algebras = [one.scores for one in some], [one.algebra for one in some]
        yield from zip(some, TreeDistribution.batch(scores, algebras, backend), strict=True)


def ranked(problem: Problem) -> list[float]:
    return sorted((score_of(tree, problem.scores) for tree in problem.trees), reverse=True)


def entropy(problem: Problem) -> float:
    total = log_partition(problem.trees, problem.scores)
    logs = [score_of(tree, problem.scores) - total for tree in problem.trees]
    return -math.fsum(math.exp(log) * log for log in logs) if logs else math.nan


def test_there_are_trees_of_every_kind_to_compare() -> None:
    nodes = [node for one in PROBLEMS for tree in one.trees for node in tree.walk()]
    assert {len(node.children) for node in nodes} == {0, 1, 2, 3}
    assert any(tree.children and tree.children[0].start for one in PROBLEMS for tree in one.trees)
    assert sum(not one.trees for one in PROBLEMS) > 10


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_best_trees(backend: Backend) -> None:
    for problem, trees in batches(backend):
        scores = ranked(problem)[:3]
        best, topk = trees.argmax, trees.topk(3)
        assert ([] if best is None else [best.score]) == pytest.approx(scores[:1], abs=CLOSE)
        assert [one.score for one in topk] == pytest.approx(scores, abs=CLOSE)
        assert len({one.tree for one in topk}) == len(topk)
        for one in (best, *topk):
            if one is not None:
                assert one.tree in problem.trees
                assert score_of(one.tree, problem.scores) == pytest.approx(one.score, abs=CLOSE)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_sum_and_the_marginals(backend: Backend) -> None:
    for problem, trees in batches(backend):
        total = log_partition(problem.trees, problem.scores)
        assert trees.log_partition == pytest.approx(total, abs=CLOSE)
        named, joined = marginals(problem.trees, problem.scores)
        assert trees.marginals.log_partition == pytest.approx(total, abs=CLOSE)
        np.testing.assert_allclose(trees.marginals.constants, named, atol=CLOSE)
        np.testing.assert_allclose(trees.marginals.join, joined, atol=CLOSE)


def test_semirings_on_the_inside_pass() -> None:
    for first in range(0, len(PROBLEMS), 25):
        some = PROBLEMS[first : first + 25]
        batch = ChartBatch([one.scores for one in some], [one.algebra for one in some])
        sums, best = batch.total(LogSemiring())[0], batch.total(MaxSemiring())[0]
        third = batch.total(MaxSemiring(3))[2]
        for number, problem in enumerate(some):
            scores = [*ranked(problem), -math.inf, -math.inf, -math.inf]
            total = log_partition(problem.trees, problem.scores)
            assert sums[number].item() == pytest.approx(total, abs=CLOSE)
            assert best[number].item() == pytest.approx(scores[0], abs=CLOSE)
            assert third[number].item() == pytest.approx(scores[2], abs=CLOSE)


def test_single_precision() -> None:
    for first in range(0, 100, 20):
        some = PROBLEMS[first : first + 20]
        scores, algebras = [one.scores for one in some], [one.algebra for one in some]
        single = TreeDistribution.batch(scores, algebras, "torch", dtype=torch.float32)
        for problem, trees in zip(some, single, strict=True):
            total = log_partition(problem.trees, problem.scores)
            assert trees.log_partition == pytest.approx(total, rel=1e-5, abs=1e-5)
            named, _ = marginals(problem.trees, problem.scores)
            np.testing.assert_allclose(trees.marginals.constants, named, atol=2e-4)


@pytest.mark.parametrize("backend", BACKENDS)
def test_samples_are_as_frequent_as_they_are_probable(backend: Backend) -> None:
    some = [one for one in PROBLEMS if 3 <= len(one.trees) <= 12 and entropy(one) > 0.8][:2]
    assert len(some) == 2
    generator = torch.Generator().manual_seed(0)
    for problem in some:
        trees = TreeDistribution(problem.scores, problem.algebra, backend)
        draws = Counter(trees.sample(generator) for _ in range(400))
        assert set(draws) <= set(problem.trees)
        # Pearson's statistic: far over its degrees of freedom if the frequencies are wrong.
        total = trees.log_partition
        logs = {tree: score_of(tree, problem.scores) - total for tree in problem.trees}
        expected = {tree: 400 * math.exp(log) for tree, log in logs.items()}
        statistic = sum((draws[tree] - mean) ** 2 / mean for tree, mean in expected.items())
        freedom = len(expected) - 1
        assert statistic < freedom + 5 * math.sqrt(2 * freedom)


def test_no_tree_no_sample() -> None:
    empty = next(one for one in PROBLEMS if not one.trees)
    assert TreeDistribution(empty.scores, empty.algebra).sample() is None


def leaves(problem: Problem) -> tuple[torch.Tensor, torch.Tensor]:
    held = problem.scores.constants, problem.scores.join
    constants, join = (torch.tensor(values, requires_grad=True) for values in held)
    return constants, join


def test_derivatives() -> None:
    some = [one for one in PROBLEMS if one.trees and one.scores.n == 3][:2]
    for pair in zip(some[::2], some[1::2], strict=True):
        values = [tensor for one in pair for tensor in leaves(one)]

        def total(*tensors: torch.Tensor, pair: tuple[Problem, Problem] = pair) -> torch.Tensor:
            scores = [
                TensorScores(*tensors[2 * i : 2 * i + 2], one.scores.gap, one.scores.columns)
                for i, one in enumerate(pair)
            ]
            return ChartBatch(scores, [one.algebra for one in pair]).log_partition()

        finite = [torch.where(value.isfinite(), value, -20.0).detach() for value in values]
        assert torch.autograd.gradcheck(total, [value.requires_grad_() for value in finite])
        assert torch.autograd.gradgradcheck(total, finite)


def test_derivatives_are_zero_and_never_nan_where_scores_forbid() -> None:
    for problem in PROBLEMS[:80]:
        constants, join = leaves(problem)
        scores = TensorScores(constants, join, problem.scores.gap, problem.scores.columns)
        total = ChartBatch([scores], [problem.algebra]).log_partition()
        if total.requires_grad:
            total.clamp(min=-1e9).sum().backward()
            named, joined = marginals(problem.trees, problem.scores)
            for leaf, wanted in ((constants, named), (join, joined)):
                grad = torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
                np.testing.assert_allclose(grad, wanted, atol=CLOSE)


def test_terms_computed_again_for_the_derivative(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = max(PROBLEMS, key=lambda one: one.scores.n * bool(one.trees))
    kept = ChartBatch([problem.scores], [problem.algebra]).marginals[0]
    monkeypatch.setattr("partwise.chart.batched.LIMIT", 0)
    again = ChartBatch([problem.scores], [problem.algebra]).marginals[0]
    np.testing.assert_array_equal(kept.constants, again.constants)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, 1e305])
@pytest.mark.parametrize("place", ["constants", "join"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_scores_that_cannot_be_summed(backend: Backend, wrong: float, place: str) -> None:
    problem = next(one for one in PROBLEMS if one.scores.n == 3 and one.trees)
    scores = problem.scores
    held = {"constants": scores.constants.copy(), "join": scores.join.copy()}
    held[place][1, 3] = wrong
    trees = TreeDistribution(
        SpanScores(held["constants"], held["join"], scores.gap, scores.columns),
        problem.algebra,
        backend,
    )
    for ask in ("argmax", "log_partition", "marginals"):
        with pytest.raises(PartwiseError, match=r"words 1\.\.3"):
            getattr(trees, ask)
    with pytest.raises(PartwiseError, match=r"-inf for what is forbidden"):
        trees.topk(2)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("spread", [1e3, 1e150, 1e299])
def test_any_finite_score_terminates(backend: Backend, spread: float) -> None:
    rng = np.random.default_rng(1)
    for problem in PROBLEMS[:30]:
        named = problem.scores.constants
        wild = np.where(np.isfinite(named), spread * rng.uniform(-1, 1, named.shape), named)
        scores = SpanScores.of(
            wild, problem.scores.join, problem.scores.gap, problem.scores.columns
        )
        trees = TreeDistribution(scores, problem.algebra, backend)
        best = trees.argmax
        assert (best is None) == (not problem.trees)
        if best is not None:
            assert best.score == pytest.approx(readable.kbest(scores, problem.algebra, 1)[0].score)
            assert trees.log_partition == pytest.approx(best.score, rel=1e-2)
            assert np.isfinite(trees.marginals.constants).all()


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
