"""Values, names and tables that a database has and its driver or its catalogue gives no help with.

As little as possible is left out, and it is said.
"""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from cProfile import Profile
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
from tests.database.source.sources import made_on_mysql, made_on_postgresql

from cases import cases
from partwise.database.layer.files import read_layer, write_layer
from partwise.database.layer.model import SemanticLayer
from partwise.database.source import connections, importing, values
from partwise.database.source.catalogue import read_catalogue
from partwise.database.source.connections import Source, connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.errors import DomainError
from partwise.execution.relational.program import (
    Aggregate,
    Compare,
    Condition,
    DatePart,
    Field,
    Figure,
    Grouping,
    Listing,
    Missing,
    Rows,
    Value,
)
from partwise.execution.relational.sql import Compiler
from partwise.execution.worker import open_sqlite

PLANT = "CREATE TABLE plant (id INTEGER PRIMARY KEY, name TEXT, height REAL);"
PLANT += "INSERT INTO plant VALUES (1, 'oak', 20), (2, 'elm', 15);"


@contextmanager
def imported(place: str | Path) -> Iterator[tuple[Source, SemanticLayer]]:
    """A source and its layer, as it is read back from its file."""
    with closing(connect(place)) as source:
        layer = import_database(source, "made")
        folder = Path(tempfile.mkdtemp())
        write_layer(layer, folder / "layer.yaml", "made")
        assert read_layer(folder / "layer.yaml").layer.schema == layer.schema
        shutil.rmtree(folder)
        yield source, layer


def sqlite_of(script: str, folder: Path) -> Path:
    with closing(sqlite3.connect(folder / "made.db")) as made:
        made.executescript(script)
    return folder / "made.db"


def run(source: Source, layer: SemanticLayer, program: Any) -> list[tuple[Any, ...]]:
    return source.run(Compiler(layer.schema, source.texts).select(program)).rows


def shown(
    source: Source, layer: SemanticLayer, table: str, column: str, where: Condition | None = None
) -> list[Any]:
    """The values of a column, in the order of the keys."""
    rows = run(source, layer, Listing(Rows(table, where), (Field((), column),)))
    return [row[0] for row in rows]


def count(source: Source, layer: SemanticLayer, table: str) -> int:
    ((number,),) = run(source, layer, Figure(Rows(table), Aggregate("count")))
    return int(number)


def columns(layer: SemanticLayer) -> dict[str, dict[str, str]]:
    return {one.name: {column.name: column.kind for column in one.columns} for one in layer.tables}


def has(layer: SemanticLayer, note: str) -> bool:
    return any(note in one for one in layer.notes)


@cases("stored, title")
def test_bytes_that_are_no_text(stored: str, title: str, tmp_path: Path) -> None:
    script = f"""CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, year INTEGER);
        INSERT INTO album VALUES (1, 'Winter', 2001), (2, {stored}, 2004), (3, 'Rain', 2010);"""
    with imported(sqlite_of(script, tmp_path)) as (source, layer):
        assert columns(layer) == {"album": {"id": "id", "title": "text", "year": "number"}}
        assert shown(source, layer, "album", "title") == ["Winter", title, "Rain"]
        assert shown(source, layer, "album", "year") == [2001, 2004, 2010]
        assert has(layer, "album.title: \ufffd stands for what is not UTF-8") == ("\ufffd" in title)


def test_pictures_in_a_column_without_a_type(tmp_path: Path) -> None:
    script = "CREATE TABLE photo (id INTEGER PRIMARY KEY, name TEXT, image);"
    script += "INSERT INTO photo VALUES (1, 'a', x'89504e47000d0a1a'), (2, 'b', x'ffd8ffe000104a');"
    with imported(sqlite_of(script, tmp_path)) as (_, layer):
        assert columns(layer) == {"photo": {"id": "id", "name": "text"}}
        assert has(layer, "left out: photo.image: it holds bytes")


