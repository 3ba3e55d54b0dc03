"""A query graph in the terminal: one line for each edge, with the words that ground it.

asks for ?x0, where
  ?x0 ──directed by──▶ Ada Boon   directed 0.83, by 0.10
  ?x0 ──is a─────────▶ film       film 0.97
  ?x0 ≠ Night Ferry
nodes: ?x0, M0 Ada Boon, M1 Night Ferry
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.cells import cell_len
from rich.text import Text

from partwise.drawing.graph_parts import Diagram, Item
from partwise.drawing.render import text_lines
from partwise.drawing.terminal import Terminal
from partwise.graph.derivation import GraphDerivation

NAME, PREDICATE = 32, 40
"""Most columns of a node's name and of a predicate."""


@text_lines.register
def graph_lines(derivation: GraphDerivation, terminal: Terminal) -> Iterator[Text]:
    """The lines of a query graph."""
    diagram = Diagram(derivation)
    yield Text("asks whether" if diagram.asked is None else f"asks for {diagram.asked}, where")
    nodes = {
        node: Text(terminal.cut(diagram.name(node), NAME), "cyan" if node[0] == "?" else "magenta")
        for node in diagram.nodes
    }
    yield from _items(diagram, nodes, terminal)
    notes = {node: terminal.text(diagram.note(node)) for node in nodes}
    listed = [
        Text(f"{notes[node]} " * bool(notes[node])).append_text(nodes[node]) for node in nodes
    ]
    if listed:
        yield Text("nodes: ").append_text(Text(", ").join(listed))


def _items(diagram: Diagram, nodes: Mapping[str, Text], terminal: Terminal) -> Iterator[Text]:
    """A line for each edge, attribute and pair that must differ, in columns."""
    rows = [
        (item, terminal.cut(item.label, PREDICATE), _target(item, nodes, terminal))
        for item in diagram.items
    ]
    drawn = [row for row in rows if row[0].kind != "differ"]
    left = max((nodes[item.subject].cell_len for item in diagram.items), default=0)
    middle = max((cell_len(label) for _, label, _ in drawn), default=0) + 2
    right = max((target.cell_len for _, _, target in drawn), default=0) + 3
    for item, label, target in rows:
        arrow = f"──{label}{'─' * (middle - cell_len(label))}▶"
        line = Text("  ").append_text(_padded(nodes[item.subject], left))
        line.append(terminal.text(f" {'≠' if item.kind == 'differ' else arrow} "))
        best = item.best(diagram.derivation.words)
        line.append_text(_padded(target, right) if best else target)
        yield line.append(terminal.text(", ".join(f"{word} {p:.2f}" for word, p in best)), "dim")


def _target(item: Item, nodes: Mapping[str, Text], terminal: Terminal) -> Text:
    if item.kind == "attribute":
        return Text(terminal.cut(item.names[1], NAME), "magenta")
    return nodes[item.target]


def _padded(text: Text, width: int) -> Text:
    return Text.assemble(text, " " * (width - text.cell_len))
