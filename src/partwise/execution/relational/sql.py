"""Programs as one SQL statement, in the dialect of any database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy.sql.selectable import FromClause

from partwise.errors import DomainError
from partwise.execution.relational.interpreter import ARITHMETIC, COMPARE
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
from partwise.execution.relational.schema import Path, Relation, Schema

Element = sa.ColumnElement[Any]


class Compiler:
    """Writes programs as SQL. Names are quoted, and values are bound.

    Args:
        texts: whether dates are stored as texts (``2024-03-01``, with a time or without), as in
            SQLite.
    """

    def __init__(self, schema: Schema, texts: bool = False) -> None:
        self.schema, self.texts = schema, texts
        self._tables = {
            table.name: sa.table(table.name, *(sa.column(one.name) for one in table.columns))
            for table in schema.tables
        }

    def select(self, program: Program) -> sa.Select[Any]:
        """The statement of a program."""
        match program:
            case Figure():
                return sa.select(self.figure(program))
            case Exists(rows):
                scope = Scope(self, rows.table)
                where = scope.where(rows)
                inner = sa.select(sa.literal(1)).select_from(scope.source).where(*where)
                return sa.select(sa.exists(inner.limit(1).subquery().select()))
            case Listing():
                return self._listing(program)
            case Grouping():
                return self._grouping(program)

    def figure(self, figure: Figure) -> Element:
        """A number, as a query within the query."""
        scope = Scope(self, figure.rows.table)
        where = scope.where(figure.rows)
        value = scope.aggregate(figure.aggregate)
        inner = sa.select(value).select_from(scope.source).where(*where)
        return inner.correlate(None).scalar_subquery()

    def _listing(self, program: Listing) -> sa.Select[Any]:
        scope = Scope(self, program.rows.table)
        where = scope.where(program.rows)
        shown = [scope.value(one) for one in program.shown]
        if program.distinct:
            return sa.select(*shown).select_from(scope.source).where(*where).distinct()
        last = self.schema.table(program.rows.table).identity
        orders = (*program.order, *(Order(Field((), name)) for name in last))
        order = [_ordered(scope.value(_attribute(one)), one) for one in orders]
        labelled = [one.label(f"c{number}") for number, one in enumerate(shown)]
        if not program.each:
            every = sa.select(*labelled).select_from(scope.source).where(*where)
            return every.order_by(*order).limit(program.limit)
        each = [scope.value(one) for one in program.each]
        rank = sa.func.row_number().over(partition_by=each, order_by=order).label("rank")
        where += [one.is_not(None) for one in each]
        inner = sa.select(*labelled, rank).select_from(scope.source).where(*where).subquery()
        few = inner.c.rank <= program.limit if program.limit is not None else sa.true()
        return sa.select(*(inner.c[one.name] for one in labelled)).where(few)

    def _grouping(self, program: Grouping) -> sa.Select[Any]:
        scope = Scope(self, program.rows.table)
        where = scope.where(program.rows)
        by = [scope.value(one) for one in program.by]
        figures = [scope.aggregate(one) for one in program.figures]
        having = [scope.having(one) for one in program.having]
        orders = (*program.order, *(Order(one) for one in program.by))
        order = [_ordered(_of_group(one, program, scope, by), one) for one in orders]
        where += [one.is_not(None) for one in by]
        every = sa.select(*by, *figures).select_from(scope.source).where(*where)
        return every.group_by(*by).having(*having).order_by(*order).limit(program.limit)

    def literal(self, value: Value) -> Element:
        """A value, bound to a parameter."""
        if self.texts and isinstance(value.value, date):
            return sa.literal(value.value.isoformat())
        return sa.literal(value.value)

    def table(self, name: str) -> FromClause:
        """A table under a name that nothing else in the statement has."""
        return self._tables[name].alias()


class Scope:
    """The rows that a query is over, and what is joined to each of them.

    Args:
        table: whose rows they are.
    """

    def __init__(self, compiler: Compiler, table: str) -> None:
        self.compiler, self.table = compiler, table
        base = compiler.table(table)
        self.source: FromClause = base
        self._reached: dict[Path, FromClause] = {(): base}
        self._figures: dict[tuple[Path, Figure], Element] = {}

    def at(self, path: Path) -> FromClause:
        """The table at the end of a path; rows that lead nowhere are kept."""
        if path not in self._reached:
            *before, link = path
            there = self.compiler.table(link.target)
            key = self.compiler.schema.key(link.target)
            same = self.at(tuple(before)).c[link.column] == there.c[key]
            self.source = self.source.outerjoin(there, same)
            self._reached[path] = there
        return self._reached[path]

    def key(self, path: Path) -> Element:
        """The key of the row that a path leads to."""
        return self.at(path).c[self.compiler.schema.key(self.compiler.schema.end(self.table, path))]

    def where(self, rows: Rows, path: Path = ()) -> list[Element]:
        """The condition of some rows, of those at the end of a path."""
        return [] if rows.where is None else [self.holds(rows.where, path)]

    def value(self, attribute: Attribute, at: Path = ()) -> Element:
        """An attribute of the row that a path leads to."""
        match attribute:
            case Value():
                return self.compiler.literal(attribute)
            case Field(path, column):
                return self.at((*at, *path)).c[column]
            case DatePart(part, of):
                return _part(part, self.value(of, at))
            case Arithmetic(sign, left, right):
                one, other = self.value(left, at), self.value(right, at)
                return _arithmetic(sign, one, other)
            case Belonging(path, figure):
                return self._belonging((*at, *path), figure)
            case Figure():
                return self.compiler.figure(attribute)

    def aggregate(self, aggregate: Aggregate, at: Path = ()) -> Element:
        """A figure over all rows."""
        if aggregate.of is None:
            return sa.func.count()
        value = self.value(aggregate.of, at)
        match aggregate.function:
            case "count":
                return sa.func.count(value.distinct() if aggregate.distinct else value)
            case "sum":
                return sa.func.sum(value)
            case "average":
                return sa.func.avg(value)
            case "minimum":
                return sa.func.min(value)
            case "maximum":
                return sa.func.max(value)

    def having(self, having: Having) -> Element:
        """A condition on a group."""
        return _compared(having.sign, self.aggregate(having.aggregate), self.value(having.value))

    def holds(self, condition: Condition, at: Path = ()) -> Element:
        """A condition on the row that a path leads to."""
        match condition:
            case Compare(left, sign, right):
                return _compared(sign, self.value(left, at), self.value(right, at))
            case Between(of, low, high, open_):
                value, last = self.value(of, at), self.compiler.literal(high)
                below = value < last if open_ else value <= last
                return sa.and_(value >= self.compiler.literal(low), below)
            case Contains(of, text, where):
                return _contains(self.value(of, at), text, where)
            case Missing(of):
                return self.value(of, at).is_(None)
            case OneOf(of, values):
                return self.value(of, at).in_([self.compiler.literal(one) for one in values])
            case Related(path, rows):
                return self._related((*at, *path), rows)
            case And(parts):
                return sa.and_(*(self.holds(one, at) for one in parts))
            case Or(parts):
                return sa.or_(*(self.holds(one, at) for one in parts))
            case Not(part):
                return sa.not_(self.holds(part, at))

    def _relation(self, path: Path, rows: Rows) -> tuple[Element, Relation, Scope]:
        schema = self.compiler.schema
        relation = schema.related(schema.end(self.table, path), rows.table)
        return self.key((*path, *relation.outer)), relation, Scope(self.compiler, relation.base)

    def _related(self, path: Path, rows: Rows) -> Element:
        """Whether some of these rows belong to the row at the end of a path: yes or no."""
        mine, relation, inner = self._relation(path, rows)
        where = inner.where(rows, relation.inner)
        end = inner.key(relation.end)
        where += [end.is_not(None)]
        where += [inner.key(relation.inner).is_not(None)] if relation.inner else []
        some = sa.select(end).select_from(inner.source).where(*where).correlate(None)
        return sa.and_(mine.is_not(None), mine.in_(some))

    def _belonging(self, path: Path, figure: Figure) -> Element:
        """A figure over the rows that belong to the row at the end of a path."""
        if (path, figure) not in self._figures:
            mine, relation, inner = self._relation(path, figure.rows)
            end = inner.key(relation.end)
            if relation.inner:
                inner, end = self._paired(relation, figure.rows, inner, end)
            where = inner.where(figure.rows)
            value = inner.aggregate(figure.aggregate).label("figure")
            some = sa.select(end.label("end"), value).select_from(inner.source).where(*where)
            each = some.group_by(end).subquery()
            self.source = self.source.outerjoin(each, mine == each.c.end)
            shown: Element = each.c.figure
            if figure.aggregate.function == "count":
                shown = sa.func.coalesce(shown, 0)
            self._figures[path, figure] = shown
        return self._figures[path, figure]

    def _paired(
        self, relation: Relation, rows: Rows, between: Scope, end: Element
    ) -> tuple[Scope, Element]:
        """The rows themselves with what they belong to; a row between may lead there twice."""
        row = between.key(relation.inner)
        pairs = sa.select(end.label("end"), row.label("row")).select_from(between.source)
        once = pairs.distinct().subquery()
        inner = Scope(self.compiler, rows.table)
        inner.source = inner.source.join(once, inner.key(()) == once.c.row)
        return inner, once.c.end


def _attribute(order: Order) -> Attribute:
    if isinstance(order.by, Aggregate):
        raise DomainError("rows are ordered by what each of them has, not by a figure over all")
    return order.by


def _of_group(order: Order, program: Grouping, scope: Scope, by: Sequence[Element]) -> Element:
    """What groups are ordered by: the very expression that they are grouped by, or a figure."""
    if isinstance(order.by, Aggregate):
        return scope.aggregate(order.by)
    if order.by not in program.by:
        raise DomainError("groups are ordered by what they are grouped by, or by figures over them")
    return by[program.by.index(order.by)]


def _ordered(value: Element, order: Order) -> Element:
    return (value.desc() if order.descending else value.asc()).nulls_last()


def _compared(sign: str, left: Element, right: Element) -> Element:
    result: Element = COMPARE[sign](left, right)
    return result


def _arithmetic(sign: str, left: Element, right: Element) -> Element:
    if sign == "/":
        return sa.cast(left, sa.Float) / sa.func.nullif(right, 0)
    result: Element = ARITHMETIC[sign](left, right)
    return result


def _part(part: str, day: Element) -> Element:
    if part == "quarter":
        month = sa.extract("month", day) + 2
        return sa.cast((month - month % 3) / 3, sa.Integer)
    return sa.cast(sa.extract("dow" if part == "weekday" else part, day), sa.Integer)


def _contains(value: Element, text: str, where: str) -> Element:
    match where:
        case "start":
            return value.istartswith(text, autoescape=True)
        case "end":
            return value.iendswith(text, autoescape=True)
        case _:
            return value.icontains(text, autoescape=True)
