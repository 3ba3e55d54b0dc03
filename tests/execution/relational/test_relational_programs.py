"""Programs over rows: SQL and the readable twin agree, canonical forms, texts, and schemas."""

# The rows of cases use what is imported.
# ruff: noqa: F401

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import duckdb
import psycopg
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from row_interpreter import Interpreter
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from tests.attacks.servers import program as installed
from tests.attacks.servers import server
from tests.execution.relational.random_programs import Database, databases, programs

from cases import cases
from partwise.errors import DomainError, ProgramSyntaxError
from partwise.execution.relational.program import (
    Aggregate,
    Among,
    And,
    Arithmetic,
    Belonging,
    Between,
    Compare,
    Condition,
    Contains,
    Elapsed,
    Exists,
    Field,
    Figure,
    Grouping,
    Having,
    Holds,
    Listing,
    Not,
    OneOf,
    Or,
    Order,
    Program,
    Related,
    Rows,
    Union,
    Value,
)
from partwise.execution.relational.schema import Association, Column, Kind, Link, Schema, Table
from partwise.execution.relational.sql import Compiler
from partwise.execution.relational.writing import DEEPEST, LONGEST, canonical, read, write
from partwise.execution.worker_sql import without_wrong_plans

EXAMPLES = int(os.environ.get("PARTWISE_PROGRAMS", "150"))
DECIMALS = 6
Run = Callable[[Database, Program], list[tuple[Any, ...]]]
TYPES: dict[Kind, str] = {
    **{"number": "DOUBLE PRECISION", "text": "VARCHAR", "date": "DATE", "boolean": "BOOLEAN"},
    "id": "INTEGER",
}


def by_sqlite(database: Database, program: Program) -> list[tuple[Any, ...]]:
    made = Compiler(database.schema, texts=True).select(program)
    statement = made.compile(dialect=sqlite.dialect(paramstyle="named"))
    with sqlite3.connect(":memory:") as connection:
        fill(database, connection.execute)
        return connection.execute(statement.string, statement.construct_params()).fetchall()


def on_duckdb(connection: duckdb.DuckDBPyConnection) -> Run:
    def run(database: Database, program: Program) -> list[tuple[Any, ...]]:
        made = Compiler(database.schema).select(program)
        statement = made.compile(dialect=postgresql.dialect(paramstyle="named"))
        text = re.sub(r":(\w+)", r"$\1", statement.string)
        connection.begin()
        try:
            fill(database, connection.execute)
            return connection.execute(text, statement.construct_params()).fetchall()
        finally:
            connection.rollback()

    return run


def on_postgres(connection: psycopg.Connection[Any]) -> Run:
    def run(database: Database, program: Program) -> list[tuple[Any, ...]]:
        made = Compiler(database.schema).select(program)
        statement = made.compile(dialect=PGDialect_psycopg())
        fill(database, lambda sql, row=(): connection.execute(sql.replace("?", "%s"), row))
        try:
            return connection.execute(statement.string, statement.construct_params()).fetchall()
        finally:
            connection.rollback()

    return run


def fill(database: Database, execute: Callable[..., object]) -> None:
    for table in database.schema.tables:
        columns = ", ".join(f'"{one.name}" {TYPES[one.kind]}' for one in table.columns)
        execute(f'CREATE TABLE "{table.name}" ({columns})')
        marks = ", ".join("?" for _ in table.columns)
        for row in database.rows[table.name]:
            values = [stored(row[one.name]) for one in table.columns]
            execute(f'INSERT INTO "{table.name}" VALUES ({marks})', values)


