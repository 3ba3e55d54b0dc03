"""A bounded number of a table's rows, from all over the table where the database can do that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.selectable import FromClause

from partwise.database.source.catalogue import StoredColumn, StoredTable
from partwise.database.source.connections import QueryLimits, Source
from partwise.errors import ExecutionError

SAMPLE = 2000
"""Rows of a table that are looked at."""
FEWEST = 100
"""The same where they are too long."""
FEW = 50
"""The most distinct values of an enumeration."""
CHARACTERS = 50_000_000
SECONDS = 30.0


@dataclass(frozen=True)
class Sample:
    """Rows of a table.

    Attributes:
        columns: the values of each column, with None for nulls, in the order of the rows.
        complete: whether they are all rows of the table.
    """

    columns: Mapping[str, Sequence[Any]]
    complete: bool

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(next(iter(self.columns.values()), ()))

    def values(self, column: str) -> list[Any]:
        """The values of a column that are not null."""
        return [one for one in self.columns[column] if one is not None]

    def repeats(self, column: str) -> bool:
        """Whether a value occurs twice, or is missing."""
        values = self.values(column)
        return len(set(values)) < len(values) or len(values) < self.rows


def take_sample(
    source: Source, table: StoredTable, columns: Sequence[StoredColumn], most: int = SAMPLE
) -> Sample:
    """At most `most` rows of a table.

    Raises:
        ExecutionError: if the table cannot be read in time.
    """
    named = sa.table(table.name, *(sa.column(one.name) for one in columns))
    try:
        first = source.run(sa.select(*named.c), _limits(source, most))
    except ExecutionError:
        # Its rows may be too long.
        most = min(most, FEWEST)
        first = source.run(sa.select(*named.c), _limits(source, most))
    rows = first.rows
    if first.truncated and (spread := _spread(source, table, named, most)) is not None:
        # Some tables cannot be drawn from: without a rowid, or on another server.
        with suppress(ExecutionError):
            found = source.run(spread, _limits(source, most)).rows
            # Blocks that the database skipped may hold most rows.
            rows = found if len(found) >= most // 2 else rows
    listed = zip(*rows, strict=True) if rows else (() for _ in columns)
    names = [one.name for one in columns]
    return Sample(dict(zip(names, map(list, listed), strict=True)), not first.truncated)


def _limits(source: Source, rows: int) -> QueryLimits:
    return replace(source.limits, rows=rows, characters=CHARACTERS, seconds=SECONDS)


def _spread(
    source: Source, table: StoredTable, named: sa.TableClause, most: int
) -> sa.sql.selectable.GenerativeSelect | None:
    """A statement for rows from all over a table; None where there is no way to get them."""
    if table.view:
        return None
    if source.kind == "sqlite":
        last = sa.select(*named.c).order_by(sa.literal_column("rowid").desc()).limit(most // 2)
        begin = sa.select(*named.c).limit(most // 2)
        return sa.union_all(begin.subquery().select(), last.subquery().select())
    if table.rows is None or source.kind == "mysql":
        return None
    percent = min(100.0, 150.0 * most / max(table.rows, 1))
    size = f"{percent:.6f}" + (" PERCENT" if source.kind == "duckdb" else "")
    drawn: FromClause = named.tablesample(sa.func.system(sa.text(size)))
    return sa.select(*drawn.c)


def distinct_values(source: Source, table: str, column: str, most: int) -> list[Any] | None:
    """All distinct values of a column that are not null; None if they are more than `most`.

    Raises:
        ExecutionError: if the table cannot be read in time.
    """
    one: sa.ColumnClause[Any] = sa.column(column)
    every = sa.select(one).select_from(sa.table(table)).where(one.is_not(None)).distinct()
    fetched = source.run(every, _limits(source, most))
    return None if fetched.truncated else [row[0] for row in fetched.rows]


def all_match(source: Source, table: str, column: str, pattern: str) -> bool:
    """Whether all values of a text column match a pattern, as far as the database can say in time.

    Args:
        pattern: a regular expression for the whole value.
    """
    one = sa.column(column, sa.String)
    others = sa.select(one).select_from(sa.table(table)).where(~one.regexp_match(pattern)).limit(1)
    try:
        return not source.run(others, _limits(source, 1)).rows
    except ExecutionError:
        return False
