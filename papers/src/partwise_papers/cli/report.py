"""``partwise report``: tables of all results, or a paper's tables with ours beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from partwise.cli.common import DataFolder, Debug
from partwise.errors import DataError


def report(
    results: Annotated[
        Path,
        typer.Option(help="Folder of the result files that `partwise train --test` writes."),
    ] = Path("results"),
    paper: Annotated[
        Literal["span", "graph"] | None,
        typer.Option(
            help="The tables of a paper, with our results beside its figures. span: Herzig and "
            "Berant 2021. graph: query graphs, beside figures of Cui et al. 2022."
        ),
    ] = None,
    data: DataFolder = None,
    json: Annotated[
        bool, typer.Option("--json", help="JSON for programs: the result files, or the tables.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Markdown tables, for a README.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Show means over seeds with 95 % confidence intervals, then every seed's figures.

    With --paper and --data the examples in the data are counted too.
    """
    from rich.console import Console

    from partwise_papers.tables.report import report as text
    from partwise_papers.tables.report import rich_report

    if paper == "graph":
        _graph(results, data, json, markdown)
    elif paper is not None:
        _paper(results, data, json, markdown)
    elif data is not None:
        raise DataError("--data is for --paper span: its examples are counted")
    elif json or markdown:
        typer.echo(text(results, json=json))
    else:
        Console().print(rich_report(results))


def _paper(results: Path, data: Path | None, json: bool, markdown: bool) -> None:
    from rich.console import Console

    from partwise_papers.tables.span_report import (
        count_sizes,
        paper_json,
        paper_markdown,
        paper_rich,
    )

    sizes = None if data is None else count_sizes(data)
    if json or markdown:
        typer.echo((paper_json if json else paper_markdown)(results, sizes))
    else:
        Console().print(paper_rich(results, sizes))


def _graph(results: Path, data: Path | None, json: bool, markdown: bool) -> None:
    from rich.console import Console

    from partwise_papers.tables.graph import graph_json, graph_markdown, graph_rich

    if data is not None:
        raise DataError("--data is for --paper span: its examples are counted")
    if json or markdown:
        typer.echo((graph_json if json else graph_markdown)(results))
    else:
        Console().print(graph_rich(results))
