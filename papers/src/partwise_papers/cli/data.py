"""``partwise data``: list, show and check data sets, and learn phrase rules from them."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from partwise.cli.common import DataFolder, Debug

data = typer.Typer(no_args_is_help=True, help="List, show and check data sets; learn phrase rules.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="A data set; see `partwise data list`.")]
Json = Annotated[bool, typer.Option("--json", help="JSON in place of text, for programs.")]


@data.command("list")
def list_(json: Json = False, debug: Debug = False) -> None:
    """List the known data sets, their splits, and which come with the package."""
    from partwise.interface.registry import DATASETS

    if json:
        fields = ("name", "domain", "splits", "description", "shipped")
        rows = [{field: getattr(info, field) for field in fields} for info in DATASETS.values()]
        typer.echo(jsonlib.dumps(rows))
        return
    for info in DATASETS.values():
        place = "comes with the package" if info.shipped else "needs --data"
        typer.echo(f"{info.name}: {info.description}")
        typer.echo(f"  splits {', '.join(info.splits)}; domain {info.domain}; {place}")


@data.command()
def show(
    name: Name,
    split: Annotated[str | None, typer.Option(help="Which split; the first by default.")] = None,
    part: Annotated[str, typer.Option(help="train, dev or test.")] = "train",
    n: Annotated[int, typer.Option("-n", min=1, help="How many examples.")] = 5,
    data: DataFolder = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the first examples of a part: what the questions and programs or queries look like."""
    from partwise.cli.examples import examples_of, has_graphs, queries_of

    if has_graphs(name):
        kind, shown = "query", queries_of(name, split, part, data)[:n]
    else:
        examples = examples_of(name, split, part, data)[:n]
        kind, shown = "program", [(e.question, str(e.meaning), e.source) for e in examples]
    for question, meaning, source in shown:
        if json:
            fields = {"question": question, kind: meaning, "source": source}
            typer.echo(jsonlib.dumps(fields, ensure_ascii=False))
        else:
            typer.echo(f"{question}\n  {meaning}")


@data.command()
def check(
    name: Name,
    data: DataFolder = None,
    json: Json = False,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON to this file.")] = None,
    debug: Debug = False,
) -> None:
    """Check that every line reads, types, is reached by the charts, runs, and is as published.

    Of a data set with queries: that they read, are written as they were, and fit the questions.

    Exits with 1 if there is any exception; each is listed with file and line.
    """
    from rich.console import Console

    from partwise.cli.common import write_text
    from partwise_papers.validation.check import check as check_all

    found = check_all(name, data)
    text = jsonlib.dumps(found.to_json(), ensure_ascii=False, indent=1)
    if out is not None:
        write_text(out, text + "\n")
    if json:
        typer.echo(text)
    else:
        Console().print(found)
    if not found.ok:
        raise typer.Exit(1)


@data.command()
def rules(
    name: Name,
    split: Annotated[str | None, typer.Option(help="Which split; the first by default.")] = None,
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="Look at this many training questions.")
    ] = None,
    data: DataFolder = None,
    debug: Debug = False,
) -> None:
    """Learn phrase rules from training questions and their queries, and print them.

    As `--composition latent` learns them; a first draft of rules for a domain of your own.
    """
    from partwise.cli.common import warn
    from partwise_papers.datasets.phrase_rules import rules_of

    found, fit, size = rules_of(name, split, data, n)
    for rule in found:
        typer.echo(rule)
    warn(f"{len(found)} rules; they fit {fit:,} of {size:,} questions")
