"""What is shown beside rows that have no name: an order number alone tells a person little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from partwise.database.source.lexicon import word_set
from partwise.execution.relational.program import Field, Listing, Program

if TYPE_CHECKING:
    from partwise.database.layer.model import SemanticLayer


def with_details(program: Program, layer: SemanticLayer) -> Program:
    """The program with the date and the description of rows that only their key would name; the
    program itself for all others, and where other columns were asked for.

    Equal rows that are shown once are left alone: with a date they would differ.
    """
    if not isinstance(program, Listing) or program.distinct:
        return program
    table = layer.table(program.rows.table)
    key = layer.schema.table(table.name).key
    if key is None or table.display != (key,) or program.shown != (Field((), key),):
        return program
    return replace(
        program, shown=(*program.shown, *(Field((), one) for one in _telling(table.name, layer)))
    )


def _telling(table: str, layer: SemanticLayer) -> Iterator[str]:
    """The columns that tell a person which row it is."""
    info = layer.table(table)
    if info.date is not None and not info.column(info.date).private:
        yield info.date
    for one in info.columns:
        text = one.kind == "text" and not one.private and one.name != info.date
        if text and one.label.split()[-1] in word_set("descriptions"):
            yield one.name
            return
