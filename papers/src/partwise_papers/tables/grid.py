"""A table of texts, and a report of several, for Markdown and for a terminal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

NOTHING = "–"
WIDE = 180
"""Width of tables, in characters, where there is no terminal."""


def percent(share: float | None) -> str:
    """A share as a table shows it: in percent, as ``83.1``; a dash for none."""
    return NOTHING if share is None else f"{100 * share:.1f}"


@dataclass(frozen=True)
class Grid:
    """A table: a title, a head and rows of text, all as long as the head, and notes below."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The table in Markdown."""
        lines = [self.head, ("---",) * len(self.head), *self.rows]
        body = "\n".join("| " + " | ".join(map(_escape, line)) + " |" for line in lines)
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"### {self.title}\n\n{body}\n{notes}"

    def rich(self) -> Group:
        """The table for a terminal."""
        table = Table(title=Text(self.title), title_justify="left")
        for place, name in enumerate(self.head):
            # What a row is must be readable in a narrow terminal too.
            table.add_column(Text(name), overflow="fold", no_wrap=place == 0)
        for row in self.rows:
            table.add_row(*map(Text, row))
        return Group(table, *(Text(note) for note in self.notes), Text(""))

    def without_empty(self, first: int = 0) -> Grid:
        """Without columns that hold nothing in any row; the `first` ones stay in any case."""
        full = {i for row in self.rows for i, text in enumerate(row) if text != NOTHING}
        return self._columns([i for i in range(len(self.head)) if i < first or i in full])

    def without_constant(self, names: Iterable[str]) -> Grid:
        """Those of the named columns that say the same in every row become a note."""
        same = {
            i: self.rows[0][i]
            for i, name in enumerate(self.head)
            if name in set(names) and self.rows and len({row[i] for row in self.rows}) == 1
        }
        if not same:
            return self
        note = "; ".join(f"{self.head[i]}: {value}" for i, value in same.items())
        kept = [i for i in range(len(self.head)) if i not in same]
        return replace(self._columns(kept), notes=(f"All rows: {note}.", *self.notes))

    def _columns(self, kept: list[int]) -> Grid:
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        return replace(self, head=tuple(self.head[i] for i in kept), rows=rows)


class Report(NamedTuple):
    """Tables with what stands before them, and the same as JSON values."""

    grids: Sequence[Grid]
    content: Any
    preface: str = ""

    def markdown(self) -> str:
        """The tables in Markdown."""
        body = "\n".join(grid.markdown() for grid in self.grids)
        return f"{self.preface}\n\n{body}" if self.preface else body

    def rich(self) -> Group:
        """The tables for a terminal."""
        before = (Text(self.preface), Text("")) if self.preface else ()
        return Group(*before, *(grid.rich() for grid in self.grids))

    def json(self) -> str:
        """The content as text."""
        return json.dumps(self.content, indent=2, ensure_ascii=False)


def show(*tables: Grid | Report) -> None:
    """Print tables: in the width of the terminal, and wide into a file or a pipe."""
    console = Console()
    if not (console.is_terminal or "COLUMNS" in os.environ):
        console.width = WIDE
    for table in tables:
        console.print(table.rich())


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
