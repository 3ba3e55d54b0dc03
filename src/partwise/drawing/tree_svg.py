"""A span tree as a picture: the words below, the tree over them.

Constants are pills over bars that mark their words, joins are their sub-programs; words without
meaning (φ) are grey over dotted bars. An infix operator hangs on a dashed line. Widths come from
the texts, so parts lie beside and above one another without overlap.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from partwise.chart.derivation import TreeDerivation
from partwise.chart.semantics import Node
from partwise.drawing.canvas import JOIN, MARGIN, PILL, WORD, Box, Canvas, Picture, text_width
from partwise.drawing.render import draw_svg
from partwise.drawing.texts import clean, phrase, shorten
from partwise.drawing.tree_parts import TreePart, parts
from partwise.language.tokenizer import Words

ROW, GAP, BETWEEN = 42.0, 5.5, 18.0
"""Height of a level, space between words, space between parts."""
PILL_HEIGHT, CORNER = 24.0, 7.0


@dataclass
class _Place:
    """A part with its place: the width of all it takes, the middle of its label, its level.

    Attributes:
        words: number of each word of a constant, its middle and its width.
    """

    part: TreePart
    width: float
    x: float
    level: int
    label: str
    children: list[_Place] = field(default_factory=list)
    words: list[tuple[int, float, float]] = field(default_factory=list)

    def move(self, by: float) -> None:
        """Shift to the right."""
        self.x += by
        self.words = [(i, x + by, width) for i, x, width in self.words]
        for child in self.children:
            child.move(by)


@draw_svg.register
def tree_svg(derivation: TreeDerivation) -> Picture:
    """The picture of a span tree over its question."""
    node, words = derivation.node, derivation.words
    root = _place(parts(node), words, root=True)
    root.move(MARGIN)
    width, height = root.width + 2 * MARGIN, root.level * ROW + 56 + 2 * MARGIN
    canvas = Canvas()
    _TreePainter(words, base=height - MARGIN - 3).paint(canvas, root, "pw-join pw-root")
    title = f"Span tree of “{phrase(words, 0, len(words))}”"
    return canvas.picture(width, height, title, _description(node, words))


def _description(node: Node, words: Words) -> str:
    return " ".join(
        f"“{phrase(words, n.start, n.end)}” means {clean(n.program_text)}."
        for n in node.walk()
        if len(n.children) != 1
    )


def _place(part: TreePart, words: Words, root: bool = False) -> _Place:
    if not part.children:
        return _place_constant(part, words)
    children = [_place(child, words) for child in part.children]
    right = -BETWEEN
    for child in children:
        child.move(right + BETWEEN)
        right += BETWEEN + child.width
    # A label is cut to what lies below it, but that of the root is shown whole.
    program = "" if part.node is None else clean(part.node.program_text)
    label = program if root else shorten(program, right, _join_width)
    label_width = _join_width(label) + 2
    width = max(right, label_width)
    for child in children:
        child.move((width - right) / 2)
    meant = [child.x for child in children if child.part.node is not None]
    x = min(max((meant[0] + meant[-1]) / 2, label_width / 2), width - label_width / 2)
    return _Place(part, width, x, 1 + max(child.level for child in children), label, children)


def _join_width(text: str) -> float:
    return text_width(text, JOIN, mono=True) * 1.03


def _place_constant(part: TreePart, words: Words) -> _Place:
    placed: list[tuple[int, float, float]] = []
    at = 0.0
    for i in range(part.start, part.end):
        wide = text_width(phrase(words, i, i + 1), WORD)
        placed.append((i, at + wide / 2, wide))
        at += wide + GAP
    start, end = (part.start, part.end) if part.node is None else part.named
    own = [(x - wide / 2, x + wide / 2) for i, x, wide in placed if start <= i < end]
    x = (own[0][0] + own[-1][1]) / 2
    label = "φ" if part.node is None else clean(part.node.label)
    half = 0.0 if part.node is None else text_width(label, PILL, mono=True) / 2 + 10
    left, right = min(0.0, x - half), max(at - GAP, x + half)
    place = _Place(part, right - left, x, 0, label, [], placed)
    place.move(-left)
    return place


class _TreePainter:
    """Writes parts as SVG elements; `base` is the baseline of the words."""

    def __init__(self, words: Words, base: float) -> None:
        self.words, self.base = words, base

    def paint(self, into: Canvas, place: _Place, kind: str = "pw-join") -> None:
        """A part and all below it, each of its nodes a group; `kind` is the label's class."""
        part = place.part
        for node in (*part.around, *([part.node] if part.node is not None else [])):
            into = into.add("g", data_span=f"{node.start}-{node.end}")
            meaning = clean(f"{node.program_text} : {node.type_text}")
            into.title(f"{phrase(self.words, node.start, node.end)} → {meaning}")
        if not place.children:
            self._constant(into, place)
            return
        y = self._y(place)
        outer = [c.x for c in place.children if c.part.node is not None and not c.part.infix]
        for child in place.children:
            aside = " pw-gap" if child.part.node is None else " pw-middle" * child.part.infix
            over = JOIN if child.level else 9.0 if child.part.node is None else PILL_HEIGHT / 2
            # φ and infix operators hang from the line between the others, not from the program.
            branch = min(max(child.x, outer[0] + CORNER), outer[-1] - CORNER) if aside else place.x
            line = _elbow(branch, y + 7, child.x, self._y(child) - over, stem=not aside)
            into.add("path", "pw-line" + aside, d=line)
        into.text(kind, place.x, y + 2, place.label)
        for child in place.children:
            self.paint(into, child)

    def _y(self, place: _Place) -> float:
        return self.base - 42 - place.level * ROW

    def _constant(self, into: Canvas, place: _Place) -> None:
        part, y = place.part, self._y(place)
        start, end = part.named
        if part.node is None:
            into.text("pw-phi", place.x, y + 5, place.label)
        else:
            group = into.add("g", f"pw-{part.node.kind}")
            wide = text_width(place.label, PILL, mono=True) + 20
            group.rect("", Box(place.x, y, wide, PILL_HEIGHT), 12)
            group.text("pw-pill", place.x, y + 4, place.label)
            self._bar(group, "pw-bar", [w for w in place.words if start <= w[0] < end])
        self._bar(into, "pw-line pw-gap", [w for w in place.words if w[0] < start])
        self._bar(into, "pw-line pw-gap", [w for w in place.words if w[0] >= end])
        for i, x, _ in place.words:
            kind = "pw-word" if start <= i < end else "pw-phi"
            into.text(kind, x, self.base, phrase(self.words, i, i + 1))

    def _bar(self, into: Canvas, kind: str, over: list[tuple[int, float, float]]) -> None:
        if over:
            start, end = over[0][1] - over[0][2] / 2, over[-1][1] + over[-1][2] / 2
            into.add("path", kind, d=f"M{start + 1:.1f} {self.base - 21:.1f}H{end - 1:.1f}")


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
