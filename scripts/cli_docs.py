"""The reference of the command line and of all settings, made from the app and its classes.

`scripts/update_docs.py` writes it into docs/reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from typing import Any

from partwise.cli.app import COMMANDS, PLUGINS, make_app, new_app
from partwise.cli.settings import descriptions
from partwise.cli.train import train_app
from partwise.graph.parser import GraphParser
from partwise.span.parser import SpanParser
from partwise.training.config import TrainingConfig

TRAIN = (
    "These are the options for span parsers. [Configuration](configuration.md) lists the settings "
    "of the other parsers.\n\n"
)
NOISE = re.compile(
    r"#+ Table of Contents\n.*?(?=\*\*Commands)| \*\[default: (?:False|\(\))\]\*", re.S
)


def commands() -> str:
    """All commands with their options; those of ``train`` for span parsers."""
    parts = []
    for name in sorted({*COMMANDS, *PLUGINS}):
        app = make_app(name)
        if name == "train":
            app.command(train_app([], new_app)[0])
        text = app[name].generate_docs(output_format="markdown", heading_level=3)
        text = NOISE.sub("", text).replace("```console\n", "```console\npartwise ")
        title, _, body = text.partition("\n\n")
        parts.append(f"{title}\n\n{TRAIN if name == 'train' else ''}{body.strip()}\n")
    return "\n".join(parts)


def configuration() -> str:
    """The settings of each kind of parser and of the training, as tables."""
    kinds = {
        "Training": TrainingConfig,
        "Span parser": SpanParser.Config,
        "Graph parser": GraphParser.Config,
    }
    return "\n".join(line for title, one in kinds.items() for line in _table(title, one))


def _table(title: str, settings: type[Any]) -> Iterator[str]:
    texts = descriptions(settings)
    yield f"## {title}\n\n`{settings.__module__}.{settings.__name__}`\n"
    yield "| name | default | meaning |\n| --- | --- | --- |"
    for one in fields(settings):
        text = texts.get(one.name, "").replace("|", "\\|")
        former = one.metadata.get("formerly")
        note = f" Formerly `{former}`." if former else ""
        yield f"| `{one.name}` | {_default(one)} | {text}{note} |"
    yield ""


def _default(one: Field[Any]) -> str:
    if one.default is MISSING or one.default is None:
        return "–"
    return f"`{one.default}`"
