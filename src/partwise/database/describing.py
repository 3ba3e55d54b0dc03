"""A semantic layer as it is told to who asks: without what is private."""

from __future__ import annotations

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.visible import is_open, used
from partwise.interface.description import (
    ColumnDescription,
    DomainDescription,
    MeasureDescription,
    TableDescription,
)


def describe(layer: SemanticLayer, examples: tuple[str, ...] = ()) -> DomainDescription:
    """The tables, columns and measures that can be asked about."""
    tables = tuple(_table(one, layer) for one in layer.tables if not one.private)
    measures = tuple(
        MeasureDescription(one.name, one.label, one.table, one.description, one.unit)
        for one in layer.measures
        if is_open(layer, one.table)
        and all(is_open(layer, *at) for at in used((one.of, one.where), one.table, layer.schema))
    )
    return DomainDescription(layer.name, tables, measures, examples)


def _table(table: TableInfo, layer: SemanticLayer) -> TableDescription:
    links = {
        link.column: link.target
        for link in layer.schema.leaving(table.name)
        if is_open(layer, link.target) and is_open(layer, table.name, link.column)
    }
    columns = tuple(_column(one) for one in table.columns if not one.private)
    return TableDescription(table.name, table.label, table.description, columns, links)


def _column(column: ColumnInfo) -> ColumnDescription:
    values = column.values if column.enumeration else ()
    return ColumnDescription(
        column.name, column.label, column.kind, column.description, column.unit, values
    )
