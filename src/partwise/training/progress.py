"""What a person sees of a run: the log file, and a bar on standard error with the log above it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from partwise.errors import CheckpointError
from partwise.interface.parser import Tick

ROOT = logging.getLogger("partwise")


@contextmanager
def logged(file: Path) -> Iterator[None]:
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
    level = ROOT.level
    ROOT.addHandler(handler)
    ROOT.setLevel(logging.INFO)
    try:
        yield
    finally:
        ROOT.setLevel(level)
        ROOT.removeHandler(handler)
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


@contextmanager
def shown(progress: bool | Tick) -> Iterator[Tick | None]:
    """What is told how far the training is: a bar with the log above it, a function, or nothing."""
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield None
        return
    console = Console(stderr=True)
    columns = TextColumn("training"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    lines = _Lines(console)
    ROOT.addHandler(lines)
    try:
        with Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        ) as bar:
            task = bar.add_task("training", total=None)
            yield lambda seen, total: bar.update(task, total=total, completed=seen)
    finally:
        ROOT.removeHandler(lines)
