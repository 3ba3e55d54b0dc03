"""A bakery's database, its semantic layer, and short ways to read questions about it."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import sqlalchemy as sa
from row_interpreter import Interpreter

from partwise.database.domain import DatabaseDomain
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.database.source.connections import connect
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.program import Arithmetic, Field, Program
from partwise.execution.relational.schema import Column, Kind, Link, Schema, Table
from partwise.execution.relational.sql import Compiler

TODAY = date(2024, 5, 15)
COLUMNS: dict[str, dict[str, Kind]] = {
    "baker": {
        **{"id": "id", "name": "text", "town": "text", "born": "date", "wage": "number"},
        "phone": "text",
    },
    "bread": {
        **{"id": "id", "name": "text", "kind": "text", "price": "number", "weight": "number"},
        **{"vegan": "boolean", "shelf": "text", "baker_id": "id"},
    },
    "store": {"id": "id", "name": "text", "city": "text", "opening_year": "number"},
    "sale": {"id": "id", "bread_id": "id", "store_id": "id", "day": "date", "quantity": "number"},
    "recipe": {"id": "id", "secret": "text", "bread_id": "id"},
}
BAKED, SOLD, PLACE = (
    Link("bread", "baker_id", "baker"),
    Link("sale", "bread_id", "bread"),
    Link("sale", "store_id", "store"),
)
LINKS = (BAKED, SOLD, PLACE, Link("recipe", "bread_id", "bread"))
SCHEMA = Schema(
    tuple(
        Table(name, tuple(Column(column, kind) for column, kind in columns.items()), "id")
        for name, columns in COLUMNS.items()
    ),
    LINKS,
)
TOTAL = Arithmetic("*", Field((), "quantity"), Field((SOLD,), "price"))
EXTRAS: dict[tuple[str, str], dict[str, Any]] = {
    ("baker", "town"): {"synonyms": ("home town",)},
    ("baker", "born"): {"label": "birth date"},
    ("baker", "wage"): {"unit": "eur", "synonyms": ("salary",)},
    ("baker", "phone"): {"private": True, "label": "phone number"},
    ("bread", "price"): {"unit": "eur"},
    ("bread", "weight"): {"unit": "g"},
    ("store", "opening_year"): {"label": "opening year"},
    ("sale", "day"): {"label": "sale date"},
}
BAKERS = [
    (1, "Ada Moss", "Ulm", date(1960, 3, 1), 3000, "0711"),
    (2, "Ben Ott", "Ulm", date(1975, 7, 9), 2600, "0712"),
    (3, "Cleo Rath", "Jena", date(1988, 1, 30), 2600, None),
    (4, "Dora Salz", "Trier", date(1991, 12, 24), 2100, "0713"),
    (5, "Emil Tann", None, date(1999, 5, 5), 1900, None),
]
BREADS = [
    (1, "Rye Loaf", "rye", 4.5, 1000, True, "front", 1),
    (2, "Dark Rye", "rye", 5.25, 1500, True, None, 1),
    (3, "Baguette", "wheat", 1.5, 250, True, "front", 2),
    (4, "Butter Roll", "wheat", 0.75, 60, False, "back", 2),
    (5, "Brioche", "sweet", 3.5, 400, False, "back", 3),
    (6, "Spelt Crown", "spelt", 6.25, 800, True, None, 4),
    (7, "Raisin Bun", "sweet", 1.25, 90, False, "front", 2),
]
STORES = [
    (1, "Corner", "Ulm", 1998),
    (2, "Station", "Jena", 2011),
    (3, "Market", "Jena", 2019),
    (4, "Harbour", "Kiel", 2023),
]
DAYS = [
    *(date(2023, 1, 5), date(2023, 3, 17), date(2023, 11, 2), date(2024, 1, 8)),
    *(date(2024, 2, 14), date(2024, 3, 1), date(2024, 4, 2), date(2024, 4, 30), date(2024, 5, 14)),
]
Rows = dict[str, list[dict[str, Any]]]


def bakery_rows(seed: int) -> Rows:
    """The rows; with another seed than 0 the numbers and links are others, the names are not."""
    draw = random.Random(seed)
    bakers, breads = list(BAKERS), list(BREADS)
    if seed:
        wages, prices = [one[4] for one in BAKERS], [one[3] for one in BREADS]
        draw.shuffle(wages)
        draw.shuffle(prices)
        bakers = [(*one[:4], wage, one[5]) for one, wage in zip(BAKERS, wages, strict=True)]
        breads = [
            (*one[:3], price, *one[4:7], draw.randint(1, 4))
            for one, price in zip(BREADS, prices, strict=True)
        ]
    sales = [
        (at, draw.randint(1, 6), draw.randint(1, 3), draw.choice(DAYS), draw.randint(1, 9))
        for at in range(1, 25)
    ]
    every: dict[str, Sequence[tuple[Any, ...]]] = {
        "baker": bakers,
        "bread": breads,
        "store": STORES,
        "sale": sales,
    }
    rows = {
        name: [dict(zip(COLUMNS[name], one, strict=True)) for one in some]
        for name, some in every.items()
    }
    return {**rows, "recipe": [{"id": 1, "secret": "Sourdough", "bread_id": 1}]}


@cache
def bakery_layer() -> SemanticLayer:
    """What is known of the bakery; phone numbers and recipes are private."""
    infos = {
        table: tuple(
            ColumnInfo(
                **{"name": name, "label": name.replace("_", " "), "kind": kind}
                | EXTRAS.get((table, name), {})
            )
            for name, kind in columns.items()
        )
        for table, columns in COLUMNS.items()
    }
    tables = (
        TableInfo("baker", "baker", infos["baker"], display=("name",), person=True),
        TableInfo("bread", "bread", infos["bread"], synonyms=("pastry",), display=("name",)),
        TableInfo("store", "store", infos["store"], synonyms=("shop",), display=("name",)),
        TableInfo("sale", "sale", infos["sale"], date="day", measure="revenue"),
        TableInfo("recipe", "recipe", infos["recipe"], private=True),
    )
    revenue = Measure("revenue", "revenue", "sale", "sum", TOTAL, synonyms=("turnover",))
    return SemanticLayer("bakery", SCHEMA, tables, (revenue,))


def write_bakery(file: Path | str, rows: Rows) -> sqlite3.Connection:
    """The rows as a SQLite database."""
    connection = sqlite3.connect(file)
    links = {(one.table, one.column): f" REFERENCES {one.target}" for one in LINKS}
    kinds = {"number": "NUMERIC", "boolean": "BOOLEAN", "date": "DATE", "id": "INTEGER"}
    for table, columns in COLUMNS.items():
        listed = ", ".join(
            f"{name} {kinds.get(kind, 'TEXT')}"
            + (" PRIMARY KEY" if name == "id" else links.get((table, name), ""))
            for name, kind in columns.items()
        )
        connection.execute(f"CREATE TABLE {table} ({listed})")
        marks = ", ".join("?" * len(columns))
        stored = [tuple(map(plain, row.values())) for row in rows[table]]
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", stored)
    connection.commit()
    return connection


def plain(value: Any) -> Any:
    """A value as SQLite stores it."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return round(value, 6)
    return value.isoformat() if isinstance(value, date) else value


