"""Span trees read as programs, with the geography domain."""

from __future__ import annotations

import numpy as np
import pytest

from partwise.chart.readable import kbest
from partwise.chart.scores import JOIN, SpanScores, SpanTree
from partwise.chart.semantics import MeaningNode, program, read_tree
from partwise.chart.target_algebra import TargetAlgebra
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.errors import ProgramTypeError
from partwise.language.program import parse_program


@pytest.fixture(scope="module")
def types() -> TypeAlgebra:
    return TypeAlgebra(Geography())


def leaf(types: TypeAlgebra, start: int, end: int, category: str) -> SpanTree:
    return SpanTree(start, end, types.domain.categories[category])


def join(*children: SpanTree, start: int | None = None, end: int | None = None) -> SpanTree:
    first = children[0].start if start is None else start
    last = children[-1].end if end is None else end
    return SpanTree(first, last, JOIN, children)


def rivers(types: TypeAlgebra) -> SpanTree:
    """Which rivers run through the states bordering texas ?"""
    texas = join(leaf(types, 7, 8, "stateid('texas')"), end=9)
    bordering = join(leaf(types, 6, 7, "next_to_2"), texas)
    states = join(leaf(types, 5, 6, "state"), bordering)
    run = join(leaf(types, 2, 4, "traverse_2"), end=5)
    return join(join(leaf(types, 1, 2, "river"), join(run, states)), start=0)


def people(types: TypeAlgebra) -> SpanTree:
    """How many people live in the smallest state ?"""
    number = join(leaf(types, 2, 3, "population_1"), end=6)
    states = join(leaf(types, 7, 8, "state"), end=9)
    return join(join(number, leaf(types, 6, 7, "smallest_one"), states), start=0)


def at(node: MeaningNode, start: int, end: int) -> MeaningNode:
    return next(n for n in node.walk() if (n.start, n.end) == (start, end))


def test_every_node_has_its_partial_program(types: TypeAlgebra) -> None:
    tree = rivers(types)
    node = read_tree(tree, types)
    assert [(n.start, n.end) for n in node.walk()] == [(t.start, t.end) for t in tree.walk()]
    assert at(node, 6, 7).program_text == "next_to_2(·)"
    assert at(node, 6, 9).program_text == "next_to_2(stateid('texas'))"
    assert at(node, 5, 6).program_text == "state(all)"
    assert at(node, 2, 4).label == "traverse_2"
    assert at(node, 7, 8).kind == "entity"
    assert (at(node, 2, 4).kind, at(node, 2, 5).kind) == ("predicate", "join")
    whole = "river(traverse_2(state(next_to_2(stateid('texas')))))"
    assert node.program_text == str(node.term) == whole
    assert str(program(tree, types)) == f"answer({whole})"


def test_a_unary_node_copies_its_child(types: TypeAlgebra) -> None:
    node = read_tree(rivers(types), types)
    padded, bare = at(node, 2, 5), at(node, 2, 4)
    assert padded.label == "join"
    assert padded.function is None
    assert padded.program_text == bare.program_text == "traverse_2(·)"
    assert (padded.type_text, padded.state) == (bare.type_text, bare.state)
    assert bare.term is None


def test_types_are_named(types: TypeAlgebra) -> None:
    node = read_tree(rivers(types), types)
    assert at(node, 6, 7).type_text == "(Phrase[State] | Phrase[River]) -> Related[State]"
    assert at(node, 7, 9).type_text == "Entity[State]"
    assert at(node, 6, 9).type_text == "Related[State]"


def test_the_function_may_stand_on_either_side(types: TypeAlgebra) -> None:
    texas, borders = "stateid('texas')", "next_to_2"
    forward = join(leaf(types, 0, 1, borders), leaf(types, 1, 2, texas))
    backward = join(leaf(types, 0, 1, texas), leaf(types, 1, 2, borders))
    one, two = read_tree(forward, types), read_tree(backward, types)
    assert one.program_text == two.program_text == "next_to_2(stateid('texas'))"
    assert (one.function, two.function) == (0, 1)


def test_outer_parts_of_a_ternary_node_compose_first(types: TypeAlgebra) -> None:
    tree = people(types)
    node = read_tree(tree, types)
    ternary = node.children[0]
    assert len(ternary.children) == 3
    assert ternary.function == 1
    assert ternary.children[1].program_text == "smallest_one(·)"
    assert str(program(tree, types)) == "answer(smallest_one(population_1(state(all))))"


def test_open_arguments_among_filled_ones(types: TypeAlgebra) -> None:
    cities = leaf(types, 0, 1, "city")
    tree = join(cities, leaf(types, 1, 2, "exclude"))
    node = read_tree(tree, types)
    assert node.program_text == "exclude(city(all), ·)"
    assert node.term is None
    with pytest.raises(ProgramTypeError, match=r"may not be .*: exclude\(city\(all\), ·\)"):
        program(tree, types)


def test_parts_that_do_not_compose(types: TypeAlgebra) -> None:
    names = ("stateid('texas')", "stateid('utah')")
    tree = join(*(leaf(types, i, i + 1, name) for i, name in enumerate(names)))
    with pytest.raises(ProgramTypeError, match=r"stateid\('texas'\): Entity\[State\] and "):
        read_tree(tree, types)


def test_a_bare_name_is_no_question(types: TypeAlgebra) -> None:
    with pytest.raises(ProgramTypeError, match=r"Entity\[State\]"):
        program(leaf(types, 0, 1, "stateid('texas')"), types)


def test_malformed_trees(types: TypeAlgebra) -> None:
    with pytest.raises(ProgramTypeError, match=r"words 0\.\.2 has no children"):
        read_tree(SpanTree(0, 2, JOIN), types)
    four = join(*(leaf(types, i, i + 1, "state") for i in range(4)))
    with pytest.raises(ProgramTypeError, match="has 4 children"):
        read_tree(four, types)


@pytest.mark.parametrize(
    "text",
    [
        "answer(river(traverse_2(state(next_to_2(stateid('texas'))))))",
        "answer(largest_one(population_1(city(loc_2(stateid('ohio'))))))",
        "answer(exclude(river(all), traverse_2(stateid('texas'))))",
        "answer(elevation_1(highest(mountain(loc_2(countryid('usa'))))))",
    ],
)
def test_trees_of_a_program_read_as_that_program(types: TypeAlgebra, text: str) -> None:
    gold = parse_program(text)
    application = types.check(gold)
    columns = [
        types.domain.categories[name]
        for name in (part.constant.category for part in application.walk())
    ]
    random, n = np.random.default_rng(0), 8
    scores = SpanScores.of(
        random.normal(size=(n + 1, n + 1, len(columns))),
        random.normal(size=(n + 1, n + 1)),
        columns=columns,
    )
    found = kbest(scores, TargetAlgebra(types, application), 5)
    assert len(found) == 5
    assert {program(derivation.tree, types) for derivation in found} == {gold}
