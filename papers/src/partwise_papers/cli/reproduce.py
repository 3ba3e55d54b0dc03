"""``partwise reproduce``: the tables with all rows, and the rows run from nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from partwise.cli.common import DataFolder, NotNegative, flag, option, warn
from partwise.errors import DataError

if TYPE_CHECKING:
    from partwise_papers.recipes.recipes import Step
    from partwise_papers.tables.grid import Grid

OUT = Path("runs/reproduced")


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Which cells of the tables.

    Attributes:
        row: Which row, or all. Without it the rows are shown.
        table: geoquery, scan, clevr and cfq: what is known of these data, ours, baselines and
            published figures. Of a paper, only rows of this table: 1 counts the examples in the
            data; scan and closure are ours beyond it.
        dataset: Only this data set.
        split: Only this split.
        seed: Only this seed; without it all seeds of the row.
    """

    row: str | None = None
    table: Literal["1", "2", "3", "scan", "closure", "geoquery", "clevr", "cfq"] | None = None
    dataset: str | None = None
    split: str | None = None
    seed: Annotated[int | None, Parameter(validator=NotNegative)] = None


def reproduce(
    paper: Annotated[
        Literal["span"] | None,
        Parameter(
            help="Whose rows: span, our span parsers in the tables of Herzig and Berant 2021. "
            "Without it, all rows of a --table."
        ),
    ] = None,
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
    results: Annotated[
        Path | None,
        option(
            "Folder of the stored result files, to show and to compare with; by default results/ "
            "here, or those of the checkout that partwise-papers is run from."
        ),
    ] = None,
    dry_run: Annotated[bool, flag("Only print the commands, one a line.")] = False,
) -> int:
    """Print a table with all rows, or run the commands behind a row and compare the outcome with
    the stored results.

    Exits with 1 if a figure differs from the stored one of the same seed.
    """
    from partwise_papers.recipes.reproduce import (
        find_stored_results,
        listing,
        of_table,
        select,
        steps,
    )

    _check(paper, cells.table)
    results = results or find_stored_results()
    if paper is not None and cells.table == "1":
        return _sizes(data)
    among = of_table(str(cells.table)) if paper is None else None
    table = None if paper is None else cells.table
    chosen = select(cells.row, table=table, dataset=cells.dataset, split=cells.split, among=among)
    if cells.row is not None:
        return _run_all(steps(chosen, cells.seed), out, data, results, dry_run)
    if paper is None:
        return _whole(str(cells.table), results)
    return _show(listing(chosen))


def _check(paper: str | None, table: str | None) -> None:
    """Refuse a table of the other kind.

    Raises:
        DataError: says what there is.
    """
    from partwise_papers.tables.whole import WHOLE

    if paper is None and table not in WHOLE:
        raise DataError(
            f"say which table has all rows: --table {', '.join(WHOLE)}; or whose rows, as in "
            "partwise reproduce span"
        )
    if paper is not None and table in set(WHOLE) - {"scan"}:
        raise DataError(f"--table {table} is of no paper alone: partwise reproduce --table {table}")


def _show(*grids: Grid) -> int:
    from partwise_papers.tables.grid import show

    show(*grids)
    return 0


def _whole(table: str, results: Path) -> int:
    from partwise_papers.results.result import load_results
    from partwise_papers.tables.whole import whole_table

    if not results.is_dir():
        warn(f"there is no folder {results}; --results names the one with our result files")
    return _show(*whole_table(table, load_results(results) if results.is_dir() else []))


def _sizes(data: Path | None) -> int:
    from partwise_papers.tables.span import OurResults, count_sizes, table1

    return _show(table1(OurResults([]), count_sizes(data)))


def _run_all(steps: list[Step], out: Path, data: Path | None, results: Path, dry: bool) -> int:
    from partwise.cli.evaluate import command_to_record
    from partwise_papers.recipes.reproduce import compare, comparison_table, has_result, run_step
    from partwise_papers.tables.grid import show

    if dry:
        for step in steps:
            print(command_to_record(step.words))
        return 0
    compared = []
    for number, step in enumerate(steps, 1):
        done = has_result(step, out, command_to_record)
        note = f" (is there: {out / step.run})" if done else ""
        print(f"[{number}/{len(steps)}] {command_to_record(step.words)}{note}")
        if not done:
            run_step(step, out, data)
        compared.append(compare(step, out, results))
        show(comparison_table(compared[-1]))
    return 0 if all(comparison.same for comparison in compared) else 1
