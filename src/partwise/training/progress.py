"""What a person sees of a run: the log file, and a bar on standard error with the log above it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from partwise.errors import CheckpointError


@contextmanager
def log_to(file: Path) -> Iterator[None]:
    """Append what Partwise logs to a file.

    Raises:
        CheckpointError: if it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handler = logging.FileHandler(file, encoding="utf-8")
    except OSError as error:
        raise CheckpointError(f"cannot write {file}: {error}; choose another folder") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger = logging.getLogger("partwise")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)
        handler.close()


class _Lines(logging.Handler):
    """Log records as lines of a console."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self.console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Print one record."""
        text = self.format(record)
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


class Bar:
    """Questions seen of all that will be; the context manager shows it and the log."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self.bar = Progress(
            TextColumn("training"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.task = self.bar.add_task("training", total=None)
        self.lines = _Lines(console)

    def tick(self, seen: int, total: int) -> None:
        """Show how many questions were seen, and how many will be in all."""
        self.bar.update(self.task, total=total, completed=seen)

    def __enter__(self) -> Bar:
        logging.getLogger("partwise").addHandler(self.lines)
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.stop()
        logging.getLogger("partwise").removeHandler(self.lines)
