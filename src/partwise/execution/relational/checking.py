"""Whether a program is about the tables and columns that a schema has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from partwise.errors import DomainError
from partwise.execution.relational.parts import is_node, parts
from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    Belonging,
    Exists,
    Field,
    Figure,
    Grouping,
    Having,
    Listing,
    Order,
    Related,
    Rows,
    Value,
    aggregates,
)
from partwise.execution.relational.schema import Schema

_WITH_FIGURES = (Grouping, Having, Order, Arithmetic, Figure)
"""What can be made of figures over a group."""
_FIGURES = (Aggregate, Arithmetic)


def problems(node: Any, schema: Schema, table: str | None = None) -> Iterator[tuple[Any, str]]:
    """The parts of a program that cannot be, and what is wrong with each.

    Args:
        table: whose row the node is about; None for none.
    """
    inside = tuple(parts(node))
    try:
        if not isinstance(node, tuple):
            table = _table(node, inside, schema, table)
    except DomainError as error:
        yield node, str(error)
        return
    for part in inside:
        if is_node(part):
            yield from problems(part, schema, table)


def _table(node: Any, inside: tuple[Any, ...], schema: Schema, table: str | None) -> str | None:
    """Whose rows the parts of a node, `inside`, are about.

    Raises:
        DomainError: if the node, its parts aside, cannot be.
    """
    figures = any(isinstance(one, _FIGURES) for one in inside)
    if figures and not isinstance(node, _WITH_FIGURES) and aggregates(inside):
        raise DomainError("a figure over a group stands where there is no group")
    match node:
        case Rows(name):
            return schema.table(name).name
        case Field(path, column):
            schema.column(schema.end(_some(table, column), path), column)
        case Belonging(path, Figure(rows)) | Related(path, rows):
            there = schema.table(rows.table).name
            schema.related(schema.end(_some(table, there), path), there)
        case Listing() | Grouping() | Figure() | Exists():
            _ordered(node)
            return node.rows.table
    return table


def _some(table: str | None, what: str) -> str:
    if table is None:
        raise DomainError(f"{what} stands where there is no row that it is of")
    return table


def _ordered(node: Any) -> None:
    """
    Raises:
        DomainError: if rows are ordered by figures over all of them, or groups by columns that
            differ within them.
    """
    if isinstance(node, Listing) and aggregates(one.by for one in node.order):
        raise DomainError("rows are ordered by what each of them has, not by a figure over all")
    if isinstance(node, Grouping):
        figures = Aggregate | Arithmetic | Figure | Value
        if not all(one.by in node.keys or isinstance(one.by, figures) for one in node.order):
            raise DomainError("groups are ordered by what makes them, or by figures over them")
