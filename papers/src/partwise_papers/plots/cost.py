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
    from matplotlib.figure import Figure

EXPECTED = "the file that benchmarks/cost.py writes"


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
    def interval(self) -> tuple[float, float]:
        """The interval of the latency; above 0, as the axis is logarithmic."""
        return max(self.latency - self.half, self.latency / 10), self.latency + self.half


def read_costs(file: Path) -> list[Cost]:
    """The systems of a file; raises DataError if there is none, or it is of another kind."""
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
    if not all(system.latency > 0 for system in found) or not found:
        raise DataError(f"{file}: has no systems with a latency; run benchmarks/cost.py again")
    return found


def plot_costs(costs: Sequence[Cost]) -> Figure:
    """A point for each system, bars for the interval of its latency; raises PartwiseError if
    matplotlib is not installed."""
    figure = new_figure(8, 5)
    axes = figure.subplots()
    axes.set_xscale("log")
    lowest, highest = zip(*(system.interval for system in costs), strict=True)
    axes.set_xlim(min(lowest) / 1.5, max(highest) * 1.5)
    axes.margins(y=0.1)
    for number, system in enumerate(costs):
        bars = axes.errorbar(system.latency, 100 * system.accuracy, xerr=system.half, capsize=3)
        bars.lines[0].set(marker="os^D"[number // 10 % 4], color=f"C{number % 10}")
        bars.set_label(system.name)
    metrics = ", ".join(sorted({system.metric for system in costs}))
    axes.set(xlabel="latency, as a multiple of the first system's", ylabel=f"{metrics}, percent")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize=8)
    return figure
