"""CSV files as programs and people write them: any usual encoding and separator, titles above the
header, rows that are too short or too long. No row is lost: each is counted.
"""

from __future__ import annotations

import csv
import gzip
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from partwise.database.source.formats import date_format, number_format
from partwise.errors import DomainError

_SEPARATORS = "\t;|,"
_BLOCK = 1 << 20
_LOOKED_AT = 500
"""Lines that tell how a file is written."""
_LONGEST = 1 << 27
"""Characters of a field."""
_SHOWN = 3
"""Rows that a note names."""
_COMMA = re.compile(r'(?:^|[\t;|])"?[-+]?[\d.]*\d,\d+"?(?=[\t;|\r\n]|$)', re.MULTILINE)


class _Layout(NamedTuple):
    """How a file is written.

    Attributes:
        skipped: lines above the header.
        header: whether the first row has names.
        comma: whether fractions have a comma.
    """

    encoding: str
    separator: str
    skipped: int
    width: int
    header: bool
    comma: bool


def load_csv(connection: Any, table: str, file: Path, part: Path) -> list[str]:
    """Copy a file to a table of DuckDB.

    Args:
        table: its name, quoted.
        part: a file that may be written in place of one that DuckDB would not read whole.

    Returns:
        What was unusual, a sentence each.

    Raises DomainError if rows would be lost, duckdb.Error if it cannot be read.
    """
    layout = _layout(file)
    with _opened(file, layout.encoding) as stream:
        lines = sum(1 for line in stream if line.strip())
    notes, rows = [], lines - layout.header
    if layout.encoding == "cp1252":
        notes.append(f"{file.name} is no UTF-8, so it is read as Windows-1252")
    whole = layout.encoding == "utf-8" and not layout.skipped
    if not whole or _copied(connection, table, file, layout) != rows:
        rows, ragged = _write_even(file, layout, part)
        notes += _told(file, layout, ragged)
        stored = _copied(connection, table, part, layout)
        if stored != rows:
            raise DomainError(f"{file}: {rows:,} rows were read, and DuckDB took {stored}")
    if not layout.header:
        notes.append(f"{file.name} has no names of columns: its first row holds values")
    return notes


def _copied(connection: Any, table: str, file: Path, layout: _Layout) -> int | None:
    """The number of rows that DuckDB makes of a file; None if it takes some for faulty."""
    import duckdb

    # Only dates that all read alike; others are read later, and said so.
    read = (
        "read_csv($1, delim = $2, header = $3, all_varchar = $4, quote = '\"', escape = '\"', "
        "skip = 0, sample_size = -1, dateformat = '%Y-%m-%d')"
    )
    given = [str(file), layout.separator, layout.header, layout.comma]
    try:
        connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT * FROM {read}", given)
    except duckdb.InvalidInputException:
        return None
    count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return count


def _opened(file: Path, encoding: str) -> TextIO:
    opener: Any = gzip.open if file.name.lower().endswith(".gz") else open
    made: TextIO = opener(file, "rt", encoding=encoding, newline="", errors="replace")
    return made


def _encoding(file: Path) -> str:
    opener: Any = gzip.open if file.name.lower().endswith(".gz") else open
    with opener(file, "rb") as stream:
        block = stream.read(_BLOCK)
        if block.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            return "utf-16"
        if block.startswith(BOM_UTF8):
            return "utf-8-sig"
        if block[1:400:2].count(0) > len(block[1:400:2]) / 2:
            return "utf-16-le"
        decoder = getincrementaldecoder("utf-8")()
        try:
            while block:
                decoder.decode(block)
                block = stream.read(_BLOCK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8"


def _layout(file: Path) -> _Layout:
    encoding = _encoding(file)
    with _opened(file, encoding) as stream:
        lines = [line for line, _ in zip(stream, range(_LOOKED_AT), strict=False)]
    text = "".join(lines)
    told = re.match(r"sep=(.)\r?\n", text)
    skipped = 1 if told else 0
    separators = told[1] if told else _SEPARATORS
    found = [(*_width(lines[skipped:], sign), sign) for sign in separators]
    times, width, separator = max(found, key=lambda one: one[:2])
    rows = list(csv.reader(lines[skipped:], delimiter=separator))
    titles = next((at for at, row in enumerate(rows) if len(row) >= width), 0) if times else 0
    first = rows[titles] if rows else []
    header = not any(number_format([one]) or date_format([one]) for one in first)
    comma = separator != "," and _COMMA.search(text) is not None
    return _Layout(encoding, separator, skipped + titles, width, header, comma)


def _width(lines: Sequence[str], separator: str) -> tuple[int, int]:
    """How many rows have the usual number of fields, and this; 0 if it is one."""
    csv.field_size_limit(_LONGEST)
    widths = Counter(len(row) for row in csv.reader(lines, delimiter=separator) if row)
    width, times = max(widths.items(), key=lambda one: one[::-1], default=(1, 0))
    return (times, width) if width > 1 else (0, 1)


def _rows(file: Path, layout: _Layout) -> Iterator[tuple[int, list[str]]]:
    """The rows with something in them, and the lines that they end at."""
    with _opened(file, layout.encoding) as stream:
        reader = csv.reader(stream, delimiter=layout.separator)
        for number, row in enumerate(reader):
            if number >= layout.skipped and any(one.strip() for one in row):
                yield reader.line_num, row


def _write_even(file: Path, layout: _Layout, part: Path) -> tuple[int, list[tuple[int, int]]]:
    """Write all rows with the same number of fields. Returns how many rows there are below the
    header, and line and width of those that were otherwise."""
    width = max((len(row) for _, row in _rows(file, layout)), default=layout.width)
    count, ragged = 0, []
    with part.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=layout.separator)
        for line, row in _rows(file, layout):
            if not count and layout.header:
                row += [f"column{at}" for at in range(len(row) + 1, width + 1)]
            elif len(row) != layout.width:
                ragged.append((line, len(row)))
            writer.writerow(row + [""] * (width - len(row)))
            count += 1
    return count - (layout.header and count > 0), ragged


def _told(file: Path, layout: _Layout, ragged: Sequence[tuple[int, int]]) -> Iterator[str]:
    if layout.skipped:
        yield f"{file.name}: the first {layout.skipped} lines are taken for a title"
    if ragged:
        some = ", ".join(f"line {line} has {width}" for line, width in ragged[:_SHOWN])
        yield (
            f"{file.name}: {len(ragged):,} rows have not {layout.width} fields, as {some}; what "
            "they lack is empty, and what is more stands in columns of its own"
        )
