"""A query graph in the terminal: one line for each edge, with the words that ground it.

asks for ?x0, where
  ?x0 ──directed by──▶ Ada Boon   directed 0.83, by 0.10
  ?x0 ──is a─────────▶ film       film 0.97
  ?x0 ≠ Night Ferry
nodes: ?x0, M0 Ada Boon, M1 Night Ferry
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from partwise.drawing.graph_parts import Diagram
from partwise.drawing.render import text_lines
from partwise.drawing.terminal import Terminal
from partwise.graph.derivation import GraphDerivation

NAME, PREDICATE = 32, 40
"""Most columns of a node's name and of a predicate."""


@text_lines.register
def graph_lines(derivation: GraphDerivation, terminal: Terminal) -> Iterator[Text]:
    """The lines of a query graph."""
    diagram = Diagram(derivation)
    asked = diagram.asked
    yield Text(f"asks for {asked}, where" if asked is not None else "asks whether")
    nodes = {
        node: Text(
            terminal.cut(diagram.name(node), NAME), "cyan" if node.startswith("?") else "magenta"
        )
        for node in diagram.nodes
    }
    left = max((nodes[item.subject].cell_len for item in diagram.items), default=0)
    rows = [item for item in diagram.items if item.kind != "differ"]
    labels = [terminal.cut(item.label, PREDICATE) for item in rows]
    targets = [
        nodes[item.target]
        if item.kind == "edge"
        else Text(terminal.cut(item.names[1], NAME), "magenta")
        for item in rows
    ]
    middle = max(map(cell_len, labels), default=0)
    right = max((target.cell_len for target in targets), default=0)
    for item, label, target in zip(rows, labels, targets, strict=True):
        line = Text.assemble("  ", _padded(nodes[item.subject], left))
        line.append(terminal.text(f" ──{label}{'─' * (middle - cell_len(label) + 2)}▶ "))
        best = ", ".join(f"{terminal.text(w)} {p:.2f}" for w, p in item.best(derivation.words))
        line.append_text(_padded(target, right + 3) if best else target)
        yield line.append(best, "dim")
    for item in diagram.items[len(rows) :]:
        subject = _padded(nodes[item.subject], left)
        yield Text.assemble("  ", subject, terminal.text(" ≠ "), nodes[item.target])
    if nodes:
        notes = ((diagram.note(node), name) for node, name in nodes.items())
        listed = [
            Text.assemble(terminal.text(f"{note} " if note else ""), name) for note, name in notes
        ]
        yield Text.assemble("nodes: ", Text(", ").join(listed))


def _padded(text: Text, width: int) -> Text:
    return Text.assemble(text, " " * (width - text.cell_len))
