"""Columns that are asked for beside the names of rows: "venues with their capacity"."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.filling import Step, given
from partwise.database.reading.frame import NAME, Frame, Ref, names_of
from partwise.database.reading.text import Word

_WITH = {"with", "and", "plus", "incl", "including", "along", "alongside", "showing", "&", "+", ","}
_BETWEEN = {"the", "their", "its", "his", "her", "a", "how", "what", "in", "at", "each", "all"} | {
    *("respective", "current", "full", "which", "by", "on", "for", "from", "when", "where", "as"),
    *("well", "with", "and", "also"),
}
FURTHEST = 3
"""How many little words may stand between "with" and the column."""


def said_beside(words: Sequence[Word], start: int) -> bool:
    """Whether "with", "and" or the like stands before a word."""
    for at in range(start - 1, max(-1, start - 2 - FURTHEST), -1):
        if words[at].plain in _WITH:
            return at > 0
        if words[at].plain not in _BETWEEN:
            return False
    return False


def ends_there(words: Sequence[Word], at: int) -> bool:
    """Whether a word is the last, and not the first: "who bought what"."""
    return at > 0 and not any(one.plain[:1].isalnum() for one in words[at + 1 :])


def meets(layer: SemanticLayer, one: str, other: str) -> bool:
    """Whether rows of a table link rows of two others: plantings link fields and crops."""
    leading = {
        link.table
        for link in layer.schema.links
        if link.target == one and not layer.table(link.table).private
    }
    return any(link.target == other for table in leading for link in layer.schema.leaving(table))


def beside_steps(frame: Frame, ref: Ref, layer: SemanticLayer) -> list[Step]:
    """The names of the rows that are asked for, with a column that they have."""
    waits = frame.agg or frame.way or frame.sign or frame.per or frame.neg or frame.num is not None
    if not frame.head or waits or frame.missing or frame.figures or frame.keys or frame.sort:
        return []
    made = given(frame)
    if made.shown or layer.schema.path(frame.head, ref.table) is None:
        return []
    if ref in names_of(layer, frame.head):
        return []
    return [Step(made._replace(shown=(NAME, ref)), "show_beside")]


def has_names(layer: SemanticLayer, table: str) -> bool:
    """Whether rows of a table have other names than a number."""
    return {one.column for one in names_of(layer, table)} != {layer.schema.table(table).key}
