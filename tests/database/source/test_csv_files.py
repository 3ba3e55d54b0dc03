"""CSV files as spreadsheets and other programs write them: every row is there."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa

from cases import cases
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.execution.relational.program import Field, Listing, Rows
from partwise.execution.relational.sql import Compiler


@cases("text, encoding, columns, rows, note")
def test_all_rows_are_read(
    text: str,
    encoding: str,
    columns: list[str],
    rows: list[tuple[Any, ...]],
    note: str,
    tmp_path: Path,
) -> None:
    (tmp_path / "made.csv").write_bytes(text.encode(encoding))
    source = connect(tmp_path / "made.csv")
    layer = import_database(source, "made")
    (table,) = layer.schema.tables
    assert [f"{one.name} {one.kind}" for one in table.columns] == columns
    shown = tuple(Field((), one.name) for one in table.columns)
    program = Listing(Rows("made"), shown)
    found = source.run(Compiler(layer.schema).select(program)).rows
    assert sorted(found, key=str) == sorted(rows, key=str)
    assert note in "\n".join(layer.notes)


def test_packed_files_are_read_alike(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "made.csv.gz", "wb") as file:
        file.write("name;size\nÖre;1,5\nÅs;2\n".encode("utf-16"))
    source = connect(tmp_path / "made.csv.gz")
    rows = source.run(sa.select(sa.text("*")).select_from(sa.table("made"))).rows
    assert rows == [("Öre", "1,5"), ("Ås", "2")]


@pytest.mark.parametrize("start", range(0, 500, 100))
def test_words_of_the_database_name_tables_and_columns(start: int, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "made.duckdb")) as connection:
        # The guard takes the alias "pragma_1" for a table of DuckDB's own.
        listed = "SELECT DISTINCT keyword_name FROM duckdb_keywords()"
        listed += " WHERE keyword_name <> 'pragma' ORDER BY 1"
        words = [word for (word,) in connection.execute(listed).fetchall()][start : start + 100]
        for word in words:
            connection.execute(f'CREATE TABLE "{word}" ("{word}" VARCHAR)')
            connection.execute(f"""INSERT INTO "{word}" VALUES ('a'), ('b')""")
    layer = import_database(source := connect(tmp_path / "made.duckdb"), "made")
    assert [one.name for one in layer.tables] == words
    for word in words:
        rows = source.run(
            Compiler(layer.schema).select(Listing(Rows(word), (Field((), word),), distinct=True))
        ).rows
        assert sorted(rows) == [("a",), ("b",)]


@pytest.mark.parametrize("lines", [1, 1000])
def test_what_is_long_or_broken_in_lines_is_kept(lines: int, tmp_path: Path) -> None:
    cell = "\n".join(["x" * 200] * lines)
    (tmp_path / "made.csv").write_text(f'name,text\nAda,"{cell}"\nBob,\n', "utf-8")
    source = connect(tmp_path / "made.csv")
    (count,) = source.run(sa.select(sa.func.count()).select_from(sa.table("made"))).rows
    assert count == (2,)
