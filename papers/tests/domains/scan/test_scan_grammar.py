"""The grammar's language: its size, its programs, and what is outside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.errors import DataError
from partwise_papers.domains.scan.grammar import action_sequence, language, program_of

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
