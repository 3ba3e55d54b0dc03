"""The one way to draw: a picture, a text or JSON values of any derivation, by its type.

`draw_svg`, `draw_json` and `text_lines` are `functools.singledispatch` functions. A parser of
another kind registers its own derivations there; those that nobody registered are shown as text.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, TextIO

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.text import Text

from partwise.chart.semantics import OPEN, TreeDerivation
from partwise.database.explanation import PhraseDerivation
from partwise.drawing.canvas import LABEL, MARGIN, Canvas, Picture, text_width
from partwise.drawing.texts import clean, cut

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
        """What stands for a part that is left out."""
        return self.text("…")

    def cut(self, text: str, width: int) -> str:
        """A text as the stream can show it, at most so wide."""
        return cut(self.text(text), width, cell_len, self.dots)

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
    derivation: object,
    width: int | None = None,
    color: bool = True,
    stream: TextIO | None = None,
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
    """A derivation as JSON values for a page; here of one that nobody registered."""
    return {"text": str(derivation)}


draw_json.register(TreeDerivation, TreeDerivation.to_json)
draw_json.register(PhraseDerivation, PhraseDerivation.to_json)
