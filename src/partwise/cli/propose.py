"""``partwise examples``."""

from __future__ import annotations

import json as jsonlib
from pathlib import Path
from typing import Annotated

import typer

from partwise.cli.check import OwnDomain, PairsFile
from partwise.cli.common import Debug


def examples(
    domain: OwnDomain,
    pairs: PairsFile = None,
    n: Annotated[int, typer.Option("-n", min=1, help="How many pairs to propose.")] = 20,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the drafts to this file, one JSON object a line, to edit there."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Other names and other programs.")] = 0,
    seconds: Annotated[float, typer.Option(min=1, help="Time for the search.")] = 60.0,
    json: Annotated[
        bool, typer.Option("--json", help="The lines of --out on standard output.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Propose the pairs that are missing: programs that yours do not cover, with draft questions.

    Predicates that no pair uses come first, then new compositions, then new sizes. Put each draft
    question right and take away its field "draft"; lines that have it are not trained on.
    """
    from partwise.authoring.selection import select_examples
    from partwise.cli.common import find_domain, warn, write_text
    from partwise.cli.own import pairs_beside
    from partwise.errors import DataError

    made = find_domain(domain)
    if out is not None and out.exists():
        raise DataError(f"{out} is there already, maybe with drafts that you edited; name another")
    found = select_examples(made, pairs or pairs_beside(made), n, seed, seconds)
    lines = [jsonlib.dumps(draft.to_json(), ensure_ascii=False) for draft in found.drafts]
    if found.left_out:
        warn(f"{found.left_out} pairs are left out; see: partwise check {domain}")
    if len(lines) < n:
        warn("no more programs were found whose answer says something")
    if out is not None:
        write_text(out, "".join(f"{line}\n" for line in lines))
    if json:
        for line in lines:
            typer.echo(line)
        return
    for draft in found.drafts:
        typer.echo(f"{draft.question}\n  {draft.program}\n  = {_short(draft.answer)}; {draft.why}")
    typer.echo(f"the pairs cover {found.before}")
    typer.echo(f"with these {len(lines)}   {found.after}")
    if out is not None:
        typer.echo(f"drafts {out}: put each question right, then take away its field draft")


def _short(answer: tuple[str, ...]) -> str:
    return f"{', '.join(answer[:3])}, ... ({len(answer)})" if len(answer) > 3 else ", ".join(answer)
