"""``partwise plot``: learning curves, confusions, and what systems cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from partwise.cli.common import Positive, flag, option

plot = App(
    name="plot",
    help="Plot learning curves, confusions and costs. "
    "Needs matplotlib: pip install 'partwise[plots]'.",
)

Out = Annotated[Path, option("The file to write; .svg, .png or .pdf.")]


@plot.command()
def curve(
    runs: Annotated[list[Path], Parameter(help="Folders of runs of `partwise train`.")],
    /,
    *,
    out: Out = Path("curve.svg"),
) -> None:
    """Plot loss and dev figures over the epochs of one run or several."""
    from partwise.drawing.plots import check_place, write
    from partwise_papers.plots.curve import plot_curves, read_curve

    check_place(out)
    write(plot_curves([read_curve(run) for run in runs]), out)
    print(f"plot {out}")


@plot.command()
def cost(
    file: Annotated[Path, Parameter(help="The file that benchmarks/cost.py wrote.")],
    /,
    *,
    out: Out = Path("cost.svg"),
) -> None:
    """Plot the accuracy of systems against the time that they take for a question."""
    from partwise.drawing.plots import check_place, write
    from partwise_papers.plots.cost import plot_costs, read_costs

    check_place(out)
    write(plot_costs(read_costs(file)), out)
    print(f"plot {out}")


@plot.command()
def confusion(
    errors: Annotated[
        Path,
        Parameter(help="The file that `partwise evaluate --errors` wrote."),
    ],
    /,
    *,
    what: Annotated[
        Literal["constants", "joins"],
        option(
            "constants: gold against predicted. joins: functions against the arguments that "
            "they were wrongly given or denied."
        ),
    ] = "constants",
    limit: Annotated[
        int, option("How many confusions, most frequent first.", validator=Positive)
    ] = 20,
    inexact: Annotated[
        bool, flag("Also questions with the right answer but another program.")
    ] = False,
    text: Annotated[bool, flag("Only the tables, no plot; needs no matplotlib.")] = False,
    out: Out = Path("confusion.svg"),
) -> None:
    """Show which constants and which joins go wrong, as tables and as a matrix."""
    from partwise.drawing.plots import check_place, write
    from partwise_papers.plots.confusion import plot_constants, plot_joins, read_confusions, tables
    from partwise_papers.tables.grid import show

    check_place(out)
    found = read_confusions(errors, inexact)
    show(*tables(found, limit))
    if text:
        return
    draw = plot_constants if what == "constants" else plot_joins
    write(draw(found, limit), out)
    print(f"plot {out}")
