"""What is read from a database, and what an import infers that nothing declares."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ruamel.yaml import YAML

from cases import cases
from partwise.database.layer.files import read_layer, write_layer
from partwise.database.layer.formulas import Formula, write_formula
from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.source.catalogue import meanings_in, names_in
from partwise.database.source.connections import Source, connect
from partwise.database.source.importing import import_database, read_schema
from partwise.database.source.lexicon import synonyms_for, usual_synonyms
from partwise.database.source.values import ValueIndex
from partwise.errors import DomainError
from partwise.execution.relational.program import (
    Aggregate,
    Compare,
    Field,
    Figure,
    Listing,
    Rows,
    Value,
)
from partwise.execution.relational.sql import Compiler

CASES = YAML(typ="safe", pure=True).load(Path(__file__).with_name("inference.yaml"))


@contextmanager
def imported(script: str, folder: Path) -> Iterator[tuple[Source, SemanticLayer]]:
    """A database that a script writes, and what an import says of it."""
    with closing(sqlite3.connect(folder / "made.db")) as connection:
        connection.executescript(script)
    with closing(connect(folder / "made.db")) as source:
        yield source, import_database(source, "made")


def infos(layer: SemanticLayer) -> dict[str, TableInfo | ColumnInfo]:
    """Tables by their names, and columns by theirs behind those of their tables."""
    columns = {f"{table.name}.{one.name}": one for table in layer.tables for one in table.columns}
    return {**{table.name: table for table in layer.tables}, **columns}


def said(layer: SemanticLayer) -> Mapping[str, Any]:
    """All that a case of `inference.yaml` can assert of a layer as a whole."""
    schema, every = layer.schema, infos(layer)
    columns = {name: one for name, one in every.items() if isinstance(one, ColumnInfo)}
    formulas = {
        one: write_formula(Formula(one.function, one.of, None, False), schema, one.table)
        for one in layer.measures
    }
    return {
        "keys": {one.name: one.key for one in schema.tables},
        "display": {one.name: list(one.display) for one in layer.tables},
        "dates": {one.name: one.date for one in layer.tables},
        "measure_of": {one.name: one.measure for one in layer.tables},
        "labels": {name: one.label for name, one in every.items()},
        "only_names": {name: list(one.names) for name, one in every.items()},
        "kinds": {name: one.kind for name, one in columns.items()},
        "units": {name: one.unit for name, one in columns.items()},
        "descriptions": {name: one.description for name, one in columns.items()},
        "values": {name: list(one.values) for name, one in columns.items() if one.enumeration},
        "examples": {name: len(one.values) for name, one in columns.items() if not one.enumeration},
        "value_names": {
            name: {stored: list(some) for stored, some in one.value_names.items()}
            for name, one in columns.items()
        },
        "link_names": {one.column: list(some) for one, some in layer.links.items()},
        "formulas": {one.label: text for one, text in formulas.items()},
        "only_formulas": {f"{one.table} {one.label}": text for one, text in formulas.items()},
        "names": {name: one.names for name, one in every.items()},
        "measure_names": {one.label: one.names for one in layer.measures},
    }


@pytest.mark.parametrize("case", CASES, ids=[one["name"] for one in CASES])
def test_what_an_import_says(case: Mapping[str, Any], tmp_path: Path) -> None:
    with imported(case["script"], tmp_path) as (_, layer):
        made = said(layer)
    links = [(one.column, f"{one.table}.{one.column} {one.target}") for one in layer.schema.links]
    for key, wanted in case.items():
        match key:
            case "name" | "script":
                continue
            case "links":
                assert sorted(text for _, text in links) == sorted(wanted)
            case "ordered_links":
                assert [column for column, _ in links] == wanted
            case "stored_as_text":
                assert all(layer.schema.column(*one.split(".")).texts for one in wanted)
            case "notes":
                assert [one for one in wanted if one not in " ".join(layer.notes)] == []
            case "keys" | "only_formulas":
                assert made[key] == wanted
            case "only_link_names":
                assert made["link_names"] == wanted
            case "names" | "measure_names":
                assert {one: [*some] for one, some in wanted.items()} == {
                    one: [name for name in some if name in made[key][one]]
                    for one, some in wanted.items()
                }
            case "no_names" | "no_measure_names":
                names = made[key.removeprefix("no_")]
                assert not [one for one, some in wanted.items() if {*some} & {*names[one]}]
            case _:
                assert {one: made[key].get(one) for one in wanted} == wanted


@cases("columns, formula")
def test_a_quantity_times_its_price_is_revenue(tmp_path: Path, columns: str, formula: str) -> None:
    script = f"""CREATE TABLE client (client_id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, sold_on DATE,
                           client_id INTEGER REFERENCES client (client_id), {columns});
        INSERT INTO client VALUES (1, 'Ada'), (2, 'Bo');
        INSERT INTO sale VALUES (1, '2024-01-02', 1, 3, 10.5), (2, '2024-01-03', 2, 4, 9);"""
    with imported(script, tmp_path) as (_, layer):
        assert said(layer)["formulas"]["revenue"] == formula
        assert layer.table("sale").measure == "revenue"


def test_numbers_stored_as_texts_are_compared_as_numbers(tmp_path: Path) -> None:
    (case,) = [one for one in CASES if "stored_as_text" in one]
    where = Compare(Field((), "value"), ">", Value(9))
    program = Listing(Rows("reading", where), (Field((), "place"),))
    with imported(case["script"], tmp_path) as (source, layer):
        rows = source.run(Compiler(layer.schema, texts=True).select(program)).rows
    assert rows == [(f"x{at}",) for at in (9, 10, 11, 12)]


def test_a_database_without_tables(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "empty.db").close()
    with pytest.raises(DomainError, match=r"no table to ask about in .*empty\.db"):
        read_schema(connect(f"sqlite:///{tmp_path}/empty.db"))


@pytest.mark.parametrize(
    "table", ["Order Lines", "2024 sale", "order-line", "sale d'été", "_", "📦"]
)
def test_what_is_written_is_read(table: str, tmp_path: Path) -> None:
    script = f'''CREATE TABLE "{table}" (id INTEGER PRIMARY KEY, quantity INTEGER, "unit price");
    INSERT INTO "{table}" VALUES (1, 2, 3.5), (2, 1, 4.5);'''
    with imported(script, tmp_path) as (_, layer):
        write_layer(layer, tmp_path / "made.yaml", "sqlite:///made.db")
        assert read_layer(tmp_path / "made.yaml").layer.measures == layer.measures


def test_a_text_beyond_the_sample_that_is_no_number(tmp_path: Path) -> None:
    path = tmp_path / "made.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE visit AS SELECT i AS id, CASE WHEN i = 70000 THEN 'n/a' ELSE i::VARCHAR "
            "END AS fee, i::VARCHAR AS paid FROM range(100000) AS r(i)"
        )
    with closing(connect(path)) as source:
        layer = import_database(source, "made")
        most = Figure(Rows("visit"), Aggregate("maximum", Field((), "fee")))
        assert source.run(Compiler(layer.schema).select(most)).rows == [(99999,)]
    assert layer.column("visit", "fee").kind == layer.column("visit", "paid").kind == "number"


def test_synonyms_that_would_name_two_things_are_left_out() -> None:
    assert synonyms_for(["customer"], ["phone"])["columns"]["phone"][0] == "telephone"
    both = synonyms_for(["customer", "client"], ["phone", "telephone"])
    assert "client" not in both["tables"]["customer"]
    assert "telephone" not in both["columns"]["phone"]
    # What two labels list is the name of the one that lists it sooner.
    made = synonyms_for([], ["unit price", "total"])["columns"]
    assert [label for label, others in made.items() if "price" in others] == ["unit price"]


def test_the_list_of_synonyms_is_well_formed() -> None:
    for some in map(usual_synonyms, ("tables", "columns")):
        assert len(some) > 100
        for label, others in some.items():
            assert label == label.lower().strip()
            assert label not in others
            assert all(others), label
            assert len(set(others)) == len(others), label


@cases("script, typed, found")
def test_names_are_found(script: str, typed: str, found: str | None, tmp_path: Path) -> None:
    with imported(script, tmp_path) as (source, layer):
        texts = {one.text for one in ValueIndex.build(source, layer).find(typed.split())}
    assert found in texts if found else not texts


@cases("comment, name")
def test_a_short_comment_is_a_name(comment: str, name: tuple[str, ...]) -> None:
    assert names_in(comment, "agent") == name


@cases("comment, values, meant")
def test_what_codes_mean(comment: str, values: str, meant: str) -> None:
    words = [one.replace("_", " ") for one in meant.split()]
    wanted = {code: (text,) for code, text in zip(words[::2], words[1::2], strict=True)}
    assert meanings_in(comment, values) == wanted
