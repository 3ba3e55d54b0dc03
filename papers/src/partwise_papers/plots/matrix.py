"""Confusions as a matrix of counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from partwise.drawing.plots import new_figure
from partwise.errors import DataError
from partwise_papers.plots.confusion import ABSENT, Confusions, Pair, ranked

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CELL = 0.34
"""Inches a row or column, enough for a label in 9 points."""
LABEL = 0.085
"""Inches a character of a label."""


def plot_constants(found: Confusions, limit: int = 20) -> Figure:
    """Gold constants against predicted ones, the `limit` most frequent confusions.

    Raises:
        DataError: if no constants are confused.
        PartwiseError: if matplotlib is not installed.
    """
    if not found.constants:
        raise DataError("no constants are confused in these questions; there is nothing to plot")
    panels = [("constants", "gold", "predicted", dict(ranked(found.constants, limit)))]
    return _figure(panels)


def plot_joins(found: Confusions, limit: int = 20) -> Figure:
    """Functions against their arguments: joins that were missed, and joins that were made wrongly.

    Raises:
        DataError: if all joins of right constants are right.
        PartwiseError: if matplotlib is not installed.
    """
    if not found.lost and not found.made:
        raise DataError("no joins are wrong in these questions; there is nothing to plot")
    panels = [
        (title, "function", "argument", dict(ranked(counts, limit)))
        for title, counts in (("missing joins", found.lost), ("wrong joins", found.made))
        if counts
    ]
    return _figure(panels)


def _figure(panels: Sequence[tuple[str, str, str, Mapping[Pair, int]]]) -> Figure:
    sides = [(_order(counts, 0), _order(counts, 1)) for *_, counts in panels]
    room = LABEL * max(len(name) for pair in sides for side in pair for name in side)
    widths = [CELL * len(columns) + room + 0.8 for _, columns in sides]
    height = CELL * max(len(rows) for rows, _ in sides) + room + 1.0
    figure = new_figure(max(4.0, sum(widths)), height)
    every = figure.subplots(1, len(panels), squeeze=False, width_ratios=widths)[0]
    for axes, (title, down, across, counts), (rows, columns) in zip(
        every, panels, sides, strict=True
    ):
        _draw(axes, counts, rows, columns)
        axes.set(xlabel=across, ylabel=down, title=title)
    return figure


def _draw(
    axes: Axes, counts: Mapping[Pair, int], rows: Sequence[str], columns: Sequence[str]
) -> None:
    top = max(counts.values())
    table = [[counts.get((row, column), 0) for column in columns] for row in rows]
    axes.imshow(table, cmap="Reds", vmin=0, vmax=top, aspect="equal")
    axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=9)
    axes.set_yticks(range(len(rows)), rows, fontsize=9)
    for y, line in enumerate(table):
        for x, n in enumerate(line):
            if n:
                colour = "white" if n > 0.6 * top else "black"
                axes.text(x, y, str(n), ha="center", va="center", color=colour, fontsize=9)


def _order(counts: Mapping[Pair, int], side: int) -> list[str]:
    """Labels of one side, the most frequent first, `ABSENT` last."""
    total: Counter[str] = Counter()
    for pair, n in counts.items():
        total[pair[side]] += n
    return sorted(total, key=lambda name: (name == ABSENT, -total[name], name))
