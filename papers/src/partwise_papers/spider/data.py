"""Spider's training questions, the schemas of their databases, and the links between tables.

The folder holds ``train.jsonl.gz`` and ``schemas.json.gz``. Databases are split, never questions:
`split` says which are for training, for choosing a parser (dev) and for measuring (test).

Links lead from many rows to one: almost a fifth of the declared foreign keys are the wrong way
round, and some are missing. A link ends at the only key of a table.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from partwise.errors import DataError
from partwise.execution.relational.schema import Column, Kind, Link, Schema, Table
from partwise.interface.registry import DATA_VARIABLE


@dataclass(frozen=True)
class SpiderQuestion:
    """A question that a person wrote, with its SQL.

    Attributes:
        synonyms: the question with other words in place of the schema's; None for a third of them.
    """

    id: str
    db: str
    question: str
    sql: str
    synonyms: str | None = None


@dataclass(frozen=True)
class SpiderColumn:
    """A column: its stored name, its name in words, its type, and whether it is a primary key."""

    name: str
    label: str
    type: str
    key: bool = False


@dataclass(frozen=True)
class SpiderTable:
    """A table: its stored name, its name in words, and its columns."""

    name: str
    label: str
    columns: tuple[SpiderColumn, ...]

    @property
    def keyed(self) -> bool:
        """Whether it has a key of any number of columns."""
        return any(column.key for column in self.columns)

    @property
    def key(self) -> str | None:
        """The only key column; None if there is none or several."""
        keys = [column.name for column in self.columns if column.key]
        return keys[0] if len(keys) == 1 else None


@dataclass(frozen=True)
class SpiderSchema:
    """A database.

    Attributes:
        foreign_keys: as declared: table, column, table, column; many the wrong way round.
    """

    db: str
    tables: tuple[SpiderTable, ...]
    foreign_keys: tuple[tuple[str, str, str, str], ...]

    def table(self, name: str) -> SpiderTable:
        """A table by its name, whatever the case."""
        return next(
            candidate for candidate in self.tables if candidate.name.lower() == name.lower()
        )


class DatabaseSplit(NamedTuple):
    """Names of databases: for training, for choosing a parser, for measuring."""

    train: tuple[str, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]


def spider_folder(folder: Path | None = None) -> Path:
    """Where the files are: the folder given or ``spider`` in it; else in the folder PARTWISE_DATA;
    raises DataError if they are not there."""
    given = folder or Path(os.environ.get(DATA_VARIABLE, "data"))
    place = given if (given / "train.jsonl.gz").is_file() else given / "spider"
    if not (place / "train.jsonl.gz").is_file():
        raise DataError(f"no train.jsonl.gz in {place}; name the folder that holds Spider's files")
    return place


def read_questions(folder: Path) -> list[SpiderQuestion]:
    """All questions, in the order of the file."""
    with gzip.open(folder / "train.jsonl.gz", "rt", encoding="utf8") as lines:
        return [SpiderQuestion(**json.loads(line)) for line in lines if line.strip()]


def read_typed_questions() -> list[SpiderQuestion]:
    """Questions of our own to Spider's databases for training, as people type them."""
    text = files("partwise_papers.spider").joinpath("typed_questions.jsonl").read_text("utf-8")
    stored = map(json.loads, text.splitlines())
    return [SpiderQuestion(row["id"], row["db"], row["question"], row["sql"]) for row in stored]


def read_schemas(folder: Path) -> dict[str, SpiderSchema]:
    """The databases by name."""
    with gzip.open(folder / "schemas.json.gz", "rt", encoding="utf8") as file:
        return {schema["db"]: _schema(schema) for schema in json.load(file)}


def split(databases: Iterable[str], seed: int = 0, test: int = 20, dev: int = 12) -> DatabaseSplit:
    """Splits databases by a seed; the first `test` of the shuffled names are held out."""
    names = sorted(databases)
    random.Random(seed).shuffle(names)
    parts = names[test + dev :], names[test : test + dev], names[:test]
    return DatabaseSplit(*(tuple(sorted(part)) for part in parts))


