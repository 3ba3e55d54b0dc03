"""A source as it is read once: tables with a sample of their rows, and what their values are.

A bounded number of a table's rows is looked at, from all over the table where the database can do
that. The kind of a column is what is declared, unless its values say otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.sql.selectable import FromClause

from partwise.database.source.catalogue import StoredColumn, StoredTable
from partwise.database.source.connections import QueryLimits, Source
from partwise.database.source.formats import ISO, Written, date_format, epoch, number_format
from partwise.database.source.names import column_words, row_words, words_of_name
from partwise.errors import ExecutionError
from partwise.execution.relational.schema import Kind

_LEADING = re.compile(r"[-+]?0\d")
_CODE = re.compile(
    r"phone|fax|tel|zip|post|code|isbn|ssn|barcode|sku|iban|serial|mobile|cell|licen[cs]e|number$|"
    r"(?:^|_)no$",
    re.IGNORECASE,
)
"""Names of columns whose digits are no number."""


class Meant(NamedTuple):
    """What the values of a column are.

    Attributes:
        texts: whether numbers or dates are stored as texts, or texts as something else.
        note: what was inferred and why; empty if it is declared.
        format: how they are written, if they must be read.
    """

    kind: Kind
    texts: bool = False
    note: str = ""
    format: str = ""


def meaning(
    table: str,
    column: StoredColumn,
    values: Sequence[Any],
    complete: bool = True,
    comma: bool = False,
) -> Meant:
    """What the values of a column are.

    Args:
        values: some that are not null.
        complete: whether they are all.
        comma: as for `number_format`.
    """
    name = f"{table}.{column.name}"
    strings = [one for one in values if isinstance(one, str)]
    match column.type:
        case "boolean" if not strings:
            return Meant("boolean")
        case "number" if not strings:
            return _number(name, column, values)
        case "date" if values and not strings and not epoch(("date", "on"), values):
            return Meant("number", note=f"{name} holds numbers, although it is declared as dates")
        case "text" | "number" | "date" | "boolean":
            meant = _by_content(name, column, values, complete, comma)
            return meant._replace(texts=True) if column.cast and meant.kind == "text" else meant
        case _:
            return Meant("text")


def _number(name: str, column: StoredColumn, values: Sequence[Any]) -> Meant:
    """Numbers of the database's own: when something was, or some that are none."""
    if values and (unit := epoch(words_of_name(column.name), values)) is not None:
        return Meant("date", note=f"{name} holds dates: {unit} since 1970", format=unit)
    if any(one != one for one in values):
        return Meant("number", note=f"{name} holds NaN, which counts as missing", format="NaN")
    return Meant("number")


def _by_content(
    name: str, column: StoredColumn, values: Sequence[Any], complete: bool, comma: bool
) -> Meant:
    strings = [one for one in values if isinstance(one, str)]
    if not values:
        # Nothing is stored: what is declared is all that is known.
        return Meant("text" if column.type == "other" or column.type == "bytes" else column.type)
    if not strings:
        return _number(name, column, values)
    texts = [str(one) for one in values]
    if (found := date_format(texts)) is not None:
        return _read_as("date", name, column, found, complete)
    code = _CODE.search(column.name) or any(map(_LEADING.match, strings))
    if not code and (found := number_format(texts, comma)) is not None:
        return _read_as("number", name, column, found, complete)
    if column.type == "text":
        return Meant("text")
    example = next((one for one in strings if number_format([one]) is None), strings[0])
    note = f"{name} holds texts such as {example[:30]!r}, although it is declared otherwise"
    return Meant("text", note=note)


def _read_as(kind: Kind, name: str, column: StoredColumn, found: Written, complete: bool) -> Meant:
    """What is read out of texts, if any of them needs it."""
    plain = not found.others and found.format in (ISO, PLAIN)
    if plain and kind == column.type == "date":
        return Meant("date")
    note = _note(f"{name} holds {kind}s", found)
    return Meant(kind, True, note, "" if plain and complete else found.format)


