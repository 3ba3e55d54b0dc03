"""What has no node of its own, said with what there is."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
import sqlalchemy as sa
from row_interpreter import Interpreter

from partwise.errors import DomainError
from partwise.execution.relational.program import (
    Aggregate,
    Among,
    Arithmetic,
    Between,
    Compare,
    Field,
    Figure,
    Grouping,
    Having,
    Holds,
    Listing,
    Not,
    Order,
    Program,
    Rows,
    Union,
    Value,
)
from partwise.execution.relational.schema import Column, Link, Schema, Table
from partwise.execution.relational.sql import Compiler

BY = Link("pot", "potter", "potter")
SCHEMA = Schema(
    (
        Table("potter", (Column("id", "id"), Column("name", "text"), Column("town", "text")), "id"),
        Table(
            "pot",
            (
                *(Column("id", "id"), Column("potter", "id"), Column("weight", "number")),
                Column("fired", "date"),
            ),
            "id",
        ),
        Table("fair", (Column("town", "text"),)),
    ),
    (BY,),
)
POTTERS = [(1, "Ada", "Ulm"), (2, "Ada", "Ulm"), (3, "Bo", "Trier")]
POTS = [
    *((1, 1, 2, date(2024, 1, 31)), (2, 1, 6, date(2024, 2, 1))),
    *((3, 2, 6, date(2024, 3, 1)), (4, 3, 3, date(2024, 3, 31))),
]
ROWS: dict[str, list[dict[str, Any]]] = {
    "potter": [dict(zip(("id", "name", "town"), one, strict=True)) for one in POTTERS],
    "pot": [dict(zip(("id", "potter", "weight", "fired"), one, strict=True)) for one in POTS],
    "fair": [{"town": "Ulm"}, {"town": "Jena"}],
}
WEIGHT, FIRED, TOWN = Field((), "weight"), Field((), "fired"), Field((), "town")
TOTAL, COUNT = Aggregate("sum", WEIGHT), Aggregate("count")
POT, POTTER = Rows("pot"), Rows("potter")
BIG_TOWN = Grouping(POTTER, (TOWN,), (), order=(Order(COUNT, descending=True),), limit=1)
IN_ULM = Rows("pot", Compare(Field((BY,), "town"), "=", Value("Ulm")))


def ran(program: Program) -> list[tuple[Any, ...]]:
    """The rows of an answer, from SQLite and from the interpreter."""
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    with engine.connect() as connection:
        for table in SCHEMA.tables:
            columns = [sa.Column(one.name, sa.types.NullType()) for one in table.columns]
            names = ", ".join(one.name for one in table.columns)
            connection.execute(sa.text(f"CREATE TABLE {table.name} ({names})"))
            made = sa.Table(table.name, sa.MetaData(), *columns)
            rows = [
                {key: one.isoformat() if isinstance(one, date) else one for key, one in row.items()}
                for row in ROWS[table.name]
            ]
            connection.execute(made.insert(), rows)
        said = [tuple(one) for one in connection.execute(Compiler(SCHEMA, True).select(program))]
    assert said == Interpreter(SCHEMA, ROWS).run(program)
    return said


@pytest.mark.parametrize(
    ("program", "rows"),
    [
        (
            Grouping(POT, (), (Aggregate("minimum", WEIGHT), Aggregate("maximum", WEIGHT))),
            [(2, 6)],
        ),
        (Arithmetic("/", Figure(IN_ULM, TOTAL), Figure(POT, TOTAL)), [(14 / 17,)]),
        (
            Grouping(
                POT,
                (Field((BY,), "town"),),
                (TOTAL, Arithmetic("/", TOTAL, Figure(POT, TOTAL))),
            ),
            [("Trier", 3, 3 / 17), ("Ulm", 14, 14 / 17)],
        ),
        (Figure(POT, Aggregate("median", WEIGHT)), [(4.5,)]),
        (
            Grouping(POT, (Field((), "potter"),), (COUNT,), shown=(Field((BY,), "name"),)),
            [("Ada", 2), ("Ada", 1), ("Bo", 1)],
        ),
        (Holds(Compare(Figure(IN_ULM, COUNT), ">", Figure(POTTER, COUNT))), [(False,)]),
        (
            Listing(
                Rows("potter", Among(TOWN, Listing(Rows("fair"), (TOWN,)))), (TOWN,), distinct=True
            ),
            [("Ulm",)],
        ),
        (
            Listing(
                Rows("potter", Not(Among(TOWN, Listing(Rows("fair"), (TOWN,))))),
                (TOWN,),
                distinct=True,
            ),
            [("Trier",)],
        ),
        (Listing(Rows("potter", Among(TOWN, BIG_TOWN)), (Field((), "id"),)), [(1,), (2,)]),
        (
            Figure(
                Rows(
                    "potter",
                    Among(TOWN, Grouping(POTTER, (TOWN,), (), (Having(COUNT, ">", Value(1)),))),
                ),
                Aggregate("count", TOWN, distinct=True),
            ),
            [(1,)],
        ),
        (
            Listing(POT, (Field((), "id"),), (Order(WEIGHT, descending=True),), 1, ties=True),
            [(2,), (3,)],
        ),
        (
            Grouping(
                POT, (Field((), "potter"),), (COUNT,), order=(Order(COUNT),), limit=1, ties=True
            ),
            [(2, 1), (3, 1)],
        ),
        (
            Figure(
                Rows(
                    "pot", Between(FIRED, Value(date(2024, 2, 1)), Value(date(2024, 3, 31)), True)
                ),
                COUNT,
            ),
            [(2,)],
        ),
    ],
)
def test_what_is_said_with_what_there_is(program: Program, rows: list[tuple[Any, ...]]) -> None:
    assert ran(program) == rows


def test_towns_of_two_tables() -> None:
    towns = Union((Listing(POTTER, (TOWN,)), Listing(Rows("fair"), (TOWN,))))
    made = Interpreter(SCHEMA, ROWS).run(towns)
    assert sorted(made) == [("Jena",), ("Trier",), ("Ulm",)]


def test_what_does_not_hold_together() -> None:
    with pytest.raises(DomainError, match="without groups there are only figures over all rows"):
        Grouping(POT, (), (Value(1),))
    with pytest.raises(DomainError, match="looked for in one column, not in 2"):
        Among(TOWN, Listing(POTTER, (TOWN, TOWN)))
    with pytest.raises(DomainError, match="equally many columns"):
        Union((Listing(POTTER, (TOWN,)), Listing(POTTER, (TOWN, TOWN))))
    loose = Holds(Compare(WEIGHT, ">", Value(1)))
    with pytest.raises(DomainError, match="stands where there is no row"):
        Compiler(SCHEMA).select(loose)
    with pytest.raises(DomainError, match="stands where there is no row"):
        Interpreter(SCHEMA, ROWS).run(loose)


def test_a_null_makes_a_group_in_a_list_and_none_where_groups_are_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost = {"id": 5, "potter": None, "weight": None, "fired": None}
    monkeypatch.setitem(ROWS, "pot", [*ROWS["pot"], lost, {**lost, "id": 6, "potter": 3}])
    listed = Grouping(POT, (WEIGHT,), (COUNT,))
    assert sorted(ran(listed), key=str) == [(2, 1), (3, 1), (6, 2), (None, 2)]
    assert ran(replace(listed, order=(Order(COUNT, descending=True),), limit=1)) == [(6, 2)]
    assert ran(replace(listed, having=(Having(COUNT, ">", Value(1)),))) == [(6, 2)]
    # A pot of no potter has no town, and is in no group of towns.
    towns = Grouping(POT, (Field((BY,), "town"),), (COUNT,))
    assert sorted(ran(towns)) == [("Trier", 2), ("Ulm", 3)]
