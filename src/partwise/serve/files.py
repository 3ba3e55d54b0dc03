"""Files of questions: one row out for each row in, in constant memory, continued after a kill.

A slice says where some successive rows of a table stand, so that any process can read them without
the rest. Each part is written whole or not at all, beside the output, and does not depend on the
others: parts can be computed anywhere, in any order, and twice, without a row lost or doubled. A
row that cannot be read is no error of the file: it becomes a `BadRow`.
"""

import csv
import io
import json
import multiprocessing
import os
import shutil
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

from partwise.errors import DataError, PartwiseError
from partwise.interface.files import hold, write_whole
from partwise.interface.prediction import readable_json
from partwise.serve.service import Service

Row = Mapping[str, Any]
MAX_ROW = 1 << 20
"""Bytes."""
NUMBER = "probability"
"""The column that is a number in Parquet; all others are text."""


class BadRow(NamedTuple):
    error: str


class Slice(NamedTuple):
    """Where successive rows stand: from which byte (of Parquet: row of a row group) on, how many
    bytes (rows), in which row group."""

    start: int
    size: int
    group: int = 0


Parts = Iterator[tuple[int, Slice]]


class JsonLines:
    """An object on each line; blank lines are no rows."""

    columns: Sequence[str] = ()

    def __init__(self, path: Path) -> None:
        self.path = path

    def slices(self, rows: int) -> Iterator[Slice]:
        with self.path.open("rb") as stream:
            yield from _portions(_lines(stream), rows)

    def read(self, where: Slice) -> list[Row | BadRow]:
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
        with self.path.open("rb") as stream:
            stream.seek(self.begin)
            yield from _portions(_records(stream), rows, self.begin)

    def read(self, where: Slice) -> list[Row | BadRow]:
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
    def __init__(self, path: Path) -> None:
        with _whole(path):
            self.path, self.file = path, parquet().ParquetFile(path)
        self.columns = self.file.schema_arrow.names

    def slices(self, rows: int) -> Iterator[Slice]:
        for group in range(self.file.num_row_groups):
            size = self.file.metadata.row_group(group).num_rows
            for start in range(0, size, rows):
                yield Slice(start, min(rows, size - start), group)

    def read(self, where: Slice) -> list[Row | BadRow]:
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


QuestionTable = JsonLines | Csv | Parquet
"""A file with rows: the names of its columns, as far as they are known before the rows are read,
its slices, of so many rows each but for the last ones, and the rows of a slice."""
TABLES: dict[str, type[QuestionTable]] = {".jsonl": JsonLines, ".csv": Csv, ".parquet": Parquet}


def format_of(path: Path) -> str:
    if path.suffix not in TABLES:
        raise DataError(f"{path}: expected a name that ends in {', '.join(TABLES)}")
    return path.suffix


def open_table(path: Path) -> QuestionTable:
    kind = TABLES[format_of(path)]
    with _whole(path):
        return kind(path)


