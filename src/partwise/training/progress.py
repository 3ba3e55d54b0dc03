"""A progress bar on standard error, with the log above it."""

from __future__ import annotations

import logging
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


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

    def size(self, total: int, done: int) -> None:
        """Say how many questions there will be, and how many were done by an earlier run."""
        self.bar.update(self.task, total=total, completed=done)

    def tick(self, count: int) -> None:
        """Go on by so many questions."""
        self.bar.advance(self.task, count)

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
