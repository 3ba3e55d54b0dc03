"""The one way to draw: a picture, a text or JSON values of any derivation, by its type; and tables.

`draw_svg`, `draw_json` and `text_lines` are `functools.singledispatch` functions. A parser of
another kind registers its own derivations there; those that nobody registered are shown as text.
All texts are made safe to show (`clean`) and cut to fit.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import groupby
from operator import itemgetter
from typing import Any, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from partwise.chart.semantics import OPEN
from partwise.drawing.canvas import LABEL, MARGIN, Canvas, Picture, text_width
from partwise.drawing.charts import display
from partwise.drawing.values import FIGURES, show_value
from partwise.interface.prediction import ResultTable
from partwise.language.text import Words

_QUOTED = r"'(?:[^'\\]|\\.)*'"
_ENTITY = re.compile(rf"\w+\(({_QUOTED})(?:, [^(),']*)*\)")
_TOKEN = re.compile(rf"{_QUOTED}|.", re.DOTALL)


def clean(text: str) -> str:
    """The text with a mark in place of what is not printable (control and direction codes)."""
    return "".join(c if c.isprintable() else "�" for c in text)


def phrase(words: Words, start: int, end: int) -> str:
    """The question's own text over start..end on one line, safe to show."""
    return clean(" ".join(words.span(start, end).split()))


def cut(text: str, width: float, measure: Callable[[str], float] = len, dots: str = "…") -> str:
    """A text that fits, its end left out."""
    if measure(text) <= width:
        return text
    while text and measure(text + dots) > width:
        text = text[:-1]
    return text + dots


def shorten(
    program: str, width: float, measure: Callable[[str], float] = len, dots: str = "…"
) -> str:
    """A program that fits: entities by name alone, then without its innermost arguments.
    ``river(traverse_2('texas'))``, or ``river(traverse_2(…))``, or ``river(…)``."""
    if measure(program) <= width:
        return program
    tokens = _TOKEN.findall(_ENTITY.sub(r"\1", program))
    depths, depth = [], 0
    for token in tokens:
        depth -= token == ")"
        depths.append(depth)
        depth += token == "("
    for most in range(max(depths), -1, -1):
        runs = groupby(zip(tokens, (d > most for d in depths), strict=True), itemgetter(1))
        program = "".join(dots if deep else "".join(t for t, _ in run) for deep, run in runs)
        if measure(program) <= width:
            return program
    return cut(program, width, measure, dots)


_ASCII = str.maketrans(
    {"├": "|", "╰": "`", "│": "|", "─": "-", "┄": "~", "▶": ">", "…": "...", "φ": "-"}
    | {"≠": "!=", OPEN: "?"}
)


@dataclass(frozen=True)
class Terminal:
    """What a drawing in a terminal may use.

    Attributes:
        width: in columns.
        color: whether to colour.
        ascii: whether the stream shows ASCII alone.
    """

    width: int
    color: bool
    ascii: bool

    @classmethod
    def of(cls, width: int | None, color: bool, stream: TextIO | None) -> Terminal:
        """The terminal of a stream; see `draw_text`."""
        encoding = getattr(stream or sys.stdout, "encoding", None) or "utf-8"
        return cls(
            width or shutil.get_terminal_size().columns,
            color and not os.environ.get("NO_COLOR"),
            not encoding.lower().startswith("utf"),
        )

    def text(self, text: str) -> str:
        """A text as the stream can show it, safe to show."""
        text = clean(text)
        return text.translate(_ASCII).encode("ascii", "replace").decode() if self.ascii else text

    @property
    def dots(self) -> str:
        return self.text("…")

    def cut(self, text: str, width: int) -> str:
        """A text as the stream can show it, at most so wide."""
        return cut(self.text(text), width, cell_len, self.dots)

    def bars(self, values: Sequence[Any], width: int) -> Iterator[str]:
        """A bar for each number, of this width for the largest; of another sign for what is below
        zero."""
        largest = max((abs(value) for value in values if value), default=0)
        for value in values:
            size = width * abs(value) / largest if value else 0.0
            whole, eighths = divmod(round(8 * size), 8)
            if value and value < 0:
                yield ("-" if self.ascii else "▒") * round(size)
            elif self.ascii:
                yield "#" * round(size)
            else:
                yield "█" * whole + (chr(ord("▉") + 7 - eighths) if eighths else "")

    def show(self, lines: Iterable[Text]) -> str:
        """The lines as text, cut at the terminal's width, coloured if it has colours."""
        console = self._console()
        with console.capture() as capture:
            for line in lines:
                if line.cell_len > self.width:
                    line.truncate(max(self.width - cell_len(self.dots), 0))
                    line.append(self.dots)
                console.print(line, no_wrap=True, overflow="crop", crop=True)
        return capture.get().rstrip("\n")

    def print(self, drawn: RenderableType) -> str:
        """What rich draws, as text."""
        console = self._console()
        with console.capture() as capture:
            console.print(drawn, markup=False, highlight=False)
        return capture.get().rstrip("\n")

    def _console(self) -> Console:
        return Console(
            width=self.width,
            color_system="standard" if self.color else None,
            force_terminal=self.color,
            force_jupyter=False,
            legacy_windows=False,
            no_color=not self.color,
            _environ={},
        )


