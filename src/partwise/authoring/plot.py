"""A plot of a learning curve, with what twice as many examples are expected to bring."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from partwise.authoring.learning import LearningCurve
from partwise.drawing.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_learning(curve: LearningCurve) -> Figure:
    """Denotation and exact match over the number of examples, with 95 % intervals over questions.

    Raises:
        PartwiseError: if matplotlib is not installed.
    """
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    sizes = sorted(curve.denotation)
    for name, shares in (("denotation", curve.denotation), ("exact match", curve.exact)):
        means = [float(shares[size].mean()) for size in sizes]
        halves = [
            196 * math.sqrt(mean * (1 - mean) / len(shares[size]))
            for mean, size in zip(means, sizes, strict=True)
        ]
        percent = [100 * mean for mean in means]
        axes.errorbar(sizes, percent, yerr=halves, marker="o", ms=4, capsize=3, label=name)
    ahead = curve.trend()
    if ahead.now is not None and ahead.twice is not None:
        expected = [100 * ahead.now, 100 * ahead.twice]
        ends = [ahead.n, 2 * ahead.n]
        axes.plot(ends, expected, "--", color="C0", marker="o", mfc="white", label="expected")
        sizes += ends
    axes.set(xlabel="training pairs", ylabel="held-out questions, percent", ylim=(0, 103))
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    return figure
