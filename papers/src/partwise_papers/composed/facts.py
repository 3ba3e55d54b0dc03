"""What composed questions need to know of a database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.amounts import usual_amount
from partwise.database.reading.frame import Ref, is_flag
from partwise.database.reading.links import ids_of, is_unnamed
from partwise.database.source.roles import without_unit
from partwise.execution.relational.program import Attribute, Field, Listing, Rows
from partwise.execution.relational.schema import Link
from partwise_papers.databases.questions import AskedDatabase

LEAST, VARIED = 8, 5
"""The fewest rows of a table that is asked about, and distinct values of a number."""


class Facts:
    """Tables, columns and values of a database; what was looked up is kept."""

    def __init__(self, database: AskedDatabase) -> None:
        self.database = database
        self.layer: SemanticLayer = database.domain.layer
        self.schema = self.layer.schema
        self._seen: dict[tuple[str, tuple[Attribute, ...]], list[tuple[Any, ...]]] = {}
        self.tables = [one for one in self.layer.tables if self._is_asked(one)]

    def _is_asked(self, table: TableInfo) -> bool:
        key = self.schema.table(table.name).key
        if table.private or table.bridge or key is None:
            return False
        return len(self.values(table.name, key)) >= LEAST

    def rows(self, table: str, fields: Sequence[Attribute]) -> list[tuple[Any, ...]]:
        """What all rows of a table show."""
        place = table, tuple(fields)
        if place not in self._seen:
            found = self.database.rows.of_program(Listing(Rows(table), place[1]))
            self._seen[place] = list(found[0]) if found else []
        return self._seen[place]

    def values(self, table: str, column: str) -> list[Any]:
        """Values of a column, without nulls."""
        return [one for (one,) in self.rows(table, (Field((), column),)) if one is not None]

    def open(self, table: TableInfo) -> list[ColumnInfo]:
        """Columns that say something of a row."""
        ids = {*ids_of(self.schema, table.name), *table.display}
        return [
            one
            for one in table.columns
            if not (
                one.private or one.name in ids or is_flag(self.layer, Ref(table.name, one.name))
            )
        ]

    def numbers(self, table: TableInfo) -> list[ColumnInfo]:
        """Columns of numbers that differ."""
        some = [one for one in self.open(table) if one.kind == "number"]
        return [one for one in some if len(set(self.values(table.name, one.name))) > VARIED]

    def kinds(self, table: TableInfo) -> list[ColumnInfo]:
        """Columns of texts whose values are known."""
        return [one for one in self.open(table) if one.kind == "text" and one.values]

    def usual(self, table: TableInfo) -> ColumnInfo | None:
        """The amount of money that goes without saying."""
        usual = usual_amount(self.layer, table.name)
        return None if usual is None or usual.private else usual

    def dated(self, table: TableInfo) -> Field | None:
        """The date that goes without saying."""
        if table.date is None or table.column(table.date).private:
            return None
        return Field((), table.date)

    def days(self, table: TableInfo) -> list[date]:
        """The days of this date."""
        if self.dated(table) is None or table.date is None:
            return []
        return [date.fromisoformat(str(one)[:10]) for one in self.values(table.name, table.date)]

    def names(self, link: Link) -> tuple[Field, ...]:
        """What names the row that a link leads to; nothing if that is not said by its table."""
        target = self.layer.table(link.target)
        alike = [one for one in self.schema.leaving(link.table) if one.target == link.target]
        if target.private or len(alike) > 1 or link.target == link.table:
            return ()
        if is_unnamed(self.layer, link.target):
            return ()
        return tuple(Field((link,), one) for one in target.display)

    def named(self, table: TableInfo) -> tuple[Field, ...]:
        """What names a row of a table; nothing if it has no name."""
        if is_unnamed(self.layer, table.name):
            return ()
        return tuple(Field((), one) for one in table.display)

    def belonging(self, table: TableInfo) -> list[TableInfo]:
        """The tables whose rows belong to those of a table, by one link."""
        made = []
        for link in self.schema.links:
            several = [one for one in self.schema.leaving(link.table) if one.target == table.name]
            other = self.layer.table(link.table)
            if link.target != table.name or link.table == table.name or len(several) > 1:
                continue
            if not (other.private or other.bridge):
                made.append(other)
        return made


def called(column: ColumnInfo) -> str:
    """What people call a column: its unit is not said."""
    short = " ".join(without_unit(tuple(column.label.split())))
    return short if short in column.synonyms else column.label


def sayable(some: Sequence[ColumnInfo]) -> list[ColumnInfo]:
    """Columns whose names can be asked for: "the issued on of invoices" is said by nobody."""
    return [one for one in some if one.label.split()[-1] not in {"on", "at", "by", "in"}]


def full_names(found: Sequence[tuple[Any, ...]]) -> list[tuple[str, ...]]:
    """The rows that are texts, each of which is there once."""
    some = [row for row in found if all(isinstance(one, str) and one for one in row)]
    return [row for row in dict.fromkeys(some) if some.count(row) == 1]
