"""What the files of another tool say, in one form for all tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from partwise.execution.relational.program import Function


@dataclass(frozen=True)
class ForeignColumn:
    """A column, or what is computed of columns.

    Attributes:
        name: in that tool.
        expression: SQL over the columns of the table.
    """

    name: str
    expression: str
    label: str = ""
    synonyms: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class ForeignTable:
    """A table.

    Attributes:
        name: in that tool.
        stored: in the database, as far as the tool says it.
        key: the column that tells its rows apart.
        date: the column that says when a row happened.
    """

    name: str
    stored: str
    label: str = ""
    synonyms: tuple[str, ...] = ()
    description: str = ""
    columns: tuple[ForeignColumn, ...] = ()
    key: str = ""
    date: str = ""

    def expressions(self) -> Mapping[str, str]:
        """Column -> what it is computed of."""
        return {one.name: one.expression for one in self.columns}


@dataclass(frozen=True)
class ForeignLink:
    """A column of a table that points to another table; both by their names in that tool."""

    table: str
    column: str
    target: str


@dataclass(frozen=True)
class ForeignMetric:
    """A figure.

    Attributes:
        expression: SQL, as ``SUM(price * quantity)``.
        table: whose columns are named without a table; "" if all are named with one.
        where: conditions in SQL that all hold.
    """

    name: str
    expression: str
    table: str = ""
    where: tuple[str, ...] = ()
    label: str = ""
    synonyms: tuple[str, ...] = ()
    description: str = ""


@dataclass
class ForeignSemantics:
    """All that some files say.

    Attributes:
        left_out: what no layer can hold, a sentence each.
    """

    tables: list[ForeignTable] = field(default_factory=list)
    links: list[ForeignLink] = field(default_factory=list)
    metrics: list[ForeignMetric] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


AGGREGATES: Mapping[str, Function] = {
    **{"sum": "sum", "avg": "average", "average": "average", "min": "minimum", "max": "maximum"},
    **{"count": "count", "median": "median"},
}
"""Functions of SQL and of dbt -> ours."""


def text(entry: Mapping[str, Any], key: str) -> str:
    """A text of a mapping; "" if there is none."""
    value = entry.get(key)
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def entries(entry: Mapping[str, Any], key: str) -> Iterable[Mapping[str, Any]]:
    """The mappings of a list in a mapping."""
    value = entry.get(key)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def inner(entry: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A mapping in a mapping; an empty one if there is none."""
    value = entry.get(key)
    return value if isinstance(value, Mapping) else {}
