"""Target against type algebra over the geography domain: exactly the gold program's trees."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import numpy as np
import pytest
from brute import Enumerator, TooMany, accepted
from fold import fold, program_of, random_program, term
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from partwise.chart import compiled, readable
from partwise.chart.scores import SpanScores, SpanTree
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.errors import PartwiseError
from partwise.language.constants import Application
from partwise.language.program import parse_program

TYPES = TypeAlgebra(Geography())
QUESTIONS = files("partwise.domains.geography") / "questions" / "questions.jsonl"
SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.sampled_from((1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8))
usual = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def draw_program(rng: np.random.Generator, size: int) -> Application:
    """A random typed program of at most `size` constants, of just so many if luck has it."""
    best: Application | None = None
    for _ in range(100):
        for partial in random_program(TYPES, rng, size):
            program = TYPES.check(TYPES.domain.wrap(term(TYPES, partial)))
            if constant_count(program) <= size and (
                best is None or constant_count(program) > constant_count(best)
            ):
                best = program
        if best is not None and constant_count(best) == size:
            break
    return best or TYPES.check(parse_program("answer(state(all))"))


def constant_count(program: Application) -> int:
    return sum(1 for _ in program.walk())


def columns_of(program: Application, rng: np.random.Generator, others: int) -> np.ndarray:
    """The program's categories and some others, shuffled."""
    categories = TYPES.domain.categories
    own = {categories[part.constant.category] for part in program.walk()}
    more = set(rng.integers(0, len(categories), others).tolist())
    return rng.permutation(sorted(own | more))


def random_scores(n: int, columns: np.ndarray, rng: np.random.Generator) -> SpanScores:
    shape = (n + 1, n + 1)
    return SpanScores.of(
        rng.normal(size=(*shape, len(columns))), rng.normal(size=shape), None, columns
    )


@usual
@given(SEEDS, SIZES, st.integers(0, 3))
def test_the_best_target_tree_spells_the_gold_program(seed: int, size: int, extra: int) -> None:
    rng = np.random.default_rng([seed, size])
    gold = draw_program(rng, size)
    size = constant_count(gold)
    event(f"constants {size}")
    scores = random_scores(size + extra, columns_of(gold, rng, 10), rng)
    target = TargetAlgebra(TYPES, gold)
    best = compiled.best(scores, target)
    assert best is not None
    assert program_of(TYPES, best.tree) == gold.term()
    assert accepted(best.tree, TYPES)
    every = compiled.best(scores, TYPES)
    assert every is not None
    assert every.score >= best.score - 1e-9
    total, part = compiled.log_partition(scores, TYPES), compiled.log_partition(scores, target)
    assert best.score - 1e-9 <= part <= total + 1e-9


@usual
@given(SEEDS, SIZES)
def test_each_typed_program_has_a_tree(seed: int, size: int) -> None:
    rng = np.random.default_rng([seed, size])
    gold = draw_program(rng, size)
    # One word for each constant in the best order, which nothing but the target knows.
    scores = random_scores(constant_count(gold), columns_of(gold, rng, 0), rng)
    assert compiled.best(scores, TargetAlgebra(TYPES, gold)) is not None


@usual
@given(SEEDS, st.integers(1, 4), st.integers(0, 1))
def test_target_trees_are_the_type_trees_of_the_program(seed: int, size: int, extra: int) -> None:
    rng = np.random.default_rng([seed, size])
    gold = draw_program(rng, size)
    trees = check_same_trees(gold, constant_count(gold) + extra, rng)
    event(f"target trees {min(len(trees), 5)}")


@pytest.mark.parametrize("predicate", ["most", "fewest"])
def test_target_trees_with_a_predicate_that_floats(predicate: str) -> None:
    gold = TYPES.check(parse_program(f"answer({predicate}(state(next_to_2(state(all)))))"))
    trees = check_same_trees(gold, 4, np.random.default_rng(0))
    number = TYPES.domain.categories[predicate]
    middles = {node.children[1].label for tree in trees for node in tree.walk() if is_ternary(node)}
    assert (number in middles) == (predicate in TYPES.domain.scope_raising)


def is_ternary(node: SpanTree) -> bool:
    return len(node.children) == 3


def check_same_trees(gold: Application, n: int, rng: np.random.Generator) -> set[SpanTree]:
    """The target's trees are those type trees that spell the gold program."""
    scores = random_scores(n, columns_of(gold, rng, 3), rng)
    target = TargetAlgebra(TYPES, gold)
    try:
        typed = Enumerator(scores, TYPES, 20_000).complete()
    except TooMany:
        assume(False)
    wanted = {tree for tree in typed if program_of(TYPES, tree) == gold.term()}
    assert set(Enumerator(scores, target).complete()) == wanted
    found = compiled.kbest(scores, target, len(wanted) + 1)
    assert {one.tree for one in found} == wanted
    assert compiled.log_partition(scores, target) == pytest.approx(
        math.log(sum(math.exp(one.score) for one in found)) if found else -math.inf
    )
    return wanted


@usual
@given(SEEDS, st.integers(3, 9))
def test_every_accepted_tree_spells_a_typed_program(seed: int, n: int) -> None:
    rng = np.random.default_rng([seed, n])
    columns = rng.permutation(len(TYPES.domain.constants))[:40]
    for found in compiled.kbest(random_scores(n, columns, rng), TYPES, 3):
        whole = fold(TYPES, found.tree)
        assert whole is not None
        gold = TYPES.check(TYPES.domain.wrap(term(TYPES, whole)))
        assert gold.term() == term(TYPES, whole)
        assert accepted(found.tree, TargetAlgebra(TYPES, gold))


def test_real_programs_are_found_again() -> None:
    rng = np.random.default_rng(3)
    for line in rng.permutation(QUESTIONS.read_text().splitlines())[:40]:
        try:
            gold = TYPES.check(parse_program(json.loads(line)["program"]))
        except PartwiseError:
            continue
        scores = random_scores(constant_count(gold) + 2, columns_of(gold, rng, 5), rng)
        best = compiled.best(scores, TargetAlgebra(TYPES, gold))
        assert best is not None
        assert program_of(TYPES, best.tree) == gold.term()


def test_both_charts_agree_on_the_types() -> None:
    rng = np.random.default_rng(5)
    columns = rng.permutation(len(TYPES.domain.constants))[:30]
    scores = random_scores(6, columns, rng)
    fast, slow = compiled.kbest(scores, TYPES, 5), readable.kbest(scores, TYPES, 5)
    assert [one.score for one in fast] == pytest.approx([one.score for one in slow])
    total = readable.log_partition(scores, TYPES)
    assert compiled.log_partition(scores, TYPES) == pytest.approx(total)
