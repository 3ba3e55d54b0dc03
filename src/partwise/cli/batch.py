"""Files of questions, for ``partwise ask`` and ``partwise parse`` with ``--out``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from partwise.cli.common import Positive
from partwise.cli.models import Load, default_model
from partwise.errors import DataError

if TYPE_CHECKING:
    from partwise.serve.batch.job import Worker
    from partwise.serve.batch.tables import Slice


@dataclass(frozen=True, kw_only=True)
class Files:
    """A file of questions in place of single ones, and the file to write.

    Attributes:
        out: Answer a file, .jsonl, .csv or .parquet, and write this one in any of these formats:
            one row out for each row in. Give the file in place of questions. A run that was
            stopped continues if you give the same command again.
        column: Column with the questions.
        rows: Rows that are kept together when the run is stopped.
        workers: Processes, each with a parser of its own; 1 for this process alone.
        engine: Where the work is done: processes on this machine, or ray, for several machines.
        address: Address of a Ray cluster; without it one is started on this machine.
    """

    out: Path | None = None
    column: str = "question"
    rows: Annotated[int, Parameter(validator=Positive)] = 1000
    workers: Annotated[int, Parameter(validator=Positive)] = 1
    engine: Literal["process", "ray"] = "process"
    address: str | None = None


def answer_file(given: Sequence[str], files: Files, load: Load) -> None:
    """Parse the questions of a file, and answer them if they are to be run.

    Raises:
        DataError: if a file cannot be read or written, or there is not one file of questions.
    """
    from partwise.serve.batch import BatchJob, run_batch
    from partwise.serve.batch.job import Worker

    assert files.out is not None
    if len(given) != 1:
        raise DataError(f"--out {files.out}: give one file of questions")
    source = load.source
    folder = Path(source.model or default_model(source.domain))
    asked = {"model": folder, "context": source.context, "bind": source.bind}
    batch = BatchJob(
        *(Path(given[0]).absolute(), files.out.absolute(), files.column),
        *(load.run, load.at_least, files.rows),
        {**asked, "endpoint": source.endpoint},
    )
    worker = Worker(batch, load)
    with _bar() as seen:
        run_batch(batch, _engine(files, worker), seen)
    print(f"wrote  {files.out}")


def _engine(files: Files, worker: Worker) -> Callable[[Iterator[tuple[int, Slice]]], Iterator[int]]:
    from partwise.serve.batch import engines

    if files.engine == "ray":
        return engines.on_ray(worker, files.workers, files.address)
    if files.workers > 1:
        return engines.processes(worker, files.workers)
    return engines.here(worker)


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """Shows the parts that are done, of all, on standard error."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("parts"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("parts", total=None)
        yield lambda done, parts: bar.update(task, completed=done, total=parts)