def _note(what: str, found: Written) -> str:
    """What is said of a format."""
    if not found.others and found.format in (ISO, PLAIN):
        return f"{what}: each of its values is one"
    made = f"{what} written as {found.format}"
    if found.others:
        some = ", ".join(repr(one[:30]) for one in dict.fromkeys(found.others[:FEW_SHOWN]))
        made += f"; {some} ({len(found.others)} of the values seen) count as missing"
    return f"{made}; {found.unsure} fits as well" if found.unsure else made


PLAIN = "1234.5"
"""The format of numbers without other signs."""
FEW_SHOWN = 3
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
    """At most `most` rows of a table. Raises ExecutionError if the table cannot be read in time."""
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
    """All distinct values of a column that are not null; None if they are more than `most`. Raises
    ExecutionError if the table cannot be read in time."""
    one: sa.ColumnClause[Any] = sa.column(column)
    every = sa.select(one).select_from(sa.table(table)).where(one.is_not(None)).distinct()
    fetched = source.run(every, _limits(source, most))
    return None if fetched.truncated else [row[0] for row in fetched.rows]


@dataclass(frozen=True)
class ReadTable:
    """A table with what was seen of it.

    Attributes:
        columns: those that can be asked about.
        meant: what their values are.
        words: of one row of the table.
        column_words: column -> its words.
        called: what its key calls its rows, if that is not the table's name.
    """

    stored: StoredTable
    columns: tuple[StoredColumn, ...]
    sample: Sample
    meant: dict[str, Meant]
    words: tuple[str, ...]
    column_words: dict[str, tuple[str, ...]]
    called: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As it is stored."""
        return self.stored.name

    def values(self, column: str) -> list[Any]:
        """Values of a column that were seen, without nulls."""
        return self.sample.values(column)


@dataclass
class Notes:
    """What was inferred, and what was left out, a sentence each."""

    inferred: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def read_table(
    source: Source,
    stored: StoredTable,
    words: Mapping[str, tuple[str, ...]],
    notes: Notes,
    most: int = SAMPLE,
) -> ReadTable | None:
    """A table with a sample of its rows; None if nothing of it can be read.

    Args:
        words: of each table of the source.
    """
    columns = tuple(one for one in stored.columns if _what_it_holds(one) is None)
    for one in stored.columns:
        if (what := _what_it_holds(one)) is not None:
            notes.left_out.append(f"{stored.name}.{one.name}: it holds {what}")
    if not columns:
        notes.left_out.append(f"{stored.name}: it has no column that can be read")
        return None
    try:
        sample = take_sample(source, stored, columns, most)
    except ExecutionError as error:
        notes.left_out.append(f"{stored.name}: it cannot be read: {error!s:.200}")
        return None
    meant = _meanings(stored, columns, sample)
    if any("234,5" in one.format for one in meant.values()):
        # Where others have a comma for fractions, "1.234" is more than a thousand.
        meant = _meanings(stored, columns, sample, comma=True)
    notes.inferred += [one.note for one in meant.values() if one.note]
    called = row_words(stored.key, words.values())
    named = column_words([one.name for one in columns], words[stored.name], words, called)
    return ReadTable(stored, columns, sample, meant, words[stored.name], named, called)


def _meanings(
    stored: StoredTable, columns: Sequence[StoredColumn], sample: Sample, comma: bool = False
) -> dict[str, Meant]:
    values = {one.name: sample.values(one.name) for one in columns}
    return {
        one.name: meaning(stored.name, one, values[one.name], sample.complete, comma)
        for one in columns
    }


def _what_it_holds(column: StoredColumn) -> str | None:
    """What a column holds that cannot be asked about; None for other columns."""
    match column.type:
        case "bytes":
            return "bytes"
        case "other":
            return "lists or structures"
    return None
