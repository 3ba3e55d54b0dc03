"""What tables and columns are, for scores that hold for any database."""

from __future__ import annotations

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.spans.names import SchemaItem
from partwise.database.units import MONEY, UNITS

TYPES = (
    *("table", "person", "event", "bridge", "measure"),
    *("flag", "money", "number", "date", "name", "category", "text", "id"),
)
"""What a thing is. Tables: persons, what happens on a date, what only links others, or anything
else. Columns: what says yes or no, amounts of money, other numbers, dates, what names a row, one of
few values, other texts, or keys and links."""
TRUE, FALSE = ("1", "yes", "y", "true", "t"), ("0", "no", "n", "false", "f")
"""How "yes" and "no" are stored, in lower case."""


def types_of(layer: SemanticLayer) -> dict[SchemaItem, str]:
    """Each table, column and measure -> one of `TYPES`."""
    made: dict[SchemaItem, str] = {}
    for table in layer.tables:
        made[SchemaItem("table", table.name)] = _of_table(table)
        for column in table.columns:
            thing = SchemaItem("column", table.name, column.name)
            made[thing] = _of_column(table, column)
    made |= {SchemaItem("measure", one.name): "measure" for one in layer.measures}
    return made


def _of_table(table: TableInfo) -> str:
    if table.bridge:
        return "bridge"
    return "person" if table.person else "event" if table.date else "table"


def _of_column(table: TableInfo, column: ColumnInfo) -> str:
    if column.name in table.display:
        return "name"
    if is_flag(column):
        return "flag"
    if column.kind == "number":
        unit = UNITS.get(column.unit or "")
        return "money" if unit is not None and unit.quantity == MONEY else "number"
    if column.kind == "text":
        return "category" if column.enumeration else "text"
    return column.kind if column.kind in {"date", "id"} else "flag"


def is_flag(column: ColumnInfo) -> bool:
    """Whether a column says yes or no."""
    stored = {value.lower() for value in column.values}
    return column.kind == "boolean" or (
        column.enumeration and len(stored) <= 2 and bool(stored & set(TRUE))
    )
