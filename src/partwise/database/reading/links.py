"""Links and keys of a database, as questions need them."""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer
from partwise.execution.relational.schema import Link, Schema


def link_of(schema: Schema, table: str, column: str) -> Link | None:
    """The link that a column is; None if it leads nowhere."""
    return next((one for one in schema.links if (one.table, one.column) == (table, column)), None)


def leads(schema: Schema, table: str, column: str, target: str) -> bool:
    """Whether a column is a link to a table."""
    return Link(table, column, target) in schema.links


def one_of_several(schema: Schema, table: str, column: str, target: str) -> bool:
    """Whether a column is one of several links from its table to another."""
    links = [one for one in schema.links if (one.table, one.target) == (table, target)]
    return len(links) > 1 and any(one.column == column for one in links)


def ids_of(schema: Schema, table: str) -> set[str | None]:
    """The key and the links of a table: no more or less of anything."""
    return {schema.table(table).key, *(one.column for one in schema.leaving(table))}


def is_unnamed(layer: SemanticLayer, table: str) -> bool:
    """Whether rows have no name of their own, only ids: orders, bills, visits."""
    return {*layer.table(table).display} <= ids_of(layer.schema, table)


def meets(layer: SemanticLayer, one: str, other: str) -> bool:
    """Whether rows of a table link rows of two others: plantings link fields and crops."""
    leading = {
        link.table
        for link in layer.schema.links
        if link.target == one and not layer.table(link.table).private
    }
    return any(link.target == other for table in leading for link in layer.schema.leaving(table))
