"""Where all of a drawn query graph lies, as numbers: for the picture, and for a page."""

from __future__ import annotations

from typing import Any

from partwise.drawing.canvas import LABEL, NODE, NOTE, text_width
from partwise.drawing.graph_layout import GraphLink, extent, lay_out
from partwise.drawing.graphs import MOST, Card, Diagram, Item
from partwise.drawing.render import draw_json
from partwise.drawing.texts import clean, cut
from partwise.graph.derivation import GraphDerivation

BADGE = 7.5
"""Radius of a number's disc."""


class GraphLayout:
    """A graph that was laid out.

    Attributes:
        boxes: of the nodes.
        lines: edges and pairs that must differ, each with its link.
        width, height: to the right and lower end of all.
    """

    def __init__(self, diagram: Diagram) -> None:
        joined = [item for item in diagram.items if item.kind != "attribute"]
        links = [GraphLink(item.subject, item.target, label_width(item)) for item in joined]
        sizes = {node: _size(card) for node, card in diagram.cards.items()}
        self.boxes = lay_out(sizes, links, diagram.asked)
        self.lines = list(zip(joined, links, strict=True))
        _, _, self.width, self.height = extent(self.boxes, links)


def _size(card: Card) -> tuple[float, float]:
    """Width and height."""
    lines = [label_width(item) for item in card.attributes]
    wide = max(text_width(card.name, NODE) * 1.06, text_width(card.note, NOTE), *lines, 34.0)
    return wide + 24, 32 + 14 * bool(card.note) + 19 * len(card.attributes)


def caption(item: Item) -> str:
    """What stands beside an item's number: the label of an edge, an attribute with its value."""
    if item.kind == "attribute":
        return cut(f"{item.label}: {item.names[1]}", 40)
    return cut(item.label, MOST)


def label_width(item: Item) -> float:
    """Of an item's caption with its number, in pixels."""
    return text_width(caption(item), LABEL) * 1.03 + 2 * BADGE + 6


@draw_json.register
def graph_json(derivation: GraphDerivation) -> dict[str, Any]:
    """A laid-out graph as JSON values; lengths are in pixels from the upper left corner.

    ``items`` are its edges, attributes and pairs that must differ; those with a line have the
    four points of its Bézier ``curve`` and the middle of their ``label_at``. ``weights`` are of
    the words. Each node names its attributes by their numbers.
    """
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
