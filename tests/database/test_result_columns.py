"""What the columns of an answer hold."""

from __future__ import annotations

from typing import Any

import pytest
from bakery import BAKED, PLACE, SOLD, TOTAL, bakery_layer

from partwise.database.result_columns import result_columns
from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    DatePart,
    Exists,
    Field,
    Figure,
    Grouping,
    Listing,
    Rows,
    Value,
)

DAY, COUNT = Field((), "day"), Aggregate("count")
REVENUE = Aggregate("sum", TOTAL)
SALES = Rows("sale")


@pytest.mark.parametrize(
    ("program", "columns"),
    [
        (Figure(SALES, COUNT), ["integer, -, figure, adds"]),
        (Figure(SALES, REVENUE), ["money, EUR, figure, adds"]),
        (Exists(SALES), ["boolean, -, figure"]),
        (
            Listing(Rows("bread"), (Field((), "name"), Field((), "weight"), Field((), "id"))),
            ["text, -, name", "number, g, value", "key, -, value"],
        ),
        (
            Grouping(SALES, (DatePart("year_month", DAY), Field((PLACE,), "city")), (COUNT,)),
            ["month, -, group", "text, -, group", "integer, -, figure, adds"],
        ),
        (
            Grouping(
                SALES,
                (Field((), "bread_id"),),
                (Aggregate("average", Field((SOLD,), "price")),),
                shown=(Field((SOLD,), "name"), DatePart("year", DAY)),
            ),
            ["text, -, name", "year, -, group", "money, EUR, figure"],
        ),
        (
            Grouping(Rows("store"), (), (Aggregate("maximum", Field((), "opening_year")),)),
            ["year, -, figure"],
        ),
        (
            Grouping(
                SALES,
                (Field((SOLD, BAKED), "town"),),
                (
                    Arithmetic("*", Arithmetic("/", REVENUE, Figure(SALES, REVENUE)), Value(100)),
                    Arithmetic("/", REVENUE, COUNT),
                ),
            ),
            ["text, -, group", "percent, %, figure", "money, EUR, figure"],
        ),
    ],
)
def test_columns_are_told_by_the_program_and_the_layer(program: Any, columns: list[str]) -> None:
    found = result_columns(program, bakery_layer())
    told = [(c.kind, c.unit or "-", str(c.role), "adds" if c.adds else "") for c in found]
    assert [", ".join(filter(None, one)) for one in told] == columns
    assert {c.sign for c in found} <= {"", "€", "g", "%"}
