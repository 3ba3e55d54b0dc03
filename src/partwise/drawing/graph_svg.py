"""A query graph as a standalone SVG picture: the question with its grounding, the graph below.

Each edge and attribute has a number and a colour. Under the question's words it has a strip, the
darker the more it attends to the word; in the graph it is an arrow, or a line in its node's card.
Pairs of nodes that must differ are joined by a dashed line.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from partwise.drawing import clean, cut
from partwise.drawing.canvas import MONO, SANS, picture, text_width
from partwise.drawing.graph_layout import Box, Link
from partwise.drawing.graph_parts import SHOWN, Grounding, Item, items, shown
from partwise.drawing.graph_places import (
    BADGE,
    LABEL,
    NODE,
    NOTE,
    Card,
    attribute,
    label_width,
    place,
    short,
)
from partwise.language.query.graph import ANSWER, QueryGraph

WORD = 15.0
"""Text size."""
MARGIN, PAGE = 24.0, 1080.0
"""Around the picture; width of a line of words."""
STRIP, GAP = 14.0, 9.0
"""Height of a strip, between words."""
COLORS = ("#2f6fde", "#d9622b", "#2a9461", "#a04fd0", "#cf3f74", "#1295a8", "#94800f", "#7d6a5c")
"""Of items, by number; readable on light and dark."""

_STYLE = f"""
.pw-page {{ fill: #ffffff; }}
.pw-word {{ font: {WORD:g}px {SANS}; text-anchor: middle; fill: #1f2328; }}
.pw-name {{ font: 600 {NODE:g}px {SANS}; text-anchor: middle; fill: #1f2328; }}
.pw-text {{ font: {LABEL:g}px {SANS}; fill: #1f2328; }}
.pw-halo {{ stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round; paint-order: stroke; }}
.pw-note {{ font: {NOTE:g}px {SANS}; fill: #656d76; }}
.pw-number {{ font: 600 9.5px {MONO}; text-anchor: middle; fill: #ffffff; }}
.pw-track {{ fill: #eef1f4; }}
.pw-card rect {{ fill: #f6f8fa; stroke: #9aa4af; stroke-width: 1.2; }}
.pw-entity rect {{ fill: #fff1e0; stroke: #f0a95b; }}
.pw-asked rect {{ stroke: #1f2328; stroke-width: 2.6; }}
.pw-edge {{ fill: none; stroke-width: 1.7; }}
.pw-differ {{ fill: none; stroke: #848d97; stroke-width: 1.4; stroke-dasharray: 4 4; }}
@media (prefers-color-scheme: dark) {{
.pw-page {{ fill: #0d1117; }}
.pw-word, .pw-name, .pw-text {{ fill: #e6edf3; }}
.pw-halo {{ stroke: #0d1117; }}
.pw-note {{ fill: #8b949e; }}
.pw-track {{ fill: #1b2129; }}
.pw-card rect {{ fill: #161b22; stroke: #59636e; }}
.pw-entity rect {{ fill: #3d2508; stroke: #a5651f; }}
.pw-asked rect {{ stroke: #e6edf3; }}
}}
"""


def graph_svg(
    graph: QueryGraph,
    names: Mapping[str, str],
    words: Sequence[str] = (),
    grounding: Grounding | None = None,
) -> str:
    """The picture of a query graph, as the text of an SVG file.

    Args:
        names: of nodes, predicates and constants; those without one are shown by their own text.
        words: of the question.
        grounding: one weight for each word, by triple (edges and attributes).

    Raises:
        QueryError: if a triple has not one weight for each word.
    """
    found = items(graph, names, words, grounding or {})
    canvas = _Canvas()
    canvas.question(words, found if grounding else [])
    canvas.graph(graph, names, found)
    canvas.legend(graph, found, bool(grounding))
    asked = " ".join(clean(word) for word in words)
    return canvas.written(f"Query graph of “{asked}”", _description(found, names))


class _Canvas:
    """Writes from top to bottom; the height and width grow with what is written."""

    def __init__(self) -> None:
        self.root = picture(0, 0)
        self.y, self.width = MARGIN, 0.0

    def written(self, title: str, description: str) -> str:
        """The file's text."""
        width, height = self.width + 2 * MARGIN, self.y + MARGIN
        size = {"width": f"{width:.0f}", "height": f"{height:.0f}"}
        root = picture(width, height)
        ET.SubElement(root, "title").text = title
        ET.SubElement(root, "desc").text = description
        ET.SubElement(root, "style").text = _STYLE
        ET.SubElement(root, "rect", {"class": "pw-page", "rx": "10"} | size)
        root.extend(self.root)
        return ET.tostring(root, encoding="unicode") + "\n"

    def question(self, words: Sequence[str], found: Sequence[Item]) -> None:
        """The words in lines, under each line a strip for each item that attends to it."""
        rows = [item for item in found if item.kind != "differ"]
        side = max((label_width(short(item)) + 14 for item in rows), default=0.0)
        for line in _wrapped(words, PAGE - side):
            top = self.y
            for i, x, wide in line:
                self._word(i, MARGIN + side + x, top, wide, clean(words[i]), rows)
            self.width = max(self.width, side + line[-1][1] + line[-1][2] / 2)
            self.y += 28
            for item in _attending(rows, [i for i, _, _ in line]):
                self._badge(self.root, item, MARGIN + BADGE, self.y + 5)
                note = MARGIN + 2 * BADGE + 5, self.y + 9
                self._text(self.root, "pw-note", *note, short(item))
                for i, x, wide in line:
                    self._strip(item, MARGIN + side + x, wide, i, clean(words[i]))
                self.y += STRIP
            self.y += 16
        self.y += 10

    def graph(self, graph: QueryGraph, names: Mapping[str, str], found: Sequence[Item]) -> None:
        """The nodes' cards and the arrows between them."""
        drawn = place(graph, names, found)
        joined, links, boxes, cards = drawn.joined, drawn.links, drawn.boxes, drawn.cards
        group = ET.SubElement(self.root, "g", transform=f"translate({MARGIN:.1f} {self.y:.1f})")
        for item, link in zip(joined, links, strict=True):
            _arrow(group, item, link)
        for node, box in boxes.items():
            asked = graph.head == "select" and node == ANSWER
            self._card(group, node, cards[node], box, asked)
        for item, link in zip(joined, links, strict=True):
            self._label(group, item, link.label)
        self.width, self.y = max(self.width, drawn.width), self.y + drawn.height + 22

    def legend(self, graph: QueryGraph, found: Sequence[Item], grounded: bool) -> None:
        """What the marks mean, those that are there."""
        kinds = {item.kind for item in found}
        said = [
            ("strip: how much an arrow or attribute attends to the word above", grounded),
            ("arrow: from the subject of a predicate to its object", "edge" in kinds),
            ("dashed line: the two must differ", "differ" in kinds),
            ("thick frame: what is asked for", graph.head == "select"),
        ]
        for text, there in said:
            if there:
                self._text(self.root, "pw-note", MARGIN, self.y + NOTE, text)
                self.width = max(self.width, text_width(text, NOTE))
                self.y += 16

    def _word(
        self, i: int, x: float, y: float, wide: float, text: str, rows: Sequence[Item]
    ) -> None:
        best = max(rows, key=lambda item: item.weights[i], default=None)
        if best is not None and best.weights[i] >= 0.01:
            shade = {"fill": _color(best), "fill-opacity": f"{0.4 * best.weights[i]:.3f}"}
            place = Box(x, y + 11, wide + 6, 24)
            _rect(self.root, place, {"class": "pw-shade", "rx": "5"} | shade)
        self._text(self.root, "pw-word", x, y + 16, cut(text, 30))

    def _strip(self, item: Item, x: float, wide: float, i: int, word: str) -> None:
        box = Box(x, self.y + 5, wide + 4, STRIP - 4)
        _rect(self.root, box, {"class": "pw-track", "rx": "2"})
        if item.weights[i] >= 0.01:
            shade = {"fill": _color(item), "fill-opacity": f"{item.weights[i]:.3f}"}
            strip = _rect(self.root, box, {"class": "pw-strip", "rx": "2"} | shade)
            said = f"{item.number} {item.label}: {word} {item.weights[i]:.2f}"
            ET.SubElement(strip, "title").text = said

    def _card(self, into: ET.Element, node: str, card: Card, box: Box, asked: bool) -> None:
        kind = "pw-card" + " pw-entity" * (node[:1] != "?") + " pw-asked" * asked
        group = ET.SubElement(into, "g", {"class": kind, "data-node": clean(node)})
        _rect(group, box, {"rx": "9"})
        y = box.y - box.height / 2 + 21
        self._text(group, "pw-name", box.x, y, card.name)
        if card.note:
            y += 14
            note = self._text(group, "pw-note", box.x, y, card.note)
            note.set("text-anchor", "middle")
        for item in card.attributes:
            y += 19
            left = box.x - box.width / 2 + 10
            self._badge(group, item, left + BADGE, y - 4)
            self._text(group, "pw-text", left + 2 * BADGE + 5, y, attribute(item))

    def _label(self, into: ET.Element, item: Item, box: Box) -> None:
        if item.kind == "differ":
            text = self._text(into, "pw-text pw-halo", box.x, box.y + 4, item.label)
            text.set("text-anchor", "middle")
            return
        left = box.x - box.width / 2
        text = self._text(into, "pw-text pw-halo", left + 2 * BADGE + 4, box.y + 4, short(item))
        ET.SubElement(text, "title").text = item.label
        self._badge(into, item, left + BADGE, box.y)

    def _badge(self, into: ET.Element, item: Item, x: float, y: float) -> None:
        place = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{BADGE:g}", "fill": _color(item)}
        ET.SubElement(into, "circle", {"class": "pw-badge"} | place)
        self._text(into, "pw-number", x, y + 3.4, str(item.number))

    def _text(self, into: ET.Element, kind: str, x: float, y: float, text: str) -> ET.Element:
        element = ET.SubElement(into, "text", {"class": kind}, x=f"{x:.1f}", y=f"{y:.1f}")
        element.text = text
        return element


def _arrow(into: ET.Element, item: Item, link: Link) -> None:
    (ax, ay), (bx, by), (cx, cy), (x, y) = link.curve
    line = f"M{ax:.1f} {ay:.1f}C{bx:.1f} {by:.1f} {cx:.1f} {cy:.1f} {x:.1f} {y:.1f}"
    if item.kind == "differ":
        ET.SubElement(into, "path", {"class": "pw-differ"}, d=line)
        return
    ET.SubElement(into, "path", {"class": "pw-edge", "stroke": _color(item)}, d=line)
    near_x, near_y = link.at(0.94)
    length = max(((x - near_x) ** 2 + (y - near_y) ** 2) ** 0.5, 0.1)
    dx, dy = 9 * (x - near_x) / length, 9 * (y - near_y) / length
    wings = [(x - dx - dy * 0.45, y - dy + dx * 0.45), (x - dx + dy * 0.45, y - dy - dx * 0.45)]
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in [(x, y), *wings])
    ET.SubElement(into, "polygon", {"class": "pw-head", "fill": _color(item)}, points=points)


def _wrapped(words: Sequence[str], width: float) -> list[list[tuple[int, float, float]]]:
    """Lines of (word's number, its middle, its width)."""
    lines: list[list[tuple[int, float, float]]] = []
    at = 0.0
    for i, word in enumerate(words):
        wide = max(text_width(cut(clean(word), 30), WORD), 10.0)
        if not lines or at + wide > width:
            lines.append([])
            at = 0.0
        lines[-1].append((i, at + wide / 2 + 3, wide))
        at += wide + GAP
    return lines


def _attending(rows: Sequence[Item], words: Sequence[int]) -> list[Item]:
    """The items that attend to some of the words, and on the first line those that do nowhere."""

    def there(item: Item) -> bool:
        return max(item.weights[i] for i in words) >= SHOWN

    return [i for i in rows if there(i) or (words[0] == 0 and max(i.weights) < SHOWN)]


def _rect(into: ET.Element, box: Box, more: Mapping[str, str]) -> ET.Element:
    place = {
        "x": f"{box.x - box.width / 2:.1f}",
        "y": f"{box.y - box.height / 2:.1f}",
        "width": f"{box.width:.1f}",
        "height": f"{box.height:.1f}",
    }
    return ET.SubElement(into, "rect", {**more, **place})


def _color(item: Item) -> str:
    return COLORS[(item.number - 1) % len(COLORS)]


def _description(found: Sequence[Item], names: Mapping[str, str]) -> str:
    """The graph in words, for those who cannot see it."""
    said: list[str] = []
    for item in found:
        target = item.target if item.kind == "attribute" else shown(item.target, names)
        number = f"{item.number}: " if item.number else ""
        said.append(f"{number}{shown(item.subject, names)} {item.label} {target}.")
    return " ".join(said)
