"""Trees over the geography domain: what they mean, and which are a program's."""

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

from cases import cases
from partwise.chart import compiled
from partwise.chart.recurrence import kbest
from partwise.chart.scores import JOIN, SpanScores, SpanTree
from partwise.chart.semantics import MeaningNode, program, read_tree
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.errors import PartwiseError, ProgramTypeError
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


def leaf(start: int, end: int, category: str) -> SpanTree:
    return SpanTree(start, end, TYPES.domain.categories[category])


def join(*children: SpanTree, start: int | None = None, end: int | None = None) -> SpanTree:
    first = children[0].start if start is None else start
    last = children[-1].end if end is None else end
    return SpanTree(first, last, JOIN, children)


def rivers() -> SpanTree:
    """Which rivers run through the states bordering texas ?"""
    texas = join(leaf(7, 8, "stateid('texas')"), end=9)
    bordering = join(leaf(6, 7, "next_to_2"), texas)
    states = join(leaf(5, 6, "state"), bordering)
    run = join(leaf(2, 4, "traverse_2"), end=5)
    return join(join(leaf(1, 2, "river"), join(run, states)), start=0)


def people() -> SpanTree:
    """How many people live in the smallest state ?"""
    number = join(leaf(2, 3, "population_1"), end=6)
    states = join(leaf(7, 8, "state"), end=9)
    return join(join(number, leaf(6, 7, "smallest_one"), states), start=0)


def at(node: MeaningNode, start: int, end: int) -> MeaningNode:
    return next(n for n in node.walk() if (n.start, n.end) == (start, end))


def test_every_node_has_its_partial_program() -> None:
    tree = rivers()
    node = read_tree(tree, TYPES)
    assert [(n.start, n.end) for n in node.walk()] == [(t.start, t.end) for t in tree.walk()]
    assert at(node, 6, 7).program_text == "next_to_2(·)"
    assert at(node, 6, 9).program_text == "next_to_2(stateid('texas'))"
    assert at(node, 5, 6).program_text == "state(all)"
    assert at(node, 2, 4).label == "traverse_2"
    assert at(node, 7, 8).kind == "entity"
    assert (at(node, 2, 4).kind, at(node, 2, 5).kind) == ("predicate", "join")
    whole = "river(traverse_2(state(next_to_2(stateid('texas')))))"
    assert node.program_text == str(node.term) == whole
    assert str(program(tree, TYPES)) == f"answer({whole})"


def test_a_unary_node_copies_its_child() -> None:
    node = read_tree(rivers(), TYPES)
    padded, bare = at(node, 2, 5), at(node, 2, 4)
    assert padded.label == "join"
    assert padded.function is None
    assert padded.program_text == bare.program_text == "traverse_2(·)"
    assert (padded.type_text, padded.state) == (bare.type_text, bare.state)
    assert bare.term is None


def test_types_are_named() -> None:
    node = read_tree(rivers(), TYPES)
    assert at(node, 6, 7).type_text == "(Phrase[State] | Phrase[River]) -> Related[State]"
    assert at(node, 7, 9).type_text == "Entity[State]"
    assert at(node, 6, 9).type_text == "Related[State]"


def test_the_function_may_stand_on_either_side() -> None:
    texas, borders = "stateid('texas')", "next_to_2"
    forward = join(leaf(0, 1, borders), leaf(1, 2, texas))
    backward = join(leaf(0, 1, texas), leaf(1, 2, borders))
    one, two = read_tree(forward, TYPES), read_tree(backward, TYPES)
    assert one.program_text == two.program_text == "next_to_2(stateid('texas'))"
    assert (one.function, two.function) == (0, 1)


def test_outer_parts_of_a_ternary_node_compose_first() -> None:
    tree = people()
    node = read_tree(tree, TYPES)
    ternary = node.children[0]
    assert len(ternary.children) == 3
    assert ternary.function == 1
    assert ternary.children[1].program_text == "smallest_one(·)"
    assert str(program(tree, TYPES)) == "answer(smallest_one(population_1(state(all))))"


def test_open_arguments_among_filled_ones() -> None:
    cities = leaf(0, 1, "city")
    tree = join(cities, leaf(1, 2, "exclude"))
    node = read_tree(tree, TYPES)
    assert node.program_text == "exclude(city(all), ·)"
    assert node.term is None
    with pytest.raises(ProgramTypeError, match=r"may not be .*: exclude\(city\(all\), ·\)"):
        program(tree, TYPES)


def test_parts_that_do_not_compose() -> None:
    names = ("stateid('texas')", "stateid('utah')")
    tree = join(*(leaf(i, i + 1, name) for i, name in enumerate(names)))
    with pytest.raises(ProgramTypeError, match=r"stateid\('texas'\): Entity\[State\] and "):
        read_tree(tree, TYPES)


def test_a_bare_name_is_no_question() -> None:
    with pytest.raises(ProgramTypeError, match=r"Entity\[State\]"):
        program(leaf(0, 1, "stateid('texas')"), TYPES)


def test_malformed_trees() -> None:
    with pytest.raises(ProgramTypeError, match=r"words 0\.\.2 has no children"):
        read_tree(SpanTree(0, 2, JOIN), TYPES)
    four = join(*(leaf(i, i + 1, "state") for i in range(4)))
    with pytest.raises(ProgramTypeError, match="has 4 children"):
        read_tree(four, TYPES)


@cases("text")
def test_trees_of_a_program_read_as_that_program(text: str) -> None:
    gold = parse_program(text)
    application = TYPES.check(gold)
    columns = [
        TYPES.domain.categories[name]
        for name in (part.constant.category for part in application.walk())
    ]
    random, n = np.random.default_rng(0), 8
    scores = SpanScores.of(
        random.normal(size=(n + 1, n + 1, len(columns))),
        random.normal(size=(n + 1, n + 1)),
        columns=columns,
    )
    found = kbest(scores, TargetAlgebra(TYPES, application), 5)
    assert len(found) == 5
    assert {program(derivation.tree, TYPES) for derivation in found} == {gold}
