"""Split makers: sizes, no overlap, the promised property, and the same result for a seed."""

from __future__ import annotations

import pytest

from partwise.domains.geography.domain import Geography
from partwise.errors import DataError
from partwise.evaluation.splits import (
    KINDS,
    Parts,
    inner_split,
    length_split,
    program_length,
    random_split,
    template,
    template_split,
)
from partwise.interface.data import Example
from partwise.language.program import Term, parse_program

STATES = ("ohio", "iowa", "utah", "texas", "maine")
SHAPES = (
    "answer(stateid('{}'))",
    "answer(river(loc_2(stateid('{}'))))",
    "answer(city(loc_2(stateid('{}'))))",
    "answer(largest(city(loc_2(stateid('{}')))))",
    "answer(state(next_to_2(stateid('{}'))))",
    "answer(count(state(next_to_2(stateid('{}')))))",
)
EXAMPLES = [
    Example(f"{shape} {state}", parse_program(shape.format(state)))
    for state in STATES
    for shape in SHAPES
]


def whole(parts: Parts) -> bool:
    """Whether every example is in exactly one part."""
    return sorted(e.question for part in parts for e in part) == sorted(
        e.question for e in EXAMPLES
    )


def templates(examples: list[Example[Term]]) -> set[str]:
    return {template(example.meaning) for example in examples}


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("answer(state(loc_1(cityid('salem', _))))", "answer(state(loc_1(cityid)))"),
        ("answer(cityid('salem', stateid('oregon')))", "answer(cityid)"),
        ("answer(state(all))", "answer(state(all))"),
        ("answer(place(elevation_2(0)))", "answer(place(elevation_2(0)))"),
    ],
)
def test_a_template_names_the_types_of_entities(program: str, expected: str) -> None:
    assert template(parse_program(program)) == expected


def test_a_domain_tells_which_bare_names_are_entities() -> None:
    term = parse_program("answer(place(elevation_2(0)))")
    assert template(term, Geography()) == "answer(place(elevation_2(number)))"


def test_random_split() -> None:
    parts = random_split(EXAMPLES, dev=4, test=10, seed=3)
    assert [len(part) for part in parts] == [16, 4, 10]
    assert whole(parts)
    assert parts == random_split(EXAMPLES, dev=4, test=10, seed=3)
    assert parts != random_split(EXAMPLES, dev=4, test=10, seed=4)


def test_template_split_tests_on_new_templates() -> None:
    parts = template_split(EXAMPLES, Geography(), dev=4, test=10, seed=3)
    assert [len(part) for part in parts] == [16, 4, 10]
    assert whole(parts)
    assert not templates(parts[0] + parts[1]) & templates(parts[2])
    assert parts == template_split(EXAMPLES, dev=4, test=10, seed=3)


def test_template_split_takes_whole_templates() -> None:
    train, dev, test = template_split(EXAMPLES, dev=4, test=12, seed=3)
    assert (len(train) + len(dev), len(test)) == (20, 10)


def test_length_split_tests_on_the_longest() -> None:
    parts = length_split(EXAMPLES, dev=4, test=10)
    assert [len(part) for part in parts] == [16, 4, 10]
    assert whole(parts)
    longest = max(program_length(e) for e in parts[0] + parts[1])
    assert longest <= min(program_length(e) for e in parts[2])
    assert parts == length_split(EXAMPLES, dev=4, test=10)


def test_length_split_keeps_the_order_of_equals() -> None:
    test = length_split(EXAMPLES, dev=0, test=7, length=lambda example: 1)[2]
    assert test == EXAMPLES[-7:]


@pytest.mark.parametrize("kind", KINDS)
def test_inner_split(kind: str) -> None:
    inner, held = inner_split(EXAMPLES, kind, Geography(), share=1 / 3, seed=1)  # type: ignore[arg-type]
    assert whole((inner, [], held))
    assert len(held) == 10
    if kind == "template":
        assert not templates(inner) & templates(held)


def test_impossible_sizes_are_errors() -> None:
    with pytest.raises(DataError, match="choose smaller sizes"):
        random_split(EXAMPLES, dev=20, test=10)
    with pytest.raises(DataError, match="1 templates over 5 examples"):
        template_split(EXAMPLES[::6], dev=0, test=1)
    with pytest.raises(DataError, match="there are random, template, length"):
        inner_split(EXAMPLES, "odd")  # type: ignore[arg-type]
