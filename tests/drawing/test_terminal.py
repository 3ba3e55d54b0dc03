"""Span trees in the terminal."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from partwise.chart.semantics import Node
from partwise.drawing.terminal import TreeView, draw
from partwise.language.tokenizer import Words

Example = tuple[Node, Words]

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


def test_one_line_for_each_part(rivers: Example) -> None:
    assert draw(*rivers, width=99, color=False, stream=stream("utf-8")) == RIVERS


def test_ascii_where_the_stream_has_no_unicode(people: Example, odd: Example) -> None:
    for encoding in ("ascii", "latin-1", "cp437"):
        assert draw(*people, width=90, color=False, stream=stream(encoding)) == PEOPLE
        assert draw(*odd, width=60, stream=stream(encoding)).isascii()


def test_open_arguments_and_dots_in_ascii(long: Example) -> None:
    node, words = long
    assert "loc_2(...)" in draw(node, words, 80, False, stream("ascii"))
    where = next(n for n in node.walk() if n.label == "loc_2")
    assert draw(where, words, 80, False) == "of  loc_2"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
@pytest.mark.parametrize("name", ["rivers", "people", "long", "odd"])
def test_no_line_is_wider_than_asked(request: pytest.FixtureRequest, name: str, width: int) -> None:
    node, words = request.getfixturevalue(name)
    lines = draw(node, words, width, color=False, stream=stream("utf-8")).split("\n")
    assert max(map(cell_len, lines)) <= width
    # Each unary node shares a line with what it stands over; leading φ has its own.
    assert len(lines) == sum(len(n.children) != 1 for n in node.walk()) + 1


@pytest.mark.parametrize("width", [80, 100])
def test_constants_and_their_words_are_whole_at_usual_widths(long: Example, width: int) -> None:
    node, words = long
    shown = draw(node, words, width, color=False)
    for leaf in (n for n in node.walk() if not n.children):
        line = next(line for line in shown.split("\n") if line.endswith(f"  {leaf.label}"))
        assert words.span(leaf.start, leaf.end) in line


def test_color(rivers: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    colored = draw(*rivers, width=99)
    assert "\x1b[36mriver\x1b[0m" in colored
    assert "\x1b[35mstateid('texas')\x1b[0m" in colored
    assert "\x1b[2mthe\x1b[0m" in colored
    assert "[the]" not in colored
    monkeypatch.setenv("NO_COLOR", "1")
    assert draw(*rivers, width=99) == RIVERS


def test_control_codes_do_not_reach_the_terminal(odd: Example) -> None:
    shown = draw(*odd, width=80, color=False)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "🦜🦜" in shown


def test_square_brackets_are_no_markup(people: Example) -> None:
    file = io.StringIO()
    Console(file=file, width=90, color_system=None).print(TreeView(*people))
    assert "people [live in the]" in file.getvalue()


def test_a_renderable_takes_after_its_console(people: Example) -> None:
    plain = stream("ascii")
    Console(file=plain, width=90, color_system=None).print(TreeView(*people))
    plain.seek(0)
    assert [line.rstrip() for line in plain.read().splitlines()] == PEOPLE.split("\n")
