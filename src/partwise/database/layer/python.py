"""A layer as a Python module, for those who rather write code: ``LAYER = SemanticLayer(...)``.

The module is imported as any other is. What no formula of a file can say, such as a figure over
rows of another table, can stand in a module.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date, datetime
from typing import Any

from partwise.database.layer.model import LayerFile, SemanticLayer
from partwise.errors import DataError, DomainError

WIDTH = 100
"""Characters of a line."""
_SHORT = {"Column", "Link", "Value", "Field", "Missing", "Not", "And", "Or"}
"""Classes whose arguments are known by their order."""


def write_python(layer: SemanticLayer, source: str, today: date | None = None) -> str:
    """The text of a module that makes a layer. Raises DomainError if the layer holds what cannot be
    written as a constant."""
    made = {"LAYER": layer, "SOURCE": source, "TODAY": today}
    said = {name: value for name, value in made.items() if value is not None}
    lines = [f"{name} = {_written(value, 0, len(name) + 3)}" for name, value in said.items()]
    head = f'"""What people call the tables, columns and figures of {layer.name}."""'
    return "\n\n".join([head, "\n".join(_imports(said)), "\n\n".join(lines)]) + "\n"


def read_python(module: str) -> LayerFile:
    """The layer that a module of the user's makes. `module`: its name, as for `import`. Raises
    DataError if it cannot be imported, or makes no layer."""
    try:
        members = vars(importlib.import_module(module))
    except Exception as error:
        # The user's own code runs here, and may fail in any way.
        raise DataError(f"cannot import {module}: {type(error).__name__}: {error}") from error
    layer, source = members.get("LAYER"), members.get("SOURCE")
    if not isinstance(layer, SemanticLayer) or not isinstance(source, str):
        raise DataError(
            f"{module} makes no layer: write LAYER = SemanticLayer(...) and SOURCE = 'sqlite:///...'"
        )
    return LayerFile(layer, source, members.get("TODAY"))


def _imports(said: Mapping[str, Any]) -> Iterator[str]:
    """The imports of what is named."""
    named: dict[str, set[str]] = {}
    for value in said.values():
        for one in _classes(value):
            named.setdefault(one.__module__, set()).add(one.__name__)
    for module in sorted(named, key=lambda one: (one != "datetime", one)):
        names = sorted(named[module])
        line = f"from {module} import {', '.join(names)}"
        if len(line) > WIDTH:
            line = f"from {module} import (\n    " + ",\n    ".join(names) + ",\n)"
        yield line + ("\n" if module == "datetime" else "")


def _classes(value: Any) -> Iterator[type[Any]]:
    """The classes that a value is made of."""
    if is_dataclass(value) or isinstance(value, date):
        yield type(value)
    yield from (one for part in _parts(value) for one in _classes(part))


def _parts(value: Any) -> list[Any]:
    if is_dataclass(value):
        return [getattr(value, one.name) for one in _given(value)]
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    return list(value) if isinstance(value, tuple) else []


def _given(value: Any) -> list[Field[Any]]:
    """The fields of an object that are not as they are by default."""
    return [one for one in fields(value) if getattr(value, one.name) != _default(one)]


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _written(value: Any, indent: int, before: int) -> str:
    """A value as an expression. `indent`: of the line that it begins in. `before`: characters
    before it in that line, beside the indent."""
    begin, parts, end = _parts_of(value)
    if not parts:
        return begin + end
    flat = [f"{name}{_written(part, 0, -(10**9))}" for name, part in parts]
    line = begin + ", ".join(flat) + ("," if begin == "(" and len(parts) == 1 else "") + end
    if indent + before + len(line) < WIDTH:
        return line
    inner = indent + 4
    lines = (
        f"{' ' * inner}{name}{_written(part, inner, len(name) + 1)},\n" for name, part in parts
    )
    return f"{begin}\n{''.join(lines)}{' ' * indent}{end}"


def _parts_of(value: Any) -> tuple[str, list[tuple[str, Any]], str]:
    """How a value begins, its parts with what stands before each, and how it ends."""
    if is_dataclass(value):
        name = type(value).__name__
        given = _given(value)
        order = [one.name for one in fields(value)][: len(given)]
        plain = name in _SHORT and [one.name for one in given] == order
        parts = [("" if plain else f"{one.name}=", getattr(value, one.name)) for one in given]
        return f"{name}(", parts, ")"
    if isinstance(value, tuple):
        return "(", [("", one) for one in value], ")"
    if isinstance(value, Mapping):
        parts = [(f"{_written(key, 0, -(10**9))}: ", one) for key, one in value.items()]
        return "{", parts, "}"
    return _constant(value), [], ""


def _constant(value: Any) -> str:
    if isinstance(value, datetime):
        moment = (value.year, value.month, value.day, value.hour, value.minute, value.second)
        return f"datetime{(*moment, value.microsecond)}"
    if isinstance(value, date):
        return f"date{(value.year, value.month, value.day)}"
    if isinstance(value, str):
        text = repr(value)
        return text if '"' in value else f'"{text[1:-1]}"'
    if isinstance(value, bool | int) or value is None:
        return repr(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise DomainError(f"{value!r} cannot be written as a constant of Python")
