"""What a database holds, read from it: tables, keys, kinds of columns and links.

What is not declared is inferred from names and from a sample of the values, and each inference is
noted with its reason. Nothing is written to the database.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import ReflectedColumn

from partwise.errors import DomainError
from partwise.execution.relational.schema import Column, Kind, Link, Schema, Table

SAMPLE = 1000
"""Rows of a table that are looked at."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_KINDS: Sequence[tuple[type[sa.types.TypeEngine[Any]], Kind]] = (
    (sa.types.Boolean, "boolean"),
    (sa.types.Numeric, "number"),
    (sa.types.Integer, "number"),
    (sa.types.Date, "date"),
    (sa.types.DateTime, "date"),
)


@dataclass(frozen=True)
class Imported:
    """A schema, and what of it was inferred.

    Attributes:
        notes: a sentence for each inference, with its reason.
        left_out: tables and columns that cannot be asked about, with the reason.
    """

    schema: Schema
    notes: tuple[str, ...]
    left_out: tuple[str, ...]


def read_schema(engine: sa.Engine, sample: int = SAMPLE) -> Imported:
    """The tables and views of a database.

    Args:
        sample: how many rows of each table are looked at.

    Raises:
        DomainError: if it has no table that can be read.
    """
    reader = _Reader(engine, sample)
    names = [*reader.inspector.get_table_names(), *reader.inspector.get_view_names()]
    tables = [table for name in sorted(names) if (table := reader.table(name)) is not None]
    if not tables:
        raise DomainError(f"there is no table to ask about in {engine.url.database}")
    known = {table.name: table for table in tables}
    links = [link for table in tables for link in reader.declared(table, known)]
    links += [link for table in tables for link in reader.inferred(table, known, links)]
    ids = {(link.table, link.column) for link in links}
    tables = [_with_ids(table, ids) for table in tables]
    return Imported(Schema(tuple(tables), tuple(links)), tuple(reader.notes), tuple(reader.out))


class _Reader:
    """Reads one table after the other."""

    def __init__(self, engine: sa.Engine, sample: int) -> None:
        self.engine, self.sample = engine, sample
        self.inspector = sa.inspect(engine)
        self.notes: list[str] = []
        self.out: list[str] = []
        self.values: dict[str, dict[str, list[Any]]] = {}

    def table(self, name: str) -> Table | None:
        """A table with its key and the kinds of its columns."""
        declared = [one for one in self.inspector.get_columns(name) if self._readable(name, one)]
        if not declared:
            self.out.append(f"{name}: it has no column that can be read")
            return None
        columns = sa.table(name, *(sa.column(one["name"]) for one in declared))
        with self.engine.connect() as connection:
            rows = connection.execute(sa.select(columns).limit(self.sample)).all()
        listed = zip(*rows, strict=True) if rows else ([] for _ in declared)
        names = [one["name"] for one in declared]
        self.values[name] = {
            column: [value for value in some if value is not None]
            for column, some in zip(names, listed, strict=True)
        }
        kinds = tuple(Column(one["name"], self._kind(name, one)) for one in declared)
        return Table(name, kinds, self._key(name, names, len(rows)))

    def _readable(self, table: str, column: ReflectedColumn) -> bool:
        if isinstance(column["type"], sa.types.LargeBinary):
            self.out.append(f"{table}.{column['name']}: it holds bytes")
            return False
        return True

    def _kind(self, table: str, column: ReflectedColumn) -> Kind:
        name, values = column["name"], self.values[table][column["name"]]
        for kind, meant in _KINDS:
            if isinstance(column["type"], kind):
                return meant
        for pattern, meant in ((_DATE, "date"), (_NUMBER, "number")):
            if values and all(_is(pattern, one) for one in values):
                self.notes.append(f"{table}.{name} holds {meant}s: each of its values is one")
                return "date" if meant == "date" else "number"
        return "text"

    def _key(self, table: str, names: Sequence[str], rows: int) -> str | None:
        declared = self.inspector.get_pk_constraint(table).get("constrained_columns", [])
        if declared:
            return declared[0] if len(declared) == 1 else None
        for one in self.inspector.get_unique_constraints(table):
            if len(one["column_names"]) == 1:
                return one["column_names"][0]
        for name in names:
            values = self.values[table][name]
            if _own_id(name, table) and len(set(values)) == len(values) == rows > 0:
                self.notes.append(
                    f"{name} tells the rows of {table} apart: it is named so, and no value repeats"
                )
                return name
        return None

    def declared(self, table: Table, known: Mapping[str, Table]) -> list[Link]:
        """The foreign keys, from many rows to one."""
        links = []
        for one in self.inspector.get_foreign_keys(table.name):
            target = known.get(one["referred_table"])
            if target is None or len(one["constrained_columns"]) != 1:
                continue
            column, key = one["constrained_columns"][0], one["referred_columns"][0]
            if target.key == key:
                links.append(Link(table.name, column, target.name))
            elif table.key == column:
                links.append(Link(target.name, key, table.name))
                self.notes.append(
                    f"{target.name}.{key} points to {table.name}: the foreign key is declared the "
                    "other way round, but only that side has single rows"
                )
        return list(dict.fromkeys(links))

    def inferred(
        self, table: Table, known: Mapping[str, Table], links: Sequence[Link]
    ) -> list[Link]:
        """Columns with the name of another table's key, whose values are among its keys."""
        taken = {(link.table, link.column) for link in links} | {(table.name, table.key)}
        made = []
        for column in table.columns:
            if (table.name, column.name) in taken:
                continue
            for target in known.values():
                if target.key is not None and _points(column.name, target) and target != table:
                    values = set(self.values[table.name][column.name])
                    if values and values <= self._keys(target, values):
                        made.append(Link(table.name, column.name, target.name))
                        self.notes.append(
                            f"{table.name}.{column.name} points to {target.name}: it is named so, "
                            "and its values are keys there"
                        )
                        break
        return made

    def _keys(self, target: Table, values: set[Any]) -> set[Any]:
        """Those of some values that are keys of a table."""
        key: sa.ColumnClause[Any] = sa.column(target.key or "")
        which = sa.select(key).select_from(sa.table(target.name)).where(key.in_(list(values)))
        with self.engine.connect() as connection:
            return set(connection.execute(which).scalars())


def _is(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value.strip()) is not None


def _plain(name: str) -> str:
    """A name without case and separators."""
    return re.sub(r"[\W_]+", "", name.lower())


def _own_id(name: str, table: str) -> bool:
    return _plain(name) in {"id", *(f"{one}id" for one in _forms(table))}


def _forms(table: str) -> set[str]:
    """A table's name, and its singular."""
    name = _plain(table)
    return {name, name.removesuffix("s"), re.sub("ies$", "y", name), name.removesuffix("es")}


def _points(column: str, target: Table) -> bool:
    """Whether a column is named after a table's key."""
    name, key = _plain(column), _plain(target.key or "")
    own = key not in {"id", "key", "code", "name"} and name == key
    return own or name in {f"{one}{end}" for one in _forms(target.name) for end in ("id", key)}


def _with_ids(table: Table, ids: set[tuple[str, str]]) -> Table:
    """The table with keys and links as ids."""
    columns = tuple(
        replace(one, kind="id") if one.name == table.key or (table.name, one.name) in ids else one
        for one in table.columns
    )
    return replace(table, columns=columns)
