"""A query graph as a picture: the question with its grounding, the graph below.

Each edge and attribute has a number and a colour. Under the question's words it has a strip, the
darker the more it attends to the word; in the graph it is an arrow, or a line in its node's card.
Pairs of nodes that must differ are joined by a dashed line.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from partwise.drawing.canvas import MARGIN, NOTE, WORD, Box, Canvas, Picture, text_width
from partwise.drawing.graph_layout import GraphLink
from partwise.drawing.graph_places import BADGE, GraphLayout, caption, label_width
from partwise.drawing.graphs import SHOWN, Card, Diagram, Item
from partwise.drawing.render import draw_svg
from partwise.drawing.texts import clean, cut
from partwise.graph.derivation import GraphDerivation

PAGE = 1080.0
"""Width of a line of words."""
STRIP, GAP = 14.0, 9.0
"""Height of a strip, space between words."""
COLORS = ("#2f6fde", "#d9622b", "#2a9461", "#a04fd0", "#cf3f74", "#1295a8", "#94800f", "#7d6a5c")
"""Of items, by number; readable on light and dark."""


@draw_svg.register
def graph_svg(derivation: GraphDerivation) -> Picture:
    """The picture of a query graph."""
    return _GraphPainter(Diagram(derivation), bool(derivation.grounding)).picture()


class _GraphPainter:
    """Writes from top to bottom; the height and width grow with what is written."""

    def __init__(self, diagram: Diagram, grounded: bool) -> None:
        self.diagram, self.words = diagram, diagram.words
        self.rows = [item for item in diagram.items if grounded and item.kind != "differ"]
        self.canvas = Canvas()
        self.y, self.width = MARGIN, 0.0

    def picture(self) -> Picture:
        """The whole picture, described for those who cannot see it."""
        self._question()
        self._graph()
        self._legend()
        said = [
            f"{item.number}: " * bool(item.number)
            + f"{item.names[0]} {item.label} {item.names[1]}."
            for item in self.diagram.items
        ]
        size, title = (self.width + 2 * MARGIN, self.y + MARGIN), " ".join(self.words)
        return self.canvas.picture(*size, f"Query graph of “{title}”", " ".join(said))

    def _question(self) -> None:
        """The words in lines, under each line a strip for each item that attends to it."""
        side = MARGIN + max((label_width(item) + 14 for item in self.rows), default=0.0)
        for line in _wrapped(self.words, side, PAGE + MARGIN):
            for i, x, wide in line:
                best = max(self.rows, key=lambda item: item.weights[i], default=None)
                if best is not None:
                    box = Box(x, self.y + 11, wide + 6, 24)
                    self._shade("pw-shade", box, 5, best, i, 0.4)
                self.canvas.text("pw-word", x, self.y + 16, cut(self.words[i], 30))
            self.width = max(self.width, line[-1][1] - MARGIN + line[-1][2] / 2)
            self.y += 28
            for item in _attending(self.rows, [i for i, _, _ in line]):
                _badge(self.canvas, item, MARGIN + BADGE, self.y + 5)
                note = MARGIN + 2 * BADGE + 5, self.y + 9
                self.canvas.text("pw-note", *note, caption(item))
                for i, x, wide in line:
                    box = Box(x, self.y + 5, wide + 4, STRIP - 4)
                    self.canvas.rect("pw-track", box, 2)
                    self._shade("pw-strip", box, 2, item, i)
                self.y += STRIP
            self.y += 16
        self.y += 10

    def _shade(
        self, kind: str, box: Box, corner: float, item: Item, word: int, most: float = 1.0
    ) -> None:
        """A rectangle as dark as an item attends to a word, if it does."""
        weight = item.weights[word]
        if weight >= 0.01:
            dark = {"fill": _color(item), "fill_opacity": f"{most * weight:.3f}"}
            shade = self.canvas.rect(kind, box, corner, **dark)
            shade.title(f"{item.number} {item.label}: {self.words[word]} {weight:.2f}")

    def _graph(self) -> None:
        """The nodes' cards and the arrows between them."""
        places = GraphLayout(self.diagram)
        group = self.canvas.add("g", transform=f"translate({MARGIN:.1f} {self.y:.1f})")
        for item, link in places.lines:
            _arrow(group, item, link)
        for node, box in places.boxes.items():
            _card(group, node, self.diagram.cards[node], box)
        for item, link in places.lines:
            _label(group, item, link.label)
        self.width, self.y = max(self.width, places.width), self.y + places.height + 22

    def _legend(self) -> None:
        """What the marks mean, those that are there."""
        kinds = {item.kind for item in self.diagram.items}
        legend = (
            ("strip: how much an arrow or attribute attends to the word above", bool(self.rows)),
            ("arrow: from the subject of a predicate to its object", "edge" in kinds),
            ("dashed line: the two must differ", "differ" in kinds),
            ("thick frame: what is asked for", self.diagram.asked is not None),
        )
        for text in (text for text, drawn in legend if drawn):
            self.canvas.text("pw-note", MARGIN, self.y + NOTE, text)
            self.width = max(self.width, text_width(text, NOTE))
            self.y += 16


