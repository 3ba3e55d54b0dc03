"""Query graphs: where nodes, edges and labels lie, as SVG and in the terminal."""

from __future__ import annotations

import io
import itertools
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from cases import rows
from partwise.drawing import draw_svg, draw_text
from partwise.drawing.canvas import LABEL, NODE, WORD, Box, text_width
from partwise.drawing.graph_layout import GraphLink, _apart, lay_out
from partwise.drawing.graphs import COLORS
from partwise.errors import QueryError
from partwise.graph.derivation import GraphDerivation
from partwise.language.query_graph import QueryGraph, Triple

SIZE = (50.0, 30.0)


def meets(one: Box, other: Box) -> bool:
    return (
        abs(one.x - other.x) < (one.width + other.width) / 2
        and abs(one.y - other.y) < (one.height + other.height) / 2
    )


@settings(max_examples=200)
@given(st.lists(st.floats(-500, 500), max_size=12).map(sorted), st.floats(0, 50))
def test_places_are_apart_and_as_near_as_can_be(wanted: list[float], least: float) -> None:
    places = _apart(wanted, least)
    assert len(places) == len(wanted)
    assert all(two - one >= least - 1e-6 for one, two in itertools.pairwise(places))
    # No group of neighbours would be nearer if it were moved as a whole.
    assert sum(places) == pytest.approx(sum(wanted), abs=1e-6)
    if all(two - one >= least for one, two in itertools.pairwise(wanted)):
        assert places == pytest.approx(wanted)


def test_what_is_asked_for_is_on_the_left() -> None:
    links = [GraphLink("a", "b", 40), GraphLink("b", "c", 40)]
    boxes = lay_out({"a": SIZE, "b": SIZE, "c": SIZE}, links, first="b")
    assert boxes["b"].x < boxes["a"].x == boxes["c"].x
    chain = lay_out({"a": SIZE, "b": SIZE, "c": SIZE}, links)
    assert chain["a"].x < chain["b"].x < chain["c"].x


NS = "{http://www.w3.org/2000/svg}"
WORDS = ["Did", "M0", "'s", "long", "director", "edit", "M1", "and", "marry", "M2"]
EDGES = [
    Triple("?x0", "directed", "M0"),
    Triple("?x0", "edited", "M1"),
    Triple("?x0", "spouse", "M2"),
]
KIND = Triple("?x0", "f:length", "f:long")
GRAPH = QueryGraph("ask", frozenset(EDGES), frozenset({KIND}), frozenset({("?x0", "M2")}))
NAMES = {"M0": "Night Ferry", "M1": "Salt", "M2": "Ada Boon", "spouse": "married to"}


def one_hot(word: str) -> list[float]:
    return [0.9 * (other == word) for other in WORDS]


GROUNDING = dict(rows(globals(), "GROUNDING"))


def drawn(graph: QueryGraph = GRAPH, **options: object) -> ET.Element:
    given = {"names": NAMES, "words": WORDS, "grounding": GROUNDING} | options
    return ET.fromstring(draw_svg(GraphDerivation(graph, **given)))  # type: ignore[arg-type]


def texts(root: ET.Element, kind: str) -> list[ET.Element]:
    return [e for e in root.iter(f"{NS}text") if kind in e.get("class", "").split()]


def said(root: ET.Element, kind: str) -> list[str | None]:
    return [e.text for e in texts(root, kind)]


def shapes(root: ET.Element, tag: str, kind: str) -> list[ET.Element]:
    return [e for e in root.iter(f"{NS}{tag}") if kind in e.get("class", "").split()]