@cases("type, value")
def test_dates_that_python_has_none_for(type: str, value: str) -> None:
    place = made_on_postgresql(
        f"""CREATE TABLE member (id serial PRIMARY KEY, name text, until {type});
        INSERT INTO member (name, until) VALUES ('Ada', '{value}'), ('Bob', '2024-06-05 10:00')"""
    )
    with imported(place) as (source, layer):
        assert layer.column("member", "until").kind == ("text" if type == "time" else "date")
        assert shown(source, layer, "member", "name") == ["Ada", "Bob"]
        assert str(shown(source, layer, "member", "until")[0]).startswith(value)
        if value.endswith("infinity"):
            late = Compare(Field((), "until"), ">", Value(date(2025, 1, 1)))
            who = ["Ada"] if value == "infinity" else []
            assert shown(source, layer, "member", "name", late) == who
            years = (DatePart("year", Field((), "until")),)
            every = Grouping(Rows("member"), years, (Aggregate("count"),))
            assert sorted(run(source, layer, every), key=str) == [(2024, 1), (None, 1)]


@cases("kind, type")
def test_numbers_that_are_none(kind: str, type: str, tmp_path: Path) -> None:
    script = f"""CREATE TABLE item (id int PRIMARY KEY, name text, price {type});
        INSERT INTO item VALUES (1, 'pen', 2), (2, 'ink', 'NaN'), (3, 'pad', 4)"""
    place = made_on_postgresql(script) if kind == "postgresql" else str(tmp_path / "made.duckdb")
    if kind == "duckdb":
        with duckdb.connect(place) as made:
            made.execute(script)
    price = Field((), "price")
    with imported(place) as (source, layer):
        assert layer.schema.column("item", "price").format == "NaN"
        assert has(layer, "item.price holds NaN: no value is known there")
        assert shown(source, layer, "item", "price") == [2, None, 4]
        assert run(source, layer, Figure(Rows("item"), Aggregate("average", price))) == [(3,)]
        assert shown(source, layer, "item", "name", Missing(price)) == ["ink"]
        many = Compare(price, ">", Value(3))
        assert shown(source, layer, "item", "name", many) == ["pad"]


@cases("kind, names")
def test_names_that_begin_as_those_of_the_engine(kind: str, names: str, tmp_path: Path) -> None:
    table, key, column = names.split()
    script = f"""CREATE TABLE {table} ({key} int PRIMARY KEY, {column} int, day date);
        INSERT INTO {table} VALUES (1, 30, '2024-01-02'), (2, 50, '2024-02-02')"""
    if kind == "postgresql":
        place = made_on_postgresql(script)
    else:
        place = str(tmp_path / (f"{table}.csv" if kind == "csv" else "made.duckdb"))
        with duckdb.connect(str(tmp_path / "made.duckdb")) as made:
            made.execute(script)
            if kind == "csv":
                made.execute(f"COPY {table} TO '{place}'")
    with imported(place) as (source, layer):
        (name,) = columns(layer)
        assert name.rpartition(".")[2] == table
        assert count(source, layer, name) == 2
        many = Compare(Field((), column), ">", Value(40))
        assert shown(source, layer, name, column, many) == [50]
        month = Grouping(
            Rows(name),
            (DatePart("month", Field((), "day")),),
            (Aggregate("sum", Field((), column)),),
        )
        assert run(source, layer, month) == [(1, 30), (2, 50)]


@cases("script, fault")
def test_a_table_that_cannot_be_read(script: str, fault: str, tmp_path: Path) -> None:
    place = sqlite_of(PLANT + script, tmp_path)
    with imported(place) as (source, layer):
        assert "plant" in columns(layer)
        assert count(source, layer, "plant") == 2
        assert has(layer, fault)


@cases("script, read")
def test_odd_names(script: str, read: dict[str, list[str]], tmp_path: Path) -> None:
    with imported(sqlite_of(PLANT + script, tmp_path)) as (source, layer):
        found = {name: list(some) for name, some in columns(layer).items() if name != "plant"}
        assert found == read
        for name in read:
            assert count(source, layer, name) == 2


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("this is a text and no database at all")
    with pytest.raises(DomainError, match=r"notes\.db: cannot be read: file is not a database"):
        import_database(connect(f"sqlite:///{tmp_path}/notes.db"), "made")


