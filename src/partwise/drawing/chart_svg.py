"""The chart of a question as a picture: how probable each label is on each span.

The words stand below; over them a cell for each span, spans of one word in the lowest row. The
darker a cell, the more probable it is that its span is a part of the tree, over all well-typed
trees (the posterior). It shows its most probable label; a tooltip has the words and the labels.
"""

from __future__ import annotations

import numpy as np

from partwise.chart.semantics import SpanPosteriors
from partwise.drawing.canvas import CELL, MARGIN, WORD, Box, Canvas, Picture, text_width
from partwise.drawing.render import draw_svg
from partwise.drawing.texts import phrase, shorten

SIDE = 78.0
"""Of a cell."""
SHOWN, NAMED = 0.005, 0.05
"""Cells and labels that are less probable are left empty."""
MOST = 3
"""Constants in a tooltip, at most."""


@draw_svg.register
def chart_svg(chart: SpanPosteriors) -> Picture:
    """The picture of a chart's posteriors."""
    words, n = chart.words, len(chart.words)
    canvas = Canvas()
    for length in range(1, n + 1):
        for start in range(n - length + 1):
            _cell(canvas.add("g"), chart, start, start + length)
    for i in range(n):
        x, y = MARGIN + (i + 0.5) * SIDE, MARGIN + n * SIDE + 1.5 * WORD
        word = shorten(phrase(words, i, i + 1), SIDE, lambda text: text_width(text, WORD))
        canvas.text("pw-word", x, y, word)
    width = n * SIDE + 2 * MARGIN
    return canvas.picture(width, width + 2 * WORD, f"Chart of “{words.text}”")


def _cell(into: Canvas, chart: SpanPosteriors, start: int, end: int) -> None:
    """One span: half a cell further right for each word more, a row higher."""
    x = MARGIN + (start + end) / 2 * SIDE
    y = MARGIN + (len(chart.words) - (end - start) + 0.5) * SIDE
    box = Box(x, y, SIDE - 2, SIDE - 2)
    into.rect("pw-cell", box, 6)
    constants = chart.marginals.constants[start, end]
    join = float(chart.marginals.join[start, end])
    total = float(constants.sum()) + join
    if total < SHOWN:
        return
    best = [(float(constants[c]), chart.categories[c]) for c in np.argsort(-constants)[:MOST]]
    labels = sorted([*best, (join, "join")], reverse=True)
    probability, name = labels[0]
    kind = "pw-composed" if name == "join" else "pw-constant"
    into.rect(kind, box, 6, fill_opacity=f"{total:.3f}")
    shown = ", ".join(f"{label} {100 * p:.1f} %" for p, label in labels if p >= SHOWN)
    into.title(f"{phrase(chart.words, start, end)}: {shown or 'many labels'}")
    if probability >= NAMED:
        into.text("pw-label", x, y, shorten(name, SIDE - 6, _wide))
        into.text("pw-label", x, y + 1.4 * CELL, f"{100 * probability:.0f} %")


def _wide(text: str) -> float:
    return text_width(text, CELL, mono=True)
