"""Programs split into tokens and joined again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.errors import ProgramSyntaxError
from partwise.language.program import Term, parse_program, quote
from partwise_papers.constrained.tokens import (
    join_name,
    join_program,
    split_name,
    split_program,
)

PARTS = ("st", ".", " ", "'", "#", "##", "\\", "O'Neil", "\t", "  ", "2024-06-15", "é", "(", ",")
NAMES = st.lists(st.sampled_from(PARTS) | st.characters(), max_size=8).map("".join).map(str.strip)
SYMBOLS = st.sampled_from(("f", "_<=", "jobs.salary", "=", "a==b", "-"))


def terms() -> st.SearchStrategy[Term]:
    leaves = NAMES.map(lambda name: Term(name, quoted=True)) | st.sampled_from(
        (Term("all"), Term("5"), Term("-2.5"), Term("f", ()))
    )
    keywords = st.sampled_from(((), ("agent",), ("agent", "theme")))

    def call(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
        args = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return st.builds(lambda h, a, k: Term(h, a, keywords=k), SYMBOLS, args, keywords)

    return st.recursive(leaves, call, max_leaves=8)


@given(NAMES)
def test_names_are_joined_again(name: str) -> None:
    tokens = split_name(name)
    assert join_name(tokens) == name
    assert "'" not in tokens


@given(terms())
def test_programs_are_joined_again(program: Term) -> None:
    tokens = split_program(program.text())
    assert join_program(tokens) == program.text()
    assert parse_program(join_program(tokens)) == program


def test_words_without_a_blank_before_them_are_marked() -> None:
    tokens = split_program("cityid('st. louis', _)")
    assert tokens == ["cityid", "(", "'", "st", "##.", "louis", "'", ",", "_", ")"]


def test_a_name_may_be_one_token() -> None:
    seen: list[tuple[str | None, str]] = []

    def is_whole(head: str | None, name: str) -> bool:
        seen.append((head, name))
        return name == "1 may"

    tokens = split_program("on(day('1 may'), 'new york')", is_whole)
    assert tokens == ["on", "(", "day", "(", "'1 may'", ")", ",", "'", "new", "york", "'", ")"]
    assert seen == [("day", "1 may"), (None, "new york")]
    assert join_program(tokens) == "on(day('1 may'), 'new york')"


def test_programs_in_brackets_are_the_same_programs() -> None:
    text = f"(job (uses all :who {quote('o neil')}) (paid 5))"
    assert parse_program(join_program(split_program(text))) == parse_program(text)


def test_what_is_no_token_is_an_error() -> None:
    with pytest.raises(ProgramSyntaxError, match="unexpected character"):
        split_program("f('a)")
