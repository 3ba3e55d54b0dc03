"""``partwise new``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from partwise.cli.common import Debug


def new(
    name: Annotated[
        str,
        typer.Argument(help="Name of the domain and its folder: small letters, digits and _."),
    ],
    executor: Annotated[
        Literal["sqlite", "python", "sparql"],
        typer.Option(
            help="What answers. sqlite: a database. python: plain Python. sparql: a knowledge "
            "graph, in a Turtle file or behind an endpoint."
        ),
    ] = "sqlite",
    into: Annotated[Path, typer.Option(help="The folder that is to hold the new one.")] = Path("."),
    debug: Debug = False,
) -> None:
    """Write a small domain of your own that works at once, to be changed piece by piece.

    It has a commented language of a dozen predicates with its data, pairs to learn from,
    questions that no pair has, and a test. What is there already is never written over.
    """
    from partwise.authoring.templates.writing import write_domain

    folder = write_domain(name, executor, into)
    typer.echo(f"made   {folder}: {', '.join(sorted(file.name for file in folder.iterdir()))}")
    if into != Path("."):
        typer.echo(f"first  cd {into}")
    typer.echo(f"next   partwise check {name}")
    typer.echo(
        f"then   partwise train --domain {name} --train {name}/pairs.jsonl --encoder bilstm "
        f"--out runs/{name}"
    )
    typer.echo(f'       partwise ask --domain {name} "who wrote the most popular book ?"')
