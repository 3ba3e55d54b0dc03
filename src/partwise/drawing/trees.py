"""Span trees, in the terminal and as a picture; and the chart that they were chosen from.

    which rivers run through … texas?    river(traverse_2(state(next_to_2(…))))
    ├─ which                             φ
    ├─ rivers                            river
    ╰─ run through the … texas?          traverse_2(state(next_to_2(stateid('texas'))))
       ├─ run through the                traverse_2
       ...

A line stands for each part of the question. Constants are coloured and their words bold; words
without meaning (φ) are dim, or in square brackets where there is no colour. An infix operator hangs
on a broken line.

In a picture the words lie below, the tree over them: constants are pills over bars that mark their
words, joins are their sub-programs. Widths come from the texts, so that no parts overlap.

In a chart a cell stands for each span, spans of one word in the lowest row. The darker a cell, the
more probable it is that its span is a part of the tree, over all well-typed trees (the posterior).
It shows its most probable label; a tooltip has the words and the labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from partwise.chart.semantics import MeaningNode, SpanPosteriors, TreeDerivation
from partwise.drawing.canvas import CELL, JOIN, MARGIN, PILL, WORD, Box, Canvas, Picture, text_width
from partwise.drawing.render import Terminal, clean, cut, draw_svg, phrase, shorten, text_lines
from partwise.language.text import Words

STYLES = {"predicate": "cyan", "entity": "magenta", "join": "", "phi": "dim"}
COLUMN_GAP = 2
"""Columns between words and programs."""


@dataclass(frozen=True)
class TreePart:
    """A part of the question as it is drawn: the meaning `node` (None for φ words) with the unary
    nodes `around` it, which only add φ. A constant has no `children`; those of others cover
    start..end without a hole. `infix`: whether it is the middle of a ternary join."""

    start: int
    end: int
    node: MeaningNode | None
    around: tuple[MeaningNode, ...] = ()
    children: tuple[TreePart, ...] = ()
    infix: bool = False

    @property
    def named(self) -> tuple[int, int]:
        return (self.end, self.end) if self.node is None else (self.node.start, self.node.end)


def parts(node: MeaningNode, infix: bool = False) -> TreePart:
    around: list[MeaningNode] = []
    inner = node
    while len(inner.children) == 1:
        around.append(inner)
        inner = inner.children[0]
    below: list[TreePart] = []
    at = node.start
    for i, child in enumerate(inner.children):
        if at < child.start:
            below.append(TreePart(at, child.start, None))
        below.append(parts(child, infix=len(inner.children) == 3 and i == 1))
        at = child.end
    if below and at < node.end:
        below.append(TreePart(at, node.end, None))
    return TreePart(node.start, node.end, inner, tuple(around), tuple(below), infix)


@dataclass(frozen=True)
class _Row:
    lead: str
    words: Text
    meaning: str
    kind: str

    @property
    def widths(self) -> tuple[int, int]:
        return cell_len(self.lead) + self.words.cell_len, cell_len(self.meaning)


@text_lines.register
def tree_lines(derivation: TreeDerivation, terminal: Terminal) -> Iterator[Text]:
    rows = list(_rows(parts(derivation.node), derivation.words, terminal, "", ""))
    left, right = _columns(rows, terminal.width)
    for row in rows:
        line = Text.assemble((row.lead, "dim"), _fit(row, left - cell_len(row.lead), terminal))
        line.append(" " * (left + COLUMN_GAP - line.cell_len))
        line.append(shorten(row.meaning, right, cell_len, terminal.dots), STYLES[row.kind])
        yield line


def _rows(
    part: TreePart, words: Words, terminal: Terminal, lead: str, below: str
) -> Iterator[_Row]:
    meaning, kind = "φ", "phi"
    if part.node is not None:
        meaning = part.node.program_text if part.children else part.node.label
        kind = part.node.kind
    yield _Row(terminal.text(lead), _words(part, words, terminal), terminal.text(meaning), kind)
    for child in part.children:
        last = child is part.children[-1]
        branch = "╰─ " if last else "├┄ " if child.infix else "├─ "
        more = below + ("   " if last else "│  ")
        yield from _rows(child, words, terminal, below + branch, more)


def _words(part: TreePart, words: Words, terminal: Terminal) -> Text:
    if part.children:
        return Text(terminal.text(phrase(words, part.start, part.end)))
    start, end = part.named
    at, line = part.start, Text()
    for to, style in ((start, "dim"), (end, "bold"), (part.end, "dim")):
        if at < to:
            if at > part.start and words.offsets[at - 1][1] < words.offsets[at][0]:
                line.append(" ")
            text = terminal.text(phrase(words, at, to))
            line.append(text if terminal.color or style == "bold" else f"[{text}]", style)
            at = to
    return line


def _columns(rows: list[_Row], width: int) -> tuple[int, int]:
    """Widths of the words' and the programs' column: constants first, then phrases, programs."""
    space = max(width - COLUMN_GAP, 2)
    left, right = map(max, zip(*(row.widths for row in rows), strict=True))
    if left + right > space:
        constants = [row.widths for row in rows if row.kind != "join"]
        need_left, need_right = map(max, zip((1, 1), *constants, strict=True))
        fair = max(space * 2 // 5, space - right, min(need_left, space - need_right))
        left = min(left, fair)
    return left, space - left


def _fit(row: _Row, width: int, terminal: Terminal) -> Text:
    """The words of a row, of a phrase the first and last ones, as many as fit."""
    if row.words.cell_len <= width:
        return row.words
    text, dots = row.words.plain, terminal.dots
    words = text.split() if row.kind == "join" else []
    for kept in range(len(words) - 1, 1, -1):
        short = " ".join([*words[: (kept + 1) // 2], dots, *words[len(words) - kept // 2 :]])
        if cell_len(short) <= width:
            return Text(short)
    last = row.words.spans[-1].style if row.words.spans else ""
    return Text(cut(text, width, cell_len, dots) if width > len(dots) else "", last)


ROW, GAP, BETWEEN = 42.0, 5.5, 18.0
"""Height of a level, space between words, space between parts."""
PILL_HEIGHT, CORNER = 24.0, 7.0


class _Place(NamedTuple):
    left: float
    right: float
    x: float
    level: int


@draw_svg.register
def tree_svg(derivation: TreeDerivation) -> Picture:
    node, words = derivation.node, derivation.words
    canvas = Canvas()
    group = canvas.add("g")
    root = _TreePainter(words).paint(group, parts(node), 0.0, root=True)
    # The root's program is shown whole, and may stick out of what lies below it.
    half = 0.0 if root.level == 0 else _join_width(clean(node.program_text)) / 2
    left, right = min(root.left, root.x - half), max(root.right, root.x + half)
    base = root.level * ROW + 53 + MARGIN
    group.element.set("transform", f"translate({MARGIN - left:.1f} {base:.1f})")
    description = " ".join(
        f"“{phrase(words, n.start, n.end)}” means {clean(n.program_text)}."
        for n in node.walk()
        if len(n.children) != 1
    )
    title = f"Span tree of “{phrase(words, 0, len(words))}”"
    return canvas.picture(right - left + 2 * MARGIN, base + 3 + MARGIN, title, description)


class _TreePainter:
    """Writes the parts of a tree as SVG elements; the words' baseline is at 0."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def paint(self, into: Canvas, part: TreePart, left: float, root: bool = False) -> _Place:
        for node in (*part.around, *([part.node] if part.node is not None else [])):
            into = into.add("g", data_span=f"{node.start}-{node.end}")
            meaning = clean(f"{node.program_text} : {node.type_text}")
            into.title(f"{phrase(self.words, node.start, node.end)} → {meaning}")
        if part.node is None or not part.children:
            return self._words(into, part, left)
        below: list[tuple[TreePart, _Place]] = []
        at = left
        for child in part.children:
            below.append((child, self.paint(into, child, at)))
            at = below[-1][1].right + BETWEEN
        right = at - BETWEEN
        program = clean(part.node.program_text)
        label = program if root else shorten(program, right - left, _join_width)
        half = 0.0 if root else _join_width(label) / 2
        meant = [place.x for child, place in below if child.node is not None]
        x = min(max((meant[0] + meant[-1]) / 2, left + half), right - half)
        place = _Place(left, right, x, 1 + max(place.level for _, place in below))
        _branches(into, place, below)
        into.text("pw-join pw-root" if root else "pw-join", x, _height(place) + 2, label)
        return place

    def _words(self, into: Canvas, part: TreePart, left: float) -> _Place:
        texts = [phrase(self.words, i, i + 1) for i in range(part.start, part.end)]
        widths = [text_width(text, WORD) for text in texts]
        starts = list(accumulate((wide + GAP for wide in widths), initial=0.0))
        start, end = (place - part.start for place in part.named)
        own = (start, end) if start < end else (0, len(texts))
        x = (starts[own[0]] + starts[own[1]] - GAP) / 2
        label, half, group = "φ", 0.0, into
        if part.node is not None:
            label = clean(part.node.label)
            half = text_width(label, PILL, mono=True) / 2 + 10
            group = into.add("g", f"pw-{part.node.kind}")
        shift = left + max(0.0, half - x)
        place = _Place(left, shift + max(starts[-1] - GAP, x + half), shift + x, 0)
        if half:
            group.rect("", Box(place.x, _height(place), 2 * half, PILL_HEIGHT), 12)
            group.text("pw-pill", place.x, _height(place) + 4, label)
        else:
            into.text("pw-phi", place.x, _height(place) + 5, label)
        dotted = "pw-line pw-gap"
        bars = ((into, dotted, 0, start), (group, "pw-bar", start, end))
        for canvas, kind, first, last in (*bars, (into, dotted, end, len(texts))):
            if first < last:
                ends = shift + starts[first] + 1, shift + starts[last] - GAP - 1
                canvas.add("path", kind, d=f"M{ends[0]:.1f} -21.0H{ends[1]:.1f}")
        for i, text in enumerate(texts):
            kind = "pw-word" if start <= i < end else "pw-phi"
            into.text(kind, shift + starts[i] + widths[i] / 2, 0.0, text)
        return place