def _card(into: Canvas, node: str, card: Card, box: Box) -> None:
    kind = "pw-card" + " pw-entity" * card.entity + " pw-asked" * card.asked
    group = into.add("g", kind, data_node=clean(node))
    group.rect("", box, 9)
    y = box.y - box.height / 2 + 21
    group.text("pw-name", box.x, y, card.name)
    if card.note:
        y += 14
        group.text("pw-note pw-middle-text", box.x, y, card.note)
    for item in card.attributes:
        y += 19
        left = box.x - box.width / 2 + 10
        _badge(group, item, left + BADGE, y - 4)
        group.text("pw-text", left + 2 * BADGE + 5, y, caption(item))


def _label(into: Canvas, item: Item, box: Box) -> None:
    if item.kind == "differ":
        into.text("pw-text pw-halo pw-middle-text", box.x, box.y + 4, item.label)
        return
    left = box.x - box.width / 2
    text = into.text("pw-text pw-halo", left + 2 * BADGE + 4, box.y + 4, caption(item))
    text.title(item.label)
    _badge(into, item, left + BADGE, box.y)


def _badge(into: Canvas, item: Item, x: float, y: float) -> None:
    into.add("circle", "pw-badge", cx=x, cy=y, r=BADGE, fill=_color(item))
    into.text("pw-number", x, y + 3.4, str(item.number))


def _arrow(into: Canvas, item: Item, link: GraphLink) -> None:
    (ax, ay), (bx, by), (cx, cy), (x, y) = link.curve
    line = f"M{ax:.1f} {ay:.1f}C{bx:.1f} {by:.1f} {cx:.1f} {cy:.1f} {x:.1f} {y:.1f}"
    if item.kind == "differ":
        into.add("path", "pw-differ", d=line)
        return
    into.add("path", "pw-edge", d=line, stroke=_color(item))
    near_x, near_y = link.at(0.94)
    length = max(hypot(x - near_x, y - near_y), 0.1)
    dx, dy = 9 * (x - near_x) / length, 9 * (y - near_y) / length
    wings = [(x - dx - dy * 0.45, y - dy + dx * 0.45), (x - dx + dy * 0.45, y - dy - dx * 0.45)]
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in [(x, y), *wings])
    into.add("polygon", "pw-head", fill=_color(item), points=points)


def _wrapped(
    words: Sequence[str], left: float, right: float
) -> list[list[tuple[int, float, float]]]:
    """Lines of (word's number, its middle, its width) between two sides."""
    lines: list[list[tuple[int, float, float]]] = []
    at = left
    for i, word in enumerate(words):
        wide = max(text_width(cut(word, 30), WORD), 10.0)
        if not lines or at + wide > right:
            lines.append([])
            at = left
        lines[-1].append((i, at + wide / 2 + 3, wide))
        at += wide + GAP
    return lines


def _attending(rows: Sequence[Item], words: Sequence[int]) -> list[Item]:
    """The items that attend to some of the words, and on the first line those that do nowhere."""
    return [
        item
        for item in rows
        if max(item.weights[i] for i in words) >= SHOWN
        or (words[0] == 0 and max(item.weights) < SHOWN)
    ]


def _color(item: Item) -> str:
    return COLORS[(item.number - 1) % len(COLORS)]
