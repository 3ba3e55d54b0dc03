"""The one way to draw: a picture, a text or JSON values of any derivation, by its type.

`draw_svg`, `draw_json` and `text_lines` are `functools.singledispatch` functions. A parser of
another kind registers its own derivations there; those that nobody registered are shown as text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch
from typing import Any, TextIO

from rich.text import Text

from partwise.chart.derivation import TreeDerivation
from partwise.drawing.canvas import LABEL, MARGIN, Canvas, Picture, text_width
from partwise.drawing.terminal import Terminal
from partwise.drawing.texts import clean


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


@draw_json.register
def tree_json(derivation: TreeDerivation) -> dict[str, Any]:
    """The nodes of a span tree."""
    return derivation.to_json()
