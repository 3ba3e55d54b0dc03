"""Options of ``partwise train``: what may be chosen, and the files of one's own data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

PARSER_PANEL, LOOP_PANEL, OWN_PANEL = "The span parser", "The training loop", "Your own data"
GRAPH_PANEL = "The graph parser"

Objective = Literal["marginal", "hard", "crf", "trees"]
Lexicon = Literal["full", "names"]
Types = Literal["sharp", "paper"]
Entities = Literal["tied", "free"]
Inner = Literal["template", "length", "random", "mcd"]
Precision = Literal["fp32", "bf16"]

TrainFile = Annotated[
    Path | None,
    typer.Option(
        "--train",
        rich_help_panel=OWN_PANEL,
        help='Training questions: a JSON object a line, {"question": "...", "program": "..."}, '
        'or with a "query" as `partwise generate` writes them.',
    ),
]
DevFile = Annotated[
    Path | None,
    typer.Option(
        "--dev",
        rich_help_panel=OWN_PANEL,
        help="Questions to choose the best epoch by, in the same form.",
        show_default="the training questions",
    ),
]
TestFile = Annotated[
    Path | None,
    typer.Option("--test-file", rich_help_panel=OWN_PANEL, help="Questions for --test."),
]
Composition = Annotated[
    Literal["flat", "declared", "latent"] | None,
    typer.Option(
        rich_help_panel=GRAPH_PANEL,
        help="declared: phrase by phrase, by the domain's phrase rules, each phrase's graph read "
        "on its own. latent: the same, by phrase rules that are learned from the questions and "
        "their graphs. flat: the whole question at once (the paper).",
        show_default="declared where the domain has phrase rules",
    ),
]
Protocol = Annotated[
    Literal["full", "paper"] | None,
    typer.Option(
        rich_help_panel=GRAPH_PANEL,
        help="full: the whole query, nothing given. paper: edges only, the number of variables "
        "given from gold, as the paper does; with flat, for comparison.",
        show_default="full",
    ),
]
Held = Annotated[
    int | None,
    typer.Option(
        "--held",
        min=0,
        rich_help_panel=GRAPH_PANEL,
        help="Questions of train that are not trained on but choose the best epoch, at most a "
        "fifth of them; 0 to keep the last epoch.",
        show_default="500",
    ),
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
