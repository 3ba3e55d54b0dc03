"""Query graphs in the terminal."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len

from partwise.drawing import draw_text
from partwise.errors import QueryError
from partwise.graph.derivation import GraphDerivation
from partwise.language.query_graph import QueryGraph, Triple

WORDS = ["Which", "film", "that", "Ada", "directed", "is", "long"]
DIRECTED, KIND = Triple("?x0", "f:directed_by", "M0"), Triple("?x0", "a", "f:film")
GRAPH = QueryGraph("select", frozenset({DIRECTED}), frozenset({KIND}), frozenset({("?x0", "M1")}))
NAMES = {"M0": "Ada Boon", "M1": "Night Ferry", "f:directed_by": "directed by", "a": "is a"}
GROUNDING = {
    DIRECTED: [0.0, 0.0, 0.04, 0.1, 0.8, 0.0, 0.0],
    KIND: [0.05, 0.9, 0.0, 0.0, 0.05, 0.0, 0.0],
}

SHOWN = """\
asks for ?x0, where
  ?x0 ──is a─────────▶ film       film 0.90, Which 0.05, directed 0.05
  ?x0 ──directed by──▶ Ada Boon   directed 0.80, Ada 0.10
  ?x0 ≠ Night Ferry
nodes: ?x0, M0 Ada Boon, M1 Night Ferry"""

PLAIN = """\
asks whether
  M0 --directed_by--> ?x0
nodes: M0, ?x0"""


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


def draw(graph: QueryGraph = GRAPH, width: int = 90, color: bool = False, **names: str) -> str:
    derivation = GraphDerivation(graph, NAMES | names, WORDS, GROUNDING)
    return draw_text(derivation, width, color, stream("utf-8"))


def test_one_line_for_each_edge_in_the_order_of_the_words() -> None:
    assert draw() == SHOWN


def test_ascii_where_the_stream_has_no_unicode() -> None:
    graph = QueryGraph("ask", frozenset({Triple("M0", "f:directed_by", "?x0")}))
    assert draw_text(GraphDerivation(graph), 80, False, stream("ascii")) == PLAIN
    strange = GraphDerivation(GRAPH, {"M0": "Zoë" * 30}, WORDS, GROUNDING)
    odd = draw_text(strange, 60, True, stream("latin-1"))
    assert odd.isascii()
    assert "!=" in odd


@pytest.mark.parametrize("width", [10, 25, 40, 60, 80])
def test_no_line_is_wider_than_asked(width: int) -> None:
    lines = draw(width=width, M0="川" * 60).split("\n")
    assert max(map(cell_len, lines)) <= width
    assert len(lines) == 5
    if width < 60:
        assert lines[2].endswith("…")


def test_color(monkeypatch: pytest.MonkeyPatch) -> None:
    colored = draw(color=True)
    assert "\x1b[36m?x0\x1b[0m" in colored
    assert "\x1b[35mAda Boon\x1b[0m" in colored
    monkeypatch.setenv("NO_COLOR", "1")
    assert draw(color=True) == SHOWN


def test_color_of_lines_that_are_cut() -> None:
    lines = draw(color=True, width=30).split("\n")
    assert "\x1b[36m?x0\x1b[0m" in lines[1]


def test_hostile_names_are_cleaned() -> None:
    name = "a\x1b[2J\u202eb\n[bold]c\x00"
    shown = draw(M0=name, **{"f:film": name, "a": name})
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.count("a�[2J�b�[bold]c�") >= 3
    assert len(shown.split("\n")) == 5
    words = ["\x1b[2J", *WORDS[1:]]
    heavy = {DIRECTED: [1.0, *[0.0] * 6]}
    hostile = GraphDerivation(GRAPH, {}, words, heavy)
    assert "\x1b" not in draw_text(hostile, 90, False, stream("utf-8"))
    node = QueryGraph("ask", frozenset({Triple("\x1b]0;x\x07", "p\x1b", "?x0")}))
    assert "\x1b" not in draw(node)


def test_texts_without_names_lose_their_prefixes() -> None:
    path = "ns:film.actor.film/ns:film.performance.film"
    graph = QueryGraph("ask", frozenset({Triple("<http://a.example/f#f1>", path, "wd:Q5")}))
    shown = draw_text(GraphDerivation(graph, {" ": ""}), 99, False, stream("utf-8"))
    assert "  f1 ──film.actor.film/film.performance.film──▶ Q5\n" in shown


def test_weights_that_do_not_fit_the_words() -> None:
    with pytest.raises(QueryError, match="2 weights for 7 words"):
        GraphDerivation(GRAPH, NAMES, WORDS, {DIRECTED: [0.1, 0.2]})


def test_weights_that_are_no_weights_count_as_none_or_all() -> None:
    odd = {DIRECTED: [float("nan"), 7.0, -1.0, 0.0, 0.0, 0.0, float("inf")]}
    shown = draw_text(GraphDerivation(GRAPH, NAMES, WORDS, odd), 90, False, stream("utf-8"))
    assert "Ada Boon   film 1.00\n" in shown


def test_a_graph_of_nothing() -> None:
    assert draw(QueryGraph("ask", frozenset())) == "asks whether"