@cache
def bakery_domain() -> DatabaseDomain:
    """The bakery as a domain, in a folder of its own."""
    file = Path(mkdtemp()) / "bakery.db"
    write_bakery(file, bakery_rows(0)).close()
    source = connect(file)
    return DatabaseDomain(bakery_layer(), source, ValueIndex.build(source, bakery_layer()), TODAY)


@cache
def interpreter(seed: int) -> Interpreter:
    """Runs programs over the rows of a seed."""
    return Interpreter(SCHEMA, bakery_rows(seed))


@cache
def database(seed: int) -> sqlite3.Connection:
    """The rows of a seed in memory."""
    return write_bakery(":memory:", bakery_rows(seed))


def rows_of(program: Program, seed: int) -> Counter[tuple[Any, ...]]:
    """The rows of a program's answer, by the interpreter."""
    return Counter(tuple(map(plain, row)) for row in interpreter(seed).run(program))


def rows_by_sql(program: Program, seed: int) -> Counter[tuple[Any, ...]]:
    """The rows of a program's answer, by SQLite."""
    statement = Compiler(SCHEMA, True).select(program)
    made = statement.compile(
        dialect=sa.dialects.sqlite.dialect(), compile_kwargs={"render_postcompile": True}
    )
    given = made.construct_params()
    values = [plain(given[name]) for name in made.positiontup or ()]
    return Counter(tuple(map(plain, row)) for row in database(seed).execute(made.string, values))


def rows_wanted(sql: str, seed: int) -> Counter[tuple[Any, ...]]:
    """The rows of a SQL statement."""
    return Counter(tuple(map(plain, row)) for row in database(seed).execute(sql))
