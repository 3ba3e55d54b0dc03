"""What can be asked of a database, whatever its tables are.

A program is about *rows of one table*, never about tuples of a join. A column of another table is
reached along links from many to one and stays one value for each row. Towards the many side a
program can only ask whether some row there is as wanted (`Related`), or for a figure over them
(`Belonging`). So nothing repeats because of a join.

Nulls are those of SQL: no comparison with one holds, nor does its negation; figures pass over them;
`Missing` alone finds them. A null makes no group.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from partwise.execution.relational.schema import Path

Sign = Literal["=", "!=", "<", "<=", ">", ">="]
Function = Literal["count", "sum", "average", "minimum", "maximum"]
Part = Literal["year", "quarter", "month", "day", "weekday"]
"""Weekdays are numbered from 0, Sunday."""


@dataclass(frozen=True)
class Value:
    """A number, text, date or truth value that the question says."""

    value: str | int | float | bool | date


@dataclass(frozen=True)
class Field:
    """A column, of the row that a path leads to."""

    path: Path
    column: str


@dataclass(frozen=True)
class DatePart:
    """A part of a date, as a number."""

    part: Part
    of: Attribute


@dataclass(frozen=True)
class Arithmetic:
    """Two numbers put together. Nothing is divided by zero: that is null."""

    sign: Literal["+", "-", "*", "/"]
    left: Attribute
    right: Attribute


@dataclass(frozen=True)
class Aggregate:
    """A figure over rows.

    Attributes:
        of: whose values; None with `count` for the rows themselves.
        distinct: whether equal values count once, with `count`.
    """

    function: Function
    of: Attribute | None = None
    distinct: bool = False


@dataclass(frozen=True)
class Rows:
    """The rows of a table that are as a condition says."""

    table: str
    where: Condition | None = None


@dataclass(frozen=True)
class Figure:
    """A figure over some rows: an answer of its own, or a number to compare with."""

    rows: Rows
    aggregate: Aggregate


@dataclass(frozen=True)
class Belonging:
    """A figure over those of some rows that belong to the row that a path leads to.

    Which rows belong to which is `Schema.relation`.
    """

    path: Path
    figure: Figure


Attribute = Value | Field | DatePart | Arithmetic | Belonging | Figure
"""One value for each row."""


@dataclass(frozen=True)
class Compare:
    """A comparison of two values."""

    left: Attribute
    sign: Sign
    right: Attribute


@dataclass(frozen=True)
class Between:
    """Whether a value is from `low` to `high`.

    Attributes:
        open_: whether `high` is excluded, as the end of a period is.
    """

    of: Attribute
    low: Value
    high: Value
    open_: bool = False


@dataclass(frozen=True)
class Contains:
    """Whether a text has another in it, whatever the case."""

    of: Attribute
    text: str
    at: Literal["anywhere", "start", "end"] = "anywhere"


@dataclass(frozen=True)
class Missing:
    """Whether there is no value."""

    of: Attribute


@dataclass(frozen=True)
class OneOf:
    """Whether a value is one of some."""

    of: Attribute
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Related:
    """Whether some of these rows belong to the row that a path leads to."""

    path: Path
    rows: Rows


@dataclass(frozen=True)
class And:
    """Whether all of some conditions hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Or:
    """Whether one of some conditions holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Not:
    """Whether a condition does not hold."""

    part: Condition


Condition = Compare | Between | Contains | Missing | OneOf | Related | And | Or | Not


@dataclass(frozen=True)
class Order:
    """What the answer is ordered by; nulls come last. Equals are ordered by their keys."""

    by: Attribute | Aggregate
    descending: bool = False


@dataclass(frozen=True)
class Listing:
    """Rows, and what is shown of each.

    Attributes:
        limit: how many come first.
        each: then the limit is for each group of rows with the same values of these.
        distinct: whether equal rows of the answer are shown once; without order and limit.
    """

    rows: Rows
    shown: tuple[Attribute, ...]
    order: tuple[Order, ...] = ()
    limit: int | None = None
    each: tuple[Attribute, ...] = ()
    distinct: bool = False


@dataclass(frozen=True)
class Having:
    """A condition on a group: a figure over its rows, compared with a number."""

    aggregate: Aggregate
    sign: Sign
    value: Value | Figure


@dataclass(frozen=True)
class Grouping:
    """Groups of rows with equal values, and figures over each."""

    rows: Rows
    by: tuple[Attribute, ...]
    figures: tuple[Aggregate, ...]
    having: tuple[Having, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None


@dataclass(frozen=True)
class Exists:
    """Whether there are such rows: yes or no."""

    rows: Rows


Program = Listing | Grouping | Figure | Exists
"""What a question means."""
