"""The file of a semantic layer: YAML that a person reads and edits.

It is read by ruamel.yaml, which keeps comments and the order of keys when a file is rewritten,
knows the line of each key, and reads "no" as a text. A file makes no objects and runs no code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.representer import RoundTripRepresenter

from partwise.database.layer.building import Fault, Keys, build_layer
from partwise.database.layer.document import document
from partwise.database.layer.entries import FileEntry
from partwise.database.layer.model import SemanticLayer
from partwise.database.layer.schema import SCHEMA_FILE, schema_text
from partwise.errors import DataError

LARGEST = 10_000_000
"""Characters of a file."""
MOST = 20
"""Faults of a file that are listed."""
_ALIAS = re.compile(r"(?:^|[\s\[{,:])\*\w")


@dataclass(frozen=True)
class LayerFile:
    """What a file says.

    Attributes:
        source: where the data are, as ``sqlite:///shop.db``.
        today: the day that "last month" is counted from; None for the day of asking.
        file: where it was read.
        lines: the line of each key, from 1: ``("tables", "Invoice", "date")``.
    """

    layer: SemanticLayer
    source: str
    today: date | None = None
    file: Path | None = None
    lines: Mapping[Keys, int] = field(default_factory=dict)

    def where(self, *keys: str) -> str:
        """``file:line`` of a key, or of what it stands in; "" if no file was read."""
        return "" if self.file is None else f"{self.file}:{_line(self.lines, keys)}"


def write_layer(
    layer: SemanticLayer,
    file: Path,
    source: str,
    today: date | None = None,
) -> None:
    """Write a new file, and beside it the JSON Schema that editors complete it with.

    What follows from a name is left out. The reasons of what was inferred stand as comments.

    Raises:
        DomainError: if a measure cannot be written as a formula.
    """
    text = dump(document(layer, source, {} if today is None else {"today": today}))
    _replace(file, text)
    _replace(file.with_name(SCHEMA_FILE), schema_text())


def read_layer(file: Path) -> LayerFile:
    """What a file says.

    Raises:
        DataError: if it cannot be read or does not hold together; says each line.
    """
    tree = load(file)
    lines = dict(_lines(tree, ()))
    try:
        entry = FileEntry.model_validate(tree)
    except ValidationError as error:
        raise _refusal(file, lines, [_fault(one) for one in error.errors()]) from None
    layer, faults = build_layer(entry)
    if layer is None:
        raise _refusal(file, lines, faults)
    return LayerFile(layer, entry.source, entry.today, file, lines)


def load(file: Path) -> CommentedMap:
    """The file as a tree that keeps comments and order.

    Raises:
        DataError: if it is no YAML of keys and values.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {file}: {error}; give a file of a semantic layer") from error
    if len(text) > LARGEST:
        raise DataError(f"{file} is longer than {LARGEST} characters; leave out values of columns")
    try:
        if _ALIAS.search(text):
            _refuse_aliases(file, text)
        tree = _yaml().load(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f":{mark.line + 1}"
        what = " ".join(str(error.problem or error.context).split())
        raise DataError(f"{file}{line}: this is no valid YAML: {what}") from error
    except (YAMLError, RecursionError, ValueError) as error:
        raise DataError(f"{file}: this is no valid YAML: {type(error).__name__}") from error
    if not isinstance(tree, CommentedMap):
        raise DataError(f"{file}:1: a layer begins with keys, as name: shop and source: ...")
    return tree


def dump(tree: Mapping[str, Any]) -> str:
    """The text of a file."""
    stream = StringIO()
    _yaml().dump(tree, stream)
    return stream.getvalue()


class _Representer(RoundTripRepresenter):
    """Quotes what ruamel.yaml writes plainly and reads as something else: tabs, line breaks and
    other signs without a form, and a question mark at the beginning."""

    def represent_str(self, data: str) -> Any:
        style = None if data.isprintable() and not data.startswith("?") else '"'
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)


_Representer.add_representer(str, _Representer.represent_str)


def _yaml() -> YAML:
    """Python only, since the C library knows no comments."""
    yaml = YAML(typ="rt", pure=True)
    yaml.Representer = _Representer
    yaml.width = 4096
    yaml.preserve_quotes = True
    yaml.allow_unicode = True
    return yaml


def _refuse_aliases(file: Path, text: str) -> None:
    """An alias could make a small file stand for a huge one."""
    for event in _yaml().parse(text):
        if isinstance(event, AliasEvent):
            line = event.start_mark.line + 1
            raise DataError(f"{file}:{line}: aliases (*{event.anchor}) are not read; write it out")


def _lines(tree: Any, keys: Keys) -> Iterator[tuple[Keys, int]]:
    """The line of each key below some keys."""
    if isinstance(tree, CommentedMap):
        for key, value in tree.items():
            here = (*keys, str(key))
            yield here, tree.lc.key(key)[0] + 1
            yield from _lines(value, here)
    elif isinstance(tree, CommentedSeq):
        for number, value in enumerate(tree):
            here = (*keys, str(number))
            yield here, tree.lc.item(number)[0] + 1
            yield from _lines(value, here)


def _line(lines: Mapping[Keys, int], keys: Keys) -> int:
    """The line of the innermost of some keys that is there."""
    return next((lines[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in lines), 1)


def _fault(error: Any) -> Fault:
    """A fault in terms of the file."""
    keys = tuple(str(one) for one in error["loc"] if one != "[key]")
    if error["type"] == "key":
        return Fault((*keys, str(error["ctx"]["key"])), error["msg"])
    if error["type"] == "missing":
        return Fault(keys[:-1], f"the key {keys[-1]!r} is missing")
    value = " ".join(repr(error["input"]).split())
    said = value if len(value) < 60 else f"{value[:60]}..."
    what = error["msg"].removeprefix("Input ").removeprefix("should ")
    name = next((one for one in reversed(keys) if not one.isdecimal()), "the file")
    return Fault(keys, f"{name} should {what}, and is {said}")


def _refusal(file: Path, lines: Mapping[Keys, int], faults: list[Fault]) -> DataError:
    placed = sorted((_line(lines, one.keys), one.what) for one in faults)
    listed = [f"{file}:{line}: {what}" for line, what in placed[:MOST]]
    if len(placed) > MOST:
        listed.append(f"and {len(placed) - MOST} more")
    return DataError("\n".join(listed))


def _replace(file: Path, text: str) -> None:
    """Write a file whole or not at all."""
    part = file.with_name(f"{file.name}.part")
    part.write_text(text, "utf-8")
    part.replace(file)
