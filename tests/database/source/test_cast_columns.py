"""Columns that are read as texts: times of day, UUIDs and a database's own enumerations."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import duckdb
import psycopg
import pytest
from tests.database.source.hire_shop import postgresql_place

from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.execution.relational.program import Compare, Field, Listing, Rows, Value
from partwise.execution.relational.sql import Compiler

STATEMENTS = (
    "CREATE TYPE cast_mood AS ENUM ('loud', 'calm')",
    "CREATE TABLE cast_shows (id INTEGER PRIMARY KEY, act VARCHAR(20), start_time TIME, "
    "mood cast_mood, ticket UUID, sold TIMESTAMPTZ)",
    "INSERT INTO cast_shows VALUES "
    "(1, 'Owls', '21:00', 'loud', '0b0e2d1c-6f3a-4d55-9a57-0d7e8f2c1a01', '2024-05-01 12:00:00Z'), "
    "(2, 'Foxes', '22:30', 'calm', '0b0e2d1c-6f3a-4d55-9a57-0d7e8f2c1a02', NULL), "
    "(3, 'Bears', NULL, NULL, NULL, NULL)",
)


def made(kind: str, folder: Path) -> str:
    if kind == "duckdb":
        file = folder / "shows.duckdb"
        with duckdb.connect(str(file)) as connection:
            for one in STATEMENTS:
                connection.execute(one)
        return f"duckdb:///{file}"
    return _on_postgresql()


@cache
def _on_postgresql() -> str:
    # The tables of the server's first database are those of other tests.
    place = postgresql_place()
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("CREATE DATABASE cast_shows")
    place = place.replace("/postgres?", "/cast_shows?")
    with psycopg.connect(place, autocommit=True) as connection:
        for one in STATEMENTS:
            connection.execute(one.encode())
    return place


@pytest.mark.parametrize("kind", ["duckdb", "postgresql"])
@pytest.mark.parametrize(
    ("column", "sign", "text", "acts"),
    [
        ("start_time", ">", "21:30:00", ["Foxes"]),
        ("start_time", "=", "21:00:00", ["Owls"]),
        ("mood", "=", "calm", ["Foxes"]),
        ("ticket", "=", "0b0e2d1c-6f3a-4d55-9a57-0d7e8f2c1a01", ["Owls"]),
    ],
)
def test_they_are_compared_as_texts(
    kind: str, column: str, sign: str, text: str, acts: list[str], tmp_path: Path
) -> None:
    source = connect(made(kind, tmp_path))
    schema = import_database(source, "shows").schema
    stored = schema.column("cast_shows", column)
    assert (stored.kind, stored.texts) == ("text", True)
    assert not schema.column("cast_shows", "act").texts
    where = Compare(Field((), column), sign, Value(text))  # type: ignore[arg-type]
    program = Listing(Rows("cast_shows", where), (Field((), "act"),))
    assert source.run(Compiler(schema, texts=source.texts).select(program)).rows == [
        (act,) for act in acts
    ]
