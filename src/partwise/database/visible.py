"""What a program uses of a database, and that none of it is private."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from partwise.database.layer.model import SemanticLayer
from partwise.errors import UnknownConstantError
from partwise.execution.relational.program import Field, Program, Rows
from partwise.execution.relational.schema import Link, Schema

Place = tuple[str, str | None]
"""A table, or a column of one."""


def check_visible(program: Program, layer: SemanticLayer) -> None:
    """Refuse a program that uses a private table or column, be it only to compare.

    Raises:
        UnknownConstantError: naming the first one.
    """
    for table, column in used(program, "", layer.schema):
        if not is_open(layer, table, column):
            name = table if column is None else f"{table}.{column}"
            raise UnknownConstantError(f"{name} is private: nothing about it is answered")


def open_layer(layer: SemanticLayer) -> SemanticLayer:
    """The same without links from and to private tables, so that no path leads over one: which rows
    belong together would tell what a private table says.

    A link of a private column stays. That rows belong together is told by its table, which is open.
    """
    hidden = {table.name for table in layer.tables if table.private}
    if not hidden:
        return layer

    def is_kept(link: Link) -> bool:
        return not hidden & {link.table, link.target}

    schema = layer.schema
    return replace(
        layer,
        schema=Schema(schema.tables, tuple(filter(is_kept, schema.links))),
        links={link: names for link, names in layer.links.items() if is_kept(link)},
        preferred=tuple(filter(is_kept, layer.preferred)),
    )


def is_open(layer: SemanticLayer, table: str, column: str | None = None) -> bool:
    """Whether a table, or a column of it, may be asked about."""
    info = layer.table(table)
    return not (info.private or (column is not None and info.column(column).private))


def used(part: Any, table: str, schema: Schema) -> Iterator[Place]:
    """The tables and columns that a part of a program uses.

    Args:
        table: whose rows the part is about.
    """
    if isinstance(part, tuple):
        for one in part:
            yield from used(one, table, schema)
        return
    if not is_dataclass(part) or isinstance(part, Link):
        return
    path = getattr(part, "path", ())
    yield from ((link.target, None) for link in path)
    if isinstance(part, Field):
        yield schema.end(table, path), part.column
        return
    if isinstance(part, Rows):
        yield part.table, None
        table = part.table
    rows = getattr(part, "rows", None)
    inside = rows.table if isinstance(rows, Rows) else table
    for one in fields(part):
        yield from used(getattr(part, one.name), inside, schema)
