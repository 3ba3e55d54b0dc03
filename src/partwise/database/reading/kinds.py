"""What kind of thing a row is: values that people call the rows by, as "mechanic", and the columns
that "kind" and the like stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from partwise.database.layer.model import SemanticLayer, TableInfo
from partwise.database.reading.filling import Step, add
from partwise.database.reading.frame import Cond, Frame, Ref
from partwise.database.reading.label import Label
from partwise.database.spans.text import Word

KINDS = {"job", "role", "position", "kind", "type", "category", "class", "rank", "level"} | {
    *("profession", "occupation", "function", "specialty", "species", "genre", "status")
}
"""Words of columns whose values are kinds, however many there are."""
SORTS = {"kind", "type", "sort", "category", "kinds", "types", "sorts", "categories", "class"}


def sorts(
    layer: SemanticLayer, words: Sequence[Word], said: Collection[str]
) -> Iterator[tuple[int, str, str]]:
    """Where "kind" or the like is said, with a table that is said, too, and its column of kinds."""
    for at, word in enumerate(words):
        if word.plain in SORTS:
            for table in layer.tables:
                if table.name in said:
                    for column in _of_kinds(table):
                        yield at, table.name, column


def _of_kinds(table: TableInfo) -> list[str]:
    """The columns whose values are kinds, or else those of few values."""
    some = [
        one
        for one in table.columns
        if one.kind == "text" and not one.private and one.name not in table.display
    ]
    named = [one.name for one in some if KINDS & set(one.label.split())]
    return (named or [one.name for one in some if one.enumeration])[:3]


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
