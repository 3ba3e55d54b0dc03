"""A layer ready to use, kept beside its file: YAML and the checks of a file take a tenth of a
second to import and as long to run, which a question need not wait for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from partwise.database.cache import Cache
from partwise.database.layer import model
from partwise.database.layer.model import LayerFile, hide
from partwise.errors import DataError, PartwiseError
from partwise.execution.relational import program, schema

LARGEST = 10_000_000
"""Characters of a file."""
CLASSES = {
    name: value
    for module in (schema, program, model)
    for name, value in vars(module).items()
    if isinstance(value, type) and is_dataclass(value)
}
"""What a layer is made of."""


def read_kept(file: Path, cache: Cache | None = None) -> LayerFile:
    """What a file of a layer says, as `partwise.database.layer.files.read_layer`; without its
    lines, and without values of what is private, where a `cache` was made of the same text."""
    if cache is None:
        return _checked(file)
    kept = cache.text("objects", text_of(file), lambda: json.dumps(_plain(_open(_checked(file)))))
    # Whoever can write there can write the file.
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError, PartwiseError):
        read = _read(json.loads(kept))
        if isinstance(read, LayerFile) and isinstance(read.layer, model.SemanticLayer):
            return replace(read, file=file)
    return _checked(file)


def text_of(file: Path) -> str:
    """The text of a layer's file. Raises DataError if it cannot be read or is too long."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {file}: {error}; give a file of a semantic layer") from error
    if len(text) > LARGEST:
        raise DataError(f"{file} is longer than {LARGEST} characters; leave out values of columns")
    return text


def _checked(file: Path) -> LayerFile:
    from partwise.database.layer.files import read_layer

    return read_layer(file)


def _open(read: LayerFile) -> LayerFile:
    return replace(read, layer=hide(read.layer, read.layer.private_places), file=None, lines={})


def _plain(value: Any) -> Any:
    """A part of a layer as JSON: an object as its class and its fields."""
    if is_dataclass(value):
        return [type(value).__name__, *(_plain(getattr(value, x.name)) for x in fields(value))]
    if isinstance(value, tuple):
        return ["", *map(_plain, value)]
    if isinstance(value, Mapping):
        return {"pairs": [[_plain(key), _plain(one)] for key, one in value.items()]}
    return {"day": value.isoformat()} if isinstance(value, date) else value


def _read(said: Any) -> Any:
    if isinstance(said, list):
        name, *parts = said
        read = map(_read, parts)
        return CLASSES[name](*read) if name else tuple(read)
    if isinstance(said, dict):
        if "day" in said:
            return date.fromisoformat(said["day"])
        return {_read(key): _read(one) for key, one in said["pairs"]}
    return said
