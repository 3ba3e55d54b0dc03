"""What is known of a database beside its schema: names, units, measures, what is private.

An import makes it, a person edits it as a file, and the parser takes its words from it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from partwise.errors import DomainError
from partwise.execution.relational.program import Aggregate, Attribute, Condition, Function
from partwise.execution.relational.schema import Kind, Link, Schema

Place = tuple[str, str | None]
"""A table, or a column of one."""
Keys = tuple[str, ...]
"""Where something stands in a layer's file: ``("tables", "Invoice", "date")``."""


@dataclass(frozen=True)
class ColumnInfo:
    """A column, for people.

    Attributes:
        name: as it is stored.
        label: a readable name, in lower case: ``invoice date`` for ``InvoiceDate``.
        kind: what its values are.
        synonyms: other names for it.
        description: a sentence for people, from the database's comment or written by hand.
        unit: what its numbers count, as ``ms``, ``usd``, ``kg``; None if that is not known.
        private: whether it is never shown, sampled, indexed or logged.
        values: its distinct values, if it is an enumeration of few; else a few of its values.
        enumeration: whether `values` are all that there are.
        value_names: what people call a value that is stored otherwise: ``{"F": ("female",)}``.
        in_full: whether a question must give its values in full: no part of one stands for it.
        prefer: whether it is meant where other columns hold the same value.
    """

    name: str
    label: str
    kind: Kind
    synonyms: tuple[str, ...] = ()
    description: str = ""
    unit: str | None = None
    private: bool = False
    values: tuple[str, ...] = ()
    enumeration: bool = False
    value_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    in_full: bool = False
    prefer: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All that people call it."""
        return (self.label, *self.synonyms)


@dataclass(frozen=True)
class TableInfo:
    """A table, for people.

    Attributes:
        name: as it is stored.
        label: a readable name of one row, singular and in lower case: ``order item``.
        columns: all of them, the private ones too.
        synonyms: other names for a row.
        description: a sentence for people.
        private: whether nothing of it is ever shown, sampled, indexed or logged.
        display: the columns that together name a row, as first and last name.
        date: the column that says when a row happened, where a question says only "in 2024".
        measure: the name of the measure that "how much" and "most" mean where nothing is said.
        bridge: whether it does nothing but link other tables.
        person: whether its rows are people.
    """

    name: str
    label: str
    columns: tuple[ColumnInfo, ...]
    synonyms: tuple[str, ...] = ()
    description: str = ""
    private: bool = False
    display: tuple[str, ...] = ()
    date: str | None = None
    measure: str | None = None
    bridge: bool = False
    person: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All that people call a row of it."""
        return (self.label, *self.synonyms)

    def column(self, name: str) -> ColumnInfo:
        """A column by its stored name. Raises DomainError if there is none."""
        for one in self.columns:
            if one.name == name:
                return one
        known = ", ".join(one.name for one in self.columns)
        raise DomainError(f"{self.name} has no column {name}; it has {known}")


