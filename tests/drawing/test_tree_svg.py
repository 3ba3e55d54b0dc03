"""Span trees as SVG."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET

import pytest

from partwise.chart.semantics import TreeDerivation
from partwise.drawing import draw_svg
from partwise.drawing.canvas import JOIN, PILL, WORD, text_width

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
