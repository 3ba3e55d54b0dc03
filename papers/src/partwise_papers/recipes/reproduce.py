"""Running recipes from nothing, and comparing what comes out with the stored results."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from partwise.errors import DataError
from partwise_papers.recipes.recipes import Recipe, Step, all_recipes, is_run_of, recipes
from partwise_papers.results.result import Run, load_result
from partwise_papers.tables.grid import NOTHING, Grid
from partwise_papers.tables.published import rows_of
from partwise_papers.tables.results import NAMES
from partwise_papers.tables.whole import WHOLE

RESULTS = "results"
"""Where the new result files stand, inside the folder of all that is reproduced."""
STORED = Path(__file__).resolve().parents[3] / "results"
"""Where a checkout has the stored result files; an installed package has none."""
TIMED = ("chart_share",)
"""Metrics that are of the machine and not of the parser."""

Command = Callable[[Sequence[str]], str]
"""A step's words as result files record them."""


@dataclass(frozen=True)
class Comparison:
    """A seed's figures, now and as stored; `stored` is None where there is no such seed."""

    file: str
    seed: int
    now: Run
    stored: Run | None

    @property
    def metrics(self) -> list[str]:
        """What is compared."""
        theirs = self.now.metrics if self.stored is None else self.stored.metrics
        return [name for name in self.now.metrics if name in theirs and name not in TIMED]

    @property
    def same(self) -> bool:
        """Whether no figure differs; true where nothing is stored."""
        stored = self.stored
        return stored is None or all(
            abs(self.now.metrics[name] - stored.metrics[name]) < 1e-9 for name in self.metrics
        )


def find_stored_results() -> Path:
    """The folder of the stored result files: here, or in the checkout."""
    here = Path(RESULTS)
    return STORED if STORED.is_dir() and not here.is_dir() else here


def select(
    row: str | None = None,
    *,
    table: str | None = None,
    dataset: str | None = None,
    split: str | None = None,
    among: Sequence[Recipe] | None = None,
) -> list[Recipe]:
    """The recipes that fit all that is given; ``"all"`` is every row; raises DataError if there are
    none; says what there is.

    Args:
        among: which recipes; those of our span parsers if not given.
    """
    known = recipes() if among is None else among
    found = [
        recipe
        for recipe in known
        if row in (None, "all", recipe.row)
        and (table is None or table in recipe.tables)
        and dataset in (None, recipe.dataset)
        and split in (None, recipe.split)
    ]
    if not found:
        rows = ", ".join(dict.fromkeys(recipe.row for recipe in known))
        raise DataError(
            f"no recipe fits; the rows are {rows}; without --row their tables, data sets and "
            "splits are shown"
        )
    return found


def of_table(table: str) -> list[Recipe]:
    """The recipes of a data set's whole table, a key of `whole.WHOLE`."""
    return [recipe for recipe in all_recipes() if recipe.dataset == WHOLE[table]]


def steps(chosen: Iterable[Recipe], seed: int | None = None) -> list[Step]:
    """The commands of recipes, of all their seeds or of one, each once."""
    return list(
        dict.fromkeys(
            step
            for recipe in chosen
            for number in (recipe.seeds if seed is None else (seed,))
            for step in recipe.steps(number)
        )
    )


def listing(chosen: Sequence[Recipe]) -> Grid:
    """A line for each row and data set."""
    by_row: dict[tuple[str, str, tuple[int, ...]], list[Recipe]] = {}
    for recipe in chosen:
        by_row.setdefault((recipe.row, recipe.dataset, recipe.seeds), []).append(recipe)
    lines = tuple(
        (
            *(row, dataset, ", ".join(recipe.split for recipe in found)),
            ", ".join(sorted({table for recipe in found for table in recipe.tables})),
            ", ".join(map(str, seeds)),
        )
        for (row, dataset, seeds), found in by_row.items()
    )
    about = tuple(f"{row.key} ({row.variant}): {row.about}." for row in rows_of("span"))
    head = ("row", "data", "splits", "tables", "seeds")
    return Grid("Rows that can be reproduced", head, lines, about)


def has_result(step: Step, out: Path, command: Command) -> bool:
    """Whether an earlier, broken off reproduction has this step's result and its parser."""
    file = out / RESULTS / step.file
    if not file.exists() or not (out / step.run / "model").is_dir():
        return False
    run = load_result(file).runs.get(step.seed)
    return run is not None and run.command == command(step.words)


def run_step(step: Step, out: Path, data: Path | None) -> None:
    """Run one command in a process of its own, with its files under `out`; raises DataError if it
    fails."""
    places = ["--results", str(out / RESULTS)]
    words = list(step.words)
    if words[0] == "train":
        places += ["--out", str(out / step.run)]
    else:
        words[1] = str(out / step.run)
    if data is not None:
        places += ["--data", str(data)]
    done = subprocess.run([sys.executable, "-m", "partwise", *words, *places], check=False)
    if done.returncode:
        raise DataError(
            f"this command failed with exit code {done.returncode}; the same `partwise reproduce` "
            "goes on from here once that is mended"
        )


def compare(step: Step, out: Path, stored: Path) -> Comparison:
    """What came out beside the stored result of the same seed; raises DataError if a result file is
    damaged or the new one lacks the seed."""
    now = load_result(out / RESULTS / step.file).runs.get(step.seed)
    if now is None:
        raise DataError(f"{out / RESULTS / step.file}: has no seed {step.seed}; run it again")
    place = stored / step.file
    theirs = load_result(place).runs.get(step.seed) if place.exists() else None
    return Comparison(step.file, step.seed, now, theirs)


def comparison_table(comparison: Comparison) -> Grid:
    """Each figure of a seed, now and as stored."""
    now, stored = comparison.now, comparison.stored
    rows = []
    for name in comparison.metrics:
        value, other = now.metrics[name], None if stored is None else stored.metrics[name]
        shown = (NOTHING, "nothing stored")
        if other is not None:
            shown = (f"{100 * other:.2f}", "yes" if abs(value - other) < 1e-9 else "no")
        rows.append((NAMES.get(name, name), f"{100 * value:.2f}", *shown))
    notes: tuple[str, ...] = ()
    if stored is not None and not is_run_of(now.command, stored.command):
        notes = (f"The stored result was made by another command: {stored.command}",)
    title = f"{comparison.file.removesuffix('.json')}, seed {comparison.seed}, percent"
    return Grid(title, ("figure", "now", "stored", "same value"), tuple(rows), notes)
