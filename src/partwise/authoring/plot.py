"""The learning curve of one's own pairs, with what twice as many are expected to bring."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from partwise.authoring.learning import LearningCurve
from partwise.drawing.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_learning(curve: LearningCurve) -> Figure:
    """Denotation and exact match over the number of pairs; bars are 95 % of the questions' luck.

    Raises:
        PartwiseError: if matplotlib is not installed.
    """
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    sizes = sorted(curve.denotation)
    for name, found in (("denotation", curve.denotation), ("exact match", curve.exact)):
        means = [float(found[size].mean()) for size in sizes]
        halves = [
            196 * math.sqrt(mean * (1 - mean) / len(found[size]))
            for mean, size in zip(means, sizes, strict=True)
        ]
        percent = [100 * mean for mean in means]
        axes.errorbar(sizes, percent, yerr=halves, marker="o", ms=4, capsize=3, label=name)
    ahead = curve.trend()
    ticks = list(sizes)
    if ahead.now is not None and ahead.twice is not None:
        ends = [ahead.n, 2 * ahead.n]
        expected = [100 * ahead.now, 100 * ahead.twice]
        axes.plot(ends, expected, "--", color="C0", marker="o", mfc="white", label="expected")
        ticks += ends
    axes.set(xlabel="training pairs", ylabel="held-out questions, percent", ylim=(0, 103))
    axes.set_xscale("log")
    axes.set_xticks(ticks, [f"{size:,}" for size in ticks])
    axes.minorticks_off()
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    return figure
