"""Readable words for the names of tables and columns."""

from __future__ import annotations

import pytest

from cases import cases
from partwise.database.source.names import (
    column_words,
    is_short_for,
    other_words,
    row_words,
    singular,
    table_names,
    table_words,
    words_of_name,
    written_out,
)


@cases("name, words")
def test_words(name: str, words: str) -> None:
    assert " ".join(words_of_name(name)) == words


@cases("words, one")
def test_singular(words: str, one: str) -> None:
    assert singular((words,)) == (one,)


def test_tables_without_what_all_begin_with() -> None:
    made = table_words(["app_customers", "app_order_lines", "app_tblPeople"])
    assert [" ".join(one) for one in made.values()] == ["customer", "order line", "person"]
    # A plural inside a name is one of another table.
    made = table_words(["Customers", "Customers_Cards", "Sales_Targets"])
    assert [" ".join(one) for one in made.values()] == ["customer", "customer card", "sales target"]


def test_columns_without_their_table() -> None:
    made = column_words(["cust_id", "cust_name", "cust_phone"], ("customer",))
    assert [" ".join(one) for one in made.values()] == ["id", "name", "phone"]
    made = column_words(["PlaylistId", "TrackId", "TrackNote"], ("playlist", "track"))
    assert [" ".join(one) for one in made.values()] == ["playlist id", "track id", "note"]
    made = column_words(["c_key", "c_name", "c_phone", "c_comment"], ("customer",))
    assert [" ".join(one) for one in made.values()] == ["key", "name", "phone", "comment"]


def test_columns_are_told_apart() -> None:
    made = column_words(["name", "dog_name", "age"], ("dog",))
    assert [" ".join(one) for one in made.values()] == ["name", "dog name", "age"]


def test_other_columns_lose_the_name_of_their_table() -> None:
    made = column_words(["hotel_id", "price", "other_hotel_details"], ("hotel",))
    assert made["other_hotel_details"] == ("other", "details")


def test_columns_of_yes_and_no_lose_the_sign_of_it() -> None:
    made = column_words(["id", "pets_allowed_yn", "active_flag", "flag"], ("hotel",))
    assert [*made.values()] == [("id",), ("pets", "allowed"), ("active",), ("flag",)]


@cases("key, words")
def test_keys_may_call_rows_otherwise(key: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert row_words(key, [("visitor",), ("guide",)]) == words


def test_columns_lose_what_the_key_calls_rows() -> None:
    made = column_words(["tourist_id", "tourist_name"], ("visitor",), called=("tourist",))
    assert [*made.values()] == [("id",), ("name",)]


def test_a_table_is_not_named_within_its_columns() -> None:
    columns = [
        "date_problem_reported",
        "number_of_problem_logs",
        "parent_problem_id",
        "date_closed",
    ]
    made = column_words(columns, ("problem",))
    assert [*made.values()] == [
        *[("date", "reported"), ("number", "of", "problem", "logs"), ("parent", "problem", "id")],
        ("date", "closed"),
    ]


def test_abbreviations_may_stand_for_more_than_one_word() -> None:
    assert table_names("tblRep") == ("repair",)
    assert table_names("prt_run") == ("print run",)
    assert other_words("doc_no") == (("doctor", "number"),)
    assert table_names("repair") == ()


@cases("short, word")
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


@cases("columns, table")
def test_two_names_are_a_persons(columns: list[str], table: str) -> None:
    assert [*column_words(columns, [table]).values()] == [("first", "name"), ("last", "name")]
    assert words_of_name("s_name") == ("s", "name")
