"""Programs over rows in Python: the readable twin of `partwise.execution.relational.sql`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from statistics import fmean
from typing import Any

from partwise.execution.relational.program import (
    Aggregate,
    And,
    Arithmetic,
    Attribute,
    Belonging,
    Between,
    Compare,
    Condition,
    Contains,
    DatePart,
    Exists,
    Field,
    Figure,
    Grouping,
    Having,
    Listing,
    Missing,
    Not,
    OneOf,
    Or,
    Order,
    Program,
    Related,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Path, Schema

Row = Mapping[str, Any]
"""Column -> value; None for null."""
Record = tuple[Any, ...]
"""A row of an answer."""
Place = tuple[str, Row | None]
"""A table and a row of it; none where a link leads nowhere."""
COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    **{"=": operator.eq, "!=": operator.ne, "<": operator.lt},
    **{"<=": operator.le, ">": operator.gt, ">=": operator.ge},
}
ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
}
FUNCTION: Mapping[str, Callable[[list[Any]], Any]] = {
    **{"sum": sum, "average": fmean, "minimum": min, "maximum": max}
}
CONTAINS: Mapping[str, Callable[[str, str], bool]] = {
    **{"anywhere": operator.contains, "start": str.startswith, "end": str.endswith}
}
PART: Mapping[str, Callable[[date], int]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "day": lambda day: day.day,
    "weekday": lambda day: day.isoweekday() % 7,
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
            case Figure():
                return [(self._value(program, ("", {})),)]
            case Exists(rows):
                return [(bool(self._rows(rows)),)]
            case Listing():
                return self._listing(program)
            case Grouping():
                return self._grouping(program)

    def _listing(self, program: Listing) -> list[Record]:
        table = self.schema.table(program.rows.table)
        last = [Field((), name) for name in table.identity]
        orders = (*program.order, *(Order(one) for one in last))
        rows = self._rows(program.rows)
        rows.sort(key=lambda row: [self._rank(one, [row]) for one in orders])
        shown = [
            tuple(self._value(one, row) for one in program.shown)
            for group in self._groups(rows, program.each).values()
            for row in group[: program.limit]
        ]
        return list(dict.fromkeys(shown)) if program.distinct else shown

    def _grouping(self, program: Grouping) -> list[Record]:
        orders = (*program.order, *(Order(one) for one in program.by))
        groups = [
            rows
            for rows in self._groups(self._rows(program.rows), program.by).values()
            if all(self._having(one, rows) for one in program.having)
        ]
        groups.sort(key=lambda rows: [self._rank(one, rows) for one in orders])
        return [
            (
                *(self._value(one, rows[0]) for one in program.by),
                *(self._aggregate(one, rows) for one in program.figures),
            )
            for rows in groups[: program.limit]
        ]

    def _groups(self, rows: list[Place], by: Sequence[Attribute]) -> dict[Record, list[Place]]:
        """Rows with the same values, in order; those without one are in no group."""
        groups: dict[Record, list[Place]] = {}
        for row in rows:
            values = tuple(self._value(one, row) for one in by)
            if None not in values:
                groups.setdefault(values, []).append(row)
        return groups

    def _having(self, having: Having, rows: Sequence[Place]) -> bool | None:
        value = self._value(having.value, rows[0])
        return _compared(having.sign, self._aggregate(having.aggregate, rows), value)

    def _rank(self, order: Order, rows: Sequence[Place]) -> tuple[bool, Any]:
        """What to sort by; nulls come last, whatever the direction."""
        if isinstance(order.by, Aggregate):
            value = self._aggregate(order.by, rows)
        else:
            value = self._value(order.by, rows[0])
        return value is None, _Descending(value) if order.descending else value

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

    def _value(self, attribute: Attribute, place: Place) -> Any:
        match attribute:
            case Value(value):
                return value
            case Field(path, column):
                _, row = self._follow(place, path)
                return None if row is None else row[column]
            case DatePart(part, of):
                day = self._value(of, place)
                return None if day is None else PART[part](day)
            case Arithmetic(sign, left, right):
                one, other = self._value(left, place), self._value(right, place)
                nothing = one is None or other is None or (sign == "/" and other == 0)
                return None if nothing else ARITHMETIC[sign](one, other)
            case Belonging(path, figure):
                return self._aggregate(figure.aggregate, self._belonging(place, path, figure.rows))
            case Figure(rows, aggregate):
                return self._aggregate(aggregate, self._rows(rows))

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
            case And(parts):
                return _all([self._holds(one, place) for one in parts])
            case Or(parts):
                return _not(_all([_not(self._holds(one, place)) for one in parts]))
            case Not(part):
                return _not(self._holds(part, place))


def _compared(sign: str, left: Any, right: Any) -> bool | None:
    return None if left is None or right is None else bool(COMPARE[sign](left, right))


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
