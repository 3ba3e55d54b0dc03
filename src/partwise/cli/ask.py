"""``partwise ask``."""

from __future__ import annotations

import typer

from partwise.cli.asking import (
    Alternatives,
    AtLeast,
    Bind,
    Context,
    EndpointUrl,
    Json,
    QuestionFile,
    Questions,
    Svg,
    Threads,
    Tree,
)
from partwise.cli.common import Debug, DomainName, ModelFolder


def ask(
    questions: Questions = None,
    file: QuestionFile = None,
    model: ModelFolder = None,
    k: Alternatives = 1,
    at_least: AtLeast = 0.0,
    json: Json = False,
    svg: Svg = None,
    tree: Tree = True,
    domain: DomainName = None,
    context: Context = None,
    endpoint: EndpointUrl = None,
    bind: Bind = None,
    threads: Threads = 1,
    debug: Debug = False,
) -> None:
    """Answer questions: parse them, run programs or queries, show how the answer came about.

    Exits with 0 if all were answered, with 1 if a question has no parse or its program fails.
    """
    from partwise.cli.showing import Wanted, respond

    wanted = Wanted(
        model, domain, k, json, svg, tree, threads, True, at_least, context, endpoint, bind or ()
    )
    if not respond(questions, file, wanted):
        raise typer.Exit(1)
