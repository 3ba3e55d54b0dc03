"""What a span of a question may be taken for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from partwise.database.context import Mention, nearness
from partwise.database.spans.names import SchemaItem


@dataclass(frozen=True, slots=True)
class Label:
    """What a span is taken for.

    Attributes:
        start: its first word.
        end: behind its last word.
        kind: ``table``, ``column``, ``measure``, ``value``, ``number``, ``period``, ``text``,
            ``name`` (what names a row), ``unit``, ``part`` (of a date), ``state``
            (conditions on a column) or ``op``.
        thing: the table, column or measure; the column of a value; what an adjective speaks of.
        op: the operation, of an adjective too.
        value: of a value (its text), a number, a period or a text.
        match: how well the words fit, as `MATCH` names the figures.
        columns: further columns of a value: of a person's name in two columns.
        values: the parts of the value, one for each column, where there are several.
        type: what `thing` is, one of `types.TYPES`.
        beside: whether it stands behind "and" or "with".
    """

    start: int
    end: int
    kind: str
    thing: SchemaItem | None = None
    op: str = ""
    value: Any = None
    match: tuple[float, ...] = ()
    columns: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    type: str = ""
    beside: bool = False


MATCH = ("exact", "covered", "first", "typed", "alike", "rank", "places")
"""The figures of a match: those of `Named`, how soon an adjective's list has the column (from 1
down), and one over the number of columns that hold a value."""
COVERED = (0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0)
"""The match of a phrase that says all of a thing without its name, as "sold" does."""
EXACT = (1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0)
"""The match of a name that is said whole."""
WEAK = (0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0)
"""The match of words that only hint at a thing, as "who" does at people."""


EACH = "each"
"""The value of an operation that says groups one by one."""


class Quoted(str):
    """A text that stands in quotes."""


class Quantity(NamedTuple):
    """A number with its unit, a code of `partwise.database.units`."""

    number: int | float
    unit: str


def mentions_of(labels: Iterable[Iterable[Label]]) -> list[Mention]:
    """What the labels of a question speak of."""
    return [
        Mention(one.start, one.end, one.thing, _relation(one))
        for some in labels
        for one in some
        if one.thing is not None
    ]


def _relation(label: Label) -> str:
    if label.kind == "value":
        return "value"
    return nearness(() if label.kind == "op" else label.match)