def test_a_column_that_fails_takes_no_other_with_it() -> None:
    place = made_on_postgresql(
        """CREATE TABLE bed (id int PRIMARY KEY, length int, width int);
        INSERT INTO bed VALUES (1, 6, 2), (2, 3, 0);
        CREATE VIEW shape AS SELECT id, length, length / width AS ratio FROM bed"""
    )
    with imported(place) as (source, layer):
        assert list(columns(layer)["shape"]) == ["id", "length"]
        assert has(layer, "left out: shape.ratio: it cannot be read: ")
        assert has(layer, "division by zero")
        assert count(source, layer, "shape") == 2


SCHEMAS = """CREATE SCHEMA sales; CREATE SCHEMA hr; CREATE SCHEMA "Old.Data";
CREATE TABLE sales.customer (id int PRIMARY KEY, name text);
INSERT INTO sales.customer VALUES (1, 'Ada'), (2, 'Bob');
CREATE TABLE hr.customer (id int PRIMARY KEY, name text, since date);
CREATE TABLE public.invoice (id int PRIMARY KEY, total int,
    customer_id int REFERENCES sales.customer);
INSERT INTO invoice VALUES (1, 10, 1), (2, 20, 1), (3, 5, 2)"""


def test_all_schemas_are_read() -> None:
    with imported(made_on_postgresql(SCHEMAS)) as (source, layer):
        assert list(columns(layer)) == ["hr.customer", "invoice", "sales.customer"]
        labels = {one.name: one.label for one in layer.tables}
        assert sorted(labels.values()) == ["customer", "invoice", "sales customer"]
        (link,) = layer.schema.links
        assert (link.table, link.column, link.target) == (
            "invoice",
            "customer_id",
            "sales.customer",
        )
        ada = Compare(Field((link,), "name"), "=", Value("Ada"))
        total = Figure(Rows("invoice", ada), Aggregate("sum", Field((), "total")))
        assert run(source, layer, total) == [(30,)]


def test_a_search_path_chooses_schemas() -> None:
    place = made_on_postgresql(SCHEMAS) + "&options=-csearch_path%3Dsales"
    with imported(place) as (source, layer):
        assert list(columns(layer)) == ["customer"]
        assert count(source, layer, "customer") == 2
    with pytest.raises(DomainError, match="no table to ask about"):
        import_database(connect(place.replace("Dsales", "Dnone")), "made")


def test_what_a_user_may_not_read_is_told() -> None:
    place = made_on_postgresql(
        """CREATE TABLE shop (id int PRIMARY KEY, name text, rent int); CREATE TABLE pay (sum int);
        INSERT INTO shop VALUES (1, 'Mill', 7); DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN;
        GRANT SELECT (id, name) ON shop TO clerk"""
    )
    with imported(place.replace("owner@", "clerk@")) as (source, layer):
        assert columns(layer) == {"shop": {"id": "id", "name": "text"}}
        assert has(layer, "left out: shop.rent: this user may not read it")
        assert has(layer, "left out: pay.sum: this user may not read it")
        assert count(source, layer, "shop") == 1


def test_schemas_of_duckdb(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "made.duckdb")) as made:
        made.execute(
            """CREATE SCHEMA raw; CREATE TABLE raw.sensor (id int PRIMARY KEY, name text);
            INSERT INTO raw.sensor VALUES (1, 'a'), (2, 'b');
            CREATE TABLE "sales.2024" (id int PRIMARY KEY, total int);
            INSERT INTO "sales.2024" VALUES (1, 7)"""
        )
    with imported(tmp_path / "made.duckdb") as (source, layer):
        assert list(columns(layer)) == ["main.sales.2024", "raw.sensor"]
        assert layer.table("raw.sensor").label == "sensor"
        assert shown(source, layer, "raw.sensor", "name") == ["a", "b"]
        assert count(source, layer, "main.sales.2024") == 1


