"""Rows that people call by a number are listed with it."""

from __future__ import annotations

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.frame import Frame
from partwise.database.reading.programs import programs
from partwise.execution.relational.program import Field, Listing, Rows
from partwise.execution.relational.schema import Column, Schema, Table


def _layer(key: str) -> SemanticLayer:
    columns = (Column(key, "id"), Column("subject", "text"))
    infos = tuple(ColumnInfo(one.name, one.name.replace("_", " "), one.kind) for one in columns)
    table = TableInfo("ticket", "ticket", infos, display=("subject",))
    return SemanticLayer("desk", Schema((Table("ticket", columns, key),), ()), (table,), ())


def _listings(key: str) -> list[Listing]:
    made = [one.program for one in programs(Frame(head="ticket"), _layer(key))]
    return [one for one in made if isinstance(one, Listing)]


def test_a_ticket_is_listed_with_its_number() -> None:
    numbered = Listing(Rows("ticket"), (Field((), "ticket_no"), Field((), "subject")))
    assert numbered in _listings("ticket_no")


def test_an_id_is_not_shown() -> None:
    assert [one.shown for one in _listings("id")] == [(Field((), "subject"),)]
