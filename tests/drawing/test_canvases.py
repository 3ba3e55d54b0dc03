"""What all drawings share: the canvas of pictures and that of the terminal."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest
from rich.text import Text

from partwise.drawing.canvas import Box, Canvas, Picture, text_width
from partwise.drawing.render import Terminal

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
