"""``partwise parse``."""

from __future__ import annotations

import typer

from partwise.cli.asking import (
    Alternatives,
    AtLeast,
    Bind,
    Chart,
    EndpointUrl,
    Json,
    QuestionFile,
    Questions,
    Svg,
    Threads,
    Tree,
)
from partwise.cli.common import Debug, DomainName, ModelFolder


def parse(
    questions: Questions = None,
    file: QuestionFile = None,
    model: ModelFolder = None,
    k: Alternatives = 1,
    at_least: AtLeast = 0.0,
    json: Json = False,
    svg: Svg = None,
    chart: Chart = None,
    tree: Tree = True,
    domain: DomainName = None,
    endpoint: EndpointUrl = None,
    bind: Bind = None,
    threads: Threads = 1,
    debug: Debug = False,
) -> None:
    """Show what questions mean: the program or query, its tree or graph, and its probability.

    Exits with 1 if a question has no parse.
    """
    from partwise.cli.showing import Wanted, respond

    wanted = Wanted(
        *(model, domain, k, json, svg, tree, threads),
        run=False,
        at_least=at_least,
        endpoint=endpoint,
        bind=bind or (),
        chart=chart,
    )
    if not respond(questions, file, wanted):
        raise typer.Exit(1)
