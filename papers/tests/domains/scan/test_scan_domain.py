"""What SCAN's programs run to, and its language as a grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize(
    "text",
    ["i_jump ( )", "i_jump ( i_left )", "i_jump ( i_left, i_around )", "i_turn ( i_right )"],
)
def test_a_verb_is_read_and_spelt_with_what_it_has(text: str) -> None:
    read = SCAN.interpret(parse_program(text))
    assert read.term().text(spaced=True) == text
    assert len(read.args) == 2
    assert TYPES.check(parse_program(text)) == read


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("jump", "i_jump()"),
        (("turn", "left"), "i_turn(i_left)"),
        ((("jump", "around"), "left"), "i_jump(i_left, i_around)"),
        ((("jump", "left"), "around"), "i_jump(i_left, i_around)"),
        (("around", ("left", "turn")), "i_turn(i_left, i_around)"),
        (("jump", "twice"), "i_twice(i_jump())"),
        ((("run", "after"), ("look", "left")), "i_after(i_run(), i_look(i_left))"),
        (("run", ("after", ("look", "left"))), "i_after(i_look(i_left), i_run())"),
        (((("run", "thrice"), "and"), "walk"), "i_and(i_thrice(i_run()), i_walk())"),
    ],
)
def test_trees_compose(shape: Shape, expected: str) -> None:
    assert str(program(tree(shape), TYPES)) == expected


@pytest.mark.parametrize(
    "shape",
    [
        "left",
        "turn",
        ("jump", "around"),
        ("left", "around"),
        ("jump", "and"),
        (("jump", "left"), "right"),
        (("jump", "twice"), "thrice"),
        (((("jump", "and"), "run"), "and"), "walk"),
        ((("jump", "and"), "run"), "twice"),
    ],
)
def test_what_means_nothing_does_not_type(shape: Shape) -> None:
    with pytest.raises(ProgramTypeError):
        program(tree(shape), TYPES)


@pytest.mark.parametrize(
    "text",
    [
        "i_left",
        "i_turn()",
        "i_jump(i_around)",
        "i_jump(i_around, i_left)",
        "i_jump(i_left, i_right)",
        "i_jump(i_run())",
        "i_twice(i_thrice(i_jump()))",
        "i_twice(i_left)",
        "i_and(i_jump())",
        "i_and(i_jump(), i_after(i_run(), i_walk()))",
    ],
)
def test_ill_typed_programs_are_refused(text: str) -> None:
    with pytest.raises(ProgramTypeError):
        TYPES.check(parse_program(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i_walk()", ["I_WALK"]),
        ("i_look(i_right)", [RIGHT, "I_LOOK"]),
        ("i_run(i_left, i_opposite)", [LEFT, LEFT, "I_RUN"]),
        ("i_jump(i_right, i_around)", [RIGHT, "I_JUMP"] * 4),
        ("i_turn(i_left)", [LEFT]),
        ("i_turn(i_left, i_opposite)", [LEFT, LEFT]),
        ("i_turn(i_left, i_around)", [LEFT] * 4),
        ("i_twice(i_jump(i_left))", [LEFT, "I_JUMP"] * 2),
        ("i_thrice(i_look())", ["I_LOOK"] * 3),
        ("i_and(i_twice(i_run()), i_walk())", ["I_RUN", "I_RUN", "I_WALK"]),
        ("i_after(i_twice(i_run()), i_walk())", ["I_WALK", "I_RUN", "I_RUN"]),
    ],
)
def test_actions(text: str, expected: list[str]) -> None:
    assert run(text) == " ".join(expected)
    assert SCAN.show(SCAN.run(parse_program(text))) == [" ".join(expected)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("i_jump(i_around)", "takes a direction"),
        ("i_jump(i_around, i_left)", "takes a direction"),
        ("i_jump(i_run())", "takes a direction"),
        ("i_turn()", "lacks its argument 1"),
        ("i_left", "is no action"),
        ("i_twice(i_around)", "is no action"),
    ],
)
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


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("run", "i_run ( )"),
        ("turn opposite left", "i_turn ( i_left, i_opposite )"),
        (
            "look around right twice after jump",
            "i_after ( i_twice ( i_look ( i_right, i_around ) ), i_jump ( ) )",
        ),
        ("walk and walk thrice", "i_and ( i_walk ( ), i_thrice ( i_walk ( ) ) )"),
    ],
)
def test_programs(command: str, expected: str) -> None:
    assert program_of(command).text(spaced=True) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "at its end expected walk, look, run, jump, turn"),
        ("turn", "at its end expected left, right, opposite, around"),
        ("jump left right", "at word 3 expected twice, thrice, and, after, the end, not 'right'"),
        ("jump twice twice", "at word 3 expected and, after, the end, not 'twice'"),
        ("swim", "at word 1 expected walk, look, run, jump, turn, not 'swim'"),
        ("run and", "at its end expected walk, look, run, jump, turn"),
        ("run and look and walk", "at word 4 expected .* the end, not 'and'"),
        ("PHRASE1", "not 'phrase1'"),
    ],
)
def test_the_message_says_where_and_what(text: str, why: str) -> None:
    with pytest.raises(DataError, match=why):
        program_of(text)


def test_action_sequences() -> None:
    assert action_sequence("jump after turn left twice") == "I_TURN_LEFT I_TURN_LEFT I_JUMP"
    with pytest.raises(DataError, match="no SCAN command"):
        action_sequence("after")
