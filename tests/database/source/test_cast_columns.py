"""Columns that are read as texts: times of day, UUIDs and a database's own enumerations."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.database.source.sources import place_of

from cases import cases
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.execution.relational.program import Compare, Field, Listing, Rows, Value
from partwise.execution.relational.sql import Compiler


@pytest.mark.parametrize("kind", ["duckdb", "postgresql"])
@cases("column, sign, text, acts")
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
