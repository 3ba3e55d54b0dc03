"""``partwise database-parser``: train and measure the parser for databases."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from partwise.cli.common import (
    Json,
    NotNegative,
    Positive,
    Threads,
    option,
    quiet,
    warn,
    write_text,
)
from partwise.cli.evaluate import command
from partwise_papers.databases.options import MeasuredOn

if TYPE_CHECKING:
    from partwise.database.parser import DatabaseParser
    from partwise_papers.databases.recipe import DatabaseRecipe

database_parser = App(
    name="database-parser", help="Train and measure the parser for databases of any kind."
)

NOTHING = MeasuredOn()
Spider = Annotated[Path | None, option("Folder of Spider's files; without it, it is left out.")]
Fills = Annotated[
    Path | None, option("Folder for Spider's databases with made-up rows; made if missing.")
]
Start = Annotated[str, Parameter(help="A saved parser, its name or folder.")]
Composed = Annotated[
    int,
    option("Questions that put known parts together, of each database.", validator=NotNegative),
]
Seed = Annotated[int, option("Of what is drawn.", validator=NotNegative)]


@database_parser.command()
def train(
    *,
    out: Annotated[Path, option("Folder of the run. One that was stopped goes on.")],
    spider: Spider = None,
    fills: Fills = None,
    seed: Seed = 0,
    start: Annotated[
        str | None, option("A saved parser to train on, its name or folder, without rounds.")
    ] = None,
    from_scratch: Annotated[
        bool, option("Search all questions with START, then train new networks.")
    ] = False,
    rounds: Annotated[int, option("Of searching and training.", validator=Positive)] = 3,
    per_round: Annotated[
        int, option("How many of Spider's questions each round takes.", validator=NotNegative)
    ] = 1500,
    epochs: Annotated[int, option("Of training in each round.", validator=Positive)] = 3,
    together: Annotated[
        int, option("Of training with the encoder, in the end.", validator=NotNegative)
    ] = 3,
    composed: Composed = 0,
    frozen: Annotated[bool, option("After a start, leave the encoder as it is.")] = False,
    blend: Annotated[
        float, option("The share of new weights in the mean with the old ones; with --frozen.")
    ] = 1.0,
    encoder: Annotated[str, option("A kind of encoder, or kind:option.")] = "minilm",
    threads: Threads = 1,
    json: Json = False,
) -> None:
    """Train the parser on the typed databases and on Spider's; it is OUT/parser in the end."""
    given: dict[str, Any] = {
        name: value for name, value in locals().items() if name not in ("threads", "json")
    }
    quiet()
    import torch

    from partwise_papers.databases.recipe import DatabaseRecipe, train_database_parser

    torch.set_num_threads(threads)
    recipe = DatabaseRecipe(**given)
    parser = train_database_parser(recipe, warn, _command(out, spider, fills))
    thresholds = {"refused_below": parser.refused_below, "doubtful_below": parser.doubtful_below}
    if json:
        print(jsonlib.dumps({"parser": str(out / "parser"), **thresholds}))
    else:
        _say(out, parser)


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
    """Fit again how probable answers of PARSER are and what it refuses, after rules for reading
    have changed."""
    recipe = _begin(parser, out, spider, fills, seed, threads)
    from partwise_papers.databases.recipe import fit_again

    _say(out, fit_again(recipe, warn, _command(out, spider, fills)))


@database_parser.command()
def compare(
    parser: Start,
    /,
    *,
    out: Annotated[Path, option("Folder of the run; the new parser is `parser` in it.")],
    spider: Spider = None,
    fills: Fills = None,
    seed: Seed = 0,
    epochs: Annotated[int, option("Of training.", validator=Positive)] = 8,
    composed: Composed = 0,
    further: Annotated[bool, option("Train the one that it has further.")] = False,
    drawn: Annotated[
        int | None, option("So many of the questions that are not composed.", validator=Positive)
    ] = None,
    device: Annotated[Literal["cpu", "cuda"], option("Where it is trained.")] = "cpu",
    threads: Threads = 1,
) -> None:
    """Train the cross-encoder of PARSER, which compares readings with the question."""
    recipe = _begin(parser, out, spider, fills, seed, threads, composed)
    from partwise_papers.databases.cross_encoder import CrossTraining
    from partwise_papers.databases.recipe import compare_readings

    training = CrossTraining(epochs, seed, device, further)
    _say(out, compare_readings(recipe, training, drawn, warn, _command(out, spider, fills)))


def _begin(
    parser: str,
    out: Path,
    spider: Path | None,
    fills: Path | None,
    seed: int,
    threads: int,
    composed: int = 0,
) -> DatabaseRecipe:
    """What changes a parser that is there."""
    quiet()
    import torch

    from partwise_papers.databases.recipe import DatabaseRecipe

    torch.set_num_threads(threads)
    return DatabaseRecipe(
        out=out, spider=spider, fills=fills, seed=seed, start=parser, composed=composed
    )


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
