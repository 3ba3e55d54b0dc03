"""The command line: ``partwise`` and ``python -m partwise``. One file a command."""

from __future__ import annotations

from typing import Any

import typer

from partwise.cli.ask import ask
from partwise.cli.check import check
from partwise.cli.common import Commands
from partwise.cli.curve import curve
from partwise.cli.evaluate import evaluate
from partwise.cli.new import new
from partwise.cli.parse import parse
from partwise.cli.propose import examples
from partwise.cli.serve import serve
from partwise.cli.train import train
from partwise.interface.plugins import Registry

app = typer.Typer(
    name="partwise",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Learn to turn questions into programs that run, and see which words gave which part.",
    epilog="Begin with: partwise train geography --out runs/geography, then partwise ask. For "
    "questions of your own: partwise new NAME.",
)
for command in (
    train,
    evaluate,
    parse,
    ask,
    serve,
    new,
    check,
    examples,
    curve,
):
    app.command()(command)
for name, command in Registry[Any]("partwise.commands", "command").items():
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)
