"""Parts of SQL statements that databases differ in, or that nulls make longer."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles

from partwise.execution.relational.program import SECONDS, Grouping, Listing, Span

Element = sa.ColumnElement[Any]
OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    **{"=": operator.eq, "!=": operator.ne, "<": operator.lt},
    **{"<=": operator.le, ">": operator.gt, ">=": operator.ge},
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv},
}
"""Signs of comparisons and of arithmetic."""


def middle(value: Element, keys: Sequence[Element]) -> Element:
    """A value, if it is one of the one or two middle ones of its group.

    Args:
        value: a column of a query, as are `keys`: DuckDB allows no window within a window.
    """
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
    order: Sequence[tuple[Element, bool]],
    each: Sequence[Element] = (),
) -> sa.Select[Any]:
    """What comes first of a query: of all its rows, or of each group.

    Args:
        order: what to order by, and whether the greatest comes first.
    """
    told_apart = program.ties or program.only
    if program.limit is None or not (each or told_apart):
        return every.order_by(*(ordered(*one) for one in order)).limit(program.limit)
    more = [one.label(f"k{at}") for at, one in enumerate((*(by for by, _ in order), *each))]
    columns = list(every.add_columns(*more).subquery().c)
    shown, keys = columns[: len(columns) - len(more)], columns[len(columns) - len(more) :]
    orders = [ordered(one, down) for one, (_, down) in zip(keys, order, strict=False)]
    tied = sa.func.dense_rank() if program.only else sa.func.rank()
    number = tied if told_apart else sa.func.row_number()
    told = orders[: len(program.order)] if told_apart else orders
    rank = number.over(partition_by=keys[len(order) :] or None, order_by=told or None)
    place = sa.func.row_number().over(order_by=orders or None)
    *kept, ranked, placed = sa.select(*shown, rank.label("rank"), place.label("place")).subquery().c
    wanted = ranked == program.limit if program.only else ranked <= program.limit
    return sa.select(*kept).where(wanted).order_by(placed)


def ordered(value: Element, descending: bool) -> Element:
    """What to order by; nulls come last."""
    return (value.desc() if descending else value.asc()).nulls_last()


def compared(sign: str, left: Element, right: Element) -> Element:
    """A comparison."""
    result: Element = OPERATORS[sign](left, right)
    return result


def arithmetic(sign: str, left: Element, right: Element) -> Element:
    """Two numbers put together; null for what is divided by zero."""
    if sign == "/":
        # With its type, or SQLAlchemy casts it to NUMERIC, which has three decimals on DuckDB.
        return sa.cast(left, sa.Double) / sa.func.nullif(right, 0, type_=sa.Double)
    result: Element = OPERATORS[sign](left, right)
    return result


def date_part(part: str, day: Element) -> Element:
    """A part of a date, as a number or as text."""
    if part == "year_quarter":
        return _text(date_part("year", day)) + "-Q" + _text(date_part("quarter", day))
    if part == "year_month":
        # Of 103, the last two figures.
        padded = sa.func.substr(_text(date_part("month", day) + 100), 2, 2, type_=sa.String)
        return _text(date_part("year", day)) + "-" + padded
    if part == "time":
        # Of 12130, the last four figures.
        digits = _text(_Clock(day) + 10_000)
        hours, minutes = (sa.func.substr(digits, at, 2, type_=sa.String) for at in (2, 4))
        return hours + ":" + minutes
    if part == "quarter":
        month = sa.extract("month", day) + 2
        return sa.cast((month - month % 3) / 3, sa.Integer)
    return sa.cast(sa.extract("dow" if part == "weekday" else part, day), sa.Integer)


def _text(value: Element) -> Element:
    return sa.cast(value, sa.String)


class _Clock(sa.sql.functions.FunctionElement[int]):
    """The time of day of a date, as a number: 2130."""

    type = sa.Integer()
    inherit_cache = True
    name = "clock"


@compiles(_Clock)
def _of_moment(element: _Clock, compiler: Any, **options: Any) -> str:
    (moment,) = _moments(element, compiler, options)
    hours, minutes = (f"EXTRACT({one} FROM {moment})" for one in ("HOUR", "MINUTE"))
    return f"CAST({hours} * 100 + {minutes} AS INTEGER)"


@compiles(_Clock, "sqlite")
def _of_text(element: _Clock, compiler: Any, **options: Any) -> str:
    (moment,) = (compiler.process(one, **options) for one in element.clauses)
    return f"CAST(strftime('%H%M', {moment}) AS INTEGER)"


@compiles(_Clock, "mysql")
@compiles(_Clock, "mariadb")
def _of_datetime(element: _Clock, compiler: Any, **options: Any) -> str:
    (moment,) = (compiler.process(one, **options) for one in element.clauses)
    return f"(hour({moment}) * 100 + minute({moment}))"


class _Seconds(sa.sql.functions.FunctionElement[int]):
    """Whole seconds from one date to another."""

    type = sa.BigInteger()
    inherit_cache = True
    name = "seconds"


@compiles(_Seconds)
def _epochs(element: _Seconds, compiler: Any, **options: Any) -> str:
    start, end = _moments(element, compiler, options)
    return f"(floor(extract(epoch FROM {end})) - floor(extract(epoch FROM {start})))"


@compiles(_Seconds, "sqlite")
def _of_texts(element: _Seconds, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(one, **options) for one in element.clauses)
    start, end = (f"CAST(strftime('%s', {one}) AS INTEGER)" for one in (start, end))
    return f"({end} - {start})"


@compiles(_Seconds, "mysql")
@compiles(_Seconds, "mariadb")
def _counted(element: _Seconds, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(one, **options) for one in element.clauses)
    return f"timestampdiff(SECOND, {start}, {end})"


def _moments(element: _Clock | _Seconds, compiler: Any, options: Any) -> Iterator[str]:
    for one in element.clauses:
        yield f"CAST({compiler.process(one, **options)} AS TIMESTAMP)"


def elapsed(unit: Span, start: Element, end: Element) -> Element:
    """The time from one date to another."""
    return sa.cast(_Seconds(start, end), sa.Double) / sa.literal(float(SECONDS[unit]), sa.Double)


def contains(value: Element, text: str, where: str) -> Element:
    """Whether a text has another in it, whatever the case."""
    match where:
        case "start":
            return value.istartswith(text, autoescape=True)
        case "end":
            return value.iendswith(text, autoescape=True)
        case _:
            return value.icontains(text, autoescape=True)
