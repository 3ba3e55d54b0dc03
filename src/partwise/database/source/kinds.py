"""What the values of a column are, by declaration and by content."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from partwise.database.source.catalogue import StoredColumn
from partwise.execution.relational.schema import Kind

_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[-+]\d{2}:?\d{2})?)?"
)
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_LEADING = re.compile(r"[-+]?0\d")
_CODE = re.compile(
    r"phone|fax|tel|zip|post|code|isbn|ssn|barcode|sku|iban|serial|mobile|cell|licen[cs]e|number$|"
    r"(?:^|_)no$",
    re.IGNORECASE,
)
"""Names of columns whose digits are no number."""


class Meant(NamedTuple):
    """What the values of a column are.

    Attributes:
        texts: whether numbers or dates are stored as texts, or texts as something else.
        note: what was inferred and why; empty if it is declared.
    """

    kind: Kind
    texts: bool = False
    note: str = ""


def meaning(table: str, column: StoredColumn, values: Sequence[Any]) -> Meant:
    """What the values of a column are.

    Args:
        values: some that are not null.
    """
    name = f"{table}.{column.name}"
    strings = [one for one in values if isinstance(one, str)]
    match column.type:
        case "boolean" if not strings:
            return Meant("boolean")
        case "number" if not strings:
            return Meant("number")
        case "date" if len(strings) == len(values) and _all(_DATE, strings):
            return Meant("date")
        case "date" if values and not strings:
            return Meant("number", note=f"{name} holds numbers, although it is declared as dates")
        case "text" | "number" | "date" | "boolean":
            meant = _by_content(name, column, values, strings)
            return meant._replace(texts=True) if column.cast and meant.kind == "text" else meant
        case _:
            return Meant("text")


def _by_content(
    name: str, column: StoredColumn, values: Sequence[Any], strings: Sequence[str]
) -> Meant:
    if not values:
        # Nothing is stored: what is declared is all that is known.
        return Meant("text" if column.type == "other" or column.type == "bytes" else column.type)
    if not strings:
        return Meant("number", note=f"{name} holds numbers: each of its values is one")
    if len(strings) == len(values) and _all(_DATE, strings):
        return Meant("date", True, f"{name} holds dates: each of its values is one")
    digits = all(_NUMBER.fullmatch(one.strip()) for one in strings)
    if digits and not _CODE.search(column.name) and not any(map(_LEADING.match, strings)):
        return Meant("number", True, f"{name} holds numbers: each of its values is one")
    if column.type != "text":
        example = next((one for one in strings if not _NUMBER.fullmatch(one.strip())), strings[0])
        note = f"{name} holds texts such as {example[:30]!r}, although it is declared otherwise"
        return Meant("text", note=note)
    return Meant("text")


def _all(pattern: re.Pattern[str], strings: Sequence[str]) -> bool:
    return all(pattern.fullmatch(one.strip()) for one in strings)


def pattern_of(kind: Kind) -> str:
    """The regular expression of all texts that are numbers or dates, for a database."""
    return rf"^\s*{(_DATE if kind == 'date' else _NUMBER).pattern}\s*$"
