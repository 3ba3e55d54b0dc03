"""Columns that are read as texts: times of day, UUIDs and a database's own enumerations."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.database.source.sources import place_of

from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.execution.relational.program import Compare, Field, Listing, Rows, Value
from partwise.execution.relational.sql import Compiler


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
    source = connect(place_of("cast_shows", kind, tmp_path))
    schema = import_database(source, "shows").schema
    stored = schema.column("cast_shows", column)
    assert (stored.kind, stored.texts) == ("text", True)
    assert not schema.column("cast_shows", "act").texts
    where = Compare(Field((), column), sign, Value(text))  # type: ignore[arg-type]
    program = Listing(Rows("cast_shows", where), (Field((), "act"),))
    assert source.run(Compiler(schema, texts=source.texts).select(program)).rows == [
        (act,) for act in acts
    ]
