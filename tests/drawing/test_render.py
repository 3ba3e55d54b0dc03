"""The one way to draw: by the type of a derivation, as text where nobody registered it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import dataclass

from rich.text import Text

from partwise.chart.semantics import TreeDerivation
from partwise.drawing import draw_json, draw_svg, draw_text, text_lines
from partwise.drawing.render import Terminal
from partwise.graph.derivation import GraphDerivation
from partwise.language.query_graph import QueryGraph, Triple

GRAPH = QueryGraph("select", frozenset({Triple("?x0", "wrote", "M0")}))


@dataclass(frozen=True)
class Neighbour:
    """What a parser of another package may give."""

    question: str

    def __str__(self) -> str:
        return f"as in\n{self.question}"


def test_what_nobody_registered_is_shown_as_text() -> None:
    odd = Neighbour("a<b> \x1b[2J…")
    assert draw_text(odd, width=80, color=False) == "as in\na<b> �[2J…"
    assert draw_json(odd) == {"text": str(odd)}
    picture = draw_svg(odd)
    assert "\x1b" not in picture
    texts = [e.text for e in ET.fromstring(picture).iter() if e.tag.endswith("text")]
    assert texts == ["as in", "a<b> �[2J…"]


def test_a_plug_in_registers_its_own() -> None:
    class Mine(Neighbour):
        pass

    @text_lines.register(Mine)
    def _(derivation: Mine, terminal: Terminal) -> list[Text]:
        return [Text(terminal.text(derivation.question), "bold")]

    assert draw_text(Mine("who"), width=80, color=False) == "who"


def test_trees_and_graphs_as_json(rivers: TreeDerivation) -> None:
    tree = draw_json(TreeDerivation(rivers.node, rivers.words, {(0, 9): 1.5, (1, 9): float("nan")}))
    assert (tree["start"], tree["end"], tree["score"]) == (0, 9, 1.5)
    (below,) = tree["children"]
    assert (below["words"], below["score"], below["kind"]) == (
        *("rivers run through the states bordering Texas?", None, "join"),
    )
    graph = json.loads(json.dumps(draw_json(GraphDerivation(GRAPH, {"M0": "Salt"}, ["who"]))))
    assert [node["name"] for node in graph["nodes"]] == ["?x0", "Salt"]
    assert [node["asked"] for node in graph["nodes"]] == [True, False]
    (item,) = graph["items"]
    assert (item["label"], item["target"], item["weights"]) == ("wrote", "Salt", [0.0])
    assert len(item["curve"]) == 4
