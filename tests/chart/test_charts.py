"""Both charts against the list of all trees: best, k-best, log-partition, marginals."""

from __future__ import annotations

import math
from types import ModuleType

import numpy as np
import pytest
from brute import Enumerator, accepted, log_partition, marginals, score_of
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from problems import Problem, algebra_of, problems, scores_of

from partwise.chart import Marginals, TreeDistribution, compiled, readable
from partwise.chart.algebra import NONE, Algebra
from partwise.chart.scores import JOIN, ScoredTree, SpanScores, SpanTree

CHARTS = [pytest.param(readable, id="readable"), pytest.param(compiled, id="compiled")]


class InTorch:
    """The torch back end, with the names of the other charts."""

    @staticmethod
    def kbest(scores: SpanScores, algebra: Algebra, k: int) -> list[ScoredTree]:
        return TreeDistribution(scores, algebra, "torch").topk(k)

    @staticmethod
    def log_partition(scores: SpanScores, algebra: Algebra) -> float:
        return TreeDistribution(scores, algebra, "torch").log_partition

    @staticmethod
    def marginals(scores: SpanScores, algebra: Algebra) -> Marginals:
        return TreeDistribution(scores, algebra, "torch").marginals


BACKENDS = [pytest.param(compiled, id="compiled"), pytest.param(InTorch, id="torch")]
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
def test_best_tree(problem: Problem) -> None:
    event(f"trees {min(len(problem.trees), 1)}")
    found = compiled.best(problem.scores, problem.algebra)
    if not problem.trees:
        assert found is None
        return
    assert found is not None
    check(found, problem)
    top = max(score_of(tree, problem.scores) for tree in problem.trees)
    assert found.score == pytest.approx(top, abs=CLOSE)


@pytest.mark.parametrize("chart", CHARTS)
@slow
@given(problem=problems(), k=st.integers(1, 8))
def test_k_best_trees(chart: ModuleType, problem: Problem, k: int) -> None:
    found = chart.kbest(problem.scores, problem.algebra, k)
    wanted = sorted((score_of(tree, problem.scores) for tree in problem.trees), reverse=True)
    assert [one.score for one in found] == pytest.approx(wanted[:k], abs=CLOSE)
    assert len({one.tree for one in found}) == len(found)
    for one in found:
        check(one, problem)


@slow
@given(problems())
def test_the_list_of_all_trees_in_order(problem: Problem) -> None:
    few = problem.trees[:60] if len(problem.trees) > 60 else problem.trees
    found = compiled.kbest(problem.scores, problem.algebra, len(few) + 1)
    assert len(found) == min(len(few) + 1, len(problem.trees))
    if len(few) == len(problem.trees):
        assert {one.tree for one in found} == set(problem.trees)


@pytest.mark.parametrize("chart", CHARTS)
@slow
@given(problem=problems())
def test_log_partition(chart: ModuleType, problem: Problem) -> None:
    found = chart.log_partition(problem.scores, problem.algebra)
    assert found == pytest.approx(log_partition(problem.trees, problem.scores), abs=CLOSE)


@slow
@given(problems())
def test_marginals_of_the_compiled_chart(problem: Problem) -> None:
    check_marginals(compiled, problem)


@settings(slow, max_examples=30)
@given(problems(longest=6, limit=200))
def test_marginals_of_the_torch_chart(problem: Problem) -> None:
    check_marginals(InTorch, problem)


@pytest.mark.parametrize("n", [1, 5])
def test_no_tree_in_the_readable_chart(n: int) -> None:
    forbidden = np.full((n + 1, n + 1, 1), -np.inf)
    scores = SpanScores.of(forbidden, np.zeros((n + 1, n + 1)))
    assert readable.kbest(scores, tiny(), 5) == []
    assert readable.log_partition(scores, tiny()) == -math.inf


def check_marginals(chart: ModuleType | type[InTorch], problem: Problem) -> None:
    found = chart.marginals(problem.scores, problem.algebra)
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
    check_marginals(compiled, binary)


@settings(slow, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(8, 11), st.booleans(), st.sampled_from([1.0, 1e5]))
def test_charts_agree_where_trees_cannot_be_listed(
    seed: int, n: int, whole: bool, spread: float
) -> None:
    rng = np.random.default_rng(seed)
    algebra = algebra_of(rng, 6, 5, 0.3)
    scores = scores_of(rng, n, rng.permutation(6), whole, spread)
    slow_list, fast_list = readable.kbest(scores, algebra, 4), compiled.kbest(scores, algebra, 4)
    wanted = [one.score for one in slow_list]
    assert [one.score for one in fast_list] == pytest.approx(wanted, abs=CLOSE * spread)
    for one in fast_list:
        assert one.score == pytest.approx(score_of(one.tree, scores), abs=CLOSE * spread)
        assert accepted(one.tree, algebra)
    best = compiled.best(scores, algebra)
    assert (best.score if best else None) == (
        pytest.approx(wanted[0], abs=CLOSE * spread) if wanted else None
    )
    total = readable.log_partition(scores, algebra)
    assert compiled.log_partition(scores, algebra) == pytest.approx(total, rel=1e-9)


def tiny(final: bool = True, usable: bool = True) -> Algebra:
    """One state that composes with itself."""
    return Algebra(
        np.array([0 if usable else NONE], np.int32),
        np.zeros((1, 1), np.int32),
        np.array([final]),
        np.array([True]),
    )


@pytest.mark.parametrize("chart", BACKENDS)
def test_one_word(chart: ModuleType) -> None:
    scores = SpanScores.of(np.full((2, 2, 1), 1.5), np.zeros((2, 2)))
    (only,) = chart.kbest(scores, tiny(), 3)
    assert only == ScoredTree(1.5, SpanTree(0, 1, 0))
    assert chart.marginals(scores, tiny()).constants[0, 1, 0] == pytest.approx(1.0)
    assert chart.marginals(scores, tiny()).join[0, 1] == 0.0


@pytest.mark.parametrize("chart", BACKENDS)
@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("why", ["not final", "not usable", "forbidden", "gap"])
def test_no_tree_at_all(chart: ModuleType, n: int, why: str) -> None:
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
    assert chart.kbest(scores, algebra, 5) == []
    assert chart.log_partition(scores, algebra) == -math.inf
    found = chart.marginals(scores, algebra)
    assert found.log_partition == -math.inf
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