@dataclass(frozen=True)
class Measure:
    """A figure that has a name: ``revenue``, the sum of quantity times price of invoice lines.

    Attributes:
        name: unique in the layer, an identifier.
        label: a readable name, in lower case.
        table: whose rows it is over.
        function: what is done with the values of these rows.
        of: a value of each row; None with `count` for the rows themselves.
        where: which rows count; None for all.
        synonyms: other names for it.
        unit: what it counts, as ``usd``.
        distinct: whether equal values count once, with `count`.
    """

    name: str
    label: str
    table: str
    function: Function
    of: Attribute | None = None
    where: Condition | None = None
    synonyms: tuple[str, ...] = ()
    description: str = ""
    unit: str | None = None
    distinct: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All that people call it."""
        return (self.label, *self.synonyms)

    @property
    def aggregate(self) -> Aggregate:
        """The figure, without its condition."""
        return Aggregate(self.function, self.of, self.distinct)


@dataclass(frozen=True)
class SemanticLayer:
    """A database, for people.

    Attributes:
        name: of the domain.
        schema: the tables with their keys and links, as they are stored.
        tables: one for each table of the schema.
        measures: figures that have names.
        links: what a link is called: ``reports to`` for ``Employee.ReportsTo``.
        notes: what was inferred and why, a sentence each.
        preferred: links to take where several ways of one length lead from a table to another. They
            stand first among the links of the schema.
    """

    name: str
    schema: Schema
    tables: tuple[TableInfo, ...]
    measures: tuple[Measure, ...] = ()
    links: Mapping[Link, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    preferred: tuple[Link, ...] = ()

    @cached_property
    def private_places(self) -> frozenset[Place]:
        """What is private: as it is said, and each column that links to a private key or table, as
        it holds the same values."""
        made: set[Place] = {(one.name, None) for one in self.tables if one.private}
        made |= {
            (one.name, part.name) for one in self.tables for part in one.columns if part.private
        }
        size = -1
        while len(made) > size:
            size = len(made)
            made |= {
                (link.table, link.column)
                for link in self.schema.links
                if made & {(link.target, None), (link.target, self.schema.key(link.target))}
            }
        return frozenset(made)

    @cached_property
    def _tables(self) -> dict[str, TableInfo]:
        return {one.name: one for one in self.tables}

    def table(self, name: str) -> TableInfo:
        """A table by its stored name. Raises DomainError if there is none."""
        if name not in self._tables:
            raise DomainError(f"there is no table {name}; there are {', '.join(self._tables)}")
        return self._tables[name]

    def column(self, table: str, name: str) -> ColumnInfo:
        """A column by the stored names of its table and of itself. Raises DomainError if there is
        none."""
        return self.table(table).column(name)

    def measure(self, name: str) -> Measure:
        """A measure by its name. Raises DomainError if there is none."""
        for one in self.measures:
            if one.name == name:
                return one
        known = ", ".join(one.name for one in self.measures) or "none"
        raise DomainError(f"there is no measure {name}; there are {known}")


def hide(layer: SemanticLayer, places: Collection[Place]) -> SemanticLayer:
    """The same with further private tables and columns, of which no value is known."""

    def column(table: TableInfo, one: ColumnInfo) -> ColumnInfo:
        place = (table.name, one.name)
        private = one.private or table.private or place in places or (table.name, None) in places
        return replace(one, private=True, values=(), value_names={}) if private else one

    tables = tuple(
        replace(
            one,
            private=one.private or (one.name, None) in places,
            columns=tuple(column(one, part) for part in one.columns),
        )
        for one in layer.tables
    )
    return replace(layer, tables=tables)


def without_names(layer: SemanticLayer) -> SemanticLayer:
    """The same with nothing called anything."""
    none: dict[str, Any] = {"label": "", "synonyms": (), "description": ""}
    return replace(
        layer,
        tables=tuple(
            replace(one, columns=tuple(replace(part, **none) for part in one.columns), **none)
            for one in layer.tables
        ),
        measures=tuple(replace(one, **none) for one in layer.measures),
        links={},
        notes=(),
    )


@dataclass(frozen=True)
class LayerFile:
    """What a file says.

    Attributes:
        source: where the data are, as ``sqlite:///shop.db``.
        today: the day that "last month" is counted from; None for the day of asking.
        file: where it was read.
        lines: the line of each key, from 1: ``("tables", "Invoice", "date")``.
    """

    layer: SemanticLayer
    source: str
    today: date | None = None
    file: Path | None = None
    lines: Mapping[Keys, int] = field(default_factory=dict)

    def where(self, *keys: str) -> str:
        """``file:line`` of a key, or of what it stands in; "" if no file was read."""
        return "" if self.file is None else f"{self.file}:{line_of(self.lines, keys)}"


def line_of(lines: Mapping[Keys, int], keys: Keys) -> int:
    """The line of the innermost of some keys that is there."""
    return next((lines[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in lines), 1)
