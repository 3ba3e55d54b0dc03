"""Columns that "kind" and the like stand for: "animals of each kind", "what types of rooms"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from partwise.database.layer.model import SemanticLayer, TableInfo
from partwise.database.reading.text import Word

KINDS = {"job", "role", "position", "kind", "type", "category", "class", "rank", "level"} | {
    *("profession", "occupation", "function", "specialty", "species", "genre", "status")
}
"""Words of columns whose values are kinds, however many there are."""
SORTS = {"kind", "type", "sort", "category", "kinds", "types", "sorts", "categories", "class"}


def sorts(
    layer: SemanticLayer, words: Sequence[Word], said: Collection[str]
) -> Iterator[tuple[int, str, str]]:
    """Where "kind" or the like is said, with a table that is said, too, and its column of kinds."""
    for at, word in enumerate(words):
        if word.plain in SORTS:
            for table in layer.tables:
                if table.name in said:
                    for column in _of_kinds(table):
                        yield at, table.name, column


def _of_kinds(table: TableInfo) -> list[str]:
    """The columns whose values are kinds, or else those of few values."""
    some = [
        one
        for one in table.columns
        if one.kind == "text" and not one.private and one.name not in table.display
    ]
    named = [one.name for one in some if KINDS & set(one.label.split())]
    return (named or [one.name for one in some if one.enumeration])[:3]
