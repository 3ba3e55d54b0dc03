"""Times of day in questions."""

from __future__ import annotations

import pytest

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.clock import Clock, Clocks, on_clock
from partwise.database.reading.frame import Cond, Ref
from partwise.database.reading.text import words_of
from partwise.execution.relational.program import Between, Compare, DatePart, Field, Value
from partwise.execution.relational.schema import Column, Schema, Table


def layer_of(*columns: ColumnInfo) -> SemanticLayer:
    stored = tuple(Column(one.name, one.kind) for one in columns)
    schema = Schema((Table("show", (Column("id", "id"), *stored), "id"),))
    info = TableInfo("show", "show", (ColumnInfo("id", "id", "id"), *columns))
    return SemanticLayer("shows", schema, (info,))


START = ColumnInfo("start", "start", "text", values=("19:30", "21:00"))


@pytest.mark.parametrize(
    ("said", "sign", "clock", "span"),
    [
        ("shows after 10 pm", ">", Clock("22:00"), "after 10 pm"),
        ("shows before 9:30", "<", Clock("09:30"), "before 9:30"),
        ("shows before 9:30pm with bands", "<", Clock("21:30"), "before 9:30pm"),
        ("shows at 10 p.m. or later", ">=", Clock("22:00"), "at 10 p.m. or later"),
        ("shows starting at noon", ">=", Clock("12:00"), "starting at noon"),
        ("shows later than 18:00:00 today", ">", Clock("18:00"), "later than 18:00:00"),
        ("shows until midnight", "<=", Clock("00:00"), "until midnight"),
        ("shows after ten in the evening", ">", Clock("22:00"), "after ten in the evening"),
        ("shows at 12 am", "=", Clock("00:00"), "at 12 am"),
        ("the 8 o'clock show", "=", Clock("08:00"), "8 o'clock"),
        ("shows between 8 and 10 pm", "between", Clock("20:00", "22:00"), "between 8 and 10 pm"),
        (
            "shows between 9:15 and 17:00",
            "between",
            Clock("09:15", "17:00"),
            "between 9:15 and 17:00",
        ),
        ("shows from 11 am to 2 pm", "between", Clock("11:00", "14:00"), "from 11 am to 2 pm"),
    ],
)
def test_times_are_found_with_their_sign(said: str, sign: str, clock: Clock, span: str) -> None:
    words = words_of(said)
    (found,) = Clocks(layer_of(START)).find(words)
    assert found.value == (Cond(Ref("show", "start"), sign, clock),)
    assert said[words[found.start].start : words[found.end - 1].end] == span


@pytest.mark.parametrize(
    "said", ["shows after 2010", "the 3 longest shows", "between 3 and 5 bands", "25:00", "13 pm"]
)
def test_bare_numbers_are_no_times(said: str) -> None:
    assert not list(Clocks(layer_of(START)).find(words_of(said)))


def test_both_sides_of_or_are_found() -> None:
    found = list(Clocks(layer_of(START)).find(words_of("after 12:00 or before 9 am")))
    assert [one.value[0].value.low for one in found] == ["12:00", "09:00"]


def test_seconds_are_those_of_the_column() -> None:
    start = ColumnInfo("start", "start", "text", values=("19:30:00", "21:00:00"))
    (found,) = Clocks(layer_of(start)).find(words_of("after 8 pm"))
    assert found.value[0].value == Clock("20:00:00")


@pytest.mark.parametrize(
    "column",
    [
        ColumnInfo("start", "start", "text", values=("19:30", "late")),
        ColumnInfo("start", "start", "text", values=("9:30", "21:00")),
        ColumnInfo("start", "start", "text"),
        ColumnInfo("day", "day", "date"),
        ColumnInfo("start", "start", "text", values=("19:30",), private=True),
    ],
)
def test_other_columns_have_no_times(column: ColumnInfo) -> None:
    assert not list(Clocks(layer_of(column)).find(words_of("after 8 pm")))


def test_dates_have_a_time_where_their_name_says_so() -> None:
    called = ColumnInfo("called_at", "called at", "date")
    (found,) = Clocks(layer_of(called)).find(words_of("after 8 pm"))
    field = Field((), "called_at")
    assert on_clock(field, found.value[0], "date") == Compare(
        DatePart("time", field), ">", Value("20:00")
    )


def test_a_range_is_between_two_times() -> None:
    field, cond = Field((), "start"), Cond(Ref("show", "start"), "between", Clock("08:00", "10:00"))
    assert on_clock(field, cond, "text") == Between(field, Value("08:00"), Value("10:00"))
