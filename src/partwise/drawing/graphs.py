"""Query graphs as they are drawn: numbered items with names; and their lines in the terminal.

asks for ?x0, where
  ?x0 ──directed by──▶ Ada Boon   directed 0.83, by 0.10
  ?x0 ──is a─────────▶ film       film 0.97
  ?x0 ≠ Night Ferry
nodes: ?x0, M0 Ada Boon, M1 Night Ferry
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.text import Text

from partwise.drawing.render import Terminal, text_lines
from partwise.drawing.texts import clean, cut
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
class Item:
    """An edge, an attribute or a pair of nodes that must differ.

    Attributes:
        number: from 1, in the order of the words that ground the items; pairs that must differ
            come last and have 0.
        label: of its predicate.
        target: the other node of an edge or pair; the constant of an attribute.
        names: how subject and target are shown.
        weights: one for each word, from 0 to 1.
    """

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

    Attributes:
        note: what stands for it in the question, if its name is another and it is no IRI.
    """

    name: str
    note: str
    attributes: tuple[Item, ...]
    entity: bool
    asked: bool


class Diagram:
    """What is drawn of a query graph.

    Attributes:
        asked: the node that is asked for; None for a question of yes or no.
        items: edges and attributes in the order of their words, then the pairs that must differ.
        cards: of the nodes: what is asked for first, then entities, then variables.
    """

    def __init__(self, derivation: GraphDerivation) -> None:
        self.names, graph = derivation.names, derivation.graph
        self.words = [clean(word) for word in derivation.words]
        self.asked = ANSWER if graph.head == "select" else None
        weights = {triple: derivation.weights(triple) for triple in graph}
        self.items: list[Item] = []
        for triple in sorted(graph, key=lambda triple: (_place(weights[triple]), triple)):
            kind: Literal["edge", "attribute"] = "edge" if triple in graph.edges else "attribute"
            subject, label, target = triple
            names, number = (self.name(subject), self.name(target)), len(self.items) + 1
            own = weights[triple]
            self.items.append(Item(kind, number, subject, self.name(label), target, names, own))
        for one, other in sorted(graph.filters):
            names, nothing = (self.name(one), self.name(other)), (0.0,) * len(self.words)
            self.items.append(Item("differ", 0, one, "≠", other, names, nothing))
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
        """A name if there is one; else the text without prefixes and the fronts of its IRIs."""
        name = self.names.get(text, "")
        if name.strip():
            return clean(name)
        short = _IRI.sub(lambda iri: re.split(r"[/#]", iri[1].rstrip("/#"))[-1], text)
        return clean(_PREFIX.sub("", short))


def _place(weights: Sequence[float]) -> int:
    """The word that grounds a triple most; after all words if none does."""
    best = max(weights, default=0.0)
    return list(weights).index(best) if best >= SHOWN else len(weights)


@text_lines.register
def graph_lines(derivation: GraphDerivation, terminal: Terminal) -> Iterator[Text]:
    """The lines of a query graph: one for each item, and one for the nodes."""
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
    """A line for each edge, attribute and pair that must differ, in columns."""
    rows: list[tuple[Item, str, Text]] = []
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
        line = Text("  ").append_text(_padded(nodes[item.subject], left))
        line.append(terminal.text(f" {'≠' if item.kind == 'differ' else arrow} "))
        best = sorted(enumerate(item.weights), key=lambda pair: (-pair[1], pair[0]))[:WORDS]
        words = [f"{diagram.words[i]} {weight:.2f}" for i, weight in best if weight >= SHOWN]
        line.append_text(_padded(target, right) if words else target)
        yield line.append(terminal.text(", ".join(words)), "dim")


def _padded(text: Text, width: int) -> Text:
    return Text.assemble(text, " " * (width - text.cell_len))
