"""The canvas of all drawings in the terminal: a stream's width, its colours and its characters."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from partwise.chart.semantics import OPEN
from partwise.drawing.texts import clean, cut

_ASCII = str.maketrans(
    {"├": "|", "╰": "`", "│": "|", "─": "-", "┄": "~", "▶": ">", "…": "...", "φ": "-"}
    | {"≠": "!=", OPEN: "?"}
)


@dataclass(frozen=True)
class Terminal:
    """What a drawing may use.

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
        """The terminal of a stream; see `partwise.drawing.draw_text`."""
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
        """What stands for a part that is left out."""
        return self.text("…")

    def cut(self, text: str, width: int) -> str:
        """A text as the stream can show it, at most so wide."""
        return cut(self.text(text), width, cell_len, self.dots)

    def fit(self, line: Text) -> Text:
        """A line that is no wider than the terminal, its end left out."""
        if line.cell_len > self.width:
            line.truncate(max(self.width - cell_len(self.dots), 0))
            line.append(self.dots)
        return line

    def show(self, lines: Iterable[Text]) -> str:
        """The lines as text, with colour codes if there are colours."""
        console = Console(
            width=self.width,
            color_system="standard" if self.color else None,
            force_terminal=self.color,
            force_jupyter=False,
            legacy_windows=False,
            no_color=not self.color,
            _environ={},
        )
        with console.capture() as capture:
            for line in lines:
                console.print(self.fit(line), no_wrap=True, overflow="crop", crop=True)
        return capture.get().rstrip("\n")
