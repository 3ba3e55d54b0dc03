"""Write the reference of the command line and of all settings, from the app and its classes.

    python scripts/cli_docs.py docs/reference

makes ``cli.md`` and ``settings.md`` in that folder. Nothing in them is written by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from partwise.cli.app import COMMANDS, PLUGINS, make_app, new_app
from partwise.cli.settings import descriptions
from partwise.cli.train import train_app
from partwise.interface.registry import PARSERS
from partwise.training.config import TrainingConfig


def cli() -> str:
    """All commands with their options; those of ``train`` for each kind of parser."""
    parts = ["# The command line\n"]
    for name in sorted({*COMMANDS, *PLUGINS}):
        for kind in PARSERS if name == "train" else ("",):
            app = make_app(name)
            if kind:
                app.command(train_app(["--parser", kind], new_app)[0])
                parts.append(f"## partwise train --parser {kind}\n")
            text = app[name].generate_docs(output_format="markdown", heading_level=2)
            text = text.replace("```console\n", "```console\npartwise ")
            parts.append(text.partition("\n")[2] if kind else text)
    return "\n".join(parts)


def settings() -> str:
    """The settings of each kind of parser and of its training."""
    classes = {f"The {name} parser": PARSERS.find(name).Config for name in PARSERS}
    tables = ("\n".join(_table(title, one)) for title, one in classes.items())
    return "\n".join(["# Settings\n", *tables, *_table("Training", TrainingConfig)])


def _table(title: str, settings: type[Any]) -> Iterator[str]:
    texts = descriptions(settings)
    yield f"## {title}\n\n| setting | default | what it is |\n| --- | --- | --- |"
    for one in fields(settings):
        former = one.metadata.get("formerly")
        note = f" Formerly {former}." if former else ""
        text = texts.get(one.name, "").replace("|", "\\|")
        yield f"| `{one.name}` | `{one.default}` | {text}{note} |"
    yield ""


def main() -> None:
    """Write both pages."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cli.md").write_text(cli(), "utf-8")
    (folder / "settings.md").write_text(settings(), "utf-8")


if __name__ == "__main__":
    main()