def write_part(path: Path, kind: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write some rows; CSV without its header, values that are no text or numbers as JSON. `kind`:
    the format, as `format_of` gives it."""
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


ADDED = ("meaning", "probability", "status", "answer", "reason", "error")
"""The columns that are added: the program or query as text and its probability, the answer's lines
where meanings are run, why there is none, and what is wrong with the row."""
VERSION = 1
"""Of the folder of parts."""
QUESTIONS = 512
"""How many are parsed at once, so that compiled charts pay, and networks run beside them."""


@dataclass(frozen=True)
class BatchJob:
    """What is to be done with a file: the questions in a `column` of `source`, answered if `run`,
    go to `out`, in parts of so many `rows`. Parts for another `parser` (with its context) or
    `at_least` are not mixed."""

    source: Path
    out: Path
    column: str = "question"
    run: bool = False
    at_least: float | None = None
    rows: int = 1000
    parser: Any = None

    @property
    def folder(self) -> Path:
        return self.out.with_name(f"{self.out.name}.parts")

    def part(self, number: int) -> Path:
        return self.folder / f"{number:08}{self.out.suffix}"


@dataclass
class Worker:
    """Computes parts; the service that answers is loaded for the first one. `load`: called once,
    where the work is done."""

    batch: BatchJob
    load: Callable[[], Service]
    _service: Service | None = field(default=None, repr=False)

    def __call__(self, number: int, where: Slice) -> int:
        if self._service is None:
            self._service = self.load()
            self._service.optimize()
        batch, columns = self.batch, columns_of(self.batch)
        rows = list(self._answer(open_table(batch.source).read(where)))
        write_whole(
            batch.part(number), lambda path: write_part(path, batch.out.suffix, columns, rows)
        )
        return len(rows)

    def _answer(self, rows: Sequence[Row | BadRow]) -> Iterator[Row]:
        for start in range(0, len(rows), QUESTIONS):
            some = rows[start : start + QUESTIONS]
            texts = [self._question(row) for row in some]
            replies = iter(self._replies([text for text in texts if isinstance(text, str)]))
            for row, text in zip(some, texts, strict=True):
                kept = {} if isinstance(row, BadRow) else row
                yield {**kept, **(next(replies) if isinstance(text, str) else _row(error=text[0]))}

    def _question(self, row: Row | BadRow) -> str | BadRow:
        if isinstance(row, BadRow):
            return row
        taken = sorted({*row} & {*ADDED})
        if taken:
            return BadRow(f"the row has a field {taken[0]}, as the output does; rename it")
        text = row.get(self.batch.column)
        if isinstance(text, str) and text.strip():
            return text
        return BadRow(f"no question in {self.batch.column!r}")

    def _replies(self, questions: list[str]) -> list[Row]:
        assert self._service is not None
        answers = self._service.answers(questions, 1, self.batch.run, asks=False)
        return [
            _row(
                meaning=answer.text,
                probability=readable_json(answer.prediction.probability),
                status=answer.status,
                answer=list(answer.lines) if self.batch.run and answer.reason is None else None,
                reason=None if answer.prediction.error else answer.reason,
                error=str(answer.prediction.error) if answer.prediction.error else None,
            )
            for answer in answers
        ]


def _row(**values: Any) -> Row:
    return {name: values.get(name) for name in ADDED}


def run_batch(
    batch: BatchJob,
    compute: Callable[[Parts], Iterator[int]],
    seen: Callable[[int, int], object] = lambda done, parts: None,
) -> int:
    """Do what is missing of a batch, then put its output in place. `compute` makes parts of numbers
    and slices, and yields the numbers of those that are done; `seen` is told how many are done, and
    how many there are. Raises DataError if a file cannot be read or written, or the folder of parts
    is of another batch; what is done is kept."""
    columns = columns_of(batch)
    slices = list(enumerate(open_table(batch.source).slices(batch.rows)))
    if batch.out.exists():
        if not batch.folder.exists():
            raise DataError(f"{batch.out} is there already; name another file")
        # A run was killed after its last step but one.
        shutil.rmtree(batch.folder)
        return len(slices)
    with _own_folder(batch):
        missing = [piece for piece in slices if not batch.part(piece[0]).exists()]
        done = len(slices) - len(missing)
        seen(done, len(slices))
        for _ in compute(iter(missing)):
            done += 1
            seen(done, len(slices))
        parts = [batch.part(number) for number, _ in slices]
        write_whole(batch.out, lambda path: join_parts(parts, path, batch.out.suffix, columns))
    shutil.rmtree(batch.folder)
    return len(slices)


def columns_of(batch: BatchJob) -> Sequence[str]:
    """The columns of the output; JSON Lines keep all fields, and give tables the question alone.
    Raises DataError if the input has no questions, or columns with the names of those added."""
    format_of(batch.out)
    columns = tuple(open_table(batch.source).columns) or (batch.column,)
    if batch.column not in columns:
        raise DataError(
            f"{batch.source}: no column {batch.column!r}; it has {', '.join(columns)}: name the "
            "one with the questions by --column"
        )
    taken = sorted({*columns} & {*ADDED})
    if taken:
        raise DataError(f"{batch.source}: rename the column {taken[0]}; the output has its own")
    return (*columns, *ADDED)


@contextmanager
def _own_folder(batch: BatchJob) -> Iterator[None]:
    """The folder of parts, made or continued, for this process alone. Raises DataError if it is of
    another batch, or in use."""
    stat = batch.source.stat()
    noted = {**asdict(batch), "version": VERSION, "size": stat.st_size, "time": stat.st_mtime_ns}
    text = json.dumps(noted, default=str, sort_keys=True)
    try:
        batch.folder.mkdir(parents=True, exist_ok=True)
        note = batch.folder / "batch.json"
        if not note.exists():
            write_whole(note, lambda path: path.write_text(text, encoding="utf-8"))
        if note.read_text(encoding="utf-8") != text:
            raise DataError(
                f"{batch.folder} has parts of another file, parser or setting; remove it to begin "
                "again"
            )
        with hold(batch.folder):
            yield
    except BlockingIOError:
        raise DataError(f"{batch.folder}: another process works on it") from None
    except OSError as error:
        raise DataError(f"{batch.out}: cannot be written ({error})") from error


ATTEMPTS = 3
"""How often a process may die before the batch gives up."""
_worker: Worker | None = None


def run_here(worker: Worker, parts: Parts) -> Iterator[int]:
    for number, where in parts:
        worker(number, where)
        yield number


def run_in_processes(worker: Worker, count: int, parts: Parts) -> Iterator[int]:
    """Compute parts in `count` processes, each with a parser of its own. Where one is killed, all
    are replaced, and what was under way is computed again."""
    waiting, attempts = deque(parts), ATTEMPTS
    how = (count, multiprocessing.get_context("spawn"), _take, (worker,))
    while waiting:
        under_way: dict[Future[int], tuple[int, Slice]] = {}
        try:
            with ProcessPoolExecutor(*how) as pool:
                while waiting or under_way:
                    while waiting and len(under_way) < 2 * count:
                        part = waiting.popleft()
                        under_way[pool.submit(_compute, *part)] = part
                    for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                        future.result()
                        yield under_way.pop(future)[0]
        except BrokenProcessPool:
            attempts -= 1
            if not attempts:
                raise DataError(
                    f"{ATTEMPTS} times a process died, perhaps out of memory; what is done is "
                    "kept: use fewer --workers, and give the same command again"
                ) from None
            waiting.extendleft(under_way.values())


def _take(worker: Worker) -> None:
    global _worker
    _worker = worker


def _compute(number: int, where: Slice) -> int:
    assert _worker is not None
    return _worker(number, where)


class _Actor:
    """A worker as Ray Data calls it: with batches of one part."""

    def __init__(self, worker: Worker, folder: str) -> None:
        # Paths are those of the process that started the batch.
        os.chdir(folder)
        self.worker = worker

    def __call__(self, part: dict[str, Any]) -> dict[str, Any]:
        self.worker(part["number"], Slice(part["start"], part["size"], part["group"]))
        return {"number": part["number"]}


def run_on_ray(worker: Worker, count: int, address: str | None, parts: Parts) -> Iterator[int]:
    """Compute parts with Ray Data in `count` actors, on this machine or on the cluster at an
    address. The input, the output's folder and the parser must have the same paths on all its
    machines. An actor that dies is started again with its part. Raises DataError if Ray is not
    there."""
    try:
        import ray
        import ray.data
    except ImportError:
        raise DataError("--engine ray needs Ray: pip install 'partwise[ray]'") from None
    items = [{"number": number, **where._asdict()} for number, where in parts]
    if not items:
        return
    # What can be imported here, as a domain of one's own, can be there.
    environment = {"env_vars": {"PYTHONPATH": os.pathsep.join(sys.path)}}
    # A cluster has its dashboard, or none, already.
    more: dict[str, Any] = {} if address else {"include_dashboard": False}
    with ray.init(address, runtime_env=environment, log_to_driver=False, **more):
        # The stubs know functions alone, not classes of which each actor has one.
        actor: Any = _Actor
        done = ray.data.from_items(items, override_num_blocks=len(items)).map(
            actor,
            fn_constructor_args=(worker, os.getcwd()),
            compute=ray.data.ActorPoolStrategy(size=count),
        )
        for row in done.iter_rows():
            yield int(row["number"])
