"""Query graphs: in the terminal, as a picture, and as numbers for a page.

    asks for ?x0, where
      ?x0 ──directed by──▶ Ada Boon   directed 0.83, by 0.10
      ?x0 ──is a─────────▶ film       film 0.97
      ?x0 ≠ Night Ferry
    nodes: ?x0, M0 Ada Boon, M1 Night Ferry

In a picture each edge and attribute has a number and a colour. Under the question's words it has a
strip, the darker the more it attends to the word; in the graph it is an arrow, or a line in its
node's card. Pairs of nodes that must differ are joined by a dashed line.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any, Literal

from rich.cells import cell_len
from rich.text import Text

from partwise.drawing.canvas import (
    LABEL,
    MARGIN,
    NODE,
    NOTE,
    WORD,
    Box,
    Canvas,
    Picture,
    text_width,
)
from partwise.drawing.graph_layout import GraphLink, extent, lay_out
from partwise.drawing.render import Terminal, clean, cut, draw_json, draw_svg, text_lines
from partwise.graph.derivation import GraphDerivation
from partwise.language.query_graph import ANSWER

SHOWN = 0.05
"""Weights below are not named."""
MOST = 34
"""Characters of a name, at most."""
NAME, PREDICATE, WORDS = 32, 40, 3
"""Most columns of a node's name and of a predicate in the terminal, and words of an item."""
_IRI = re.compile(r"<([^<>]*)>")
_PREFIX = re.compile(r"(?<![\w.-])[\w.-]*:(?=[\w%])")


@dataclass(frozen=True)
class GraphPart:
    """An edge, an attribute or a pair of nodes that must differ. `number` counts from 1 in the
    order of the words that ground the items, 0 for pairs; `target` is the other node or the
    constant of an attribute, `names` how subject and target are shown, and `weights` are of the
    words."""

    kind: Literal["edge", "attribute", "differ"]
    number: int
    subject: str
    label: str
    target: str
    names: tuple[str, str]
    weights: tuple[float, ...]


@dataclass(frozen=True)
class Card:
    """What is said of a node: its name, its attributes, whether it is an entity or asked for.
    `note`: what stands for it in the question, if its name is another and it is no IRI."""

    name: str
    note: str
    attributes: tuple[GraphPart, ...]
    entity: bool
    asked: bool


class Diagram:
    """What is drawn of a query graph: the node that is asked for, if any, `items` in the order of
    their words, then pairs that must differ, and the `cards` of nodes."""

    def __init__(self, derivation: GraphDerivation) -> None:
        self.names, graph = derivation.names, derivation.graph
        self.words = [clean(word) for word in derivation.words]
        self.asked = ANSWER if graph.head == "select" else None
        weights = {triple: derivation.weights(triple) for triple in graph}
        self.items: list[GraphPart] = []
        for triple in sorted(graph, key=lambda triple: (_place(weights[triple]), triple)):
            kind: Literal["edge", "attribute"] = "edge" if triple in graph.edges else "attribute"
            subject, label, target = triple
            names, number = (self.name(subject), self.name(target)), len(self.items) + 1
            own = weights[triple]
            self.items.append(
                GraphPart(kind, number, subject, self.name(label), target, names, own)
            )
        for one, other in sorted(graph.filters):
            names, nothing = (self.name(one), self.name(other)), (0.0,) * len(self.words)
            self.items.append(GraphPart("differ", 0, one, "≠", other, names, nothing))
        known = graph.nodes | {end for pair in graph.filters for end in pair}
        order = sorted(known, key=lambda n: (n != self.asked, n[:1] == "?", len(n), n))
        self.cards = {node: self._card(node) for node in order}

    def _card(self, node: str) -> Card:
        name, text = self.name(node), clean(node)
        note = text if name != text and not node.startswith("<") else ""
        own = (item for item in self.items if item.kind == "attribute" and item.subject == node)
        entity, asked = node[:1] != "?", node == self.asked
        return Card(cut(name, MOST), cut(note, MOST), tuple(own), entity, asked)

    def name(self, text: str) -> str:
        name = self.names.get(text, "")
        if name.strip():
            return clean(name)
        short = _IRI.sub(lambda iri: re.split(r"[/#]", iri[1].rstrip("/#"))[-1], text)
        return clean(_PREFIX.sub("", short))


