"""Numbers of a table that say how much or how many, not which."""

from __future__ import annotations

from partwise.database.layer.model import ColumnInfo, SemanticLayer
from partwise.database.reading.links import ids_of

MONEY = {"usd", "eur", "gbp", "money"}
"""Units of money."""
PLANNED = {"estimated", "expected", "planned", "budgeted", "forecast", "projected", "anticipated"}
ACTUAL = {"actual", "real", "final", "effective"}
"""Words of columns that say what was planned, and what came of it."""
COUNTS = {"count", "quantity", "number", "amount", "units", "pieces"}
"""Words of columns that say how many of something a row stands for."""


def is_plan(layer: SemanticLayer, table: str, column: str) -> bool:
    """Whether a column says what was planned where another one says what came of it: the estimated
    cost beside the actual cost."""
    words = layer.column(table, column).label.split()
    kept = [one for one in words if one not in PLANNED]
    if kept == words or not kept:
        return False
    columns = [one for one in layer.table(table).columns if not one.private]
    others = [one.label.split() for one in columns if one.name != column]
    return any([word for word in one if word not in ACTUAL] == kept for one in others)


def amounts_of(layer: SemanticLayer, table: str) -> list[ColumnInfo]:
    """The numbers of a table that people add up or compare: neither keys nor links."""
    ids = ids_of(layer.schema, table)
    columns = layer.table(table).columns
    return [
        one
        for one in columns
        if one.kind == "number" and not (one.private or one.name in ids)
        if not is_plan(layer, table, one.name)
    ]


def count_of(layer: SemanticLayer, table: str) -> ColumnInfo | None:
    """The column that says how many a row stands for, as of a table of downloads per day; None if
    no column does, or several do."""
    some = [one for one in amounts_of(layer, table) if COUNTS & set(one.label.split())]
    return some[0] if len(some) == 1 else None
