"""Semantic layers of Spider's databases, from their declared names or imported from a file."""

from __future__ import annotations

import re
from pathlib import Path

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.layer.naming import singular
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.execution.relational.schema import Column, Kind, Link, Schema, Table
from partwise_papers.spider.data import SpiderColumn, SpiderSchema, SpiderTable
from partwise_papers.spider.links import links_of

_KINDS: dict[str, Kind] = {"number": "number", "time": "date", "boolean": "boolean"}
_NAMING = ("name", "title")
_PERSON = re.compile(r"(first|last|f|l|sur|given|family)[ _]?name", re.I)


def declared_schema(spider: SpiderSchema) -> Schema:
    """The tables and links of a database; keys and link columns are ids."""
    links = links_of(spider)
    return Schema(tuple(_table(one, links) for one in spider.tables), links)


def declared_layer(spider: SpiderSchema) -> SemanticLayer:
    """The semantic layer that the names in words give."""
    schema = declared_schema(spider)
    tables = tuple(_table_info(one, schema) for one in spider.tables)
    return SemanticLayer(spider.db, schema, tables)


def _table(table: SpiderTable, links: tuple[Link, ...]) -> Table:
    ids = {one.column for one in links if one.table == table.name} | {table.key}
    columns = tuple(Column(one.name, _kind(one, ids)) for one in table.columns)
    return Table(table.name, columns, table.key)


def _kind(column: SpiderColumn, ids: set[str | None]) -> Kind:
    return "id" if column.name in ids else _KINDS.get(column.type, "text")


def _table_info(table: SpiderTable, schema: Schema) -> TableInfo:
    stored = schema.table(table.name)
    links = {one.column for one in schema.leaving(table.name)}
    kinds = {one.name: one.kind for one in stored.columns}
    columns = tuple(
        ColumnInfo(one.name, one.label.lower().strip(), kinds[one.name]) for one in table.columns
    )
    names = [one for one in columns if _PERSON.fullmatch(one.label)]
    return TableInfo(
        table.name,
        singular(table.label.lower().strip()),
        columns,
        display=_display(columns, stored.key),
        date=next((one.name for one in columns if one.kind == "date"), None),
        bridge=len(links) >= 2 and len(set(kinds) - links - {stored.key}) <= 1,
        person=len(names) >= 2,
    )


def _display(columns: tuple[ColumnInfo, ...], key: str | None) -> tuple[str, ...]:
    """What names a row: first and last name; else a name or title; else the first text."""
    texts = [one for one in columns if one.kind == "text"]
    people = [one.name for one in texts if _PERSON.fullmatch(one.label)]
    if len(people) >= 2:
        return tuple(people)
    named = [one.name for word in _NAMING for one in texts if word in one.label.split()]
    chosen = [*named, *(one.name for one in texts), *([key] if key else [])]
    return tuple(chosen[:1]) or (columns[0].name,)


def imported_layer(file: Path) -> SemanticLayer:
    """The semantic layer that a user gets of a filled database, with no edit.

    Raises:
        DomainError: if the file cannot be read.
    """
    source = connect(file)
    try:
        return import_database(source, file.stem)
    finally:
        source.close()
