"""Programs over rows in Python: the readable twin of `partwise.execution.relational.sql`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from itertools import groupby
from statistics import fmean, median
from typing import Any, TypeVar

from partwise.errors import DomainError
from partwise.execution.relational.program import (
    SECONDS,
    Aggregate,
    Among,
    And,
    Arithmetic,
    Attribute,
    Belonging,
    Between,
    Compare,
    Condition,
    Contains,
    DatePart,
    Elapsed,
    Exists,
    Field,
    Figure,
    GroupFigure,
    Grouping,
    Having,
    Holds,
    Listing,
    Missing,
    Not,
    OneOf,
    Or,
    Order,
    Program,
    Related,
    Rows,
    Span,
    Union,
    Value,
    aggregates,
)
from partwise.execution.relational.schema import Path, Schema
from partwise.execution.relational.sql import OPERATORS

Row = Mapping[str, Any]
"""Column -> value; None for null."""
Record = tuple[Any, ...]
"""A row of an answer."""
Place = tuple[str, Row | None]
"""A table and a row of it; none where a link leads nowhere."""
NOWHERE: Place = ("", None)
Item = TypeVar("Item")
FUNCTION: Mapping[str, Callable[[list[Any]], Any]] = {
    **{"sum": sum, "average": fmean, "median": median, "minimum": min, "maximum": max}
}
CONTAINS: Mapping[str, Callable[[str, str], bool]] = {
    **{"anywhere": operator.contains, "start": str.startswith, "end": str.endswith}
}
PART: Mapping[str, Callable[[date], int | str]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "day": lambda day: day.day,
    "weekday": lambda day: day.isoweekday() % 7,
    "year_quarter": lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    "year_month": lambda day: f"{day.year}-{day.month:02}",
}


class Interpreter:
    """Runs programs over the rows of a database.

    Args:
        rows: table -> its rows.
    """

    def __init__(self, schema: Schema, rows: Mapping[str, Sequence[Row]]) -> None:
        self.schema = schema
        self.rows = rows
        self._by_key = {
            table.name: {row[table.key]: row for row in rows[table.name]}
            for table in schema.tables
            if table.key is not None
        }

    def run(self, program: Program) -> list[Record]:
        """The rows of the answer, in its order if it has one."""
        match program:
            case Figure() | Arithmetic():
                return [(self._value(program, NOWHERE),)]
            case Exists(rows):
                return [(bool(self._rows(rows)),)]
            case Holds(condition):
                return [(self._holds(condition, NOWHERE),)]
            case Listing():
                return self._listing(program)
            case Grouping():
                return self._grouping(program)
            case Union(parts):
                return list(dict.fromkeys(row for one in parts for row in self.run(one)))

    def _listing(self, program: Listing) -> list[Record]:
        if program.distinct:
            return self._distinct(program)
        table = self.schema.table(program.rows.table)
        orders = (*program.order, *(Order(Field((), name)) for name in table.identity))
        groups = self._groups(self._rows(program.rows), program.each).values()
        rows = [row for some in groups for row in self._first(program, orders, some, _alone)]
        rows.sort(key=lambda row: self._ranks(orders, [row]))
        return [tuple(self._value(one, row) for one in program.shown) for row in rows]

    def _distinct(self, program: Listing) -> list[Record]:
        orders = (*program.order, *(Order(one) for one in program.shown))
        rows = sorted(self._rows(program.rows), key=lambda row: self._ranks(orders, [row]))
        shown = dict.fromkeys(tuple(self._value(one, row) for one in program.shown) for row in rows)
        return list(shown)[: program.limit]

    def _grouping(self, program: Grouping) -> list[Record]:
        orders = (*program.order, *(Order(one) for one in program.keys))
        rows = self._rows(program.rows)
        told = None if program.chosen else program.leading
        groups = self._groups(rows, program.by, program.keys, told).values()
        every = list(groups) if program.by else [rows]
        kept = [some for some in every if all(self._having(one, some) for one in program.having)]
        return [
            (
                *(self._value(one, rows[0]) for one in program.showing),
                *(self._measured(one, rows) for one in program.figures),
            )
            for rows in self._first(program, orders, kept, list)
        ]

    def _first(
        self,
        program: Listing | Grouping,
        orders: Sequence[Order],
        some: Sequence[Item],
        rows_of: Callable[[Item], list[Place]],
    ) -> list[Item]:
        """Rows or groups in their order, up to the limit, with those that tie if asked; or those
        that share its last place."""
        ordered = sorted(some, key=lambda one: self._ranks(orders, rows_of(one)))
        if program.only and program.limit is not None:
            tied = groupby(ordered, lambda one: self._ranks(program.order, rows_of(one)))
            places = [list(there) for _, there in tied]
            return [one for there in places[program.limit - 1 : program.limit] for one in there]
        if not program.ties or program.limit is None or program.limit >= len(ordered):
            return ordered[: program.limit]
        ranks = [self._ranks(program.order, rows_of(one)) for one in ordered]
        last = ranks[program.limit - 1]
        kept = range(len(ordered))
        return [ordered[at] for at in kept if at < program.limit or ranks[at] == last]

    def _groups(
        self,
        rows: list[Place],
        by: Sequence[Attribute],
        keys: Sequence[Attribute] = (),
        leading: Sequence[Path] | None = None,
    ) -> dict[Record, list[Place]]:
        """Rows with the same values, in order; those without one of `by` are in no group, or, where
        paths are given, those from which one of these leads nowhere."""
        groups: dict[Record, list[Place]] = {}
        for row in rows:
            if leading is None:
                told = [self._value(one, row) for one in by]
            else:
                told = [self._follow(row, path)[1] for path in leading]
            if None not in told:
                values = tuple(self._value(one, row) for one in keys or by)
                groups.setdefault(values, []).append(row)
        return groups

    def _having(self, having: Having, rows: Sequence[Place]) -> bool | None:
        value = self._measured(having.value, rows)
        return _compared(having.sign, self._measured(having.aggregate, rows), value)

    def _ranks(self, orders: Sequence[Order], rows: Sequence[Place]) -> list[tuple[bool, Any]]:
        """What to sort by; nulls come last, whatever the direction."""
        ranks = []
        for order in orders:
            of_group = aggregates([order.by])
            value = (
                self._measured(order.by, rows)
                if of_group
                else self._value(order.by, rows[0] if rows else NOWHERE)
            )
            ranks.append((value is None, _Descending(value) if order.descending else value))
        return ranks

    def _measured(self, figure: GroupFigure | Attribute, rows: Sequence[Place]) -> Any:
        """A figure of a group."""
        match figure:
            case Aggregate():
                return self._aggregate(figure, rows)
            case Arithmetic(sign, left, right):
                return _calculated(sign, self._measured(left, rows), self._measured(right, rows))
            case _:
                return self._value(figure, NOWHERE)

    def _rows(self, rows: Rows) -> list[Place]:
        every = [(rows.table, row) for row in self.rows[rows.table]]
        return [row for row in every if rows.where is None or self._holds(rows.where, row)]

    def _follow(self, place: Place, path: Path) -> Place:
        """Where a path leads."""
        table, row = place
        for link in path:
            row = None if row is None else self._by_key[link.target].get(row[link.column])
            table = link.target
        return table, row

    def _belonging(self, place: Place, path: Path, rows: Rows) -> list[Place]:
        """Those of some rows that belong to the row that a path leads to."""
        table, row = self._follow(place, path)
        relation = self.schema.related(table, rows.table)
        _, here = self._follow((table, row), relation.outer)
        if here is None:
            return []
        some = [(relation.base, one) for one in self.rows[relation.base]]
        inner = [
            self._follow(one, relation.inner)
            for one in some
            if self._follow(one, relation.end)[1] is here
        ]
        # Two rows between may lead to one row.
        once = {id(found): (name, found) for name, found in inner if found is not None}
        kept = self._rows(rows)
        return [one for one in kept if id(one[1]) in once]

    def _value(self, attribute: Attribute | Aggregate, place: Place) -> Any:
        match attribute:
            case Value(value):
                return value
            case Field(path, column):
                if place is NOWHERE:
                    raise DomainError(f"the column {column} stands where there is no row")
                _, row = self._follow(place, path)
                return None if row is None else row[column]
            case DatePart(part, of):
                day = self._value(of, place)
                return None if day is None else PART[part](day)
            case Elapsed(unit, start, end):
                return _elapsed(unit, self._value(start, place), self._value(end, place))
            case Arithmetic(sign, left, right):
                return _calculated(sign, self._value(left, place), self._value(right, place))
            case Belonging(path, figure):
                return self._aggregate(figure.aggregate, self._belonging(place, path, figure.rows))
            case Figure(rows, aggregate):
                return self._aggregate(aggregate, self._rows(rows))
            case Aggregate():
                raise DomainError("a figure over a group stands where there is no group")

    def _aggregate(self, aggregate: Aggregate, rows: Sequence[Place]) -> Any:
        if aggregate.of is None:
            return len(rows)
        every = [self._value(aggregate.of, row) for row in rows]
        values = [value for value in every if value is not None]
        if aggregate.function == "count":
            return len(set(values) if aggregate.distinct else values)
        return FUNCTION[aggregate.function](values) if values else None

    def _holds(self, condition: Condition, place: Place) -> bool | None:
        """Whether a condition holds; None where a null leaves that open."""
        match condition:
            case Compare(left, sign, right):
                return _compared(sign, self._value(left, place), self._value(right, place))
            case Between(of, low, high, open_):
                value = self._value(of, place)
                above = _compared("<=", low.value, value)
                return _all([above, _compared("<" if open_ else "<=", value, high.value)])
            case Contains(of, text, at):
                value = self._value(of, place)
                return None if value is None else CONTAINS[at](value.lower(), text.lower())
            case Missing(of):
                return self._value(of, place) is None
            case OneOf(of, values):
                value = self._value(of, place)
                return None if value is None else any(value == one.value for one in values)
            case Related(path, rows):
                return bool(self._belonging(place, path, rows))
            case Among(of, answer):
                value = self._value(of, place)
                return None if value is None else (value,) in self.run(answer)
            case And(parts):
                return _all([self._holds(one, place) for one in parts])
            case Or(parts):
                return _not(_all([_not(self._holds(one, place)) for one in parts]))
            case Not(part):
                return _not(self._holds(part, place))


def _compared(sign: str, left: Any, right: Any) -> bool | None:
    return None if left is None or right is None else bool(OPERATORS[sign](left, right))


def _calculated(sign: str, left: Any, right: Any) -> Any:
    nothing = left is None or right is None or (sign == "/" and right == 0)
    return None if nothing else OPERATORS[sign](left, right)


def _elapsed(unit: Span, start: date | None, end: date | None) -> float | None:
    if start is None or end is None:
        return None
    return (_moment(end) - _moment(start)).total_seconds() / SECONDS[unit]


def _moment(day: date) -> datetime:
    """The second that a date stands for."""
    if isinstance(day, datetime):
        return day.replace(microsecond=0)
    return datetime(day.year, day.month, day.day)


def _alone(row: Place) -> list[Place]:
    return [row]


def _all(parts: Sequence[bool | None]) -> bool | None:
    return False if False in parts else None if None in parts else True


def _not(part: bool | None) -> bool | None:
    return None if part is None else not part


class _Descending:
    """A value that is less than another if it is greater."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and bool(self.value == other.value)

    def __lt__(self, other: _Descending) -> bool:
        return bool(self.value is not None and other.value < self.value)
