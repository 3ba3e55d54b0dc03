"""Shortened words in stored names are written out."""

from __future__ import annotations

import pytest

from partwise.database.source.names import column_words, is_short_for, words_of_name, written_out


@pytest.mark.parametrize(
    ("short", "word"),
    [("knd", "kind"), ("strt", "start"), ("fmt", "format"), ("rtn", "return"), ("lvl", "level")],
)
def test_words_without_vowels_are_written_out(short: str, word: str) -> None:
    assert written_out(short) == word


@pytest.mark.parametrize("word", ["kind", "pdf", "kwh", "cd", "xqz", "and", "3", "b12"])
def test_others_stay(word: str) -> None:
    assert written_out(word) == word


def test_letters_stand_for_a_word_as_it_begins_or_by_its_consonants() -> None:
    assert is_short_for("eq", "equipment")
    assert is_short_for("cls", "class")
    assert not is_short_for("c", "class")
    assert not is_short_for("clear", "class")
    assert not is_short_for("class", "class")


def test_a_table_that_is_shortened_before_its_columns_is_left_out() -> None:
    words = column_words(["eqNo", "eqNm", "wtKg"], ["equipment"])
    assert words["eqNm"] == ("name",)
    assert column_words(["stDt", "endDt"], ["staff"])["stDt"] != ("date",)


@pytest.mark.parametrize(
    ("columns", "table"),
    [(["fName", "sName"], "staff"), (["f_nm", "l_nm"], "cli"), (["FstName", "LstName"], "guest")],
)
def test_two_names_are_a_persons(columns: list[str], table: str) -> None:
    assert [*column_words(columns, [table]).values()] == [("first", "name"), ("last", "name")]
    assert words_of_name("s_name") == ("s", "name")
