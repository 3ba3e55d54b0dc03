"""An answer that is a table, in the terminal."""

from __future__ import annotations

from rich import box
from rich.table import Table
from rich.text import Text

from partwise.drawing.render import Terminal
from partwise.drawing.texts import clean
from partwise.interface.prediction import ResultTable, spell

SHOWN = 50
"""Rows."""


def draw_table(
    table: ResultTable, width: int | None = None, color: bool = True, shown: int = SHOWN
) -> str:
    """A table for standard output, with its notes below.

    Args:
        width: in columns; the terminal's if None.
        shown: rows that are drawn; how many are left out is said.
    """
    terminal = Terminal.of(width, color, None)
    drawn = Table(box=box.ASCII2 if terminal.ascii else box.SIMPLE_HEAD, show_edge=False)
    for number, name in enumerate(table.columns):
        figures = all(_is_figure(row[number]) for row in table.rows[:shown])
        drawn.add_column(Text(terminal.text(name)), justify="right" if figures else "left")
    for row in table.rows[:shown]:
        drawn.add_row(*(Text(terminal.text(spell(cell))) for cell in row))
    notes = list(map(clean, table.notes))
    if len(table.rows) > shown:
        notes.insert(0, f"... and {len(table.rows) - shown:,} more rows")
    return "\n".join([terminal.print(drawn), *notes])


def _is_figure(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
