"""Where all of a drawn query graph lies, as numbers: for the SVG picture, and for a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from partwise.drawing import clean, cut
from partwise.drawing.canvas import text_width
from partwise.drawing.graph_layout import Box, Link, lay_out
from partwise.drawing.graph_parts import Grounding, Item, items, nodes, shown
from partwise.language.query.graph import ANSWER, QueryGraph

NODE, LABEL, NOTE = 13.0, 12.0, 11.0
"""Text sizes of a node's name, of what stands on an edge, and of notes."""
BADGE = 7.5
"""Radius of a number's disc."""


@dataclass(frozen=True)
class Card:
    """What a node's card says: its name, what stands for it in the question, its attributes."""

    name: str
    note: str
    attributes: tuple[Item, ...]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        lines = [label_width(attribute(item)) for item in self.attributes]
        wide = max(text_width(self.name, NODE) * 1.06, text_width(self.note, NOTE), *lines, 34.0)
        return wide + 24, 32 + 14 * bool(self.note) + 19 * len(self.attributes)


@dataclass(frozen=True)
class Places:
    """A graph that was laid out.

    Attributes:
        joined: edges and pairs that must differ, each with the link of the same place in `links`.
        boxes: of the nodes' cards.
        width, height: to the right and lower end of all.
    """

    cards: Mapping[str, Card]
    joined: Sequence[Item]
    links: Sequence[Link]
    boxes: Mapping[str, Box]
    width: float
    height: float


def place(graph: QueryGraph, names: Mapping[str, str], found: Sequence[Item]) -> Places:
    """Lay out a graph.

    Args:
        names: of nodes, predicates and constants; those without one are shown by their own text.
        found: its items; see `partwise.drawing.graph_parts.items`.
    """
    cards = {node: _card(node, names, found) for node in nodes(graph)}
    joined = [item for item in found if item.kind != "attribute"]
    links = [Link(i.subject, i.target, label_width(short(i))) for i in joined]
    first = ANSWER if graph.head == "select" else None
    boxes = lay_out({node: card.size for node, card in cards.items()}, links, first)
    return Places(cards, joined, links, boxes, *_extent(boxes, links))


def drawing_json(
    graph: QueryGraph, names: Mapping[str, str], words: Sequence[str], grounding: Grounding
) -> dict[str, Any]:
    """A laid-out graph as JSON values; lengths are in pixels from the upper left corner.

    ``items`` are its edges, attributes and pairs that must differ; those with a line have the
    four points of its Bézier ``curve`` and the middle of their ``label_at``. ``weights`` are of
    the words. Each node names its attributes by their numbers.

    Raises:
        QueryError: if a triple has not one weight for each word.
    """
    found = items(graph, names, words, grounding)
    placed = place(graph, names, found)
    lines = {id(item): link for item, link in zip(placed.joined, placed.links, strict=True)}
    return {
        "width": round(placed.width, 1),
        "height": round(placed.height, 1),
        "nodes": [
            _node(node, card, placed.boxes[node], graph) for node, card in placed.cards.items()
        ],
        "items": [_item(item, lines.get(id(item)), names) for item in found],
    }


def _node(node: str, card: Card, box: Box, graph: QueryGraph) -> dict[str, Any]:
    return {
        "id": clean(node),
        "name": card.name,
        "note": card.note,
        "entity": node[:1] != "?",
        "asked": graph.head == "select" and node == ANSWER,
        "attributes": [item.number for item in card.attributes],
        **{side: round(getattr(box, side), 1) for side in ("x", "y", "width", "height")},
    }


def _item(item: Item, link: Link | None, names: Mapping[str, str]) -> dict[str, Any]:
    edge = item.kind != "attribute"
    found: dict[str, Any] = {
        "kind": item.kind,
        "number": item.number,
        "subject": shown(item.subject, names),
        "label": clean(item.label),
        "target": shown(item.target, names) if edge else clean(item.target),
        "weights": [round(weight, 4) for weight in item.weights],
        "curve": None,
        "label_at": None,
    }
    if link is not None:
        found["curve"] = [[round(x, 1), round(y, 1)] for x, y in link.curve]
        found["label_at"] = [round(link.label.x, 1), round(link.label.y, 1)]
    return found


def _card(node: str, names: Mapping[str, str], found: Sequence[Item]) -> Card:
    own = tuple(item for item in found if item.kind == "attribute" and item.subject == node)
    name = shown(node, names)
    note = node if name != clean(node) and not node.startswith("<") else ""
    return Card(cut(name, 34), clean(cut(note, 34)), own)


def _extent(boxes: Mapping[str, Box], links: Sequence[Link]) -> tuple[float, float]:
    """Right and lower end of all that was laid out."""
    corners = [
        (box.x + box.width / 2, box.y + box.height / 2)
        for box in (*boxes.values(), *(link.label for link in links))
    ]
    corners += [link.at(i / 20) for link in links for i in range(21)]
    return max((x for x, _ in corners), default=0.0), max((y for _, y in corners), default=0.0)


def short(item: Item) -> str:
    """The label beside an item's number."""
    return cut(item.label if item.kind != "attribute" else attribute(item), 34)


def attribute(item: Item) -> str:
    """An attribute as its node's card says it."""
    return cut(f"{item.label}: {item.target}", 40)


def label_width(text: str) -> float:
    """Of a label with its number, in pixels."""
    return text_width(text, LABEL) * 1.03 + 2 * BADGE + 6