def stored(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def comparable(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    return [
        tuple(round(float(one), DECIMALS) + 0.0 if is_number(one) else stored(one) for one in row)
        for row in rows
    ]


def is_number(value: Any) -> bool:
    return value is not None and not isinstance(value, str | date)


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    if request.param == "postgresql":
        if installed("initdb") is None:
            pytest.skip("PostgreSQL is not installed")
        with server() as (place, _), psycopg.connect(place) as connection:
            yield on_postgres(connection)
    elif request.param == "duckdb":
        with duckdb.connect(":memory:") as connection:
            # As `partwise.execution.worker_sql` does.
            without_wrong_plans(connection)
            yield on_duckdb(connection)
    else:
        yield by_sqlite


def test_sql_and_interpreter_agree(run: Run) -> None:
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        database = data.draw(databases())
        program = data.draw(programs(database))
        expected = comparable(Interpreter(database.schema, database.rows).run(program))
        said = comparable(run(database, program))
        match program:
            case Listing(distinct=True, order=(), limit=None) | Union():
                assert Counter(said) == Counter(expected)
            case _:
                assert said == expected

    agree()


def test_what_cannot_be_ordered_by() -> None:
    schema = Schema((Table("pot", (Column("id", "id"), Column("weight", "number")), "id"),))
    weight, count = Field((), "weight"), Aggregate("count")
    with pytest.raises(DomainError, match="rows are ordered by what each of them has"):
        Compiler(schema).select(Listing(Rows("pot"), (weight,), (Order(count),)))
    grouped = Grouping(Rows("pot"), (weight,), (count,), order=(Order(Field((), "id")),))
    with pytest.raises(DomainError, match="groups are ordered by what they are grouped by"):
        Compiler(schema).select(grouped)


def test_a_small_divisor_is_not_rounded(run: Run) -> None:
    day, next_day = (Value(date(2023, 11, one)) for one in (1, 2))
    weeks = Figure(Rows("shop"), Aggregate("sum", Elapsed("week", day, next_day)))
    count = Figure(Rows("shop"), Aggregate("count", None))
    table = Table("shop", (Column("id", "id"),), "id")
    database = Database(Schema((table,), ()), {"shop": [{"id": 1}]})
    assert comparable(run(database, Arithmetic("/", count, weeks))) == [(7.0,)]


POTTER_COLUMNS: dict[str, Kind] = {"id": "id", "name": "text", "town": "text"}
POT_COLUMNS: dict[str, Kind] = {"id": "id", "potter": "id", "weight": "number", "fired": "date"}
BY = Link("pot", "potter", "potter")
SCHEMA = Schema(
    (
        Table("potter", tuple(Column(one, kind) for one, kind in POTTER_COLUMNS.items()), "id"),
        Table("pot", tuple(Column(one, kind) for one, kind in POT_COLUMNS.items()), "id"),
        Table("fair", (Column("town", "text"),)),
    ),
    (BY,),
)
NAME, WEIGHT, FIRED = Field((), "name"), Field((), "weight"), Field((), "fired")
ADA, BO, CY = (Compare(NAME, "=", Value(one)) for one in ("Ada", "Bo", "Cy"))
POTS, COUNT = Rows("pot"), Aggregate("count")
MADE = Belonging((), Figure(POTS, COUNT))
SPRING = (Value(date(2024, 3, 1)), Value(date(2024, 6, 1)))
TOTAL = Aggregate("sum", WEIGHT)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_canonical_form_has_the_same_rows(data: st.DataObject) -> None:
    database = data.draw(databases())
    program = data.draw(programs(database))
    made = canonical(program, database.schema)
    assert canonical(made, database.schema) == made
    interpreter = Interpreter(database.schema, database.rows)
    if isinstance(program, Union) or (isinstance(program, Listing) and program.distinct):
        assert Counter(interpreter.run(made)) == Counter(interpreter.run(program))
    else:
        assert interpreter.run(made) == interpreter.run(program)


@cases("one, other")
def test_conditions_that_are_the_same(one: Condition, other: Condition) -> None:
    assert same(Exists(Rows("potter", one)), Exists(Rows("potter", other)))


@cases("one, other")
def test_programs_that_are_the_same(one: Program, other: Program) -> None:
    assert same(one, other)


def test_programs_that_are_not_the_same() -> None:
    first = Listing(POTS, (WEIGHT,), (Order(WEIGHT),), 1)
    assert not same(first, Listing(POTS, (WEIGHT,), (Order(WEIGHT, True),), 1))
    assert not same(first, Listing(POTS, (WEIGHT,), (Order(WEIGHT),), 1, ties=True))
    assert not same(Figure(POTS, TOTAL), Figure(POTS, COUNT))
    minus = Arithmetic("-", WEIGHT, Value(1)), Arithmetic("-", Value(1), WEIGHT)
    assert not same(Listing(POTS, minus[:1]), Listing(POTS, minus[1:]))


def same(one: Program, other: Program) -> bool:
    return canonical(one, SCHEMA) == canonical(other, SCHEMA)


TEACHER = Link("potter", "teacher", "potter")
TEACHERS = Schema(
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
    assert read(text, TEACHERS) == program


@cases("text, told, column")
def test_errors_say_where(text: str, told: str, column: int) -> None:
    with pytest.raises(ProgramSyntaxError, match=told) as raised:
        read(text, TEACHERS)
    assert raised.value.position + 1 == column


def test_a_program_that_says_what_the_schema_has() -> None:
    assert read("(Exists (Rows fair))", TEACHERS) == Exists(Rows("fair"))


POTTERS = [(1, "Ada", "Ulm"), (2, "Ada", "Ulm"), (3, "Bo", "Trier")]
POT_ROWS = [
    *((1, 1, 2, date(2024, 1, 31)), (2, 1, 6, date(2024, 2, 1))),
    *((3, 2, 6, date(2024, 3, 1)), (4, 3, 3, date(2024, 3, 31))),
]
ROWS: dict[str, list[dict[str, Any]]] = {
    "potter": [dict(zip(POTTER_COLUMNS, one, strict=True)) for one in POTTERS],
    "pot": [dict(zip(POT_COLUMNS, one, strict=True)) for one in POT_ROWS],
    "fair": [{"town": "Ulm"}, {"town": "Jena"}],
}
TOWN, POTTER = Field((), "town"), Rows("potter")
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


@cases("program, rows")
def test_what_is_said_with_what_there_is(program: Program, rows: list[tuple[Any, ...]]) -> None:
    assert ran(program) == rows


def test_towns_of_two_tables() -> None:
    towns = Union((Listing(POTTER, (TOWN,)), Listing(Rows("fair"), (TOWN,))))
    made = Interpreter(SCHEMA, ROWS).run(towns)
    assert sorted(made) == [("Jena",), ("Trier",), ("Ulm",)]


def test_what_does_not_hold_together() -> None:
    with pytest.raises(DomainError, match="without groups there are only figures over all rows"):
        Grouping(POTS, (), (Value(1),))
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
    listed = Grouping(POTS, (WEIGHT,), (COUNT,))
    assert sorted(ran(listed), key=str) == [(2, 1), (3, 1), (6, 2), (None, 2)]
    assert ran(replace(listed, order=(Order(COUNT, descending=True),), limit=1)) == [(6, 2)]
    assert ran(replace(listed, having=(Having(COUNT, ">", Value(1)),))) == [(6, 2)]
    # A pot of no potter has no town, and is in no group of towns.
    towns = Grouping(POTS, (Field((BY,), "town"),), (COUNT,))
    assert sorted(ran(towns)) == [("Trier", 2), ("Ulm", 3)]


def table(name: str, *links: str, key: str | None = "id") -> Table:
    columns = (Column("id", "id"), *(Column(one, "id") for one in links))
    return Table(name, columns, key)


FIRED_IN, MADE_BY, IN = (
    Link("pot", "kiln", "kiln"),
    Link("pot", "potter", "potter"),
    Link("kiln", "studio", "studio"),
)
HOME = Link("potter", "studio", "studio")
SOLD, BUYER = Link("sale", "pot", "pot"), Link("sale", "buyer", "buyer")
WORKSHOP = Schema(
    (
        *(table("pot", "kiln", "potter"), table("kiln", "studio"), table("potter", "studio")),
        *(table("studio"), table("sale", "pot", "buyer", key=None), table("buyer"), table("fair")),
    ),
    (FIRED_IN, MADE_BY, IN, HOME, SOLD, BUYER),
)


def test_the_shortest_path_and_of_such_ones_the_first() -> None:
    assert WORKSHOP.path("sale", "studio") == (SOLD, FIRED_IN, IN)
    assert WORKSHOP.path("pot", "pot") == ()
    assert WORKSHOP.path("studio", "pot") is None


@cases("one, other, relation")
def test_what_belongs_to_what(one: str, other: str, relation: Association | None) -> None:
    assert WORKSHOP.relation(one, other) == relation


def test_rows_that_lead_to_the_same_row() -> None:
    two = Schema((table("cup", "set"), table("saucer", "set"), table("set")),
                 (Link("cup", "set", "set"), Link("saucer", "set", "set")))  # fmt: skip
    cup, saucer = two.links
    assert two.relation("cup", "saucer") == Association((cup,), "saucer", (saucer,), ())


@cases("tables, links, told")
def test_schemas_that_cannot_be(
    tables: tuple[Table, ...], links: tuple[Link, ...], told: str
) -> None:
    with pytest.raises(DomainError, match=told):
        Schema(tables, links)


def test_what_is_not_linked() -> None:
    with pytest.raises(DomainError, match="nothing links fair with pot"):
        WORKSHOP.related("fair", "pot")
    with pytest.raises(DomainError, match=r"no link pot\.kiln leads on from kiln"):
        WORKSHOP.end("kiln", (FIRED_IN,))
