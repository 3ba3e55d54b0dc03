"""The charts against the list of all trees: best, k-best, sums, marginals, samples, answers."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from unittest.mock import patch

import numpy as np
import pytest
import torch
from brute import Enumerator, TooMany, accepted, log_partition, marginals, score_of, state_of
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from problems import Problem, algebra_of, problems, scores_of

from partwise.chart import TreeDistribution, compiled, recurrence
from partwise.chart.algebra import NONE, Algebra
from partwise.chart.batched import ChartBatch
from partwise.chart.distribution import Backend
from partwise.chart.scores import JOIN, Marginals, ScoredTree, SpanScores, SpanTree
from partwise.errors import PartwiseError

CHARTS = [pytest.param(recurrence, id="arrays"), pytest.param(compiled, id="compiled")]


BACKENDS: list[Backend] = ["arrays", "compiled", "torch"]
CLOSE = 1e-9

slow = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check(found: ScoredTree, problem: Problem) -> None:
    """A tree scores what it says, and it is one of the trees there are."""
    assert found.score == pytest.approx(score_of(found.tree, problem.scores), abs=CLOSE)
    assert accepted(found.tree, problem.algebra)
    assert found.tree in problem.trees


@slow
@given(problems())
def test_the_list_of_all_trees_in_order(problem: Problem) -> None:
    few = problem.trees[:60] if len(problem.trees) > 60 else problem.trees
    found = compiled.kbest(problem.scores, problem.algebra, len(few) + 1)
    assert len(found) == min(len(few) + 1, len(problem.trees))
    if len(few) == len(problem.trees):
        assert {one.tree for one in found} == set(problem.trees)


@pytest.mark.parametrize("n", [1, 5])
def test_no_tree_in_the_readable_chart(n: int) -> None:
    forbidden = np.full((n + 1, n + 1, 1), -np.inf)
    scores = SpanScores.of(forbidden, np.zeros((n + 1, n + 1)))
    assert recurrence.kbest(scores, tiny(), 5) == []
    assert recurrence.log_partition(scores, tiny()) == -math.inf


def check_marginals(problem: Problem) -> None:
    for chart in (compiled, recurrence):
        check_marginals_of(chart.marginals(problem.scores, problem.algebra), problem)


def check_marginals_of(found: Marginals, problem: Problem) -> None:
    named, joined = marginals(problem.trees, problem.scores)
    np.testing.assert_allclose(found.constants, named, atol=1e-8)
    np.testing.assert_allclose(found.join, joined, atol=1e-8)
    total = log_partition(problem.trees, problem.scores)
    assert found.log_partition == pytest.approx(total, abs=CLOSE)


@slow
@given(problems())
def test_labels_determine_the_tree(problem: Problem) -> None:
    labelled = {frozenset(tree.labels().items()) for tree in problem.trees}
    assert len(labelled) == len(problem.trees)
    for tree in problem.trees:
        assert len(tree.labels()) == len(list(tree.walk()))


@slow
@given(problems())
def test_columns_stand_for_categories(problem: Problem) -> None:
    scores, algebra = problem.scores, problem.algebra
    n = scores.n
    wide = np.full((n + 1, n + 1, len(algebra.start)), -np.inf)
    wide[:, :, scores.columns] = scores.constants
    full = SpanScores.of(wide, scores.join, scores.gap)
    narrow, whole = compiled.marginals(scores, algebra), compiled.marginals(full, algebra)
    np.testing.assert_allclose(narrow.constants, whole.constants[:, :, scores.columns], atol=1e-12)
    assert whole.constants.sum() == pytest.approx(narrow.constants.sum())
    one, other = compiled.best(scores, algebra), compiled.best(full, algebra)
    assert (one and one.score) == (other and pytest.approx(other.score, abs=CLOSE))


@slow
@given(problems(longest=6))
def test_without_ternary_joins(problem: Problem) -> None:
    algebra = problem.algebra.without_ternary()
    trees = [tree for tree in problem.trees if all(len(node.children) < 3 for node in tree.walk())]
    event(f"ternary trees {len(trees) < len(problem.trees)}")
    binary = Problem(problem.scores, algebra, trees)
    assert trees == Enumerator(problem.scores, algebra).complete()
    found = compiled.best(problem.scores, algebra)
    assert (found is None) == (not trees)
    if found is not None:
        check(found, binary)
    check_marginals(binary)


@settings(slow, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(8, 11), st.booleans(), st.sampled_from([1.0, 1e5]))
def test_charts_agree_where_trees_cannot_be_listed(
    seed: int, n: int, whole: bool, spread: float
) -> None:
    rng = np.random.default_rng(seed)
    algebra = algebra_of(rng, 6, 5, 0.3)
    scores = scores_of(rng, n, rng.permutation(6), whole, spread)
    with patch.object(recurrence, "FIRST_MARGIN", math.inf):
        wanted = [one.score for one in recurrence.kbest(scores, algebra, 4)]
    found = recurrence.kbest(scores, algebra, 4)
    assert [one.score for one in found] == pytest.approx(wanted, abs=CLOSE * spread)
    for one in found:
        assert one.score == pytest.approx(score_of(one.tree, scores), abs=CLOSE * spread)
        assert accepted(one.tree, algebra)
    best = compiled.best(scores, algebra)
    assert (best.score if best else None) == (
        pytest.approx(wanted[0], abs=CLOSE * spread) if wanted else None
    )
    total = recurrence.log_partition(scores, algebra)
    assert compiled.log_partition(scores, algebra) == pytest.approx(total, rel=1e-9)


def tiny(final: bool = True, usable: bool = True) -> Algebra:
    """One state that composes with itself."""
    return Algebra(
        np.array([0 if usable else NONE], np.int32),
        np.zeros((1, 1), np.int32),
        np.array([final]),
        np.array([True]),
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_word(backend: Backend) -> None:
    scores = SpanScores.of(np.full((2, 2, 1), 1.5), np.zeros((2, 2)))
    trees = TreeDistribution(scores, tiny(), backend)
    assert trees.topk(3) == [ScoredTree(1.5, SpanTree(0, 1, 0))]
    assert trees.marginals.constants[0, 1, 0] == pytest.approx(1.0)
    assert trees.marginals.join[0, 1] == 0.0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("why", ["not final", "not usable", "forbidden", "gap"])
def test_no_tree_at_all(backend: Backend, n: int, why: str) -> None:
    constants, join = np.zeros((n + 1, n + 1, 1)), np.zeros((n + 1, n + 1))
    gap = np.zeros_like(join)
    if why == "forbidden":
        constants[:] = -np.inf
    if why == "gap":
        # One constant may stand on the first word only, and φ nowhere.
        constants[:], gap[:] = -np.inf, -np.inf
        constants[0, 1] = 0.0 if n > 1 else -np.inf
    scores, algebra = SpanScores.of(constants, join, gap), tiny(why != "not final")
    if why == "not usable":
        algebra = tiny(usable=False)
    trees = TreeDistribution(scores, algebra, backend)
    assert trees.topk(5) == []
    assert trees.log_partition == trees.marginals.log_partition == -math.inf
    found = trees.marginals
    assert not found.constants.any()
    assert not found.join.any()
    assert compiled.best(scores, algebra) is None


@pytest.mark.parametrize("chart", CHARTS)
def test_all_scores_equal_gives_every_tree_once(chart: ModuleType) -> None:
    scores = SpanScores.of(np.zeros((4, 4, 1)), np.zeros((4, 4)))
    trees = Enumerator(scores, tiny()).complete()
    found = chart.kbest(scores, tiny(), 10_000)
    assert len(found) == len(trees)
    assert {one.tree for one in found} == set(trees)
    assert chart.log_partition(scores, tiny()) == pytest.approx(math.log(len(trees)))


def test_a_leading_gap_makes_the_root_a_join() -> None:
    constants = np.full((4, 4, 1), -np.inf)
    constants[1, 2, 0] = 1.0
    join = np.full((4, 4), 0.25)
    found = compiled.best(SpanScores.of(constants, join), tiny())
    leaf = SpanTree(1, 2, 0)
    tree = SpanTree(0, 3, JOIN, (SpanTree(1, 3, JOIN, (leaf,)),))
    assert found == ScoredTree(1.5, tree)


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
            assert best.score == pytest.approx(
                recurrence.kbest(scores, problem.algebra, 1)[0].score
            )
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
    assert recurrence.log_partition(scores, algebra) == pytest.approx(wanted, abs=CLOSE)
    best = [one.score for one in recurrence.kbest(scores, algebra, 3)]
    assert best == pytest.approx(ranked, abs=CLOSE)
    for backend in BACKENDS:
        trees = TreeDistribution(scores, algebra, backend)
        assert [one.score for one in trees.topk(3)] == pytest.approx(ranked, abs=CLOSE)
        assert ([] if trees.argmax is None else [trees.argmax.score]) == pytest.approx(
            ranked[:1], abs=CLOSE
        )
        assert trees.log_partition == pytest.approx(wanted, abs=CLOSE)
        if problem.trees:
            np.testing.assert_allclose(trees.marginals.root, root, atol=CLOSE)
