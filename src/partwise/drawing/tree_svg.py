"""A span tree as a picture: the words below, the tree over them.

Constants are pills over bars that mark their words, joins are their sub-programs; words without
meaning (φ) are grey over dotted bars. An infix operator hangs on a dashed line. Widths come from
the texts, so parts lie beside and above one another without overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from partwise.chart.semantics import TreeDerivation
from partwise.drawing.canvas import JOIN, MARGIN, PILL, WORD, Box, Canvas, Picture, text_width
from partwise.drawing.render import draw_svg
from partwise.drawing.texts import clean, phrase, shorten
from partwise.drawing.trees import TreePart, parts
from partwise.language.text import Words

ROW, GAP, BETWEEN = 42.0, 5.5, 18.0
"""Height of a level, space between words, space between parts."""
PILL_HEIGHT, CORNER = 24.0, 7.0


class _Place(NamedTuple):
    """Where a part was drawn: its ends, the middle of its label, and how high it is."""

    left: float
    right: float
    x: float
    level: int


@draw_svg.register
def tree_svg(derivation: TreeDerivation) -> Picture:
    """The picture of a span tree over its question."""
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
        """A part and all below it, from `left` on, each of its nodes a group."""
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
        """The words of a constant with its pill, or of φ."""
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
    """The lines from a join to its parts."""
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
    """Of a part's label."""
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