def test_all_is_there() -> None:
    root = drawn()
    assert said(root, "pw-word") == WORDS
    assert sorted(map(str, said(root, "pw-name"))) == ["?x0", "Ada Boon", "Night Ferry", "Salt"]
    assert said(root, "pw-halo") == ["directed", "edited", "married to", "≠"]
    assert len(shapes(root, "path", "pw-edge")) == len(shapes(root, "polygon", "pw-head")) == 3
    assert len(shapes(root, "path", "pw-differ")) == 1
    card = next(g for g in root.iter(f"{NS}g") if g.get("data-node") == "?x0")
    assert "length: long" in said(card, "pw-text")
    description = root.findtext(f"{NS}desc") or ""
    assert "2: ?x0 directed Night Ferry." in description
    assert "?x0 ≠ Ada Boon." in description


def test_strips_show_the_attention_in_the_colour_of_the_edge() -> None:
    root = drawn()
    strips = shapes(root, "rect", "pw-strip")
    titles = [e.findtext(f"{NS}title") for e in strips]
    assert titles == [
        "1 length: long 0.90",
        "2 directed: director 0.90",
        "3 edited: edit 0.90",
        "4 married to: marry 0.90",
    ]
    assert [e.get("fill") for e in strips] == list(COLORS[:4])
    assert {e.get("fill-opacity") for e in strips} == {"0.900"}
    assert [e.get("stroke") for e in shapes(root, "path", "pw-edge")] == list(COLORS[1:4])
    # A strip lies under its word, whose own shade has the strip's colour.
    word = texts(root, "pw-word")[WORDS.index("director")]
    left, wide = (float(strips[1].get(key, "")) for key in ("x", "width"))
    assert left < float(word.get("x", "")) < left + wide
    shades = shapes(root, "rect", "pw-shade")
    assert [e.get("fill") for e in shades] == list(COLORS[:4])


def test_weights_are_told_apart() -> None:
    weights = {EDGES[0]: [0.1 * i for i in range(10)]}
    strips = shapes(drawn(grounding=weights), "rect", "pw-strip")
    assert [e.get("fill-opacity") for e in strips] == [f"{0.1 * i:.3f}" for i in range(1, 10)]


def test_without_grounding_there_are_no_strips() -> None:
    root = drawn(grounding={})
    assert said(root, "pw-word") == WORDS
    assert not shapes(root, "rect", "pw-strip")
    assert not shapes(root, "rect", "pw-track")
    assert not any("strip" in str(text) for text in said(root, "pw-note"))


def test_what_is_asked_for_has_a_thick_frame() -> None:
    graph = QueryGraph("select", GRAPH.edges)
    asked = shapes(drawn(graph), "g", "pw-asked")
    assert [g.get("data-node") for g in asked] == ["?x0"]
    assert "thick frame: what is asked for" in said(drawn(graph), "pw-note")
    assert not shapes(drawn(), "g", "pw-asked")


def test_a_legend_of_what_is_there() -> None:
    notes = said(drawn(), "pw-note")
    assert "dashed line: the two must differ" in notes
    assert "strip: how much an arrow or attribute attends to the word above" in notes
    few = said(drawn(QueryGraph("ask", frozenset({EDGES[0]})), grounding={}), "pw-note")
    assert "dashed line: the two must differ" not in few


def test_no_html_and_nothing_from_elsewhere() -> None:
    text = draw_svg(GraphDerivation(GRAPH, NAMES, WORDS, GROUNDING))
    assert "foreignObject" not in text
    assert "href" not in text
    assert "url(" not in text
    assert "<script" not in text


@pytest.mark.parametrize("text", ["<script>x</script>&\"'", "a\x00\x1b[2J\u202eb\ufffe", "]]>"])
def test_hostile_texts_are_text(text: str) -> None:
    edge, kind = Triple(f"M{text}", text, "?x0"), Triple("?x0", text + "1", text)
    graph = QueryGraph("ask", frozenset({edge}), frozenset({kind}))
    words = [text, "and"]
    for names in ({}, {"?x0": text, text: text}):
        weights = {edge: [0.5, 0.5], kind: [1.0, 0.0]}
        picture = draw_svg(GraphDerivation(graph, names, words, weights))
        root = ET.fromstring(picture)
        assert not list(root.iter(f"{NS}script"))
        assert all(c.isprintable() or c == "\n" for c in picture)
    assert said(root, "pw-word")[1] == "and"


