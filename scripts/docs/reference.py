"""The reference of commands, of settings and of a semantic layer's keys, made from the code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, Field, fields
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from partwise.cli.app import COMMANDS, PLUGINS, make_app, new_app
from partwise.cli.train import descriptions, train_app
from partwise.database.layer import entries
from partwise.graph.parser import GraphParser
from partwise.span.parser import SpanParser
from partwise.training.trainer import TrainingConfig

TRAIN = (
    "These are the options for span parsers. [Configuration](configuration.md) lists the settings "
    "of the other parsers.\n\n"
)
NOISE = re.compile(
    r"#+ Table of Contents\n.*?(?=\*\*Commands)| \*\[default: (?:False|\(\))\]\*", re.S
)
SETTINGS = {
    "Training": TrainingConfig,
    "Span parser": SpanParser.Config,
    "Graph parser": GraphParser.Config,
}
PARTS = {
    "The file": entries.FileEntry,
    "A table": entries.TableEntry,
    "A column": entries.ColumnEntry,
    "A link": entries.LinkEntry,
    "A measure": entries.MeasureEntry,
}
WORDS = {"str": "text", "bool": "`true` or `false`", "float": "number", "date": "day"}
WORDS |= {"Any": "anything"}


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


def settings() -> str:
    """The settings of each kind of parser and of the training, as tables."""
    parts = []
    for title, kind in SETTINGS.items():
        texts = descriptions(kind)
        rows = []
        for field in fields(kind):
            former = field.metadata.get("formerly")
            note = f" Formerly `{former}`." if former else ""
            rows.append((field.name, _default(field), texts.get(field.name, "") + note))
        about = f"`{kind.__module__}.{kind.__name__}`"
        parts.append(_table(title, about, ("name", "default", "meaning"), rows))
    return "\n".join(parts)


def keys() -> str:
    """A table of keys for each part of a semantic layer's file."""
    parts = []
    for title, part in PARTS.items():
        texts = dict(entries.key_texts(part))
        rows = (
            (
                name,
                ("**required** " if field.is_required() else "") + _in_words(field.annotation),
                texts[name],
            )
            for name, field in part.model_fields.items()
        )
        about = " ".join((part.__doc__ or "").split())
        parts.append(_table(title, about, ("key", "value", "meaning"), rows))
    return "\n".join(parts)


def _table(
    title: str, about: str, head: tuple[str, ...], rows: Iterable[tuple[str, str, str]]
) -> str:
    lines = (
        f"| `{name}` | {value} | {text.replace('|', chr(92) + '|')} |\n"
        for name, value, text in rows
    )
    return f"## {title}\n\n{about}\n\n| {' | '.join(head)} |\n| --- | --- | --- |\n{''.join(lines)}"


def _default(field: Field[Any]) -> str:
    return "–" if field.default is MISSING or field.default is None else f"`{field.default}`"


def _in_words(kind: Any) -> str:
    """What a value looks like."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _in_words(parts[0])
    if origin in (Union, UnionType):
        return _in_words(next(part for part in parts if part is not NoneType))
    if origin is Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if origin is tuple:
        return "text, or a list of texts"
    if origin is dict:
        return f"name: {_in_words(parts[1])}"
    name = getattr(kind, "__name__", "anything")
    return WORDS.get(name, name.removesuffix("Entry").lower())
