"""Links and keys of a database, as questions need them."""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer
from partwise.database.spans.text import stem, stems_of
from partwise.execution.relational.schema import Link, Schema

_KEYS = frozenset(map(stem, ("id", "code", "number", "no", "nr", "key", "name", "ref")))
"""Words of links that say nothing of a role."""


def link_of(schema: Schema, table: str, column: str) -> Link | None:
    """The link that a column is; None if it leads nowhere."""
    return next((one for one in schema.links if (one.table, one.column) == (table, column)), None)


def leads(schema: Schema, table: str, column: str, target: str) -> bool:
    """Whether a column is a link to a table."""
    return Link(table, column, target) in schema.links


def leads_to(layer: SemanticLayer, table: str, other: str) -> bool:
    """Whether rows of a table lead to those of another, and these do not belong to them.

    A department leads to its head, and employees to their department: what is said of employees is
    said of those that belong to the department, as a head has a role and a department has none.
    """
    if layer.schema.path(table, other) is None:
        return False
    if not layer.schema.mutual(table, other):
        return True
    return not _has_role(layer, table, other) or _has_role(layer, other, table)


def _has_role(layer: SemanticLayer, table: str, target: str) -> bool:
    """Whether all links from a table to another say more than the other one's name."""
    called = {part for name in layer.table(target).names for part in stems_of(name)} | _KEYS
    labels = (
        stems_of(layer.column(table, link.column).label)
        for link in layer.schema.leaving(table)
        if link.target == target
    )
    return all(any(len(one) > 1 and one not in called for one in label) for label in labels)


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