def test_weights_that_do_not_fit_the_words() -> None:
    with pytest.raises(QueryError, match="1 weights for 10 words"):
        drawn(grounding={EDGES[0]: [1.0]})


def test_long_questions_are_wrapped() -> None:
    words = [f"word{i}" for i in range(60)]
    weights = {edge: [0.0] * i + [0.9] + [0.0] * (59 - i) for i, edge in enumerate(EDGES)}
    root = drawn(words=words, grounding=weights)
    assert said(root, "pw-word") == words
    rows = sorted({float(e.get("y", "")) for e in texts(root, "pw-word")})
    assert len(rows) > 2
    assert float(root.get("width", "")) < 1300


GRAPHS = dict(rows(globals(), "GRAPHS"))


def boxes(root: ET.Element) -> list[tuple[float, float, float, float]]:
    found = []
    for group in root.iter(f"{NS}g"):
        if group.get("data-node"):
            rect = group.find(f"{NS}rect")
            assert rect is not None
            x, y, wide, high = (float(rect.get(k, "")) for k in ("x", "y", "width", "height"))
            found.append((x, y, x + wide, y + high))
    for label in texts(root, "pw-halo"):
        x, y, text = float(label.get("x", "")), float(label.get("y", "")), label.text or ""
        wide = text_width(text, LABEL)
        left = x - wide / 2 if label.get("text-anchor") == "middle" else x - 19
        found.append((left, y - 13, x + wide, y + 5))
    return found


@pytest.mark.parametrize("name", GRAPHS)
def test_cards_and_labels_do_not_overlap_or_stick_out(name: str) -> None:
    root = drawn(GRAPHS[name], grounding={})
    found = boxes(root)
    assert len(found) == len(GRAPHS[name].nodes) + len(GRAPHS[name].edges) + len(
        GRAPHS[name].filters
    )
    for one, two in itertools.combinations(found, 2):
        apart = one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1]
        assert apart, (one, two)
    # The graph is moved by the margin to the right, and down below the words.
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for left, top, right, down in found:
        assert left >= -0.1
        assert top >= -0.1
        assert right + 24 <= width
        assert down < height


@pytest.mark.parametrize("name", GRAPHS)
def test_words_and_names_fit(name: str) -> None:
    root = drawn(GRAPHS[name], grounding={})
    width = float(root.get("width", ""))
    for kind, size in (("pw-word", WORD), ("pw-name", NODE)):
        for element in texts(root, kind):
            half = text_width(element.text or "", size) / 2
            assert half <= float(element.get("x", "")) < width - half


def test_the_same_picture_each_time() -> None:
    # Sets of texts come in another order in each process; the picture must not depend on it.
    for graph in GRAPHS.values():
        again = QueryGraph(
            graph.head,
            frozenset(sorted(graph.edges, reverse=True)),
            graph.attributes,
            graph.filters,
        )
        one, other = (GraphDerivation(g, NAMES, WORDS) for g in (graph, again))
        assert draw_svg(one) == draw_svg(other)


NODES = [f"?x{i}" for i in range(6)] + [f"M{i}" for i in range(8)]
TREES = st.lists(st.integers(0, 12), min_size=1, max_size=13)


