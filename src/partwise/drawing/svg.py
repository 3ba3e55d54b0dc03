"""A span tree as a standalone SVG picture: the words below, the tree over them.

Constants are pills over bars that mark their words, joins are their sub-programs; words without
meaning (φ) are grey over dotted bars. The middle of a ternary join hangs on a dashed line. Widths
come from the texts, so parts lie beside and above one another without overlap.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

from partwise.chart.semantics import Node
from partwise.drawing import Part, clean, parts, phrase, shorten
from partwise.drawing.canvas import MONO, SANS, picture, text_width
from partwise.language.tokenizer import Words

WORD, PILL, JOIN = 15.0, 12.0, 11.5
"""Text sizes."""
ROW, MARGIN, GAP, BETWEEN = 42.0, 24.0, 5.5, 18.0
"""Height of a level, around the picture, between words, between parts."""
PILL_HEIGHT, CORNER = 24.0, 7.0

_STYLE = f"""
.pw-page {{ fill: #ffffff; }}
.pw-word, .pw-phi {{ font: {WORD:g}px {SANS}; text-anchor: middle; }}
.pw-word, .pw-join {{ fill: #1f2328; }}
.pw-phi {{ fill: #848d97; }}
.pw-join, .pw-pill {{ font: {JOIN:g}px {MONO}; text-anchor: middle; }}
.pw-pill {{ font-size: {PILL:g}px; }}
.pw-root {{ font-weight: bold; }}
.pw-line {{ fill: none; stroke: #9aa4af; stroke-width: 1.4; }}
.pw-middle {{ stroke-dasharray: 4 3; }}
.pw-gap {{ stroke-dasharray: 0.1 4; stroke-linecap: round; stroke-width: 2; }}
.pw-bar {{ fill: none; stroke-width: 2.5; stroke-linecap: round; }}
.pw-predicate rect {{ fill: #dbeafe; stroke: #7fb0f5; }}
.pw-predicate text {{ fill: #1e40af; }}
.pw-predicate .pw-bar {{ stroke: #5b95ee; }}
.pw-entity rect {{ fill: #ffe8cc; stroke: #f0a95b; }}
.pw-entity text {{ fill: #8a3b00; }}
.pw-entity .pw-bar {{ stroke: #ea933a; }}
@media (prefers-color-scheme: dark) {{
.pw-page {{ fill: #0d1117; }}
.pw-word, .pw-join {{ fill: #e6edf3; }}
.pw-phi {{ fill: #7d8590; }}
.pw-line {{ stroke: #59636e; }}
.pw-predicate rect {{ fill: #14294a; stroke: #2f62ae; }}
.pw-predicate text {{ fill: #a9cdff; }}
.pw-entity rect {{ fill: #3d2508; stroke: #a5651f; }}
.pw-entity text {{ fill: #ffcf99; }}
}}
"""


@dataclass
class _Box:
    """A part with its place: the width of all it takes, the middle of its label, its level."""

    part: Part
    width: float
    x: float
    level: int
    label: str
    children: list[_Box] = field(default_factory=list)
    words: list[tuple[int, float, float]] = field(default_factory=list)

    def move(self, by: float) -> None:
        """Shift to the right."""
        self.x += by
        self.words = [(i, x + by, width) for i, x, width in self.words]
        for child in self.children:
            child.move(by)


class Picture(str):
    """The text of an SVG file; notebooks show it as a picture."""

    def _repr_svg_(self) -> str:
        return str(self)


def svg(node: Node, words: Words) -> Picture:
    """The picture of a span tree over its question, as the text of an SVG file."""
    box = _place(parts(node), words, root=True)
    box.move(MARGIN)
    width, height = box.width + 2 * MARGIN, box.level * ROW + 56 + 2 * MARGIN
    question = phrase(words, 0, len(words))
    root = picture(width, height)
    ET.SubElement(root, "title").text = f"Span tree of “{question}”"
    ET.SubElement(root, "desc").text = _description(node, words)
    ET.SubElement(root, "style").text = _STYLE
    ET.SubElement(root, "rect", {"class": "pw-page"}, width="100%", height="100%", rx="10")
    _Painter(words, base=height - MARGIN - 3).paint(root, box, root=True)
    return Picture(ET.tostring(root, encoding="unicode") + "\n")


def _description(node: Node, words: Words) -> str:
    lines = (
        f"“{phrase(words, n.start, n.end)}” means {clean(n.program_text)}."
        for n in node.walk()
        if len(n.children) != 1
    )
    return " ".join(lines)


def _place(part: Part, words: Words, root: bool = False) -> _Box:
    if not part.children:
        return _place_constant(part, words)
    children = [_place(child, words) for child in part.children]
    right = -BETWEEN
    for child in children:
        child.move(right + BETWEEN)
        right += BETWEEN + child.width
    # A label is cut to what lies below it, but that of the root is shown whole.
    assert part.node is not None
    program = clean(part.node.program_text)
    label = program if root else shorten(program, right, _join_width)
    wide = _join_width(label) + 2
    meaning = [child.x for child in children if child.part.node is not None]
    width = max(right, wide)
    box = _Box(part, width, 0.0, 1 + max(child.level for child in children), label, children)
    for child in children:
        child.move((width - right) / 2)
    middle = (meaning[0] + meaning[-1] + width - right) / 2
    box.x = min(max(middle, wide / 2), width - wide / 2)
    return box


def _join_width(text: str) -> float:
    return text_width(text, JOIN, mono=True) * 1.03


def _place_constant(part: Part, words: Words) -> _Box:
    placed: list[tuple[int, float, float]] = []
    at = 0.0
    for i in range(part.start, part.end):
        wide = text_width(phrase(words, i, i + 1), WORD)
        placed.append((i, at + wide / 2, wide))
        at += wide + GAP
    start, end = (part.start, part.end) if part.node is None else (part.node.start, part.node.end)
    own = [(x - wide / 2, x + wide / 2) for i, x, wide in placed if start <= i < end]
    x = (own[0][0] + own[-1][1]) / 2
    label = "φ" if part.node is None else clean(part.node.label)
    half = 0.0 if part.node is None else text_width(label, PILL, mono=True) / 2 + 10
    left, right = min(0.0, x - half), max(at - GAP, x + half)
    box = _Box(part, right - left, x, 0, label, [], placed)
    box.move(-left)
    return box


class _Painter:
    """Writes boxes as SVG elements."""

    def __init__(self, words: Words, base: float) -> None:
        self.words, self.base = words, base

    def paint(self, into: ET.Element, box: _Box, root: bool = False) -> None:
        """A part and all below it, each of its nodes a group."""
        part = box.part
        for node in (*part.around, *([part.node] if part.node is not None else [])):
            into = ET.SubElement(into, "g", {"data-span": f"{node.start}-{node.end}"})
            shown = phrase(self.words, node.start, node.end)
            meaning = clean(f"{node.program_text} : {node.type_text}")
            ET.SubElement(into, "title").text = f"{shown} → {meaning}"
        if not box.children:
            self._constant(into, box)
            return
        y = self._y(box)
        outer = [c.x for c in box.children if c.part.node is not None and not c.part.middle]
        for child in box.children:
            kind = " pw-gap" if child.part.node is None else " pw-middle" * child.part.middle
            over = {0: 9.0 if kind == " pw-gap" else PILL_HEIGHT / 2}.get(child.level, JOIN)
            # φ and the middle hang from the line between the others, not from the program.
            branch = min(max(child.x, outer[0] + CORNER), outer[-1] - CORNER) if kind else box.x
            line = _elbow(branch, y + 7, child.x, self._y(child) - over, stem=not kind)
            ET.SubElement(into, "path", {"class": "pw-line" + kind}, d=line)
        self._text(into, "pw-join pw-root" if root else "pw-join", box.x, y + 2, box.label)
        for child in box.children:
            self.paint(into, child)

    def _y(self, box: _Box) -> float:
        return self.base - 42 - box.level * ROW

    def _constant(self, into: ET.Element, box: _Box) -> None:
        node, y = box.part.node, self._y(box)
        if node is None:
            self._text(into, "pw-phi", box.x, y + 5, box.label)
            start = end = box.part.end
        else:
            start, end = node.start, node.end
            group = ET.SubElement(into, "g", {"class": f"pw-{node.kind}"})
            wide = text_width(box.label, PILL, mono=True) + 20
            rect = {"x": box.x - wide / 2, "y": y - PILL_HEIGHT / 2, "width": wide}
            shape = {key: f"{value:.1f}" for key, value in rect.items()}
            ET.SubElement(group, "rect", shape, height=f"{PILL_HEIGHT:g}", rx="12")
            self._text(group, "pw-pill", box.x, y + 4, box.label)
            self._bar(group, "pw-bar", [w for w in box.words if start <= w[0] < end])
        self._bar(into, "pw-line pw-gap", [w for w in box.words if w[0] < start])
        self._bar(into, "pw-line pw-gap", [w for w in box.words if w[0] >= end])
        for i, x, _ in box.words:
            kind = "pw-word" if start <= i < end else "pw-phi"
            self._text(into, kind, x, self.base, phrase(self.words, i, i + 1))

    def _bar(self, into: ET.Element, kind: str, over: list[tuple[int, float, float]]) -> None:
        if over:
            start, end = over[0][1] - over[0][2] / 2, over[-1][1] + over[-1][2] / 2
            line = f"M{start + 1:.1f} {self.base - 21:.1f}H{end - 1:.1f}"
            ET.SubElement(into, "path", {"class": kind}, d=line)

    def _text(self, into: ET.Element, kind: str, x: float, y: float, text: str) -> None:
        ET.SubElement(into, "text", {"class": kind}, x=f"{x:.1f}", y=f"{y:.1f}").text = text


def _elbow(x: float, y: float, to_x: float, to_y: float, stem: bool) -> str:
    """A line down, across and down to a child, its corners round; without `stem` from across."""
    r = min(CORNER, abs(to_x - x) / 2)
    side, bus = (r if to_x > x else -r), y + CORNER
    if r < 0.5:
        return f"M{x:.1f} {y if stem else bus:.1f}V{to_y:.1f}"
    down = f"M{x:.1f} {y:.1f}V{bus - r:.1f}Q{x:.1f} {bus:.1f} {x + side:.1f} {bus:.1f}"
    return (
        down if stem else f"M{x:.1f} {bus:.1f}"
    ) + f"H{to_x - side:.1f}Q{to_x:.1f} {bus:.1f} {to_x:.1f} {bus + r:.1f}V{to_y:.1f}"
