"""What tables and columns are, for scores that hold for any database."""

from __future__ import annotations

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.frame import Ref, is_flag
from partwise.database.reading.names import Thing
from partwise.database.units import MONEY, UNITS

TYPES = (
    *("table", "person", "event", "bridge", "measure"),
    *("flag", "money", "number", "date", "name", "category", "text", "id"),
)
"""What a thing is. Tables: persons, what happens on a date, what only links others, or anything
else. Columns: what says yes or no, amounts of money, other numbers, dates, what names a row, one of
few values, other texts, or keys and links."""


def types_of(layer: SemanticLayer) -> dict[Thing, str]:
    """Each table, column and measure -> one of `TYPES`."""
    made: dict[Thing, str] = {}
    for table in layer.tables:
        made[Thing("table", table.name)] = _of_table(table)
        for column in table.columns:
            thing = Thing("column", table.name, column.name)
            made[thing] = _of_column(layer, table, column)
    made |= {Thing("measure", one.name): "measure" for one in layer.measures}
    return made


def _of_table(table: TableInfo) -> str:
    if table.bridge:
        return "bridge"
    return "person" if table.person else "event" if table.date else "table"


def _of_column(layer: SemanticLayer, table: TableInfo, column: ColumnInfo) -> str:
    if column.name in table.display:
        return "name"
    if is_flag(layer, Ref(table.name, column.name)):
        return "flag"
    if column.kind == "number":
        unit = UNITS.get(column.unit or "")
        return "money" if unit is not None and unit.quantity == MONEY else "number"
    if column.kind == "text":
        return "category" if column.enumeration else "text"
    return column.kind if column.kind in {"date", "id"} else "flag"
