"""The chart of a question as a standalone SVG picture: how likely each label is on each span.

The words stand below; over them a cell for each span, one word wide spans in the lowest row. A cell
is the darker the likelier it is that its span is a part of the tree, over all well-typed trees
(the posterior), and shows its likeliest label. A tooltip has the words and the labels.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence

import numpy as np

from partwise.chart.scores import Marginals
from partwise.drawing import phrase, shorten
from partwise.drawing.canvas import MONO, SANS, picture, text_width
from partwise.drawing.svg import Picture
from partwise.language.tokenizer import Words

CELL, MARGIN, WORD, LABEL = 78.0, 20.0, 14.0, 10.5
"""Side of a cell, around the picture, sizes of texts."""
SHOWN, NAMED = 0.005, 0.05
"""Cells and labels that are less likely are left empty."""
TOLD = 3
"""Labels in a tooltip, at most."""

_STYLE = f"""
.pw-page {{ fill: #ffffff; }}
.pw-word {{ font: {WORD:g}px {SANS}; text-anchor: middle; fill: #1f2328; }}
.pw-label {{ font: {LABEL:g}px {MONO}; text-anchor: middle; fill: #1f2328; }}
.pw-cell {{ fill: none; stroke: #d5dae0; }}
.pw-join {{ fill: #8b949e; }}
.pw-constant {{ fill: #5b95ee; }}
@media (prefers-color-scheme: dark) {{
.pw-page {{ fill: #0d1117; }}
.pw-word, .pw-label {{ fill: #e6edf3; }}
.pw-cell {{ stroke: #30363d; }}
}}
"""


def chart_svg(found: Marginals, columns: Sequence[str], words: Words) -> Picture:
    """The picture of a chart's posteriors.

    Args:
        found: of the question.
        columns: the category of each column of `found.constants`.
        words: of the question, ``n``.
    """
    n = len(words)
    root = picture(n * CELL + 2 * MARGIN, n * CELL + 2 * MARGIN + 2 * WORD)
    ET.SubElement(root, "title").text = f"Chart of “{phrase(words, 0, n)}”"
    ET.SubElement(root, "style").text = _STYLE
    ET.SubElement(root, "rect", {"class": "pw-page"}, width="100%", height="100%", rx="10")
    for length in range(1, n + 1):
        for start in range(n - length + 1):
            _cell(root, found, columns, words, start, start + length)
    for i in range(n):
        x = MARGIN + (i + 0.5) * CELL
        text = ET.SubElement(root, "text", {"class": "pw-word"}, x=f"{x:g}")
        text.set("y", f"{MARGIN + n * CELL + 1.5 * WORD:g}")
        text.text = shorten(phrase(words, i, i + 1), CELL, lambda word: text_width(word, WORD))
    return Picture(ET.tostring(root, encoding="unicode") + "\n")


def _cell(
    root: ET.Element,
    found: Marginals,
    columns: Sequence[str],
    words: Words,
    start: int,
    end: int,
) -> None:
    """One span: half a cell further right for each word more, a row higher."""
    likely = found.constants[start, end]
    join = float(found.join[start, end])
    x = MARGIN + (start + end - 1) / 2 * CELL
    y = MARGIN + (len(words) - (end - start)) * CELL
    group = ET.SubElement(root, "g")
    place = {"x": f"{x + 1:g}", "y": f"{y + 1:g}", "rx": "6"}
    place |= {"width": f"{CELL - 2:g}", "height": f"{CELL - 2:g}"}
    ET.SubElement(group, "rect", {"class": "pw-cell", **place})
    shares = [(float(likely[c]), columns[c]) for c in np.argsort(-likely)[:TOLD]]
    shares = sorted([*shares, (join, "join")], reverse=True)
    total = float(likely.sum()) + join
    if total < SHOWN:
        return
    kind = "pw-join" if shares[0][1] == "join" else "pw-constant"
    ET.SubElement(group, "rect", {"class": kind, **place, "fill-opacity": f"{total:.3f}"})
    told = ", ".join(f"{name} {100 * share:.1f} %" for share, name in shares if share >= SHOWN)
    ET.SubElement(group, "title").text = f"{phrase(words, start, end)}: {told or 'many labels'}"
    share, name = shares[0]
    if share >= NAMED:
        middle = {"x": f"{x + CELL / 2:g}", "class": "pw-label"}
        lines = (shorten(name, CELL - 6, _wide), f"{100 * share:.0f} %")
        for line, text in enumerate(lines):
            at = y + CELL / 2 + line * 1.4 * LABEL
            ET.SubElement(group, "text", {**middle, "y": f"{at:g}"}).text = text


def _wide(text: str) -> float:
    return text_width(text, LABEL, mono=True)