SALE = "CREATE TABLE sale (id int, day date, amount int, region text)"


@cases("parts")
def test_parts_of_a_table_are_one_table(parts: str) -> None:
    place = made_on_postgresql(
        f"""{parts};
        INSERT INTO sale_2023 VALUES (1, '2023-03-03', 10, 'north');
        INSERT INTO sale_2024 VALUES (2, '2024-03-03', 20, 'north'), (3, '2024-05-03', 30, 'south');
        CREATE MATERIALIZED VIEW region_total AS
            SELECT region, sum(amount) AS total FROM sale GROUP BY region"""
    )
    with imported(place) as (source, layer):
        assert list(columns(layer)) == ["region_total", "sale"]
        assert count(source, layer, "sale") == 3
        assert count(source, layer, "region_total") == 2


def test_dates_and_bits_of_mysql() -> None:
    place = made_on_mysql(
        """CREATE TABLE person (id INT PRIMARY KEY, name VARCHAR(40), born DATE, login DATETIME,
            active BIT(1), vip TINYINT(1), flags BIT(8), joined YEAR, pos POINT);
        INSERT INTO person VALUES
            (1, 'Ada', '1990-05-05', '2024-01-05 10:00:00', b'1', 1, b'101', 1999, NULL),
            (2, 'Bob', '0000-00-00', '0000-00-00 00:00:00', b'0', 0, b'1', 2001, POINT(1, 2)),
            (3, 'Cid', '1985-00-00', '2024-03-01 00:00:00', b'1', 1, b'0', 2002, POINT(1, 2))"""
    )
    with imported(place) as (source, layer):
        kinds = columns(layer)["person"]
        assert [kinds[one] for one in ("born", "login", "active", "vip", "flags", "joined")] == [
            *("date", "date", "boolean", "boolean", "number", "number")
        ]

        def who(where: Condition) -> list[Any]:
            return shown(source, layer, "person", "name", where)

        assert who(Compare(Field((), "born"), "<", Value(date(1995, 1, 1)))) == ["Ada", "Cid"]
        assert who(Missing(Field((), "born"))) == who(Missing(Field((), "login"))) == ["Bob"]
        assert who(Compare(Field((), "active"), "=", Value(True))) == ["Ada", "Cid"]
        assert shown(source, layer, "person", "flags") == [5, 1, 0]
        assert shown(source, layer, "person", "born")[1] is None


@cases("script, read")
def test_what_virtual_tables_keep_is_hidden(script: str, read: list[str], tmp_path: Path) -> None:
    with imported(sqlite_of(PLANT + script, tmp_path)) as (source, layer):
        assert list(columns(layer)) == sorted(["plant", *read])
        for name in read:
            assert count(source, layer, name) > 0


def test_long_texts_are_shortened(tmp_path: Path) -> None:
    script = "CREATE TABLE doc (id INTEGER PRIMARY KEY, title TEXT, body TEXT, note);"
    with closing(sqlite3.connect(sqlite_of(script, tmp_path))) as made, made:
        rows = [(at, f"Doc {at}", "lorem ipsum " * 400_000, None) for at in range(30)]
        made.executemany("INSERT INTO doc VALUES (?, ?, ?, ?)", rows)
    with imported(tmp_path / "made.db") as (source, layer):
        assert list(columns(layer)["doc"]) == ["id", "title", "body", "note"]
        assert count(source, layer, "doc") == 30


@cases("name, text, why")
def test_why_nothing_is_left_is_told(name: str, text: str, why: str, tmp_path: Path) -> None:
    if name.endswith(".csv"):
        (tmp_path / name).write_text(text)
        place = tmp_path / name
    else:
        place = sqlite_of(text, tmp_path)
    with pytest.raises(DomainError) as error:
        import_database(connect(place), "made")
    assert str(error.value) == f"there is no table to ask about in {place}{why}"


