"""Comparisons of single values, and conditions put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, get_args

from partwise.database.layer.model import ColumnInfo
from partwise.database.reading.frame import Cond, Ref
from partwise.database.reading.label import Quantity
from partwise.database.spans.periods import Period
from partwise.database.spans.types import TRUE
from partwise.database.units import factor, in_column
from partwise.errors import DomainError
from partwise.execution.relational.program import (
    And,
    Attribute,
    Between,
    Compare,
    Condition,
    Contains,
    Field,
    Missing,
    OneOf,
    Sign,
    Value,
)

TEXTS = {"contains": "anywhere", "starts": "start", "ends": "end"}
"""Operations on texts, and where the part of a text stands."""


class UnfitError(DomainError):
    """A frame that says nothing about rows, as one that compares a text with a number."""


def all_of(parts: Sequence[Condition]) -> Condition | None:
    """All of some conditions; None without any."""
    return None if not parts else parts[0] if len(parts) == 1 else And(tuple(parts))


def converted(value: Any, unit: str | None) -> Any:
    """A number with a unit in that of a column.

    Raises:
        UnfitError: if the column counts something else.
    """
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(converted(one, unit) for one in value)
    if not isinstance(value, Quantity):
        if not isinstance(value, int | float) or (made := in_column(value, unit)) == value:
            return value
        return _whole(made)
    times = 1.0 if unit is None else factor(unit, value.unit)
    if times is None:
        raise UnfitError(f"{unit} are not {value.unit}")
    return _whole(value.number * times)


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def stored_true(column: ColumnInfo) -> Value:
    """How a column stores "yes"."""
    if column.kind == "boolean":
        return Value(True)
    stored = next((one for one in column.values if one.lower() in TRUE), "1")
    return Value(int(stored) if column.kind == "number" and stored.isdigit() else stored)


def one_of(last: Condition, made: Condition) -> Condition | None:
    """Two equalities of one column as one of some values."""
    if isinstance(made, Compare) and made.sign == "=" and isinstance(made.right, Value):
        if isinstance(last, OneOf) and last.of == made.left:
            return OneOf(last.of, (*last.values, made.right))
        same = isinstance(last, Compare) and last.sign == "=" and last.left == made.left
        if same and isinstance(last, Compare) and isinstance(last.right, Value):
            return OneOf(made.left, (last.right, made.right))
    return None


def add_to(parts: list[Condition], made: Condition, both: bool) -> None:
    """Add a condition that must hold, too; of two values of a column, either.

    Raises:
        UnfitError: if `both` values are said to hold.
    """
    for at, one in enumerate(parts):
        if one != made and (either := one_of(one, made)) is not None:
            if both:
                raise UnfitError("a row has one value of a column")
            parts[at] = either
            return
    parts.append(made)


def cannot_both(one: Cond, other: Cond) -> bool:
    """Whether no row can be so: two equalities of one column, of which the second is no "or"."""
    named = isinstance(one.left, Ref) and one.left == other.left and one.op == other.op == "="
    said = other.join not in {"or", "same"} and not one.negated
    return named and said and isinstance(one.value, str) and one.value != other.value


def on_column(field: Field, column: ColumnInfo, cond: Cond, left: Ref) -> Condition | None:
    """A condition that does not compare a column with another figure; None for others.

    Raises:
        UnfitError: if the column holds no texts, or no numbers, and the condition is on such.
    """
    match cond.op:
        case "flag":
            return Compare(field, "=", stored_true(column))
        case "missing":
            return Missing(field)
        case "contains" | "starts" | "ends":
            if column.kind != "text":
                raise UnfitError(f"{left.column} is no text")
            return Contains(field, str(cond.value), TEXTS[cond.op])  # type: ignore[arg-type]
        case "between":
            check_number(column.kind, left)
            if type(cond.value) is not tuple:
                raise UnfitError("between takes two numbers")
            low, high = sorted(cond.value)
            return Between(field, Value(low), Value(high))
    return None


def sign_of(op: str) -> Sign:
    """The sign of a program for that of a condition.

    Raises:
        UnfitError: if it has none.
    """
    for sign in get_args(Sign):
        if sign == op or (sign, op) == ("=", "in"):
            return cast(Sign, sign)
    raise UnfitError(f"{op} compares no two values")


def check_number(kind: str, left: Ref) -> None:
    """Raise an `UnfitError` where a column is no number."""
    if kind != "number":
        raise UnfitError(f"{left.column} is no number")


def within(field: Attribute, what: Period) -> Condition:
    """Whether a date is in a period."""
    return Between(field, Value(what.start), Value(what.end), open_=True)


def of_years(field: Attribute, op: str, first: int, last: int) -> Condition:
    """Years that are stored as numbers."""
    if op in {"in", "="}:
        if first < last:
            return Between(field, Value(first), Value(last))
        return Compare(field, "=", Value(first))
    return Compare(field, sign_of(op), Value(last if op in {">", "<="} else first))
