"""Numbers of a table that say how much or how many, not which."""

from __future__ import annotations

from partwise.database.layer.model import ColumnInfo, SemanticLayer
from partwise.database.reading.links import ids_of

MONEY = {"usd", "eur", "gbp", "money"}
"""Units of money."""
COUNTS = {"count", "quantity", "number", "amount", "units", "pieces"}
"""Words of columns that say how many of something a row stands for."""


def amounts_of(layer: SemanticLayer, table: str) -> list[ColumnInfo]:
    """The numbers of a table that people add up or compare: neither keys nor links."""
    ids = ids_of(layer.schema, table)
    columns = layer.table(table).columns
    return [
        one for one in columns if one.kind == "number" and not one.private and one.name not in ids
    ]


def count_of(layer: SemanticLayer, table: str) -> ColumnInfo | None:
    """The column that says how many a row stands for, as of a table of downloads per day; None if
    no column does, or several do."""
    some = [one for one in amounts_of(layer, table) if COUNTS & set(one.label.split())]
    return some[0] if len(some) == 1 else None
