"""How far apart tables are that a program puts together, and in how many ways."""

from __future__ import annotations

import pytest

from cases import cases
from partwise.database import apart
from partwise.database.apart import choice_of_ways, links_passed
from partwise.execution.relational import program
from partwise.execution.relational.program import (
    Aggregate,
    Compare,
    Condition,
    Field,
    Figure,
    Listing,
    Order,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Column, Link, Schema, Table


def _table(name: str, *links: str) -> Table:
    columns = (Column("id", "id"), *(Column(one, "id") for one in links), Column("name", "text"))
    return Table(name, columns, "id")


SCHEMA = Schema(
    (
        *(_table("driver"), _table("race", "season"), _table("season"), _table("weather")),
        *(_table("result", "driver", "race"), _table("stop", "driver", "race")),
        *(_table("prize", "driver"), _table("match", "home", "away")),
    ),
    (
        *(Link("result", "driver", "driver"), Link("result", "race", "race")),
        *(Link("stop", "driver", "driver"), Link("stop", "race", "race")),
        *(Link("prize", "driver", "driver"), Link("race", "season", "season")),
        *(Link("match", "home", "driver"), Link("match", "away", "driver")),
    ),
)
SEASON = (Link("race", "season", "season"),)
OF_RESULT = (Link("result", "race", "race"), *SEASON)
COUNT = Aggregate("count")


def _listing(where: Condition | None, table: str = "driver", *orders: Order) -> Listing:
    return Listing(Rows(table, where), (Field((), "name"),), orders)


@cases("program, ways", apart, program)
def test_ways_between_rows_and_what_belongs_to_them(program: Listing | Figure, ways: float) -> None:
    assert choice_of_ways(program, SCHEMA) == pytest.approx(ways)


def test_links_behind_the_first_are_passed_once() -> None:
    year = Compare(Field(OF_RESULT, "name"), "=", Value("2024"))
    assert links_passed(_listing(None, "race")) == 0
    assert links_passed(Listing(Rows("race"), (Field(SEASON, "name"),))) == 0
    assert links_passed(Listing(Rows("result", year), (Field(OF_RESULT, "name"),))) == 1