def _place(weights: Sequence[float]) -> int:
    best = max(weights, default=0.0)
    return list(weights).index(best) if best >= SHOWN else len(weights)


@text_lines.register
def graph_lines(derivation: GraphDerivation, terminal: Terminal) -> Iterator[Text]:
    diagram = Diagram(derivation)
    yield Text("asks whether" if diagram.asked is None else f"asks for {diagram.asked}, where")
    nodes = {
        node: Text(terminal.cut(card.name, NAME), "magenta" if card.entity else "cyan")
        for node, card in diagram.cards.items()
    }
    yield from _items(diagram, nodes, terminal)
    if nodes:
        notes = (f"{card.note} " if card.note else "" for card in diagram.cards.values())
        named = zip(notes, nodes.values(), strict=True)
        listed = [Text(terminal.text(note)).append_text(name) for note, name in named]
        yield Text("nodes: ").append_text(Text(", ").join(listed))


def _items(diagram: Diagram, nodes: Mapping[str, Text], terminal: Terminal) -> Iterator[Text]:
    rows: list[tuple[GraphPart, str, Text]] = []
    for item in diagram.items:
        value = Text(terminal.cut(item.names[1], NAME), "magenta")
        target = value if item.kind == "attribute" else nodes[item.target]
        rows.append((item, terminal.cut(item.label, PREDICATE), target))
    drawn = [row for row in rows if row[0].kind != "differ"]
    left = max((nodes[item.subject].cell_len for item, _, _ in rows), default=0)
    middle = max((cell_len(label) for _, label, _ in drawn), default=0) + 2
    right = max((target.cell_len for _, _, target in drawn), default=0) + 3
    for item, label, target in rows:
        arrow = f"──{label}{'─' * (middle - cell_len(label))}▶"
        line = Text("  ").append_text(_pad(nodes[item.subject], left))
        line.append(terminal.text(f" {'≠' if item.kind == 'differ' else arrow} "))
        best = sorted(enumerate(item.weights), key=lambda pair: (-pair[1], pair[0]))[:WORDS]
        words = [f"{diagram.words[i]} {weight:.2f}" for i, weight in best if weight >= SHOWN]
        line.append_text(_pad(target, right) if words else target)
        yield line.append(terminal.text(", ".join(words)), "dim")


def _pad(text: Text, width: int) -> Text:
    return Text.assemble(text, " " * (width - text.cell_len))


BADGE = 7.5
"""Radius of a number's disc."""


class GraphLayout:
    """A graph that was laid out: the boxes of nodes, and `lines` with their links."""

    def __init__(self, diagram: Diagram) -> None:
        joined = [item for item in diagram.items if item.kind != "attribute"]
        links = [GraphLink(item.subject, item.target, label_width(item)) for item in joined]
        sizes: dict[str, tuple[float, float]] = {}
        for node, card in diagram.cards.items():
            lines = [label_width(item) for item in card.attributes]
            texts = text_width(card.name, NODE) * 1.06, text_width(card.note, NOTE)
            wide = max(*texts, *lines, 34.0)
            sizes[node] = wide + 24, 32 + 14 * bool(card.note) + 19 * len(lines)
        self.boxes = lay_out(sizes, links, diagram.asked)
        self.lines = list(zip(joined, links, strict=True))
        _, _, self.width, self.height = extent(self.boxes, links)


def caption(item: GraphPart) -> str:
    """What stands beside an item's number: the label of an edge, an attribute with its value."""
    if item.kind == "attribute":
        return cut(f"{item.label}: {item.names[1]}", 40)
    return cut(item.label, MOST)


def label_width(item: GraphPart) -> float:
    return text_width(caption(item), LABEL) * 1.03 + 2 * BADGE + 6


