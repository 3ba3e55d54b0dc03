"""``partwise generate``: questions with queries, as many as one wants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from partwise.cli.common import NotNegative, Positive, option
from partwise.language.query_graph import QueryGraph

if TYPE_CHECKING:
    from partwise.interface.data import Example


def generate(
    name: Annotated[str, Parameter(help="What about: films.")],
    /,
    *,
    out: Annotated[
        Path, option("File for the questions, as JSON Lines; gzipped if it ends in .gz.")
    ],
    n: Annotated[int, option("How many questions.", "-n", "--n", validator=Positive)] = 10_000,
    seed: Annotated[int, option("Another seed gives other questions.", validator=NotNegative)] = 0,
) -> None:
    """Write questions with their queries, the rules that made them, and what they name.

    All are different. Questions for something have an answer; half of those that ask whether have
    "yes" for theirs. Memory does not grow but for some bytes a question, so ask for millions.
    """
    from itertools import islice

    from partwise.errors import DataError
    from partwise.language.sparql import write_query
    from partwise_papers.datasets.writing import to_line, write_lines
    from partwise_papers.films.generate import GENERATORS

    if name not in GENERATORS:
        raise DataError(f"no generator {name!r}; there are {', '.join(GENERATORS)}")
    if out.is_dir():
        raise DataError(f"{out} is a folder; name a file, as {out / 'questions.jsonl.gz'}")
    shown = _show_progress(islice(GENERATORS[name](seed), n), n)
    made = write_lines(out, (to_line(e, write_query(e.meaning, "sparql"), "query") for e in shown))
    print(f"{made:,} questions written to {out}")


def _show_progress(
    examples: Iterable[Example[QueryGraph]], total: int
) -> Iterator[Example[QueryGraph]]:
    """The examples as they are, with a bar on standard error that says how far they are."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("questions", total=total)
        step = max(1, min(1000, total // 100))
        for number, example in enumerate(examples, start=1):
            yield example
            if number % step == 0:
                progress.update(task, completed=number)
