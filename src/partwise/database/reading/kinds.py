"""Values that say what kind of thing a row is, as people call the rows: "mechanic", "movies"."""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.filling import Step, add
from partwise.database.reading.frame import Cond, Frame, Ref
from partwise.database.reading.label import Label
from partwise.database.reading.sorts import KINDS


def is_kind(label: Label, layer: SemanticLayer) -> bool:
    """Whether a value is of a column of kinds or with few values, which does not name the rows."""
    if label.thing is None or label.values:
        return False
    info = layer.table(label.thing.table)
    column = layer.column(label.thing.table, label.thing.column)
    few = column.enumeration or bool(KINDS & set(column.label.split()))
    return few and column.kind == "text" and column.name not in info.display


def head_of_kind(made: Step, label: Label, layer: SemanticLayer) -> list[Step]:
    """A value in place of the table's name: in "the most repairs by a mechanic", people are asked
    for."""
    frame = made.frame
    if frame.head or frame.shown or not is_kind(label, layer):
        return []
    assert label.thing is not None
    return [Step(frame._replace(head=label.thing.table), f"{made.role}_head")]


def key_of_kind(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """Groups by the rows of a kind: "repairs per mechanic"."""
    if frame.way or frame.num is not None or not is_kind(label, layer):
        return []
    assert label.thing is not None
    table, column = label.thing.table, label.thing.column
    if not layer.table(table).display or layer.schema.table(table).key is None:
        return []
    made = frame._replace(per=False, keys=(*frame.keys, table))
    return [Step(add(made, Cond(Ref(table, column), "=", label.value)), "kind_key")]


def within_groups(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """What groups are limited to, before what makes them: "what each British buyer spent"."""
    assert label.thing is not None
    table, column = label.thing.table, label.thing.column
    named = label.values or column in layer.table(table).display or label.via is not None
    if named or frame.way or frame.num is not None or frame.sign:
        return []
    cond = Cond(Ref(table, column), "=", label.value)
    return [Step(add(frame, cond), "value_within")]
