"""``partwise report``: tables of all results, or a paper's tables with ours beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from partwise.cli.common import DataFolder, Json, flag, option
from partwise.errors import DataError

if TYPE_CHECKING:
    from partwise_papers.tables.grid import Report


def report(
    *,
    results: Annotated[
        Path, option("Folder of the result files that `partwise train --test` writes.")
    ] = Path("results"),
    paper: Annotated[
        Literal["span", "graph"] | None,
        option(
            "The tables of a paper, with our results beside its figures. span: Herzig and Berant "
            "2021. graph: query graphs, beside figures of Cui et al. 2022."
        ),
    ] = None,
    data: DataFolder = None,
    json: Json = False,
    markdown: Annotated[bool, flag("Markdown tables, for a README.")] = False,
) -> None:
    """Show means over seeds with 95 % confidence intervals, then every seed's figures.

    With --paper and --data the examples in the data are counted too.
    """
    from partwise_papers.tables.grid import show

    made = make_report(results, paper, data)
    if json or markdown:
        print(made.json() if json else made.markdown())
    else:
        show(made)


def make_report(results: Path, paper: str | None, data: Path | None) -> Report:
    """The report of a paper, or of all results; raises DataError if results cannot be read, or no
    example of the paper's splits is in the data."""
    from partwise_papers.results.result import load_results
    from partwise_papers.tables.graph import graph_report
    from partwise_papers.tables.results import report
    from partwise_papers.tables.span import count_sizes, span_report

    if paper == "span":
        sizes = None if data is None else count_sizes(data)
        return span_report(load_results(results), sizes)
    if data is not None:
        raise DataError("--data is for --paper span: its examples are counted")
    return (report if paper is None else graph_report)(load_results(results))
