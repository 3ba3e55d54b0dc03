"""Random programs over random databases: SQL and the readable twin give the same answers."""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

import duckdb
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from row_interpreter import Interpreter
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from tests.attacks.servers import program as installed
from tests.attacks.servers import server
from tests.execution.relational.random_programs import Database, databases, programs

from partwise.errors import DomainError
from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    Elapsed,
    Field,
    Figure,
    Grouping,
    Listing,
    Order,
    Program,
    Rows,
    Union,
    Value,
)
from partwise.execution.relational.schema import Column, Kind, Schema, Table
from partwise.execution.relational.sql import Compiler
from partwise.execution.worker_sql import without_wrong_plans

EXAMPLES = int(os.environ.get("PARTWISE_PROGRAMS", "150"))
"""Programs for each kind of database."""
DECIMALS = 6
"""Of figures, in comparisons."""
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