@cases("part, seconds, read, named")
def test_reading_stops_at_a_total_time(
    part: str,
    seconds: float,
    read: list[str],
    named: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = "CREATE TABLE {0} (name TEXT); INSERT INTO {0} VALUES ('x');"
    place = sqlite_of(
        "".join(map(made.format, "bcd")) + "CREATE VIEW a AS SELECT name FROM b", tmp_path
    )
    # A query takes a minute.
    clock = SimpleNamespace(monotonic=itertools.count(0, 60).__next__)
    monkeypatch.setattr(connections, "time", clock)
    monkeypatch.setattr(importing if part == "tables" else values, "SECONDS_IN_ALL", seconds)
    why = f"the {seconds:g} seconds for reading the database are over"
    with closing(connect(place)) as source:
        if not read:
            with pytest.raises(DomainError, match=f"no table .*; b: it cannot be read: {why}"):
                import_database(source, "made")
            return
        layer = import_database(source, "made")
        index = ValueIndex.build(source, layer)
    assert list(columns(layer)) == read
    told = [*index.left_out, *layer.notes]
    assert [one.partition(": ")[0] for one in told if why in one] == named


@cases("table, statements")
def test_work_grows_no_faster_than_tables(
    table: str, statements: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    run, calls = Source.run, []

    def counted(*given: Any) -> Any:
        asked.append(given)
        return run(*given)

    monkeypatch.setattr(Source, "run", counted)
    # The first one warms up.
    for number in (5, 30, 60):
        (tmp_path / str(number)).mkdir()
        script = ";".join(table.format(at) for at in range(number))
        with closing(connect(sqlite_of(PLANT + script, tmp_path / str(number)))) as source:
            asked.clear()
            profile = Profile()
            layer = profile.runcall(import_database, source, "made")
            profile.runcall(ValueIndex.build, source, layer)
        assert len(layer.tables) == number + 1
        assert len(asked) <= statements * (number + 1)
        calls.append(sum(one.callcount for one in profile.getstats()))
    assert calls[2] < 2.2 * calls[1]


def test_a_log_where_none_can_be_made() -> None:
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    root = os.geteuid() == 0
    try:
        with closing(sqlite3.connect(folder / "towns.db")) as made:
            made.execute("PRAGMA journal_mode = WAL")
            made.executescript(PLANT)
        (folder / "towns.db").chmod(0o444)
        folder.chmod(0o555)
        if root:
            os.seteuid(65534)
        file, unchanged = open_sqlite(str(folder / "towns.db"))
        with closing(file):
            assert file.execute("SELECT count(*) FROM plant").fetchone() == (2,)
        assert unchanged is not None
        with closing(connect(folder / "towns.db")) as source:
            assert [one.name for one in read_catalogue(source)] == ["plant"]
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


@cases("kind, type, values, epoch")
def test_numbers_that_are_dates(
    kind: str, type: str, values: str, epoch: str, tmp_path: Path
) -> None:
    script = f"""CREATE TABLE city (id int PRIMARY KEY, name varchar(20), changed {type});
        INSERT INTO city VALUES {values}"""
    if kind == "sqlite":
        place = str(sqlite_of(script, tmp_path))
    elif kind == "duckdb":
        place = str(tmp_path / "made.duckdb")
        with duckdb.connect(place) as made:
            made.execute(script)
    else:
        place = (made_on_mysql if kind == "mysql" else made_on_postgresql)(script)
    changed = Field((), "changed")
    with imported(place) as (source, layer):
        assert layer.schema.column("city", "changed").format == epoch
        if epoch:
            late = Compare(changed, ">=", Value(date(2024, 6, 1)))
            assert shown(source, layer, "city", "name", late) == ["Bonn", "Kiel"]
            every = Grouping(Rows("city"), (DatePart("year", changed),), (Aggregate("count"),))
            assert run(source, layer, every) == [(2024, 2), (2025, 1)]
            assert str(shown(source, layer, "city", "changed")[0]).startswith("2024-01-01 00:00")
