"""Accuracy against latency, as `benchmarks/cost.py` measured them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from partwise.drawing.plots import new_figure
from partwise.errors import DataError
from partwise.interface.jsonl import read_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation
    from matplotlib.transforms import Bbox

EXPECTED = "the file that benchmarks/cost.py writes"
BESIDE = tuple((x, y) for y in (5, -5, 13, -13, 21, -21) for x in (5, -5))
"""Where a name may stand, in points of type from its system's point."""
POINT = 8
"""Height of a point, in pixels."""


class Cost(NamedTuple):
    """A system.

    Attributes:
        metric: denotation or exact match.
        accuracy: a fraction.
        latency: that of a question alone, as a ratio to the span parser's.
        half: of its 95 % interval; 0 for one repetition.
    """

    name: str
    metric: str
    accuracy: float
    latency: float
    half: float

    @property
    def place(self) -> tuple[float, float]:
        """Where it stands in the plot."""
        return self.latency, 100 * self.accuracy

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of the latency; above 0, as the axis is logarithmic."""
        return max(self.latency - self.half, self.latency / 10), self.latency + self.half


def read_costs(file: Path) -> list[Cost]:
    """The systems of a file.

    Raises:
        DataError: if there is none, or it is of another kind.
    """
    data = read_bytes(file, EXPECTED)
    try:
        found = [
            Cost(
                *(str(row["variant"] or row["system"]), str(row["metric"])),
                float(row["accuracy"]),
                *(float(row["ratios"]["latency"][name] or 0) for name in ("mean", "ci95")),
            )
            for row in json.loads(data)["rows"]
        ]
    except (ValueError, RecursionError, LookupError, TypeError) as error:
        raise DataError(f"{file}: is not {EXPECTED}; run that again") from error
    if not all(one.latency > 0 for one in found) or not found:
        raise DataError(f"{file}: has no systems with a latency; run benchmarks/cost.py again")
    return found


def plot_costs(costs: Sequence[Cost]) -> Figure:
    """A point for each system, bars for the interval of its latency.

    Raises:
        PartwiseError: if matplotlib is not installed.
    """
    figure = new_figure(7, 5.5)
    axes = figure.subplots()
    axes.set_xscale("log")
    lowest, highest = zip(*(one.interval for one in costs), strict=True)
    axes.set_xlim(min(lowest) / 1.5, max(highest) * 1.5)
    axes.margins(y=0.1)
    for number, one in enumerate(costs):
        look = "os^D"[number // 10 % 4]
        axes.errorbar(*one.place, xerr=one.half, fmt=look, color=_color(number), capsize=3)
    metrics = ", ".join(sorted({one.metric for one in costs}))
    axes.set(xlabel="latency, as a multiple of the first system's", ylabel=f"{metrics}, percent")
    axes.grid(alpha=0.3)
    figure.draw_without_rendering()
    _name_points(axes, costs)
    return figure


def _color(number: int) -> str:
    return f"C{number % 10}"


def _name_points(axes: Axes, costs: Sequence[Cost]) -> None:
    """Write the systems' names beside their points: each at the first of `BESIDE` where it covers
    no interval and no other name, or where it covers the least."""
    from matplotlib.transforms import Bbox

    taken = []
    for one in costs:
        ends = [(x, one.place[1]) for x in one.interval]
        ((left, y), (right, _)) = axes.transData.transform(ends)
        wide = max(right - left, POINT)
        taken.append(Bbox.from_bounds(left, y - POINT / 2, wide, POINT))
    for number, one in enumerate(costs):
        text = axes.annotate(one.name, one.place, xytext=BESIDE[0], textcoords="offset points")
        text.set(fontsize=8, color=_color(number))
        best = min(BESIDE, key=lambda off: _covered(_moved(text, off), taken, axes))
        taken.append(_moved(text, best))


def _moved(text: Annotation, off: tuple[int, int]) -> Bbox:
    """Where a name stands after it was moved so far from its point."""
    x, y = off
    text.xyann = off
    text.set(ha="left" if x > 0 else "right", va="bottom" if y > 0 else "top")
    return text.get_window_extent()


def _covered(box: Bbox, taken: Sequence[Bbox], axes: Axes) -> int:
    """How many others a name covers, and the border."""
    inside = axes.bbox.fully_containsx(box.x0) and axes.bbox.fully_containsx(box.x1)
    return int(box.count_overlaps(taken)) + (not inside)
