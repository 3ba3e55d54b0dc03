"""``partwise parse``."""

from __future__ import annotations

import typer

from partwise.cli.asking import (
    Alternatives,
    Bind,
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
    json: Json = False,
    svg: Svg = None,
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
    from partwise.cli.showing import respond

    if not respond(
        questions, file, model, k, json, svg, tree, domain, threads, ask=False,
        endpoint=endpoint, bind=bind or (),
    ):  # fmt: skip
        raise typer.Exit(1)
