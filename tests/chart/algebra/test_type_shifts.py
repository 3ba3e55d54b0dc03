"""Type shifts, swappable arguments and extraction: which programs sentences can mean."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from blocks import Blocks

from partwise.chart.algebra import NONE
from partwise.chart.readable import kbest
from partwise.chart.scores import JOIN, SpanScores, SpanTree
from partwise.chart.semantics import program, read_tree
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import ProgramTypeError
from partwise.language.program import parse_program

BLOCKS = Blocks()
TYPES = TypeAlgebra(BLOCKS)
WORDS = {"many": "count", "same": "like", "or": "union", "what": "query", "thing": "world"}


def trees_over(sentence: list[str], algebra: TargetAlgebra | TypeAlgebra) -> list[str]:
    """Programs of all trees over a sentence of which each word is one constant."""
    n = len(sentence)
    constants = np.full((n + 1, n + 1, len(BLOCKS.constants)), -np.inf)
    for place, word in enumerate(sentence):
        constants[place, place + 1, BLOCKS.categories[WORDS.get(word, word)]] = 0.0
    join, gap = np.zeros((n + 1, n + 1)), np.full((n + 1, n + 1), -np.inf)
    found = kbest(SpanScores.of(constants, join, gap), algebra, 3000)
    return [program(one.tree, TYPES).text() for one in found]


def target(text: str) -> TargetAlgebra:
    return TargetAlgebra(TYPES, TYPES.check(parse_program(text)))


MEANINGS = {
    "many thing": "count(world())",
    "many cube": "count(filter(cube, world()))",
    "many red cube": "count(filter(red, cube, world()))",
    "many left red": "count(beside(left, filter(red, world())))",
    "many ball left red cube": "count(filter(ball, beside(left, filter(red, cube, world()))))",
    "red cube many left": "count(beside(left, filter(red, cube, world())))",
    "red cube many ball left": "count(filter(ball, beside(left, filter(red, cube, world()))))",
    "what hue ball same form cube": (
        "query(hue, filter(ball, like(form, filter(cube, world()))))"
    ),
    "cube many red same form": "count(filter(red, like(form, filter(cube, world()))))",
    "many red or ball": "count(union(filter(ball, world()), filter(red, world())))",
    "many cube left ball or red": (
        "count(filter(cube, beside(left, union(filter(ball, world()), filter(red, world())))))"
    ),
}  # fmt: skip


@pytest.mark.parametrize("sentence", MEANINGS)
def test_what_sentences_can_mean(sentence: str) -> None:
    assert MEANINGS[sentence] in trees_over(sentence.split(), TYPES)


@pytest.mark.parametrize("text", MEANINGS.values())
def test_programs_type_and_spell_themselves(text: str) -> None:
    assert TYPES.check(parse_program(text)).term().text() == text


@pytest.mark.parametrize("sentence", [s for s in MEANINGS if len(s.split()) < 7])
def test_trees_of_a_program_are_those_of_the_types_that_spell_it(sentence: str) -> None:
    text = MEANINGS[sentence]
    algebra = target(text)
    total = 0
    for words in set(itertools.permutations(sentence.split())):
        wanted = [found for found in trees_over(list(words), TYPES) if found == text]
        assert trees_over(list(words), algebra) == wanted
        total += len(wanted)
    assert total > 0


def test_swapped_arguments_are_one_program() -> None:
    either = {
        trees_over(words.split(), TYPES)[0] for words in ("many red or blue", "many blue or red")
    }
    assert len(either) == 1
    swapped = parse_program("count(union(filter(red, world()), filter(blue, world())))")
    assert TYPES.check(swapped).term().text() == either.pop()
    assert BLOCKS.run(swapped) == 3


def test_left_and_right_branching_filters_mean_the_same() -> None:
    # Every bracketing of "red cube" within "many red cube" and no other program.
    assert set(trees_over(["many", "red", "cube"], TYPES)) == {"count(filter(red, cube, world()))"}


def test_a_kind_is_filtered_by_once() -> None:
    assert trees_over(["many", "red", "blue"], TYPES) == []
    with pytest.raises(ProgramTypeError):
        TYPES.check(parse_program("count(filter(red, blue, world()))"))


def test_a_relation_takes_what_follows_or_what_stands_in_front() -> None:
    # "cube left" alone is not a set of things: the argument would have to follow.
    assert trees_over(["many", "cube", "left"], TYPES) == []
    front = trees_over(["ball", "many", "cube", "left"], TYPES)
    assert front == ["count(filter(cube, beside(left, filter(ball, world()))))"]


def test_implied_predicates_are_no_categories() -> None:
    assert not {"filter", "beside"} & set(BLOCKS.categories)
    assert [constant.category for constant in BLOCKS.type_shifts] == ["filter", "beside"]
    assert all(TYPES.start[constant.number] != NONE for constant in BLOCKS.constants)


def test_whole_programs_are_answers() -> None:
    with pytest.raises(ProgramTypeError, match="may not be"):
        TYPES.check(parse_program("filter(red, world())"))
    assert BLOCKS.run(parse_program("filter(red, world())")) == {0, 2}


def test_open_parts_are_shown_with_their_gap() -> None:
    # "cube how-many ball left"
    word = {
        name: BLOCKS.categories[WORDS.get(name, name)] for name in ("cube", "many", "ball", "left")
    }
    leaves = [
        SpanTree(i, i + 1, word[name]) for i, name in enumerate(("cube", "many", "ball", "left"))
    ]
    inner = SpanTree(2, 4, JOIN, (leaves[2], leaves[3]))
    phrase = SpanTree(1, 4, JOIN, (leaves[1], inner))
    whole = read_tree(SpanTree(0, 4, JOIN, (leaves[0], phrase)), TYPES)
    shown = {(node.start, node.end): node.program_text for node in whole.walk()}
    assert shown[2, 4] == "filter(ball, beside(left, ·))"
    assert shown[1, 4] == "count(filter(ball, beside(left, ·)))"
    assert shown[0, 4] == "count(filter(ball, beside(left, filter(cube, world()))))"


def test_arguments_are_read_into_the_slot_of_their_type() -> None:
    only_shape = BLOCKS.interpret(parse_program("filter(cube, beside(left, filter(red, world())))"))
    assert [arg is not None for arg in only_shape.args] == [False, True, True]
    assert BLOCKS.run(parse_program("count(filter(ball, world()))")) == 2
