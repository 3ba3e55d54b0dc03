"""Programs as texts, read back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.execution.relational.random_programs import databases, programs

from partwise.errors import ProgramSyntaxError
from partwise.execution.relational.program import (
    Compare,
    Exists,
    Field,
    Listing,
    Order,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Column, Link, Schema, Table
from partwise.execution.relational.writing import DEEPEST, LONGEST, read, write

TEACHER = Link("potter", "teacher", "potter")
SCHEMA = Schema(
    (
        Table(
            "potter",
            (Column("id", "id"), Column("first name", "text"), Column("teacher", "id")),
            "id",
        ),
        Table("fair", (Column("town", "text"),)),
    ),
    (TEACHER,),
)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_programs_are_read_back(data: st.DataObject) -> None:
    database = data.draw(databases())
    program = data.draw(programs(database))
    text = write(program)
    made = read(text, database.schema)
    assert made == program
    assert write(made) == text


def test_a_text_for_people() -> None:
    name = Field((TEACHER,), "first name")
    where = Compare(name, "!=", Value('A "da"'))
    program = Listing(Rows("potter", where), (Field((), "id"),), (Order(name, True),), 3)
    text = write(program)
    assert text == (
        '(Listing (Rows potter where=(Compare (Field [(Link potter teacher potter)] "first name")'
        ' != (Value "A \\"da\\""))) [(Field [] id)] order=[(Order (Field [(Link potter teacher '
        'potter)] "first name") descending=true)] limit=3)'
    )
    assert read(text, SCHEMA) == program


@pytest.mark.parametrize(
    ("text", "told", "column"),
    [
        ("", "and the text ends", 1),
        ("(Exists (Rows potter)) x", "the program ends before this", 24),
        ("(Exists (Rows potter)", r"here stands \), and the text ends", 22),
        ("(Exist (Rows potter))", "here stands Listing or .*, not Exist", 2),
        ("(Exists (Rows potter were=none))", r"here stands \) or where, not were", 22),
        ("(Exists (Rows pot))", "there is no table pot; there are potter, fair", 9),
        ("(Listing (Rows fair) [(Field [] id)])", "fair has no column id", 23),
        (
            "(Listing (Rows fair) [(Field [(Link potter teacher potter)] id)])",
            "no link potter.teacher leads on from fair",
            23,
        ),
        ("(Exists (Rows fair where=(Related [] (Rows potter))))", "nothing links fair with", 26),
        ('(Listing (Rows "fair) [])', 'here stands str, not "', 16),
        ("(Listing (Rows fair) [] limit=many)", "here stands int or none, not many", 31),
        ("(Listing (Rows fair) [] limit=1 limit=2)", "here stands .*, not limit", 33),
        ("(Holds (Missing (Value inf)))", "here stands str or int", 24),
        ("(Holds (Missing (Field [] id)))", "id stands where there is no row", 17),
        ("(Holds (Missing (Arithmetic + (Aggregate count) (Value 1))))", "there is no group", 8),
        (
            "(Listing (Rows fair) [] order=[(Order (Aggregate count))])",
            "rows are ordered by what each of them has",
            1,
        ),
        (
            "(Grouping (Rows potter) [(Field [] teacher)] [] order=[(Order (Field [] id))])",
            "groups are ordered by what makes them",
            1,
        ),
        ("(Grouping (Rows fair) [] [])", "without groups there are only figures", 1),
        ("(Exists (Rows fair where=" + "(Not " * DEEPEST, "brackets within brackets", 521),
        ("(" * (LONGEST + 1), "characters at most", LONGEST + 1),
    ],
)
def test_errors_say_where(text: str, told: str, column: int) -> None:
    with pytest.raises(ProgramSyntaxError, match=told) as raised:
        read(text, SCHEMA)
    assert raised.value.position + 1 == column


def test_a_program_that_says_what_the_schema_has() -> None:
    assert read("(Exists (Rows fair))", SCHEMA) == Exists(Rows("fair"))
