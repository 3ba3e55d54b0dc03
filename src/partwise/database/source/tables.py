"""A source as it is read once: tables with a sample of their rows, and what their values are.

A bounded number of a table's rows is looked at, from all over the table where the database can do
that. The kind of a column is what is declared, unless its values say otherwise.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
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
from partwise.execution.relational.sql import table_clause

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
    """What the values of a column are. `values`: some that are not null. `complete`: whether they
    are all. `comma`: as for `number_format`."""
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
    return Meant("number")


def _by_content(
    name: str, column: StoredColumn, values: Sequence[Any], complete: bool, comma: bool
) -> Meant:
    strings = [one for one in values if isinstance(one, str)]
    if not values and column.type in ("number", "date", "boolean"):
        # Nothing is stored: what is declared is all that is known.
        return Meant(column.type)
    if not values:
        return Meant("text")
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
LONGEST = 1000
"""Characters of a text that are looked at."""
FEW = 50
"""The most distinct values of an enumeration."""
CHARACTERS = 50_000_000
SECONDS = 30.0
WITHHELD = {
    "bytes": "it holds bytes",
    "other": "it holds lists or structures",
    "denied": "this user may not read it",
}
"""Why columns of some types cannot be asked about."""
SIGNS: Mapping[tuple[str, Kind], str] = {
    ("postgresql", "number"): "NaN",
    ("duckdb", "number"): "NaN",
    ("postgresql", "date"): "infinity",
    ("mysql", "date"): "0000-00-00",
}
"""What may be stored where no value is known, by engine and kind."""
MARK = "\ufffd"
"""What stands for bytes that are no text."""


@dataclass(frozen=True)
class Sample:
    """Rows of a table.

    Attributes:
        columns: the values of each column, with None for nulls, in the order of the rows.
        complete: whether they are all rows of the table.
        faults: why other columns cannot be read.
    """

    columns: Mapping[str, Sequence[Any]]
    complete: bool
    faults: Mapping[str, str] = field(default_factory=dict)

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
    """At most `most` rows of a table, with all columns that can be read. Raises ExecutionError if
    none can, or not in time."""
    begin = time.monotonic()
    try:
        return _sample(source, table, columns, most)
    except ExecutionError:
        if len(columns) == 1 or time.monotonic() - begin >= SECONDS:
            raise
    faults = {}
    for one in columns:
        try:
            _sample(source, table, [one], most)
        except ExecutionError as error:
            faults[one.name] = f"it cannot be read: {reason(error)}"
    readable = [one for one in columns if one.name not in faults]
    # Where it is no single column, it fails as before.
    made = _sample(source, table, readable or columns, most)
    return replace(made, faults={**faults, **made.faults})


def reason(error: ExecutionError) -> str:
    """What the database says, without the query."""
    return f"{str(error).partition(' in the query ')[0]:.200}"


def _sample(
    source: Source, table: StoredTable, columns: Sequence[StoredColumn], most: int
) -> Sample:
    named = table_clause(table.name, *(one.name for one in columns))
    dynamic = source.kind == "sqlite"

    def shown(rows: FromClause) -> sa.Select[Any]:
        return sa.select(*(_shortened(one, rows.c[one.name], dynamic) for one in columns))

    first = source.run(shown(named), _limits(source, most))
    rows = first.rows
    if first.truncated and (spread := _spread(source, table, named, most, shown)) is not None:
        # Some tables cannot be drawn from: without a rowid, or on another server.
        with suppress(ExecutionError):
            found = source.run(spread, _limits(source, most)).rows
            # Blocks that the database skipped may hold most rows.
            rows = found if len(found) >= most // 2 else rows
    listed = zip(*rows, strict=True) if rows else (() for _ in columns)
    read = dict(zip((one.name for one in columns), map(list, listed), strict=True))
    binary = {name: WITHHELD["bytes"] for name, some in read.items() if _is_binary(some)}
    return Sample(read, not first.truncated, binary)


def _shortened(column: StoredColumn, value: sa.ColumnElement[Any], dynamic: bool) -> Any:
    """The begin of a column's texts. `dynamic`: whether a text may stand in any column."""
    if not dynamic and (column.type != "text" or column.cast):
        return value
    begin = sa.func.substr(value, 1, LONGEST)
    return sa.case((sa.func.length(value) > LONGEST, begin), else_=value).label(column.name)


def _limits(source: Source, rows: int) -> QueryLimits:
    return replace(source.limits, rows=rows, characters=CHARACTERS, seconds=SECONDS)