def draw_text(
    derivation: object, width: int | None = None, color: bool = True, stream: TextIO | None = None
) -> str:
    """A derivation as text for `stream` (standard output).

    Args:
        width: in columns; the terminal's if None.
        color: whether to colour, unless the environment sets NO_COLOR.
        stream: what the text is for; pure ASCII if its encoding is not a Unicode one.
    """
    terminal = Terminal.of(width, color, stream)
    return terminal.show(text_lines(derivation, terminal))


@singledispatch
def text_lines(derivation: object, terminal: Terminal) -> Iterable[Text]:
    """The lines of a derivation in a terminal; here of one that nobody registered."""
    return [Text(terminal.text(line)) for line in str(derivation).splitlines()]


@singledispatch
def draw_svg(derivation: object) -> Picture:
    """A derivation as a standalone picture; here of one that nobody registered."""
    canvas = Canvas()
    lines = [clean(line) for line in str(derivation).splitlines()]
    for number, line in enumerate(lines):
        canvas.text("pw-text", MARGIN, MARGIN + (1.5 * number + 1) * LABEL, line)
    width = max((text_width(line, LABEL) for line in lines), default=0.0)
    size = width + 2 * MARGIN, 1.5 * LABEL * len(lines) + 2 * MARGIN
    return canvas.picture(*size, title="Derivation", description=" ".join(lines))


@singledispatch
def draw_json(derivation: object) -> dict[str, Any]:
    """A derivation as JSON values for a page; here its own, or its text where it has none."""
    to_json = getattr(derivation, "to_json", None)
    return to_json() if to_json else {"text": str(derivation)}


SHOWN, BAR, GAP = 50, 30, 3
"""Rows, the width of a bar, and what is between columns."""


def draw_table(
    table: ResultTable,
    width: int | None = None,
    color: bool = True,
    shown: int = SHOWN,
    wish: str = "",
) -> str:
    """A table for standard output, with its notes below; a chart as one with a bar in each row.

    Args:
        width: in columns; the terminal's if None.
        shown: rows that are drawn; how many are left out is said.
        wish: see `charts.display`.
    """
    terminal = Terminal.of(width, color, None)
    seen = display(table, wish)
    bars = None if seen.kind == "scatter" else seen.bars()
    columns, rows = (seen.columns, [*table.rows]) if bars is None else bars
    drawn = Table(box=box.ASCII2 if terminal.ascii else box.SIMPLE_HEAD, show_edge=False)
    room = terminal.width - GAP
    texts = []
    for number, column in enumerate(columns):
        right = column.kind in (*FIGURES, "key", "year")
        heading = terminal.text(column.name)
        drawn.add_column(Text(heading), justify="right" if right else "left")
        texts.append([terminal.text(show_value(row[number], column)) for row in rows[:shown]])
        room -= max(map(cell_len, [*texts[-1], *heading.split()]), default=0) + GAP
    if bars is not None and room > 0:
        # The headings wrap, not the bars.
        drawn.add_column(min_width=min(room, BAR))
        texts.append(list(terminal.bars([row[-1] for row in rows], min(room, BAR)))[:shown])
    for cells in zip(*texts, strict=True):
        drawn.add_row(*map(Text, cells))
    notes = list(filter(None, (*map(clean, table.notes), seen.note)))
    if len(rows) > shown:
        notes.insert(0, f"... and {len(rows) - shown:,} more rows")
    return "\n".join([terminal.print(drawn), *notes])
