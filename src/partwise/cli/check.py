"""``partwise check``."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from partwise.cli.common import Debug

OwnDomain = Annotated[
    str,
    typer.Argument(
        metavar="DOMAIN",
        help="Your domain: its folder here, as `partwise new` makes it, or MODULE:CLASS.",
    ),
]
PairsFile = Annotated[
    Path | None,
    typer.Option(
        "--pairs",
        help='Questions with programs, {"question": "...", "program": "..."} a line.',
        show_default="pairs.jsonl beside the domain's file, if it is there",
    ),
]


def check(
    domain: OwnDomain,
    pairs: PairsFile = None,
    seconds: Annotated[
        float, typer.Option(min=1, help="Time for running and searching the pairs.")
    ] = 60.0,
    json: Annotated[bool, typer.Option("--json", help="JSON in place of text.")] = False,
    debug: Debug = False,
) -> None:
    """Check a domain of your own and its pairs: what cannot work, why, and what to do.

    Finds predicates that can never be used, types that nothing produces, ambiguous phrases, pairs
    that do not type, that no tree can reach, that fail, give nothing or contradict each other, and
    predicates that no pair uses. Exits with 1 if there is an error.
    """
    from rich.console import Console

    from partwise.authoring.validation import (
        DomainReport,
        declaration_issue,
        validate_domain,
    )
    from partwise.cli.common import find_domain
    from partwise.cli.own import pairs_beside
    from partwise.errors import DataError

    try:
        made = find_domain(domain)
    except DataError as error:
        issue = declaration_issue(error)
        # Without a line of the user's own code at fault, it is the name that is wrong.
        if error.__cause__ is None or not issue.where:
            raise
        report = DomainReport(domain, [issue])
    else:
        report = validate_domain(made, pairs or pairs_beside(made), seconds)
    if json:
        typer.echo(jsonlib.dumps(report.to_json(), ensure_ascii=False, indent=1))
    else:
        console = Console(soft_wrap=True, highlight=False)
        for line in report.lines():
            console.print(line)
    if not report.ok:
        raise typer.Exit(1)
