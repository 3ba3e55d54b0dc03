"""``partwise report``: tables of all results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from partwise.cli.common import Debug


def report(
    results: Annotated[
        Path,
        typer.Option(help="Folder of the result files that `partwise train --test` writes."),
    ] = Path("results"),
    json: Annotated[
        bool, typer.Option("--json", help="All result files as one JSON list, for programs.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Markdown tables, for a README.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Show means over seeds with 95 % confidence intervals, then every seed's figures."""
    from rich.console import Console

    from partwise.evaluation.report import report as text
    from partwise.evaluation.report import rich_report

    if json or markdown:
        typer.echo(text(results, json=json))
    else:
        Console().print(rich_report(results))
