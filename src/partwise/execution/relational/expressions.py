"""Parts of SQL statements that databases differ in, or that nulls make longer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from partwise.execution.relational.interpreter import ARITHMETIC, COMPARE
from partwise.execution.relational.program import Grouping, Listing, Order

Element = sa.ColumnElement[Any]


def middle(value: Element, keys: Sequence[Element]) -> Element:
    """A value, if it is one of the one or two middle ones of its group."""
    by = list(keys) or None
    place = sa.func.row_number().over(partition_by=by, order_by=value.asc().nulls_last())
    many = sa.func.count(value).over(partition_by=by)
    return sa.case((sa.and_(2 * place >= many, 2 * place <= many + 2), value))


def labelled(columns: Sequence[Element]) -> list[sa.Label[Any]]:
    """The columns of an answer under names that differ."""
    return [one.label(f"c{number}") for number, one in enumerate(columns)]


def first(
    every: sa.Select[Any],
    program: Listing | Grouping,
    order: Sequence[Element],
    each: Sequence[Element] = (),
) -> sa.Select[Any]:
    """What comes first of a query: of all its rows, or of each group."""
    if program.limit is None or not (each or program.ties):
        return every.order_by(*order).limit(program.limit)
    number = sa.func.rank() if program.ties else sa.func.row_number()
    told = order[: len(program.order)] if program.ties else order
    rank = number.over(partition_by=list(each) or None, order_by=list(told) or None)
    place = sa.func.row_number().over(order_by=list(order) or None)
    *shown, ranked, placed = (
        every.add_columns(rank.label("rank"), place.label("place")).subquery().c
    )
    return sa.select(*shown).where(ranked <= program.limit).order_by(placed)


def ordered(value: Element, order: Order) -> Element:
    """What to order by; nulls come last."""
    return (value.desc() if order.descending else value.asc()).nulls_last()


def compared(sign: str, left: Element, right: Element) -> Element:
    """A comparison."""
    result: Element = COMPARE[sign](left, right)
    return result


def arithmetic(sign: str, left: Element, right: Element) -> Element:
    """Two numbers put together; null for what is divided by zero."""
    if sign == "/":
        return sa.cast(left, sa.Float) / sa.func.nullif(right, 0)
    result: Element = ARITHMETIC[sign](left, right)
    return result


def date_part(part: str, day: Element) -> Element:
    """A part of a date, as a number."""
    if part == "quarter":
        month = sa.extract("month", day) + 2
        return sa.cast((month - month % 3) / 3, sa.Integer)
    return sa.cast(sa.extract("dow" if part == "weekday" else part, day), sa.Integer)


def contains(value: Element, text: str, where: str) -> Element:
    """Whether a text has another in it, whatever the case."""
    match where:
        case "start":
            return value.istartswith(text, autoescape=True)
        case "end":
            return value.iendswith(text, autoescape=True)
        case _:
            return value.icontains(text, autoescape=True)
