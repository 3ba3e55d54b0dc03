"""What all drawings share: the canvas, the terminal, tables."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
from dataclasses import dataclass

import pytest
from rich.text import Text

from partwise.chart.semantics import TreeDerivation
from partwise.drawing import draw_json, draw_svg, draw_table, draw_text, text_lines
from partwise.drawing.canvas import Box, Canvas, Picture, text_width
from partwise.drawing.render import Terminal
from partwise.graph.derivation import GraphDerivation
from partwise.interface.prediction import Cell, Explanation, ResultTable
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


NS = "{http://www.w3.org/2000/svg}"


def test_elements_are_written_at_their_places() -> None:
    canvas = Canvas()
    group = canvas.add("g", "pw-card", data_node="a<b")
    group.rect("", Box(20.0, 30.0, 10.0, 8.0), 3, fill_opacity="0.500")
    group.text("pw-text", 5, 6.25, "x & y").title("more")
    root = ET.fromstring(canvas.picture(100.4, 50, "A title", "In words."))
    assert (root.get("width"), root.get("height")) == ("100", "50")
    assert root.get("viewBox") == "0 0 100 50"
    assert [root.findtext(f"{NS}{tag}") for tag in ("title", "desc")] == ["A title", "In words."]
    (drawn,) = root.findall(f"{NS}g")
    assert drawn.attrib == {"class": "pw-card", "data-node": "a<b"}
    rect, text = drawn
    assert [rect.get(side) for side in ("x", "y", "width", "height")] == [
        *("15.0", "26.0", "10.0", "8.0"),
    ]
    assert rect.get("fill-opacity") == "0.500"
    assert "class" not in rect.attrib
    assert (text.text, text.get("y"), text.findtext(f"{NS}title")) == ("x & y", "6.2", "more")


def test_a_picture_shows_itself_in_notebooks() -> None:
    picture = Canvas().picture(10, 10, "Nothing")
    assert isinstance(picture, Picture)
    assert picture._repr_svg_() == picture
    assert "<desc>" not in picture


def test_widths_of_texts() -> None:
    assert text_width("", 12) == 0
    assert text_width("il", 10) < text_width("ab", 10) < text_width("MW", 10)
    assert text_width("ab", 10, mono=True) == text_width("il", 10, mono=True)
    assert text_width("川", 10) > text_width("M", 10)


@pytest.mark.parametrize(("encoding", "ascii_alone"), [("utf-8", False), ("latin-1", True)])
def test_a_terminal_knows_its_stream(encoding: str, ascii_alone: bool) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    assert Terminal.of(40, False, stream) == Terminal(40, False, ascii_alone)
    # A stream without an encoding, as of a test, can show all.
    assert not Terminal.of(40, False, io.StringIO()).ascii


def test_no_color_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Terminal.of(40, True, None).color
    monkeypatch.delenv("NO_COLOR")
    assert Terminal.of(40, True, None).color


def test_texts_in_ascii() -> None:
    plain = Terminal(40, False, True)
    assert plain.text("├─ φ ▶ ≠ é…") == "|- - > != ?..."
    assert plain.dots == "..."
    assert plain.cut("abcdefgh", 6) == "abc..."
    assert Terminal(40, False, False).text("a\x1b[2Jé") == "a�[2Jé"


@pytest.mark.parametrize("ascii_alone", [True, False])
def test_lines_are_cut_at_the_width(ascii_alone: bool) -> None:
    terminal = Terminal(10, False, ascii_alone)
    shown = terminal.show([Text("0123456789"), Text("0123456789a"), Text("")])
    cut = "0123456..." if ascii_alone else "012345678…"
    assert shown == f"0123456789\n{cut}"


SAID = Explanation("", "")


def drawn(*rows: tuple[Cell, ...], shown: int = 50, width: int = 40) -> list[str]:
    table = ResultTable(("name", "height"), rows, SAID)
    return draw_table(table, width, color=False, shown=shown).splitlines()


def test_figures_stand_to_the_right_under_their_heading() -> None:
    head, rule, *rows = drawn(("Ada", 1.5), ("Bob", 10), ("Eve", None))
    assert head.split() == ["name", "height"]
    assert set(rule.strip()) == {"─"}
    assert [row.rstrip() for row in rows] == [" Ada       1.5", " Bob        10", " Eve"]


def test_further_rows_are_counted() -> None:
    lines = drawn(*((f"p{number}", number) for number in range(9)), shown=2)
    assert lines[-1] == "... and 7 more rows"
    assert len(lines) == 5


@pytest.mark.parametrize("hostile", ["[red]x[/red]", "\x1b[2J", "a\u202eb"])
def test_values_do_not_steer_the_terminal(hostile: str) -> None:
    text = "\n".join(drawn((hostile, 1)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert ("[red]" in hostile) == ("[red]x[/red]" in text)
