"""Span trees in the terminal."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len

from partwise.chart.semantics import TreeDerivation
from partwise.drawing import draw_text

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
