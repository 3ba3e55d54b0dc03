"""Drawn span trees and charts, and how their texts are put on a terminal and into SVG."""

from __future__ import annotations

import io
import itertools
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from cases import cases
from library import Library
from partwise.chart import compiled
from partwise.chart.scores import Marginals, SpanScores
from partwise.chart.semantics import SpanPosteriors, TreeDerivation
from partwise.chart.type_algebra import TypeAlgebra
from partwise.drawing import draw_json, draw_svg, draw_table, draw_text, text_lines
from partwise.drawing.canvas import JOIN, PILL, WORD, Canvas, Picture, text_width
from partwise.drawing.render import Terminal, clean, cut, shorten
from partwise.drawing.trees import NAMED, TreePart, parts
from partwise.graph.derivation import GraphDerivation
from partwise.interface.prediction import Cell, Explanation, ResultTable
from partwise.language.query_graph import QueryGraph, Triple
from partwise.language.text import tokenize

PROGRAM = "exclude(state(next_to_2(stateid('a (b)'))), loc_2(cityid('it\\'s', _)))"


def walk(part: TreePart) -> Iterator[TreePart]:
    yield part
    for child in part.children:
        yield from walk(child)


def test_unary_nodes_are_drawn_with_what_they_stand_over(rivers: TreeDerivation) -> None:
    root = parts(rivers.node)
    assert (root.start, root.end, len(root.around)) == (0, 9, 1)
    assert [(c.start, c.end, c.node is None) for c in root.children] == [
        (0, 1, True),
        (1, 2, False),
        (2, 9, False),
    ]
    run = root.children[2].children[0]
    assert (run.start, run.end) == (2, 5)
    assert run.node is not None
    assert (run.node.start, run.node.end) == (2, 4)
    assert not run.children


def test_parts_cover_every_word_once(long: TreeDerivation) -> None:
    leaves = [part for part in walk(parts(long.node)) if not part.children]
    assert [i for leaf in leaves for i in range(leaf.start, leaf.end)] == list(range(18))


def test_the_infix_operator_is_marked(people: TreeDerivation) -> None:
    assert [part.start for part in walk(parts(people.node)) if part.infix] == [6]


@cases("width, short")
def test_programs_are_cut_from_within(width: int, short: str) -> None:
    assert shorten(PROGRAM, width) == short


def test_programs_without_arguments() -> None:
    assert shorten("scene()", 7) == "scene()"
    assert shorten("scene()", 6) == "scene…"


def test_texts() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"
    assert clean("a\x1b[31m\nb\u202ec") == "a�[31m�b�c"


RIVERS = """\
Which rivers run … states bordering Texas?    river(traverse_2(state(next_to_2(stateid('texas')))))
├─ [Which]                                    φ
├─ rivers                                     river
╰─ run through the states bordering Texas?    traverse_2(state(next_to_2(stateid('texas'))))
   ├─ run through [the]                       traverse_2
   ╰─ states bordering Texas?                 state(next_to_2(stateid('texas')))
      ├─ states                               state
      ╰─ bordering Texas?                     next_to_2(stateid('texas'))
         ├─ bordering                         next_to_2
         ╰─ Texas[?]                          stateid('texas')"""

PEOPLE = """\
How many people live in the smallest state?  smallest_one(population_1(state(all)))
|- [How many]                                -
|- people [live in the]                      population_1
|~ smallest                                  smallest_one
`- state[?]                                  state"""


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)


