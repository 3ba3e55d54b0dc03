"""``partwise database-parser``: train and measure the parser for databases."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from partwise.cli.common import (
    Json,
    NotNegative,
    Threads,
    option,
    quiet,
    warn,
    write_text,
)
from partwise.cli.evaluate import command
from partwise_papers.databases.options import DatabaseRecipe, MeasuredOn, RankedOn

if TYPE_CHECKING:
    from partwise.database.parser import DatabaseParser

database_parser = App(
    name="database-parser", help="Train and measure the parser for databases of any kind."
)

NOTHING, EVERYTHING = MeasuredOn(), RankedOn()
Spider = Annotated[Path | None, option("Folder of Spider's files; without it, it is left out.")]
Fills = Annotated[
    Path | None, option("Folder for Spider's databases with made-up rows; made if missing.")
]
Start = Annotated[str, Parameter(help="A saved parser, its name or folder.")]
Seed = Annotated[int, option("Of what is drawn.", validator=NotNegative)]


@database_parser.command()
def train(
    *,
    recipe: Annotated[DatabaseRecipe, Parameter(name="*")],
    threads: Threads = 1,
    json: Json = False,
) -> None:
    """Train the parser on the typed databases and on Spider's; it is OUT/parser in the end. A run
    that was stopped goes on."""
    quiet()
    import torch

    from partwise_papers.databases.recipe import train_database_parser

    torch.set_num_threads(threads)
    typed = _command(recipe.out, recipe.spider, recipe.fills, recipe.contents)
    parser = train_database_parser(recipe, warn, typed)
    thresholds = {"refused_below": parser.refused_below, "doubtful_below": parser.doubtful_below}
    if json:
        print(jsonlib.dumps({"parser": str(recipe.out / "parser"), **thresholds}))
    else:
        _say(recipe.out, parser)


@database_parser.command()
def fit(
    parser: Start,
    /,
    *,
    out: Annotated[Path, option("The new parser is `parser` in this folder.")],
    spider: Spider = None,
    fills: Fills = None,
    seed: Seed = 0,
    threads: Threads = 1,
) -> None:
    """Fit again how probable answers of PARSER are and what it refuses, after its rules have
    changed."""
    quiet()
    import torch

    from partwise_papers.databases.recipe import fit_again

    torch.set_num_threads(threads)
    recipe = DatabaseRecipe(out=out, spider=spider, fills=fills, seed=seed)
    _say(out, fit_again(recipe, parser, warn, _command(out, spider, fills)))


@database_parser.command()
def ranks(
    parser: Start,
    /,
    *,
    on: Annotated[RankedOn, Parameter(name="*")] = EVERYTHING,
    threads: Threads = 1,
    answers: Annotated[Path | None, option("Write each question's rank: a baseline.")] = None,
    json: Json = False,
) -> None:
    """Tell where the first right interpretation stands, on what a parser is chosen by."""
    quiet()
    import torch

    from partwise_papers.databases.ranks import ranks_of_saved, text

    torch.set_num_threads(threads)
    figures = ranks_of_saved(parser, on, answers, warn)
    print(jsonlib.dumps(figures, indent=1) if json else text(figures))


def _command(*named: Path | None) -> str:
    """The command that was typed, with the names of its folders alone."""
    return command({str(one): one.name for one in named if one is not None})


def _say(out: Path, parser: DatabaseParser) -> None:
    print(f"{out / 'parser'}: refuses below {parser.refused_below:.3f}")


@database_parser.command()
def measure(
    parser: Annotated[Path, Parameter(help="Folder of the parser, as `train` writes it.")],
    /,
    *,
    on: Annotated[MeasuredOn, Parameter(name="*")] = NOTHING,
    threads: Threads = 1,
    answers: Annotated[Path | None, option("Write each question's outcome (JSONL).")] = None,
    out: Annotated[Path | None, option("Write the results to this file (JSON).")] = None,
    json: Json = False,
) -> None:
    """Ask the parser questions about databases that it was not trained on, and count."""
    quiet()
    import torch

    from partwise_papers.databases.measuring import measure_parser
    from partwise_papers.databases.metrics import text

    torch.set_num_threads(threads)
    typed = _command(parser, on.spider, on.fills, answers, *on.folder)
    results = measure_parser(parser, on, typed, answers, warn)
    said = jsonlib.dumps(results, ensure_ascii=False, indent=1)
    if out is not None:
        write_text(out, said + "\n")
    lines = [text(name, some) for name, some in results["sets"].items()]
    print(said if json else "\n\n".join(lines))