def _spread(
    source: Source,
    table: StoredTable,
    named: sa.TableClause,
    most: int,
    shown: Callable[[FromClause], sa.Select[Any]],
) -> sa.sql.selectable.GenerativeSelect | None:
    """A statement for rows from all over a table; None where there is no way to get them."""
    if table.view:
        return None
    if source.kind == "sqlite":
        last = shown(named).order_by(sa.literal_column("rowid").desc()).limit(most // 2)
        begin = shown(named).limit(most // 2)
        return sa.union_all(begin.subquery().select(), last.subquery().select())
    if table.rows is None or source.kind == "mysql":
        return None
    percent = min(100.0, 150.0 * most / max(table.rows, 1))
    size = f"{percent:.6f}" + (" PERCENT" if source.kind == "duckdb" else "")
    return shown(named.tablesample(sa.func.system(sa.text(size))))


def distinct_values(source: Source, table: str, column: str, most: int) -> list[Any] | None:
    """All distinct values of a column that are not null; None if they are more than `most`. Raises
    ExecutionError if the table cannot be read in time."""
    one: sa.ColumnClause[Any] = sa.column(column)
    every = sa.select(one).select_from(table_clause(table)).where(one.is_not(None)).distinct()
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
    """A table with a sample of its rows; None if nothing of it can be read. `words`: of each table
    of the source."""
    sample = _read(source, stored, notes, most)
    columns = tuple(one for one in stored.columns if one.name in sample.columns)
    if not columns:
        return None
    notes.inferred += [
        f"{stored.name}.{one.name}: {MARK} stands for what is not UTF-8"
        for one in columns
        if MARK in "".join(map(str, sample.values(one.name)))
    ]
    meant = _meanings(source, stored, columns, sample)
    if any("234,5" in one.format for one in meant.values()):
        # Where others have a comma for fractions, "1.234" is more than a thousand.
        meant = _meanings(source, stored, columns, sample, comma=True)
    notes.inferred += [one.note for one in meant.values() if one.note]
    called = row_words(stored.key, words.values())
    named = column_words([one.name for one in columns], words[stored.name], words, called)
    return ReadTable(stored, columns, sample, meant, words[stored.name], named, called)


def _read(source: Source, stored: StoredTable, notes: Notes, most: int) -> Sample:
    """A sample of all columns of a table that can be read, none where the table cannot."""
    faults = {one.name: _what_it_holds(one) for one in stored.columns}
    columns = [one for one in stored.columns if not faults[one.name]]
    fault = stored.fault or ("" if columns else "it has no column that can be read")
    sample = Sample({}, True)
    try:
        sample = sample if fault else take_sample(source, stored, columns, most)
    except ExecutionError as error:
        fault = reason(error)
    faults |= sample.faults
    notes.left_out += [f"{stored.name}.{name}: {why}" for name, why in faults.items() if why]
    kept = {name: some for name, some in sample.columns.items() if not faults[name]}
    if not kept:
        notes.left_out.append(f"{stored.name}: it cannot be read: {fault or 'no column can'}")
    return replace(sample, columns=kept)


def _is_binary(values: Sequence[Any]) -> bool:
    """Whether most values are bytes that are no texts."""
    texts = [one for one in values if isinstance(one, str)]
    odd = [one for one in texts if "\0" in one or one.count(MARK) > len(one) / 4]
    return len(odd) > len(values) / 2


def _meanings(
    source: Source,
    stored: StoredTable,
    columns: Sequence[StoredColumn],
    sample: Sample,
    comma: bool = False,
) -> dict[str, Meant]:
    made = {}
    for one in columns:
        values, strict = sample.values(one.name), source.kind != "sqlite"
        if strict and one.type == "date":
            meant = Meant("date")
        else:
            meant = meaning(stored.name, one, values, sample.complete, comma)
        sign = SIGNS.get((source.kind, meant.kind), "")
        if sign and not (meant.texts or meant.format or one.whole):
            seen = any(value != value or sign in str(value) for value in values)
            if seen or not (sample.complete or not _occurs(source, stored.name, one.name, sign)):
                note = f"{stored.name}.{one.name} holds {sign}: no value is known there"
                meant = meant._replace(note=note, format=sign)
        made[one.name] = meant
    return made


def _occurs(source: Source, table: str, column: str, value: str) -> bool:
    """Whether a value stands in a column, as far as the database can say in time."""
    one: sa.ColumnClause[Any] = sa.column(column)
    some = sa.select(sa.literal(1)).select_from(table_clause(table))
    try:
        where = one == sa.literal_column(f"'{value}'")
        return bool(source.run(some.where(where).limit(1), _limits(source, 1)).rows)
    except ExecutionError:
        return False


def _what_it_holds(column: StoredColumn) -> str:
    """Why a column cannot be asked about; empty for other columns."""
    if not column.name.strip():
        return "a column has no name"
    return WITHHELD.get(column.type, "")
