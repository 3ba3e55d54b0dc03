"""Numbers and dates that are stored as texts or as seconds: each database reads them alike."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.database.source.sources import place_of

from cases import cases
from partwise.database.checking import check_layer
from partwise.database.layer.files import read_layer, write_layer
from partwise.database.source.connections import Source, connect
from partwise.database.source.formats import date_format, number_format
from partwise.database.source.importing import Imported, import_database, read_schema
from partwise.errors import DataError
from partwise.execution.relational.program import Aggregate, Field, Figure, Listing, Order, Rows
from partwise.execution.relational.sql import Compiler

KINDS = ["sqlite", "duckdb", "postgresql", "mysql"]


@cache
def mixed(kind: str, folder: Path) -> tuple[Source, Imported]:
    source = connect(place_of("mixed", kind, folder))
    return source, read_schema(source)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: tmp_path_factory.mktemp(kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
@cases("column, meant, expected")
def test_read(
    kind: str, column: str, meant: str, expected: list[Any], folders: dict[str, Path]
) -> None:
    source, imported = mixed(kind, folders[kind])
    stored = imported.schema.column("mixed", column)
    assert f"{stored.kind} {stored.format}".strip() == meant
    program = Listing(Rows("mixed"), (Field((), column),), (Order(Field((), "id")),))
    rows = source.run(Compiler(imported.schema, source.texts).select(program)).rows
    read = [str(value) if stored.kind == "date" and value else value for (value,) in rows]
    if stored.kind == "date":
        read = [value and value.replace("T", " ").removesuffix(" 00:00:00") for value in read]
    assert read == expected


@cases("texts, written")
def test_number_format(texts: list[str], written: str | None) -> None:
    found = number_format(texts)
    assert (found and found.format) == written


@cases("texts, written, unsure")
def test_date_format(texts: list[str], written: str | None, unsure: str) -> None:
    found = date_format(texts)
    assert (found and found.format) == written
    assert found is None or found.unsure == unsure


def test_what_does_not_read_is_named(folders: dict[str, Path]) -> None:
    _, imported = mixed("sqlite", folders["sqlite"])
    notes = "\n".join(imported.notes)
    assert "mixed.price holds numbers written as $1,234.5; 'n/a' (1 of the values seen)" in notes
    assert "mm/dd/yyyy; dd/mm/yyyy fits as well" in notes


def test_formats_stand_in_the_file(folders: dict[str, Path], tmp_path: Path) -> None:
    layer = import_database(mixed("sqlite", folders["sqlite"])[0], "mixed")
    write_layer(layer, tmp_path / "mixed.yaml", "sqlite:///mixed.db")
    assert read_layer(tmp_path / "mixed.yaml").layer.schema == layer.schema


@cases("column, kind, format, found")
def test_check_holds_values_against_kinds(
    column: str, kind: str, format: str, found: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    source, _ = mixed("sqlite", folders["sqlite"])
    said = f"{{kind: {kind}, format: '{format}'}}" if format else f"{{kind: {kind}}}"
    file = tmp_path / "mixed.yaml"
    columns = f"{{id: id, {column}: {said}}}"
    file.write_text(f"name: mixed\nsource: x\ntables: {{mixed: {{key: id, columns: {columns}}}}}")
    issues = [one for one in check_layer(read_layer(file), source) if one.kind != "unlinked-table"]
    assert found in "; ".join(f"{one.severity} {one.why}" for one in issues)
    assert found or not issues


def test_check_finds_texts_on_servers(folders: dict[str, Path], tmp_path: Path) -> None:
    source, _ = mixed("duckdb", folders["duckdb"])
    columns = "{id: id, zip: number, iso: date, price: {kind: number, format: '$1,234.5'}}"
    text = f"name: mixed\nsource: x\ntables: {{mixed: {{key: id, columns: {columns}}}}}"
    (tmp_path / "mixed.yaml").write_text(text)
    issues = check_layer(read_layer(tmp_path / "mixed.yaml"), source)
    assert [(one.severity, one.what) for one in issues] == [
        ("error", "column mixed.zip"), ("error", "column mixed.iso"), ("note", "column mixed.price")
    ]  # fmt: skip


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    columns = "{id: {kind: number, format: twelve}}"
    text = f"name: mixed\nsource: x\ntables: {{mixed: {{columns: {columns}}}}}"
    (tmp_path / "mixed.yaml").write_text(text)
    with pytest.raises(DataError, match="twelve is no format of a number"):
        read_layer(tmp_path / "mixed.yaml")


@pytest.mark.parametrize("type_", ["DOUBLE", "FLOAT"])
def test_nan_counts_as_missing(type_: str, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "n.duckdb")) as connection:
        connection.execute(f"CREATE TABLE sensor (id INTEGER PRIMARY KEY, reading {type_})")
        connection.execute("INSERT INTO sensor VALUES (1, 1.5), (2, 'nan'), (3, 7)")
    source = connect(tmp_path / "n.duckdb")
    schema = read_schema(source).schema
    reading = Field((), "reading")
    for function, expected in (("maximum", 7), ("average", 4.25), ("count", 2)):
        figure = Figure(Rows("sensor"), Aggregate(function, reading))  # type: ignore[arg-type]
        assert source.run(Compiler(schema).select(figure)).rows == [(expected,)]
