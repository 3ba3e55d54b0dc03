"""A file of questions, parsed or answered part by part.

Each part is written whole or not at all, beside the output, and does not depend on the others. So
a run that was killed continues with the parts that are missing, and parts can be computed anywhere,
in any order, and twice, without a row lost or doubled.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from partwise.errors import DataError, PartwiseError
from partwise.interface.files import write_whole
from partwise.serve.batch.tables import (
    BadRow,
    QuestionTable,
    Row,
    Slice,
    format_of,
    join_parts,
    open_table,
    write_part,
)
from partwise.serve.service import Service

ADDED = ("meaning", "probability", "status", "answer", "reason", "error")
"""The columns that are added: the program or query as text and its probability, the answer's lines
where meanings are run, why there is none, and what is wrong with the row."""
VERSION = 1
"""Of the folder of parts."""
QUESTIONS = 64
"""How many are parsed at once."""


@dataclass(frozen=True)
class BatchJob:
    """What is to be done with a file.

    Attributes:
        source: the file with the questions: .jsonl, .csv or .parquet.
        out: the file to write, in any of the three formats.
        column: the column with the questions.
        run: whether meanings are run.
        at_least: as the service has it; parts of another one are not mixed.
        rows: rows of a part.
        parser: what identifies the parser and its context; parts of another one are not mixed.
    """

    source: Path
    out: Path
    column: str = "question"
    run: bool = False
    at_least: float | None = None
    rows: int = 1000
    parser: Any = None

    @property
    def folder(self) -> Path:
        """Where the parts are until all are there."""
        return self.out.with_name(f"{self.out.name}.parts")

    def part(self, number: int) -> Path:
        """The file of a part."""
        return self.folder / f"{number:08}{self.out.suffix}"


@dataclass
class Worker:
    """Computes parts; the service that answers is loaded for the first one.

    Args:
        load: called once, where the work is done.
    """

    batch: BatchJob
    load: Callable[[], Service]
    _service: Service | None = field(default=None, repr=False)

    def __call__(self, number: int, where: Slice) -> int:
        """Compute a part and write its file.

        Returns:
            The number of its rows.
        """
        self._service = self._service or self.load()
        batch, columns = self.batch, columns_of(self.batch)
        rows = list(self._answered(open_table(batch.source).read(where)))
        write_whole(
            batch.part(number), lambda path: write_part(path, batch.out.suffix, columns, rows)
        )
        return len(rows)

    def _answered(self, rows: Sequence[Row | BadRow]) -> Iterator[Row]:
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
        """A reply to each question; where several fail together, each is asked alone."""
        assert self._service is not None
        try:
            answers = self._service.answers(questions, 1, self.batch.run)
        except PartwiseError as error:
            if len(questions) == 1:
                return [_row(error=str(error))]
            return [row for question in questions for row in self._replies([question])]
        return [
            _row(
                meaning=one.text,
                probability=one.prediction.probability,
                status=one.status,
                answer=list(one.lines) if self.batch.run and one.reason is None else None,
                reason=one.reason,
            )
            for one in answers
        ]


def _row(**values: Any) -> Row:
    return {name: values.get(name) for name in ADDED}


def run_batch(
    batch: BatchJob,
    compute: Callable[[Iterator[tuple[int, Slice]]], Iterator[int]],
    seen: Callable[[int, int], object] = lambda done, parts: None,
) -> int:
    """Do what is missing of a batch, then put its output in place.

    Args:
        compute: computes parts from their numbers and slices, and yields the numbers of those that
            are done, in any order; see `engines`.
        seen: is told after each part how many are done, and how many there are.

    Returns:
        The number of parts.

    Raises:
        DataError: if a file cannot be read or written, or the folder of parts is of another batch.
            What is done is kept.
    """
    columns = columns_of(batch)
    slices = list(enumerate(open_table(batch.source).slices(batch.rows)))
    if batch.out.exists():
        if not batch.folder.exists():
            raise DataError(f"{batch.out} is there already; name another file")
        # A run was killed after its last step but one.
        shutil.rmtree(batch.folder)
        return len(slices)
    with _own_folder(batch):
        missing = [one for one in slices if not batch.part(one[0]).exists()]
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

    Raises:
        DataError: if the input has no questions, or columns with the names of those added.
    """
    format_of(batch.out)
    table: QuestionTable = open_table(batch.source)
    columns = tuple(table.columns) or (batch.column,)
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
    """The folder of parts, made or continued, for this process alone.

    Raises:
        DataError: if it is of another batch, or in use.
    """
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
        with note.open("r+") as lock:
            _lock(lock, batch.folder)
            yield
    except OSError as error:
        raise DataError(f"{batch.out}: cannot be written ({error})") from error


def _lock(stream: Any, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:
        # Not on Windows.
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DataError(f"{folder}: another process works on it") from None