@settings(max_examples=60)
@given(TREES, st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13)), max_size=4))
def test_any_graph_is_laid_out(parents: list[int], more: list[tuple[int, int]]) -> None:
    pairs = [(i + 1, parent % (i + 1)) for i, parent in enumerate(parents)]
    pairs += [(a % (len(parents) + 1), b % (len(parents) + 1)) for a, b in more]
    sizes = {NODES[i]: (40.0 + 35 * (i % 4), 34.0 + 20 * (i % 3)) for i in range(len(parents) + 1)}
    links = [GraphLink(NODES[a], NODES[b], 20.0 + 70 * (a % 3)) for a, b in pairs]
    placed = lay_out(sizes, links)
    assert set(placed) == set(sizes)
    nodes = list(placed.values())
    assert not any(meets(a, b) for a, b in itertools.combinations(nodes, 2))
    # No line runs behind a node that is not its own.
    for link in links:
        inner = [Box(*link.at(t / 20), 0, 0) for t in range(3, 18)]
        others = [box for node, box in placed.items() if node not in (link.start, link.end)]
        assert not any(meets(point, box) for point in inner for box in others)
    labels = [link.label for link in links]
    assert not any(meets(a, b) for a, b in itertools.combinations(labels, 2))
    assert not any(meets(label, box) for label in labels for box in nodes)


FILM_WORDS = ["Which", "film", "that", "Ada", "directed", "is", "long"]
DIRECTED, IS_FILM = Triple("?x0", "f:directed_by", "M0"), Triple("?x0", "a", "f:film")
FILMS = QueryGraph(
    "select", frozenset({DIRECTED}), frozenset({IS_FILM}), frozenset({("?x0", "M1")})
)
FILM_NAMES = {"M0": "Ada Boon", "M1": "Night Ferry", "f:directed_by": "directed by", "a": "is a"}
FILM_WEIGHTS = {
    DIRECTED: [0.0, 0.0, 0.04, 0.1, 0.8, 0.0, 0.0],
    IS_FILM: [0.05, 0.9, 0.0, 0.0, 0.05, 0.0, 0.0],
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


def draw(graph: QueryGraph = FILMS, width: int = 90, color: bool = False, **names: str) -> str:
    derivation = GraphDerivation(graph, FILM_NAMES | names, FILM_WORDS, FILM_WEIGHTS)
    return draw_text(derivation, width, color, stream("utf-8"))


def test_one_line_for_each_edge_in_the_order_of_the_words() -> None:
    assert draw() == SHOWN


def test_ascii_where_the_stream_has_no_unicode() -> None:
    graph = QueryGraph("ask", frozenset({Triple("M0", "f:directed_by", "?x0")}))
    assert draw_text(GraphDerivation(graph), 80, False, stream("ascii")) == PLAIN
    strange = GraphDerivation(FILMS, {"M0": "Zoë" * 30}, FILM_WORDS, FILM_WEIGHTS)
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
    words = ["\x1b[2J", *FILM_WORDS[1:]]
    heavy = {DIRECTED: [1.0, *[0.0] * 6]}
    hostile = GraphDerivation(FILMS, {}, words, heavy)
    assert "\x1b" not in draw_text(hostile, 90, False, stream("utf-8"))
    node = QueryGraph("ask", frozenset({Triple("\x1b]0;x\x07", "p\x1b", "?x0")}))
    assert "\x1b" not in draw(node)


def test_texts_without_names_lose_their_prefixes() -> None:
    path = "ns:film.actor.film/ns:film.performance.film"
    graph = QueryGraph("ask", frozenset({Triple("<http://a.example/f#f1>", path, "wd:Q5")}))
    shown = draw_text(GraphDerivation(graph, {" ": ""}), 99, False, stream("utf-8"))
    assert "  f1 ──film.actor.film/film.performance.film──▶ Q5\n" in shown


def test_weights_that_are_no_weights_count_as_none_or_all() -> None:
    odd = {DIRECTED: [float("nan"), 7.0, -1.0, 0.0, 0.0, 0.0, float("inf")]}
    derivation = GraphDerivation(FILMS, FILM_NAMES, FILM_WORDS, odd)
    shown = draw_text(derivation, 90, False, stream("utf-8"))
    assert "Ada Boon   film 1.00\n" in shown


def test_a_graph_of_nothing() -> None:
    assert draw(QueryGraph("ask", frozenset())) == "asks whether"
