"""``partwise reproduce``: the rows of our tables, run from nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from partwise.cli.common import DataFolder, NotNegative, flag, option

if TYPE_CHECKING:
    from partwise_papers.recipes.recipes import Step

OUT = Path("runs/reproduced")


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Which cells of the tables.

    Attributes:
        row: Which row, or all. Without it the rows are listed.
        table: Only rows of this table. 1 counts the examples in the data; scan and closure are ours
            beyond the paper.
        dataset: Only this data set.
        split: Only this split.
        seed: Only this seed; without it all seeds of the row.
    """

    row: str | None = None
    table: Literal["1", "2", "3", "scan", "closure"] | None = None
    dataset: str | None = None
    split: str | None = None
    seed: Annotated[int | None, Parameter(validator=NotNegative)] = None


def reproduce(
    paper: Annotated[
        Literal["span"], Parameter(help="Whose tables: span, Herzig and Berant 2021.")
    ],
    /,
    *,
    cells: Annotated[Cells, Parameter(name="*")] = Cells(),
    data: DataFolder = None,
    out: Annotated[
        Path,
        option(
            "Folder of the new runs, and of their result files in results/. What is whole there "
            "is not run again."
        ),
    ] = OUT,
    results: Annotated[Path, option("Folder of the stored result files to compare with.")] = Path(
        "results"
    ),
    dry_run: Annotated[bool, flag("Only print the commands, one a line.")] = False,
) -> int:
    """Print and run the commands behind a row, and compare the outcome with the stored results.

    Exits with 1 if a figure differs from the stored one of the same seed.
    """
    from rich.console import Console

    from partwise_papers.recipes.reproduce import listing, select, steps

    if cells.table == "1":
        _sizes(data)
        return 0
    chosen = select(cells.row, table=cells.table, dataset=cells.dataset, split=cells.split)
    if cells.row is None:
        Console().print(listing(chosen).rich())
        return 0
    return _run_all(steps(chosen, cells.seed), out, data, results, dry_run)


def _sizes(data: Path | None) -> None:
    from rich.console import Console

    from partwise_papers.tables.span import OurResults, table1
    from partwise_papers.tables.span_report import count_sizes

    Console().print(table1(OurResults([]), count_sizes(data)).rich())


def _run_all(steps: list[Step], out: Path, data: Path | None, results: Path, dry: bool) -> int:
    from rich.console import Console

    from partwise.cli.recording import recorded
    from partwise_papers.recipes.reproduce import compare, comparison_table, is_done, run_step

    if dry:
        for step in steps:
            print(recorded(step.words))
        return 0
    compared = []
    for number, step in enumerate(steps, 1):
        done = is_done(step, out, recorded)
        note = f" (is there: {out / step.run})" if done else ""
        print(f"[{number}/{len(steps)}] {recorded(step.words)}{note}")
        if not done:
            run_step(step, out, data)
        compared.append(compare(step, out, results))
        Console().print(comparison_table(compared[-1]).rich())
    return 0 if all(one.same for one in compared) else 1
