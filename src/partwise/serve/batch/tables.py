"""Tables of questions as JSON Lines, CSV or Parquet, read slice by slice and written part by part.

A slice says where some successive rows stand, so that any process can read them without the rest.
A row that cannot be read is not an error of the file: it becomes a `BadRow`.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from partwise.errors import DataError, PartwiseError

Row = Mapping[str, Any]
MAX_ROW = 1 << 20
"""Bytes."""
NUMBER = "probability"
"""The column that is a number in Parquet; all others are text."""


class BadRow(NamedTuple):
    """A row that cannot be read, and why."""

    error: str


class Slice(NamedTuple):
    """Where successive rows stand: from which byte (of Parquet: row of a row group) on, how many
    bytes (rows), in which row group."""

    start: int
    size: int
    group: int = 0


class QuestionTable(Protocol):
    """A file with rows.

    Attributes:
        columns: the names of the columns, as far as they are known before the rows are read.
    """

    columns: Sequence[str]

    def slices(self, rows: int) -> Iterator[Slice]:
        """All slices, of `rows` rows each but for the last ones."""
        ...

    def read(self, where: Slice) -> list[Row | BadRow]:
        """The rows of a slice, in order."""
        ...


class JsonLines:
    """An object on each line; blank lines are no rows."""

    columns: Sequence[str] = ()

    def __init__(self, path: Path) -> None:
        self.path = path

    def slices(self, rows: int) -> Iterator[Slice]:
        """See `QuestionTable.slices`."""
        with self.path.open("rb") as stream:
            yield from _portions(_lines(stream), rows)

    def read(self, where: Slice) -> list[Row | BadRow]:
        """See `QuestionTable.read`."""
        data = _bytes(self.path, where)
        return [_object(line) for line in data.split(b"\n") if line.strip()]


class Csv:
    """Comma-separated values in UTF-8 with a header, quoted as in RFC 4180."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as stream:
            header = next(_records(stream), b"")
        self.begin = len(header)
        try:
            self.columns: Sequence[str] = next(_csv(header.removeprefix(b"\xef\xbb\xbf")), [])
        except (UnicodeDecodeError, csv.Error) as error:
            raise DataError(f"{path}:1: the header cannot be read ({error})") from error
        if len(set(self.columns)) < len(self.columns) or not self.columns:
            raise DataError(f"{path}:1: expected a header with a different name for each column")

    def slices(self, rows: int) -> Iterator[Slice]:
        """See `QuestionTable.slices`."""
        with self.path.open("rb") as stream:
            stream.seek(self.begin)
            yield from _portions(_records(stream), rows, self.begin)

    def read(self, where: Slice) -> list[Row | BadRow]:
        """See `QuestionTable.read`."""
        records = _records(io.BytesIO(_bytes(self.path, where)))
        return [self._row(record) for record in records if record.strip()]

    def _row(self, record: bytes) -> Row | BadRow:
        try:
            [cells] = _csv(record)
        except (UnicodeDecodeError, csv.Error, ValueError) as error:
            return BadRow(f"the row cannot be read ({error})")
        if len(cells) != len(self.columns):
            return BadRow(f"{len(cells)} cells, expected {len(self.columns)}")
        return dict(zip(self.columns, cells, strict=True))


class Parquet:
    """A Parquet file (the extra ``batch``)."""

    def __init__(self, path: Path) -> None:
        with _whole(path):
            self.path, self.file = path, parquet().ParquetFile(path)
        self.columns = self.file.schema_arrow.names

    def slices(self, rows: int) -> Iterator[Slice]:
        """See `QuestionTable.slices`."""
        for group in range(self.file.num_row_groups):
            size = self.file.metadata.row_group(group).num_rows
            for start in range(0, size, rows):
                yield Slice(start, min(rows, size - start), group)

    def read(self, where: Slice) -> list[Row | BadRow]:
        """See `QuestionTable.read`."""
        rows: list[Row | BadRow] = []
        seen = 0
        with _whole(self.path):
            for batch in self.file.iter_batches(where.size, row_groups=[where.group]):
                if seen + len(batch) > where.start:
                    rows += batch.slice(max(0, where.start - seen)).to_pylist()
                seen += len(batch)
                if len(rows) >= where.size:
                    break
            if len(rows) < where.size:
                raise ValueError("it has fewer rows than it says")
        return rows[: where.size]


