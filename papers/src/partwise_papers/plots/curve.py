"""Learning curves: over the epochs of runs, and over the size of the training set."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from partwise.drawing.plots import new_figure
from partwise.errors import DataError
from partwise.interface.jsonl import read_bytes
from partwise_papers.results.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HISTORY = "history.json"


@dataclass(frozen=True)
class Curve:
    """A run: its name, and a loss and dev figures (fractions) for each epoch."""

    name: str
    loss: list[float]
    dev: dict[str, list[float]]


def read_curve(run: str | Path) -> Curve:
    """The history of a run, from its folder or from the file itself.

    Raises:
        DataError: if there is none, or it is of another kind.
    """
    given = Path(run)
    file = given / HISTORY if given.is_dir() else given
    data = read_bytes(file, f"the {HISTORY} of a run of `partwise train`")
    try:
        lines: list[dict[str, Any]] = json.loads(data)["history"]
        loss = [float(line["loss"]) for line in lines]
        names = list(lines[0]["dev"])
        dev = {name: [float(line["dev"][name]) for line in lines] for name in names}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise DataError(f"{file}: holds no history of epochs; train the run again") from error
    return Curve(file.resolve().parent.name, loss, dev)


def plot_curves(curves: Sequence[Curve]) -> Figure:
    """Loss on the left, dev figures on the right, a colour for each run.

    Raises:
        PartwiseError: if matplotlib is not installed.
        ValueError: for no curves.
    """
    if not curves:
        raise ValueError("no curves to plot")
    figure = new_figure(10, 4)
    left, right = figure.subplots(1, 2)
    styles = ("-", "--", ":", "-.")
    for number, curve in enumerate(curves):
        epochs = range(1, len(curve.loss) + 1)
        colour = f"C{number % 10}"
        left.plot(epochs, curve.loss, color=colour, marker="o", ms=3, label=curve.name)
        for style, (name, values) in zip(styles, curve.dev.items(), strict=False):
            shown = f"{curve.name}, {name.replace('_', ' ')}"
            percent = [100 * value for value in values]
            right.plot(epochs, percent, style, color=colour, marker="o", ms=3, label=shown)
    left.set(xlabel="epoch", ylabel="training loss")
    right.set(xlabel="epoch", ylabel="dev, percent")
    for axes in (left, right):
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)
    return figure


def plot_sizes(results: Sequence[Result], metric: str = "denotation") -> Figure:
    """A metric over the number of training questions, a line for each data set and split.

    Results whose variants differ only in a size at their end, as ``crf-sharp-n100``, are on one
    line. Bars show the 95 % interval over seeds.

    Raises:
        DataError: unless some line has two sizes.
        PartwiseError: if matplotlib is not installed.
    """
    lines: dict[str, dict[int, Result]] = {}
    for result in results:
        if result.seeds(metric):
            lines.setdefault(_line(result), {})[result.setup.train_size] = result
    curves = {name: points for name, points in lines.items() if len(points) > 1}
    if not curves:
        raise DataError(
            f"no two results with {metric} differ in the size of the training set only; train "
            "on parts of it, with variants that end in -n and the size, as crf-sharp-n100"
        )
    figure = new_figure(7, 4.5)
    axes = figure.subplots()
    for name, points in curves.items():
        sizes = sorted(points)
        found = [points[size].mean_ci95(metric) for size in sizes]
        means, halves = [100 * mean for mean, _ in found], [100 * (half or 0) for _, half in found]
        axes.errorbar(sizes, means, yerr=halves, marker="o", ms=4, capsize=3, label=name)
    axes.set(xlabel="training questions", ylabel=f"{metric.replace('_', ' ')}, percent")
    axes.set_xscale("log")
    every = sorted({size for points in curves.values() for size in points})
    axes.set_xticks(every, [f"{size:,}" for size in every])
    axes.minorticks_off()
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    return figure


def _line(result: Result) -> str:
    setup = result.setup
    variant = re.sub(rf"-n{setup.train_size}$", "", setup.variant)
    return f"{setup.system} {setup.dataset} {setup.split} {variant}"
