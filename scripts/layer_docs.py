"""The reference of the keys of a semantic layer's file, made from their declarations.

`scripts/update_docs.py` writes it into docs/reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from partwise.database.layer.entries import (
    ColumnEntry,
    Entry,
    FileEntry,
    LinkEntry,
    MeasureEntry,
    TableEntry,
)

PARTS: dict[str, type[Entry]] = {
    "The file": FileEntry,
    "A table": TableEntry,
    "A column": ColumnEntry,
    "A link": LinkEntry,
    "A measure": MeasureEntry,
}


def keys() -> str:
    """A table of keys for each part of the file."""
    return "\n".join(line for title, part in PARTS.items() for line in _table(title, part))


def _table(title: str, part: type[Entry]) -> Iterator[str]:
    yield f"## {title}\n\n{' '.join((part.__doc__ or '').split())}\n"
    yield "| key | value | meaning |\n| --- | --- | --- |"
    for name, field in part.model_fields.items():
        need = "**required** " if field.is_required() else ""
        text = (field.description or "").replace("|", "\\|")
        yield f"| `{name}` | {need}{_value(field)} | {text} |"
    yield ""


def _value(field: FieldInfo) -> str:
    return _words(field.annotation)


def _words(kind: Any) -> str:
    """What a value looks like, in words."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _words(parts[0])
    if origin in (Union, UnionType):
        return _words(next(one for one in parts if one is not NoneType))
    if origin is Literal:
        return ", ".join(f"`{one}`" for one in parts)
    if origin is tuple:
        return "text, or a list of texts"
    if origin is dict:
        return f"name: {_words(parts[1])}"
    named = {"str": "text", "bool": "`true` or `false`", "float": "number", "date": "day"}
    named |= {"Any": "anything"}
    name = getattr(kind, "__name__", "anything")
    return named.get(name, name.removesuffix("Entry").lower())
