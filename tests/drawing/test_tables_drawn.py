"""Tables in the terminal."""

from __future__ import annotations

import pytest

from partwise.drawing import draw_table
from partwise.interface.prediction import Cell, Explanation, ResultTable

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
