"""Learning curves over the epochs of runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from partwise.drawing.plots import new_figure
from partwise.errors import DataError
from partwise.interface.jsonl import read_bytes

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
    """The history of a run, from its folder or from the file itself; raises DataError if there is
    none, or it is of another kind."""
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