def stream(encoding: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


def test_one_line_for_each_part(rivers: TreeDerivation) -> None:
    assert draw_text(rivers, width=99, color=False, stream=stream("utf-8")) == RIVERS


def test_ascii_where_the_stream_has_no_unicode(people: TreeDerivation, odd: TreeDerivation) -> None:
    for encoding in ("ascii", "latin-1", "cp437"):
        assert draw_text(people, width=90, color=False, stream=stream(encoding)) == PEOPLE
        assert draw_text(odd, width=60, stream=stream(encoding)).isascii()


def test_open_arguments_and_dots_in_ascii(long: TreeDerivation) -> None:
    assert "loc_2(...)" in draw_text(long, 80, False, stream("ascii"))
    where = next(n for n in long.node.walk() if n.label == "loc_2")
    assert draw_text(TreeDerivation(where, long.words), 80, False) == "of  loc_2"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
@pytest.mark.parametrize("name", ["rivers", "people", "long", "odd"])
def test_no_line_is_wider_than_asked(request: pytest.FixtureRequest, name: str, width: int) -> None:
    tree: TreeDerivation = request.getfixturevalue(name)
    lines = draw_text(tree, width, color=False, stream=stream("utf-8")).split("\n")
    assert max(map(cell_len, lines)) <= width
    # Each unary node shares a line with what it stands over; leading φ has its own.
    assert len(lines) == sum(len(n.children) != 1 for n in tree.node.walk()) + 1


@pytest.mark.parametrize("width", [80, 100])
def test_constants_and_their_words_are_whole(long: TreeDerivation, width: int) -> None:
    words = long.words
    shown = draw_text(long, width, color=False)
    for leaf in (n for n in long.node.walk() if not n.children):
        line = next(line for line in shown.split("\n") if line.endswith(f"  {leaf.label}"))
        assert words.span(leaf.start, leaf.end) in line


def test_color(rivers: TreeDerivation, monkeypatch: pytest.MonkeyPatch) -> None:
    colored = draw_text(rivers, width=99)
    assert "\x1b[36mriver\x1b[0m" in colored
    assert "\x1b[35mstateid('texas')\x1b[0m" in colored
    assert "\x1b[2mthe\x1b[0m" in colored
    assert "[the]" not in colored
    monkeypatch.setenv("NO_COLOR", "1")
    assert draw_text(rivers, width=99) == RIVERS


def test_control_codes_do_not_reach_the_terminal(odd: TreeDerivation) -> None:
    shown = draw_text(odd, width=80, color=False)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "🦜🦜" in shown


def test_square_brackets_are_no_markup(people: TreeDerivation) -> None:
    assert "people [live in the]" in draw_text(people, width=90, color=False)


NS = "{http://www.w3.org/2000/svg}"
NAMES = ["rivers", "people", "long", "odd"]


@pytest.fixture(params=NAMES)
def example(request: pytest.FixtureRequest) -> TreeDerivation:
    found: TreeDerivation = request.getfixturevalue(request.param)
    return found


def texts(root: ET.Element, kind: str) -> list[ET.Element]:
    return [e for e in root.iter(f"{NS}text") if kind in e.get("class", "").split()]


def test_every_node_is_there_within_its_parent(example: TreeDerivation) -> None:
    node = example.node
    root = ET.fromstring(draw_svg(example))
    groups = [g for g in root.iter(f"{NS}g") if g.get("data-span")]
    assert [g.get("data-span") for g in groups] == [f"{n.start}-{n.end}" for n in node.walk()]
    for group, n in zip(groups, node.walk(), strict=True):
        below = [g.get("data-span") for g in group.findall(f"{NS}g") if g.get("data-span")]
        assert below == [f"{c.start}-{c.end}" for c in n.children]
        assert n.program_text in (group.findtext(f"{NS}title") or "")


def test_every_word_is_there_once_from_left_to_right(example: TreeDerivation) -> None:
    node, words = example.node, example.words
    root = ET.fromstring(draw_svg(example))
    found = texts(root, "pw-word") + [e for e in texts(root, "pw-phi") if e.text != "φ"]
    found.sort(key=lambda e: float(e.get("x", "")))
    shown = [
        c if c.isprintable() else "�" for c in (words.span(i, i + 1) for i in range(len(words)))
    ]
    assert [e.text for e in found] == shown
    named = {i for n in node.walk() if not n.children for i in range(n.start, n.end)}
    assert [i for i, e in enumerate(found) if e.get("class") == "pw-word"] == sorted(named)


def test_constants_are_pills(rivers: TreeDerivation) -> None:
    root = ET.fromstring(draw_svg(rivers))
    kinds = {e.text: g.get("class") for g in root.iter(f"{NS}g") for e in g.findall(f"{NS}text")}
    assert kinds["stateid('texas')"] == "pw-entity"
    assert kinds["river"] == kinds["traverse_2"] == "pw-predicate"


def test_only_infix_operators_hang_on_dashed_lines(
    people: TreeDerivation, rivers: TreeDerivation
) -> None:
    assert draw_svg(people).count('"pw-line pw-middle"') == 1
    assert '"pw-line pw-middle"' not in draw_svg(rivers)


def test_nothing_overlaps_or_sticks_out(example: TreeDerivation) -> None:
    root = ET.fromstring(draw_svg(example))
    # The tree is moved to the right, as its root may be wider than all that lies below it.
    moved = re.search(r"translate\(([\d.]+) ", draw_svg(example))
    assert moved is not None
    sizes = {"pw-word": WORD, "pw-phi": WORD, "pw-pill": PILL, "pw-join": JOIN}
    rows: dict[str, list[tuple[float, float]]] = {}
    for element in root.iter(f"{NS}text"):
        kind = element.get("class", "").split()[0]
        mono = kind in ("pw-pill", "pw-join")
        half = text_width(element.text or "", sizes[kind], mono) / 2
        x = float(moved[1]) + float(element.get("x", ""))
        rows.setdefault(element.get("y", ""), []).append((x - half, x + half))
    for row in rows.values():
        edges = sorted(row)
        assert edges[0][0] > 0
        assert edges[-1][1] < float(root.get("width", ""))
        assert all(one[1] < two[0] for one, two in itertools.pairwise(edges))


def test_texts_are_escaped(odd: TreeDerivation) -> None:
    text = draw_svg(odd)
    assert "&lt;" in text
    assert "&amp;" in text
    assert "\x1b" not in text
    title = ET.fromstring(text).findtext(f"{NS}title")
    assert title == 'Span tree of “a<b> 🦜🦜 & "q" \'川川 �� state”'


def test_for_those_who_do_not_see_it(people: TreeDerivation) -> None:
    root = ET.fromstring(draw_svg(people))
    assert root.get("role") == "img"
    assert root[0].tag == f"{NS}title"
    description = root.findtext(f"{NS}desc") or ""
    assert "“smallest” means smallest_one(·)." in description
    assert "prefers-color-scheme: dark" in (root.findtext(f"{NS}style") or "")


def test_nothing_is_fetched(long: TreeDerivation) -> None:
    text = draw_svg(long).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not any(mark in text for mark in ("http", "href", "url(", "@import", "<script"))


def test_one_constant_alone(rivers: TreeDerivation) -> None:
    leaf = next(n for n in rivers.node.walk() if n.label == "stateid('texas')")
    root = ET.fromstring(draw_svg(TreeDerivation(leaf, rivers.words)))
    assert [e.text for e in root.iter(f"{NS}text")] == ["stateid('texas')", "Texas"]


TYPES = TypeAlgebra(Library())
CATEGORIES = [one.category for one in TYPES.domain.constants]


def drawn(found: Marginals, columns: list[str], question: str) -> ET.Element:
    return ET.fromstring(draw_svg(SpanPosteriors(found, columns, tokenize(question))))


def cells(root: ET.Element) -> list[ET.Element]:
    return list(root.iter(f"{NS}g"))


@settings(max_examples=30)
@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_every_span_has_a_cell_as_dark_as_its_posterior(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (n + 1, n + 1)
    scores = SpanScores.of(rng.normal(size=(*shape, len(CATEGORIES))), rng.normal(size=shape))
    found = compiled.marginals(scores, TYPES)
    root = drawn(found, CATEGORIES, " ".join("abcdef"[:n]))
    assert len(cells(root)) == n * (n + 1) // 2
    shares = [
        float(found.constants[i, i + length].sum() + found.join[i, i + length])
        for length in range(1, n + 1)
        for i in range(n - length + 1)
    ]
    for share, cell in zip(shares, cells(root), strict=True):
        filled = [float(one.get("fill-opacity", 0)) for one in cell.iter(f"{NS}rect")]
        assert max(filled) == pytest.approx(share, abs=6e-3)


def test_labels_and_tooltips() -> None:
    constants, join = np.zeros((3, 3, 2)), np.zeros((3, 3))
    constants[0, 1], join[0, 2] = (0.9, 0.06), 1.0
    constants[1, 2, 1] = NAMED / 2
    root = drawn(Marginals(constants, join, 0.0), ["author", "book('a<b')"], "who what")
    first, second, third = cells(root)
    assert [text.text for text in first.iter(f"{NS}text")] == ["author", "90 %"]
    assert first.findtext(f"{NS}title") == "who: author 90.0 %, book('a<b') 6.0 %"
    assert list(second.iter(f"{NS}text")) == []
    assert second.findtext(f"{NS}title") == "what: book('a<b') 2.5 %"
    assert third.findtext(f"{NS}title") == "who what: join 100.0 %"


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


SAID = Explanation("", "")


def drawn_table(*rows: tuple[Cell, ...], shown: int = 50, width: int = 40) -> list[str]:
    table = ResultTable(("name", "height"), rows, SAID)
    return draw_table(table, width, color=False, shown=shown).splitlines()


def test_figures_stand_to_the_right_under_their_heading() -> None:
    head, rule, *rows = drawn_table(("Ada", 1.5), ("Ada", 1000), ("Eve", None))
    assert head.split() == ["name", "height"]
    assert set(rule.strip()) == {"─"}
    assert [row.rstrip() for row in rows] == [" Ada       1.5", " Ada     1,000", " Eve"]


def test_further_rows_are_counted() -> None:
    lines = drawn_table(*((f"p{number}", number) for number in range(9)), shown=2)
    assert lines[-1] == "... and 7 more rows"
    assert len(lines) == 5


@pytest.mark.parametrize("hostile", ["[red]x[/red]", "\x1b[2J", "a\u202eb"])
def test_values_do_not_steer_the_terminal(hostile: str) -> None:
    text = "\n".join(drawn_table((hostile, 1)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert ("[red]" in hostile) == ("[red]x[/red]" in text)