def _schema(stored: dict[str, Any]) -> SpiderSchema:
    tables = [
        table for table in stored["tables"] if not table["table"].lower().startswith("sqlite_")
    ]
    keys = tuple((key[0], key[1], key[2], key[3]) for key in stored["foreign_keys"])
    return _with_keys(SpiderSchema(stored["db"], tuple(_table(table) for table in tables), keys))


def _with_keys(schema: SpiderSchema) -> SpiderSchema:
    """A table without a key has the one column as its key that foreign keys point to."""
    pointed: dict[str, set[str]] = {}
    for here, column, target, key in schema.foreign_keys:
        backwards = (schema.table(here).key or "").lower() == column.lower()
        if here != target and not backwards and not schema.table(target).keyed:
            pointed.setdefault(schema.table(target).name, set()).add(key.lower())
    only = {table: min(columns) for table, columns in pointed.items() if len(columns) == 1}
    tables = []
    for table in schema.tables:
        columns = tuple(
            replace(one, key=one.key or one.name.lower() == only.get(table.name))
            for one in table.columns
        )
        tables.append(replace(table, columns=columns))
    return replace(schema, tables=tuple(tables))


def _table(stored: dict[str, Any]) -> SpiderTable:
    columns = [
        SpiderColumn(
            column["column"], column["name"], column["type"], column.get("primary_key", False)
        )
        for column in stored["columns"]
    ]
    return SpiderTable(stored["table"], stored["name"], tuple(columns))


_KINDS: dict[str, Kind] = {"number": "number", "time": "date", "boolean": "boolean"}

_GENERAL = {"id", "key", "code", "name", "number", "no", "date", "year", "type", "title", "rank"}
"""Names of keys that say nothing of their table."""


def declare_schema(spider: SpiderSchema) -> Schema:
    """The tables and links of a database; keys and link columns are ids."""
    links = links_of(spider)
    tables = []
    for table in spider.tables:
        ids = {link.column for link in links if link.table == table.name} | {table.key}
        columns = (
            Column(column.name, "id" if column.name in ids else _KINDS.get(column.type, "text"))
            for column in table.columns
        )
        tables.append(Table(table.name, tuple(columns), table.key))
    return Schema(tuple(tables), links)


def links_of(schema: SpiderSchema) -> tuple[Link, ...]:
    """The declared links, turned from many to one; then those that equal names suggest."""
    declared = [_link_of_key(schema, *key) for key in schema.foreign_keys]
    known = list(dict.fromkeys(link for link in declared if link is not None))
    taken = {(link.table, link.column) for link in known}
    return (
        *known,
        *(link for link in _infer_links(schema) if (link.table, link.column) not in taken),
    )


def _link_of_key(
    schema: SpiderSchema, table: str, column: str, target: str, key: str
) -> Link | None:
    here, there = schema.table(table), schema.table(target)
    forth = _is_key(there, key)
    back = _is_key(here, column) and here.name != there.name
    if forth and back:
        forth = not _takes_name_of(column, here) or _takes_name_of(key, there)
    if forth:
        return Link(here.name, _spelling_in(here, column), there.name)
    return Link(there.name, _spelling_in(there, key), here.name) if back else None


def _infer_links(schema: SpiderSchema) -> Iterator[Link]:
    for table in schema.tables:
        for column in table.columns:
            if _plain(column.name) == _plain(table.key or ""):
                continue
            for target in schema.tables:
                key = target.key
                same = key and _plain(key) == _plain(column.name) not in _GENERAL
                if target is not table and same:
                    yield Link(table.name, column.name, target.name)
                    break


def _is_key(table: SpiderTable, column: str) -> bool:
    return table.key is not None and table.key.lower() == column.lower()


def _spelling_in(table: SpiderTable, column: str) -> str:
    return next(
        candidate.name for candidate in table.columns if candidate.name.lower() == column.lower()
    )


def _takes_name_of(column: str, table: SpiderTable) -> bool:
    return _plain(table.name).rstrip("s") in _plain(column)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())
