"""What SCAN's programs run to, and its language as a grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.semantics import program
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError, ExecutionError, ProgramTypeError
from partwise.language.program import parse_program
from partwise_papers.domains.scan.domain import Scan, action_sequence, language, program_of

SCAN = Scan()
TYPES = TypeAlgebra(SCAN)
LEFT, RIGHT = "I_TURN_LEFT", "I_TURN_RIGHT"

Shape = str | tuple["Shape", ...]


def run(text: str) -> str:
    return SCAN.denotation(SCAN.run(parse_program(text)))


def tree(shape: Shape, start: int = 0) -> SpanTree:
    """A tree of nested tuples of words; a word stands for the constant of its name."""
    if isinstance(shape, str):
        return SpanTree(start, start + 1, SCAN.categories[f"i_{shape}"])
    children: list[SpanTree] = []
    end = start
    for part in shape:
        children.append(tree(part, end))
        end = children[-1].end
    return SpanTree(start, end, JOIN, tuple(children))


@cases("text")
def test_a_verb_is_read_and_spelt_with_what_it_has(text: str) -> None:
    read = SCAN.interpret(parse_program(text))
    assert read.term().text(spaced=True) == text
    assert len(read.args) == 2
    assert TYPES.check(parse_program(text)) == read


@cases("shape, expected")
def test_trees_compose(shape: Shape, expected: str) -> None:
    assert str(program(tree(shape), TYPES)) == expected


@cases("shape")
def test_what_means_nothing_does_not_type(shape: Shape) -> None:
    with pytest.raises(ProgramTypeError):
        program(tree(shape), TYPES)


@cases("text")
def test_ill_typed_programs_are_refused(text: str) -> None:
    with pytest.raises(ProgramTypeError):
        TYPES.check(parse_program(text))


@cases("text, expected")
def test_actions(text: str, expected: list[str]) -> None:
    assert run(text) == " ".join(expected)
    assert SCAN.show(SCAN.run(parse_program(text))) == [" ".join(expected)]


@cases("text, why")
def test_what_means_no_actions_does_not_run(text: str, why: str) -> None:
    with pytest.raises(ExecutionError, match=why):
        run(text)


VERBS = ("walk", "look", "run", "jump", "turn")
WORDS = (*VERBS, "left", "right", "opposite", "around", "twice", "thrice", "and", "after")
PROGRAMS = {command.text: command.program for command in language()}


def test_the_whole_language() -> None:
    # 34 actions, plain, twice or thrice; alone, or two of them with either conjunction.
    phrases = 34 * 3
    assert len(language()) == phrases + 2 * phrases**2 == 20910
    assert len(PROGRAMS) == len(set(PROGRAMS.values())) == 20910
    assert {word for text in PROGRAMS for word in text.split()} == set(WORDS)
    assert [language()[0].text, language()[-1].text] == [
        "walk",
        "turn around right thrice after turn around right thrice",
    ]


@given(st.sampled_from(language()))
def test_a_command_of_the_language_has_its_program(command: tuple[str, object]) -> None:
    text, program = command
    assert program_of(text) == program
    assert program_of(f"  {text.upper()} ") == program


@given(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join))
def test_other_word_strings_are_refused(text: str) -> None:
    if text in PROGRAMS:
        assert program_of(text) == PROGRAMS[text]
    else:
        with pytest.raises(DataError, match="is no SCAN command"):
            program_of(text)


@cases("command, expected")
def test_programs(command: str, expected: str) -> None:
    assert program_of(command).text(spaced=True) == expected


@cases("text, why")
def test_the_message_says_where_and_what(text: str, why: str) -> None:
    with pytest.raises(DataError, match=why):
        program_of(text)


def test_action_sequences() -> None:
    assert action_sequence("jump after turn left twice") == "I_TURN_LEFT I_TURN_LEFT I_JUMP"
    with pytest.raises(DataError, match="no SCAN command"):
        action_sequence("after")
