"""Options of ``partwise train``: what may be chosen, and the files of one's own data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

PARSER_PANEL, LOOP_PANEL, OWN_PANEL = "The parser", "The training loop", "Your own data"

Objective = Literal["marginal", "hard", "crf", "trees"]
Lexicon = Literal["full", "names"]
Types = Literal["sharp", "paper"]
Entities = Literal["tied", "free"]
Inner = Literal["template", "length", "random"]
Precision = Literal["fp32", "bf16"]

TrainFile = Annotated[
    Path | None,
    typer.Option(
        "--train",
        rich_help_panel=OWN_PANEL,
        help='Training questions: a JSON object a line, {"question": "...", "program": "..."}.',
    ),
]
DevFile = Annotated[
    Path | None,
    typer.Option(
        "--dev",
        rich_help_panel=OWN_PANEL,
        help="Questions to choose the best epoch by, in the same form.",
    ),
]
TestFile = Annotated[
    Path | None,
    typer.Option("--test-file", rich_help_panel=OWN_PANEL, help="Questions for --test."),
]
Extra = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        rich_help_panel=LOOP_PANEL,
        help="Any other setting of the parser or the loop, as hidden=300 or warmup=0.2. May be "
        "repeated; goes before the options.",
    ),
]
