"""``partwise reproduce``: the rows of our tables, run from nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from partwise.cli.common import DataFolder, Debug

if TYPE_CHECKING:
    from partwise_papers.recipes.recipes import Step

OUT = Path("runs/reproduced")


def reproduce(
    paper: Annotated[
        Literal["span"], typer.Argument(help="Whose tables: span, Herzig and Berant 2021.")
    ],
    row: Annotated[
        str | None,
        typer.Option(help="Which row, or all. Without it the rows are listed.", show_default=False),
    ] = None,
    table: Annotated[
        Literal["1", "2", "3", "scan", "closure"] | None,
        typer.Option(
            help="Only rows of this table. 1 counts the examples in the data; scan and closure are "
            "ours beyond the paper."
        ),
    ] = None,
    dataset: Annotated[str | None, typer.Option(help="Only this data set.")] = None,
    split: Annotated[str | None, typer.Option(help="Only this split.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Only this seed.", show_default="all seeds of the row"),
    ] = None,
    data: DataFolder = None,
    out: Annotated[
        Path,
        typer.Option(
            help="Folder of the new runs, and of their result files in results/. What is whole "
            "there is not run again."
        ),
    ] = OUT,
    results: Annotated[
        Path, typer.Option(help="Folder of the stored result files to compare with.")
    ] = Path("results"),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only print the commands, one a line.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Print and run the commands behind a row, and compare the outcome with the stored results.

    Exits with 1 if a figure differs from the stored one of the same seed.
    """
    from rich.console import Console

    from partwise_papers.recipes.reproduce import listing, select, steps

    if table == "1":
        _sizes(data)
        return
    chosen = select(row, table=table, dataset=dataset, split=split)
    if row is None:
        Console().print(listing(chosen).rich())
        return
    _run_all(steps(chosen, seed), out, data, results, dry_run)


def _sizes(data: Path | None) -> None:
    from rich.console import Console

    from partwise_papers.tables.span import OurResults, table1
    from partwise_papers.tables.span_report import count_sizes

    Console().print(table1(OurResults([]), count_sizes(data)).rich())


def _run_all(steps: list[Step], out: Path, data: Path | None, results: Path, dry: bool) -> None:
    from rich.console import Console

    from partwise.cli.recording import recorded
    from partwise_papers.recipes.reproduce import compare, comparison_table, is_done, run_step

    if dry:
        for step in steps:
            typer.echo(recorded(step.words))
        return
    found = []
    for number, step in enumerate(steps, 1):
        done = is_done(step, out, recorded)
        note = f" (is there: {out / step.run})" if done else ""
        typer.echo(f"[{number}/{len(steps)}] {recorded(step.words)}{note}")
        if not done:
            run_step(step, out, data)
        found.append(compare(step, out, results))
        Console().print(comparison_table(found[-1]).rich())
    if not all(one.same for one in found):
        raise typer.Exit(1)
