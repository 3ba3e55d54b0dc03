"""Columns whose texts list several things: ``English, French`` in a column of languages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from partwise.database.layer.model import ColumnInfo

SEPARATORS = ("; ", ", ", " | ", " / ", ";", "|", ",")
LEAST = 2
"""The fewest texts that list something."""
WORDS, CHARACTERS = 3, 30
"""The most of a part."""


def separator(column: ColumnInfo) -> str | None:
    """What stands between the things that a column's texts list; None if they list nothing.

    Something is listed if another text has it alone or again, so that a place in a longer address
    is not.
    """
    return None if column.kind != "text" or column.private else _separator(column.values)


@lru_cache(maxsize=1024)
def _separator(values: tuple[str, ...]) -> str | None:
    for sign in SEPARATORS:
        lists = [one.split(sign) for one in values if sign in one]
        parts = [part.strip() for one in lists for part in one]
        if len(lists) >= LEAST and all(map(_is_part, parts)):
            alone = {one for one in values if sign not in one}
            again = {one for one in parts if parts.count(one) > 1}
            if alone & set(parts) and len(alone - set(parts)) <= len(alone) / 2 and again:
                return sign
    return None


def parts_of(column: ColumnInfo, values: Iterable[str]) -> set[str]:
    """The things that some texts of a column list; none if it lists nothing."""
    sign = separator(column)
    if sign is None:
        return set()
    return {part.strip() for one in values for part in one.split(sign) if part.strip()}


def _is_part(text: str) -> bool:
    short = 1 <= len(text.split()) <= WORDS and len(text) <= CHARACTERS
    return short and not any(letter.isdigit() for letter in text)