@contextmanager
def _whole(path: Path) -> Iterator[None]:
    """Errors inside are told as those of a damaged file; pyarrow's are of many kinds."""
    try:
        yield
    except PartwiseError:
        raise
    except Exception as error:
        raise DataError(f"{path}: cannot be read ({error})") from error


TABLES: Mapping[str, type[JsonLines] | type[Csv] | type[Parquet]] = {
    ".jsonl": JsonLines,
    ".csv": Csv,
    ".parquet": Parquet,
}


def format_of(path: Path) -> str:
    """The format of a file, by the end of its name.

    Raises:
        DataError: for another one.
    """
    if path.suffix not in TABLES:
        raise DataError(f"{path}: expected a name that ends in {', '.join(TABLES)}")
    return path.suffix


def open_table(path: Path) -> QuestionTable:
    """The rows of a file.

    Raises:
        DataError: if it is missing or cannot be read.
    """
    kind = TABLES[format_of(path)]
    with _whole(path):
        return kind(path)


def write_part(path: Path, kind: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write some rows; CSV without its header, values that are no text or numbers as JSON.

    Args:
        kind: the format, as `format_of` gives it.
    """
    if kind == ".parquet":
        import pyarrow as pa

        cells = [[_flat(row.get(name)) for name in columns] for row in rows]
        arrays = [
            pa.array([row[i] for row in cells], pa.float64() if name == NUMBER else pa.string())
            for i, name in enumerate(columns)
        ]
        parquet().write_table(pa.table(arrays, names=list(columns)), path)
        return
    with path.open("w", encoding="utf-8", newline="") as stream:
        if kind == ".csv":
            writer = csv.writer(stream)
            writer.writerows([_flat(row.get(name)) for name in columns] for row in rows)
        else:
            stream.writelines(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)


def join_parts(parts: Iterable[Path], into: Path, kind: str, columns: Sequence[str]) -> None:
    """Put parts behind one another in one file."""
    if kind == ".parquet":
        writer = None
        for part in parts:
            table = parquet().read_table(part)
            writer = writer or parquet().ParquetWriter(into, table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()
        return
    with into.open("wb") as stream:
        if kind == ".csv":
            header = io.StringIO()
            csv.writer(header).writerow(columns)
            stream.write(header.getvalue().encode())
        for part in parts:
            with part.open("rb") as source:
                shutil.copyfileobj(source, stream, 1 << 20)


def parquet() -> Any:
    """The library for Parquet.

    Raises:
        DataError: if it is not there.
    """
    try:
        import pyarrow.parquet
    except ImportError:
        raise DataError("Parquet files need pyarrow: pip install 'partwise[batch]'") from None
    return pyarrow.parquet


def _flat(value: Any) -> Any:
    if value is None or isinstance(value, str | float):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _portions(records: Iterable[bytes], rows: int, start: int = 0) -> Iterator[Slice]:
    """Slices of records; blank ones are no rows."""
    count, end = 0, start
    for record in records:
        end += len(record)
        count += bool(record.strip())
        if count == rows:
            yield Slice(start, end - start)
            count, start = 0, end
    if count:
        yield Slice(start, end - start)


def _bytes(path: Path, where: Slice) -> bytes:
    with path.open("rb") as stream:
        stream.seek(where.start)
        return stream.read(where.size)


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Lines with their ends.

    Raises:
        DataError: for one that is too long.
    """
    for line in iter(lambda: stream.readline(MAX_ROW), b""):
        if len(line) == MAX_ROW:
            raise DataError(f"{stream.name}: byte {stream.tell()}: a row of over {MAX_ROW} bytes")
        yield line


def _records(stream: IO[bytes]) -> Iterator[bytes]:
    """Records of CSV with their ends; within quotes, a line's end does not end the record."""
    lines: list[bytes] = []
    size, quotes = 0, 0
    for line in _lines(stream):
        lines.append(line)
        size += len(line)
        quotes += line.count(b'"')
        if quotes % 2 == 0:
            yield b"".join(lines)
            lines, size = [], 0
        elif size > MAX_ROW:
            where = f"{stream.name}: byte {stream.tell()}"
            raise DataError(f"{where}: a row of over {MAX_ROW} bytes; is a quote left open?")
    if lines:
        yield b"".join(lines)


def _csv(record: bytes) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(record.decode("utf-8"), newline=""), strict=True)


def _object(line: bytes) -> Row | BadRow:
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf").decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return BadRow(f"no JSON in UTF-8 ({error})")
    return value if isinstance(value, dict) else BadRow("no JSON object")