def _branches(into: Canvas, place: _Place, below: Sequence[tuple[TreePart, _Place]]) -> None:
    y = _height(place)
    outer = [under.x for child, under in below if child.node is not None and not child.infix]
    for child, under in below:
        aside = " pw-gap" if child.node is None else " pw-middle" * child.infix
        over = JOIN if under.level else 9.0 if child.node is None else PILL_HEIGHT / 2
        # φ and infix operators hang from the line between the others, not from the program.
        branch = min(max(under.x, outer[0] + CORNER), outer[-1] - CORNER) if aside else place.x
        line = _elbow(branch, y + 7, under.x, _height(under) - over, stem=not aside)
        into.add("path", "pw-line" + aside, d=line)


def _height(place: _Place) -> float:
    return -42 - place.level * ROW


def _join_width(text: str) -> float:
    return text_width(text, JOIN, mono=True) * 1.03


def _elbow(x: float, y: float, to_x: float, to_y: float, stem: bool) -> str:
    """A line down, across and down to a child, its corners round; without `stem` from across."""
    r = min(CORNER, abs(to_x - x) / 2)
    side, bus = (r if to_x > x else -r), y + CORNER
    if r < 0.5:
        return f"M{x:.1f} {y if stem else bus:.1f}V{to_y:.1f}"
    down = f"M{x:.1f} {bus:.1f}"
    if stem:
        down = f"M{x:.1f} {y:.1f}V{bus - r:.1f}Q{x:.1f} {bus:.1f} {x + side:.1f} {bus:.1f}"
    return down + f"H{to_x - side:.1f}Q{to_x:.1f} {bus:.1f} {to_x:.1f} {bus + r:.1f}V{to_y:.1f}"


SIDE = 78.0
"""Of a cell."""
SHOWN, NAMED = 0.005, 0.05
"""Cells and labels that are less probable are left empty."""
MOST = 3
"""Constants in a tooltip, at most."""


@draw_svg.register
def chart_svg(chart: SpanPosteriors) -> Picture:
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
        label = shorten(name, SIDE - 6, lambda text: text_width(text, CELL, mono=True))
        into.text("pw-label", x, y, label)
        into.text("pw-label", x, y + 1.4 * CELL, f"{100 * probability:.0f} %")
