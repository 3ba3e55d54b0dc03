"""Terse columns: amounts between bounds, codes that a comment explains, and shapes of programs."""

from __future__ import annotations

from pathlib import Path

from asked_database import AskedDatabase, asked_database, example

from partwise.database.reading.shape import shape_of
from partwise.execution.relational.program import (
    Aggregate,
    And,
    Compare,
    Field,
    Figure,
    Grouping,
    Listing,
    Or,
    Rows,
    Value,
)

press = example("press")


def test_no_before_of_is_a_number(press: AskedDatabase) -> None:
    assert any(one.op == "not" for one in press.labels("hands with no floor"))
    assert not any(one.op == "not" for one in press.labels("floor no. of Ada"))


def test_a_reading_that_repeats_a_name(press: AskedDatabase) -> None:
    named = Compare(Field((), "nm"), "=", Value("Ada"))
    rows, count = Rows("hand", named), Aggregate("count", None)
    repeated = [Listing(rows, (Field((), "nm"),)), Figure(rows, count)]
    others = [Listing(rows, (Field((), "email"),)), Figure(Rows("hand"), count)]
    shapes = [shape_of(one, {"hand"}, press.layer) for one in (*repeated, *others)]
    assert ["repeats a name" in one for one in shapes] == [True, True, False, False]


def test_a_reading_that_says_a_key_counts_one_row(tmp_path: Path) -> None:
    script = (
        "CREATE TABLE kind (cd TEXT PRIMARY KEY, nm TEXT); INSERT INTO kind VALUES ('D', 'dog')"
    )
    keyed = Rows("kind", Compare(Field((), "cd"), "=", Value("D")))
    count = Aggregate("count", None)
    each = Grouping(Rows("kind"), (Field((), "cd"),), (count,))
    by_name = Grouping(Rows("kind"), (Field((), "nm"),), (count,))
    programs = (Figure(keyed, count), Listing(keyed, (Field((), "nm"),)), each, by_name)
    with asked_database(script, tmp_path / "kinds.db") as kinds:
        shapes = [shape_of(one, {"kind"}, kinds.layer) for one in programs]
    assert ["repeats a name" in one for one in shapes] == [True, False, False, False]
    assert ["counts each row" in one for one in shapes] == [False, False, True, False]


def test_a_reading_with_two_bounds_on_one_side(press: AskedDatabase) -> None:
    pages = [Compare(Field((), "pgs"), ">", Value(one)) for one in (100, 200)]
    price = Compare(Field((), "prc_eur"), ">", Value(5))
    below = Compare(Field((), "pgs"), "<", Value(300))
    wheres = (Or(tuple(pages)), And(tuple(pages)), Or((pages[0], price)), And((pages[0], below)))
    programs = [Figure(Rows("edn", one), Aggregate("count", None)) for one in wheres]
    shapes = [shape_of(one, {"edn"}, press.layer) for one in programs]
    assert ["bounds twice" in one for one in shapes] == [True, True, False, False]


def test_since_when(press: AskedDatabase) -> None:
    assert [("2012-05-01",)] * 3 in press.answers("since when is Cleo here")


def test_a_sum_between_two_numbers(press: AskedDatabase) -> None:
    wanted = {"Fern", "Sedge", "Rush", "Iris"}
    assert wanted in press.first_columns("titles with a total price between 10 and 30")


def test_a_weight_in_another_unit(press: AskedDatabase) -> None:
    assert [(1.5,)] * 3 in press.answers("weight of Moss in kg")


def test_a_date_that_is_counted_by_year(press: AskedDatabase) -> None:
    wanted = {("2001", 3), ("2012", 3), ("2013", 3), ("2022", 3)}
    found = press.answers("hires by year")
    assert wanted in [{(str(row[0]), row[1]) for row in some} for some in found if some[0][1:]]
