"""Programs read back as they were written, and bad texts say where they are bad."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from partwise.errors import ProgramSyntaxError
from partwise.language.program import Term, parse_program, quote

WORDS = st.from_regex(r"[a-z_][a-z0-9_]{0,8}(#[a-z]{1,3})?", fullmatch=True)
NUMBERS = st.integers(-999, 999).map(str) | st.sampled_from(["0.5", "-12.75"])
NAMES = (
    st.sampled_from(["new york", "coeur d'alene", 'the "big" one', "back\\slash", "st. louis", "é"])
    | st.text(max_size=8)
).map(str.strip)
LEAVES = st.one_of(
    WORDS.map(Term),
    st.sampled_from([Term("_"), Term("all")]),
    NUMBERS.map(Term),
    NAMES.map(lambda name: Term(name, quoted=True)),
)


def calls(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.builds(lambda f, args: Term(f, tuple(args)), WORDS, st.lists(inner, max_size=3))


TERMS = st.recursive(LEAVES, calls, max_leaves=12)


@given(TERMS, st.booleans())
def test_a_program_reads_back(term: Term, spaced: bool) -> None:
    assert parse_program(term.text(spaced)) == term


@given(TERMS)
def test_blanks_do_not_matter(term: Term) -> None:
    text = "".join(
        piece if piece[0] in "'\"" else re.sub(r"([(),])", "  \\1 \n", piece)
        for piece in re.split(r"('(?:[^'\\]|\\.)*')", term.text(), flags=re.DOTALL)
        if piece
    )
    assert parse_program(f"  {text}\t") == term


@given(TERMS)
def test_depth_walk_and_map_agree(term: Term) -> None:
    nodes = list(term.walk())
    assert nodes[0] == term
    assert term.depth <= len(nodes)
    assert term.map(lambda node: node) == term


@cases("text, canonical")
def test_spellings(text: str, canonical: str | None) -> None:
    if canonical is None:
        with pytest.raises(ProgramSyntaxError):
            parse_program(text)
    else:
        assert str(parse_program(text)) == canonical


def test_quoted_and_bare_words_differ() -> None:
    assert parse_program("f('all')") != parse_program("f(all)")
    assert parse_program("f()") != parse_program("f")
    assert quote("o'hare \\") == r"'o\'hare \\'"


def test_token_length_is_that_of_the_published_split() -> None:
    assert parse_program("answer(state(loc_2(stateid('new york'))))").token_length == 14
    assert parse_program("answer(state(all))").token_length == 7


@cases("text, position, message")
def test_errors_point_at_the_place(text: str, position: int, message: str) -> None:
    with pytest.raises(ProgramSyntaxError) as caught:
        parse_program(text)
    assert caught.value.position == position
    assert message in str(caught.value)
    assert f"column {position + 1}" in str(caught.value)
    _, line, caret = str(caught.value).rsplit("\n", 2)
    assert line == f"  {text}"
    assert caret.index("^") == position + 2


def test_the_caret_stays_in_sight_in_a_long_program() -> None:
    text = "answer(" + "state(" * 100 + ";"
    with pytest.raises(ProgramSyntaxError) as caught:
        parse_program(text)
    _, line, caret = str(caught.value).rsplit("\n", 2)
    assert line[caret.index("^")] == ";"
    assert len(line) < 120


def test_deep_nesting_is_read_up_to_a_limit() -> None:
    deep = "f(" * 199 + "x" + ")" * 199
    assert parse_program(deep).depth == 200
    with pytest.raises(ProgramSyntaxError, match="deeper than 200"):
        parse_program("f(" * 10_000 + "x" + ")" * 10_000)


@cases("text")
def test_a_long_text_is_refused_in_linear_time(text: str) -> None:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        with pytest.raises(ProgramSyntaxError) as caught:
            parse_program(text)
    finally:
        sys.setprofile(None)
    assert calls < 20 * len(text)
    assert len(str(caught.value)) < 600


def test_map_changes_leaves_first() -> None:
    def double(node: Term) -> Term:
        return Term(node.symbol * 2, node.args, node.quoted)

    assert str(parse_program("f(a, g('b'))").map(double)) == "ff(aa, gg('bb'))"


def test_terms_are_immutable() -> None:
    with pytest.raises(AttributeError):
        parse_program("f(a)").symbol = "g"  # type: ignore[misc]


SYMBOLS = st.sampled_from(["_<=", "=", "<", "jobs.salary", "<=", "a-b", "!", "x==y=", "∃", "3km"])
KEYS = st.lists(st.sampled_from(["agent", "theme", "to_1"]), unique=True, max_size=2)


def named_calls(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    def call(head: str, args: list[Term], keys: list[str]) -> Term:
        return Term(head, tuple(args), keywords=tuple(keys[: len(args)]))

    return st.builds(call, SYMBOLS | WORDS, st.lists(inner, max_size=3), KEYS)


@given(st.recursive(LEAVES, named_calls, max_leaves=12), st.booleans())
def test_signs_in_symbols_and_names_of_arguments_read_back(term: Term, spaced: bool) -> None:
    assert parse_program(term.text(spaced)) == term
    assert term.map(lambda node: node) == term


def bracketed(term: Term) -> str:
    if term.args is None:
        return term.text()
    return f"({' '.join([term.symbol, *map(bracketed, term.args)])})"


@given(calls(TERMS))
def test_programs_in_brackets(term: Term) -> None:
    assert parse_program(bracketed(term), colons=False) == term


@cases("text, canonical")
def test_spellings_with_signs_and_names(text: str, canonical: str) -> None:
    assert str(parse_program(text)) == canonical
    assert parse_program(canonical) == parse_program(text)


@cases("text, position, message")
def test_errors_of_names_and_brackets(text: str, position: int, message: str) -> None:
    with pytest.raises(ProgramSyntaxError, match=re.escape(message)) as caught:
        parse_program(text)
    assert caught.value.position == position
