"""Tables of Spider's databases and the links between them, from many rows to one.

Almost a fifth of the declared foreign keys are the wrong way round, and some are missing. A link
ends at the only key of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from partwise.execution.relational.schema import Column, Kind, Link, Schema, Table
from partwise_papers.spider.data import SpiderSchema, SpiderTable

_KINDS: dict[str, Kind] = {"number": "number", "time": "date", "boolean": "boolean"}

_GENERAL = {"id", "key", "code", "name", "number", "no", "date", "year", "type", "title", "rank"}
"""Names of keys that say nothing of their table."""


def declared_schema(spider: SpiderSchema) -> Schema:
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
    declared = [_turned(schema, *one) for one in schema.foreign_keys]
    known = list(dict.fromkeys(one for one in declared if one is not None))
    taken = {(one.table, one.column) for one in known}
    return (*known, *(one for one in _inferred(schema) if (one.table, one.column) not in taken))


def _turned(schema: SpiderSchema, table: str, column: str, target: str, key: str) -> Link | None:
    here, there = schema.table(table), schema.table(target)
    forth = _is_key(there, key)
    back = _is_key(here, column) and here.name != there.name
    if forth and back:
        forth = not _named_after(column, here) or _named_after(key, there)
    if forth:
        return Link(here.name, _stored(here, column), there.name)
    return Link(there.name, _stored(there, key), here.name) if back else None


def _inferred(schema: SpiderSchema) -> Iterator[Link]:
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


def _stored(table: SpiderTable, column: str) -> str:
    return next(one.name for one in table.columns if one.name.lower() == column.lower())


def _named_after(column: str, table: SpiderTable) -> bool:
    return _plain(table.name).rstrip("s") in _plain(column)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())