@draw_json.register
def graph_json(derivation: GraphDerivation) -> dict[str, Any]:
    """A laid-out graph as JSON values; lengths are in pixels from the upper left corner. ``items``
    are its edges, attributes and pairs that must differ; those with a line have the four points of
    its Bézier ``curve`` and the middle of their ``label_at``. ``weights`` are of the words. Each
    node names its attributes by their numbers."""
    diagram = Diagram(derivation)
    places = GraphLayout(diagram)
    links = {id(item): link for item, link in places.lines}
    nodes = [
        {
            **vars(card),
            "id": clean(node),
            "attributes": [item.number for item in card.attributes],
            **{side: round(value, 1) for side, value in vars(places.boxes[node]).items()},
        }
        for node, card in diagram.cards.items()
    ]
    items = [
        {
            "kind": item.kind,
            "number": item.number,
            "subject": item.names[0],
            "label": item.label,
            "target": item.names[1],
            "weights": [round(weight, 4) for weight in item.weights],
            "curve": link and [[round(x, 1), round(y, 1)] for x, y in link.curve],
            "label_at": link and [round(link.label.x, 1), round(link.label.y, 1)],
        }
        for item, link in ((item, links.get(id(item))) for item in diagram.items)
    ]
    size = {"width": round(places.width, 1), "height": round(places.height, 1)}
    return {**size, "nodes": nodes, "items": items}


PAGE = 1080.0
"""Width of a line of words."""
STRIP, GAP = 14.0, 9.0
"""Height of a strip, space between words."""
COLORS = ("#2f6fde", "#d9622b", "#2a9461", "#a04fd0", "#cf3f74", "#1295a8", "#94800f", "#7d6a5c")
"""Of items, by number; readable on light and dark."""


@draw_svg.register
def graph_svg(derivation: GraphDerivation) -> Picture:
    return _GraphPainter(Diagram(derivation), bool(derivation.grounding)).picture()


class _GraphPainter:
    """Writes from top to bottom; the height and width grow with what is written."""

    def __init__(self, diagram: Diagram, grounded: bool) -> None:
        self.diagram, self.words = diagram, diagram.words
        self.rows = [item for item in diagram.items if grounded and item.kind != "differ"]
        self.canvas = Canvas()
        self.y, self.width = MARGIN, 0.0

    def picture(self) -> Picture:
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
        for line in _wrap(self.words, side, PAGE + MARGIN):
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
        self, kind: str, box: Box, corner: float, item: GraphPart, word: int, most: float = 1.0
    ) -> None:
        weight = item.weights[word]
        if weight >= 0.01:
            dark = {"fill": _color(item), "fill_opacity": f"{most * weight:.3f}"}
            shade = self.canvas.rect(kind, box, corner, **dark)
            shade.title(f"{item.number} {item.label}: {self.words[word]} {weight:.2f}")

    def _graph(self) -> None:
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


def _label(into: Canvas, item: GraphPart, box: Box) -> None:
    if item.kind == "differ":
        into.text("pw-text pw-halo pw-middle-text", box.x, box.y + 4, item.label)
        return
    left = box.x - box.width / 2
    text = into.text("pw-text pw-halo", left + 2 * BADGE + 4, box.y + 4, caption(item))
    text.title(item.label)
    _badge(into, item, left + BADGE, box.y)


def _badge(into: Canvas, item: GraphPart, x: float, y: float) -> None:
    into.add("circle", "pw-badge", cx=x, cy=y, r=BADGE, fill=_color(item))
    into.text("pw-number", x, y + 3.4, str(item.number))


def _arrow(into: Canvas, item: GraphPart, link: GraphLink) -> None:
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


def _wrap(words: Sequence[str], left: float, right: float) -> list[list[tuple[int, float, float]]]:
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


def _attending(rows: Sequence[GraphPart], words: Sequence[int]) -> list[GraphPart]:
    """The items that attend to some of the words, and on the first line those that do nowhere."""
    return [
        item
        for item in rows
        if max(item.weights[i] for i in words) >= SHOWN
        or (words[0] == 0 and max(item.weights) < SHOWN)
    ]


def _color(item: GraphPart) -> str:
    return COLORS[(item.number - 1) % len(COLORS)]
