"""Programs as one SQL statement, in the dialect of any database."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import count
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.selectable import FromClause

from partwise.errors import DomainError
from partwise.execution.relational.formats import read_as
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
    Union,
    Value,
    aggregates,
)
from partwise.execution.relational.schema import Association, Column, Path, Schema

Element = sa.ColumnElement[Any]
OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    **{"=": operator.eq, "!=": operator.ne, "<": operator.lt},
    **{"<=": operator.le, ">": operator.gt, ">=": operator.ge},
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv},
}
"""Signs of comparisons and of arithmetic."""


def middle(value: Element, keys: Sequence[Element]) -> Element:
    """A value, if it is one of the one or two middle ones of its group. `value`: a column of a
    query, as are `keys`: DuckDB allows no window within a window."""
    by = list(keys) or None
    place = sa.func.row_number().over(partition_by=by, order_by=value.asc().nulls_last())
    many = sa.func.count(value).over(partition_by=by)
    return sa.case((sa.and_(2 * place >= many, 2 * place <= many + 2), value))


def label_columns(columns: Sequence[Element]) -> list[sa.Label[Any]]:
    return [column.label(f"c{number}") for number, column in enumerate(columns)]


def first(
    every: sa.Select[Any],
    program: Listing | Grouping,
    order: Sequence[tuple[Element, bool]],
    each: Sequence[Element] = (),
) -> sa.Select[Any]:
    """What comes first of a query: of all its rows, or of each group. `order`: what to order by,
    and whether the greatest comes first."""
    if program.limit is None or not (each or program.ties or program.only):
        return every.order_by(*(order_by(*key) for key in order)).limit(program.limit)
    return _ranked(every, program, order, each)


def _ranked(
    every: sa.Select[Any],
    program: Listing | Grouping,
    order: Sequence[tuple[Element, bool]],
    each: Sequence[Element],
) -> sa.Select[Any]:
    """What comes first by its rank, in all or in each group."""
    told_apart = program.ties or program.only
    more = [column.label(f"k{at}") for at, column in enumerate((*(by for by, _ in order), *each))]
    columns = list(every.add_columns(*more).subquery().c)
    shown, keys = columns[: len(columns) - len(more)], columns[len(columns) - len(more) :]
    orders = [order_by(key, down) for key, (_, down) in zip(keys, order, strict=False)]
    tied = sa.func.dense_rank() if program.only else sa.func.rank()
    number = tied if told_apart else sa.func.row_number()
    told = orders[: len(program.order)] if told_apart else orders
    rank = number.over(partition_by=keys[len(order) :] or None, order_by=told or None)
    place = sa.func.row_number().over(order_by=orders or None)
    *kept, ranked, placed = sa.select(*shown, rank.label("rank"), place.label("place")).subquery().c
    wanted = ranked == program.limit if program.only else ranked <= program.limit
    return sa.select(*kept).where(wanted).order_by(placed)


def order_by(value: Element, descending: bool) -> Element:
    return (value.desc() if descending else value.asc()).nulls_last()


def compare(sign: str, left: Element, right: Element) -> Element:
    result: Element = OPERATORS[sign](left, right)
    return result


def arithmetic(sign: str, left: Element, right: Element) -> Element:
    if sign == "/":
        # With its type, or SQLAlchemy casts it to NUMERIC, which has three decimals on DuckDB.
        return sa.cast(left, sa.Double) / sa.func.nullif(right, 0, type_=sa.Double)
    return compare(sign, left, right)


def date_part(part: str, day: Element) -> Element:
    if part == "year_quarter":
        return _text(date_part("year", day)) + "-Q" + _text(date_part("quarter", day))
    if part == "year_month":
        return _YearMonth(day)
    if part == "quarter":
        month = sa.extract("month", day) + 2
        return sa.cast((month - month % 3) / 3, sa.Integer)
    return sa.cast(sa.extract("dow" if part == "weekday" else part, day), sa.Integer)


def _text(value: Element) -> Element:
    return sa.cast(value, sa.String)


class _YearMonth(sa.sql.functions.FunctionElement[str]):
    type = sa.String()
    inherit_cache = True
    name = "year_month"


@compiles(_YearMonth)
def _year_and_month(element: _YearMonth, compiler: Any, **options: Any) -> str:
    (day,) = element.clauses
    # Of 103, the last two figures.
    two: Element = sa.literal_column("2")
    hundred: Element = sa.literal_column("100")
    dash: Element = sa.literal_column("'-'")
    padded = sa.func.substr(_text(date_part("month", day) + hundred), two, two, type_=sa.String)
    whole = _text(date_part("year", day)) + dash + padded
    return f"({compiler.process(whole, **options)})"


@compiles(_YearMonth, "sqlite")
def _formatted(element: _YearMonth, compiler: Any, **options: Any) -> str:
    return f"strftime('%Y-%m', {compiler.process(element.clauses, **options)})"


class _Seconds(sa.sql.functions.FunctionElement[int]):
    type = sa.BigInteger()
    inherit_cache = True
    name = "seconds"


@compiles(_Seconds)
def _epochs(element: _Seconds, compiler: Any, **options: Any) -> str:
    start, end = (
        f"floor(extract(epoch FROM CAST({compiler.process(clause, **options)} AS TIMESTAMP)))"
        for clause in element.clauses
    )
    return f"({end} - {start})"


@compiles(_Seconds, "sqlite")
def _of_texts(element: _Seconds, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(clause, **options) for clause in element.clauses)
    start, end = (f"CAST(strftime('%s', {moment}) AS INTEGER)" for moment in (start, end))
    return f"({end} - {start})"


@compiles(_Seconds, "mysql")
@compiles(_Seconds, "mariadb")
def _seconds_between(element: _Seconds, compiler: Any, **options: Any) -> str:
    start, end = (compiler.process(clause, **options) for clause in element.clauses)
    return f"timestampdiff(SECOND, {start}, {end})"


def contains(value: Element, text: str, where: str) -> Element:
    match where:
        case "start":
            return value.istartswith(text, autoescape=True)
        case "end":
            return value.iendswith(text, autoescape=True)
        case _:
            return value.icontains(text, autoescape=True)


def table_clause(name: str, *columns: str) -> sa.TableClause:
    """A table by its name; before a dot stands that of its schema."""
    schema, dot, table = name.partition(".")
    named: list[Any] = [sa.column(column) for column in columns]
    return sa.table(table, *named, schema=schema) if dot else sa.table(name, *named)


class Compiler:
    """Writes programs as SQL. Names are quoted, and values are bound. `texts`: whether dates are
    stored as texts (``2024-03-01``, with a time or without), as in SQLite; `private`: tables and
    columns that no row is put in order by unless the program says so."""

    def __init__(
        self,
        schema: Schema,
        texts: bool = False,
        private: Collection[tuple[str, str]] = frozenset(),
    ) -> None:
        self.schema, self.texts, self.private = schema, texts, private
        self._tables = {
            table.name: table_clause(table.name, *(column.name for column in table.columns))
            for table in schema.tables
        }

    def select(self, program: Program) -> sa.Select[Any]:
        match program:
            case Figure() | Arithmetic():
                return sa.select(Scope(self).value(program))
            case Exists(rows):
                scope = Scope(self, rows.table)
                where = scope.where(rows)
                inner = sa.select(sa.literal(1)).select_from(scope.source).where(*where)
                return sa.select(sa.exists(inner.limit(1).subquery().select()))
            case Holds(condition):
                return sa.select(Scope(self).holds(condition))
            case Listing():
                return self._listing(program)
            case Grouping():
                return self._grouping(program)
            case Union(parts):
                every = (self.select(part).subquery().select() for part in parts)
                return sa.union(*every).subquery().select()

    def figure(self, figure: Figure) -> Element:
        scope = Scope(self, figure.rows.table)
        where = scope.where(figure.rows)
        scope, _, where = scope.ranked(where, (), [figure.aggregate])
        value = scope.aggregate(figure.aggregate)
        inner = sa.select(value).select_from(scope.source).where(*where)
        return inner.correlate(None).scalar_subquery()

    def column(self, answer: Listing | Grouping) -> sa.Select[Any]:
        if isinstance(answer, Listing) and answer.limit is None and not answer.each:
            answer = replace(answer, order=(), distinct=True, ties=False)
        inner = self.select(answer).correlate(None).subquery()
        (value,) = inner.c
        return sa.select(value).where(value.is_not(None))

    def _listing(self, program: Listing) -> sa.Select[Any]:
        scope = Scope(self, program.rows.table)
        where = scope.where(program.rows)
        shown = [scope.value(value) for value in program.shown]
        each = [scope.value(value) for value in program.each]
        where += [column.is_not(None) for column in each]
        if program.distinct:
            every = sa.select(*label_columns(shown)).select_from(scope.source).where(*where)
            return _distinct(every.distinct(), program)
        last = self._identity(program.rows.table)
        orders = (*program.order, *(Order(Field((), name)) for name in last))
        order = [(scope.value(criterion.by), criterion.descending) for criterion in orders]
        every = sa.select(*label_columns(shown)).select_from(scope.source).where(*where)
        return first(every, program, order, each)

    def _grouping(self, program: Grouping) -> sa.Select[Any]:
        scope = Scope(self, program.rows.table)
        where = scope.where(program.rows)
        keys: Sequence[Element] = [scope.value(key) for key in program.keys]
        told = keys[: len(program.by)] if program.chosen else map(scope.key, program.leading)
        where += [value.is_not(None) for value in told]
        havings = [
            side for condition in program.having for side in (condition.aggregate, condition.value)
        ]
        figures = [*program.figures, *havings, *(criterion.by for criterion in program.order)]
        scope, keys, where = scope.ranked(where, keys, aggregates(figures))
        key_of = dict(zip(program.keys, keys, strict=True))
        having = [scope.having(condition) for condition in program.having]
        orders = (*program.order, *(Order(key) for key in key_of))
        order = [
            (_of_group(criterion.by, key_of, scope), criterion.descending) for criterion in orders
        ]
        shown = [key_of[key] for key in program.showing]
        shown += [scope.measured(figure) for figure in program.figures]
        every = sa.select(*label_columns(shown)).select_from(scope.source).where(*where)
        return first(every.group_by(*keys).having(*having), program, order)

    def _identity(self, table: str) -> Sequence[str]:
        """What tells rows apart; where that is private, as well as all else does: the order of rows
        would tell it."""
        info = self.schema.table(table)
        named = (info.identity, [column.name for column in info.columns])
        known = ([name for name in some if (table, name) not in self.private] for some in named)
        return next(filter(None, known), ())

    def literal(self, value: Value) -> Element:
        if self.texts and isinstance(value.value, date):
            return sa.literal(value.value.isoformat())
        # A text of a class of its own has no type that is known.
        return sa.literal(value.value, sa.String() if isinstance(value.value, str) else None)

    def read(self, column: Column, stored: Element) -> Element:
        """A column as what it means, where it is stored as something else."""
        if column.format:
            return read_as(column.kind, column.format, stored, self.texts)
        if column.texts and column.kind == "text" and not self.texts:
            return sa.cast(stored, sa.String)
        if column.texts and column.kind == "number":
            return sa.cast(stored, sa.Numeric(38, 10))
        if column.texts and column.kind == "date" and not self.texts:
            return sa.cast(stored, sa.DateTime)
        return stored

    def table(self, name: str) -> FromClause:
        """A table under a name that nothing else in the statement has."""
        table = self._tables[name]
        # An alias would begin as the names of a database's own tables do.
        return sa.select(table).subquery() if table.name.startswith("pg_") else table.alias()


class Scope:
    """The rows of a table that a query is over, and what is joined to each of them. `base`: a query
    with the table's columns in its place; `middles`: for each median, the column with the middle
    values."""

    def __init__(
        self,
        compiler: Compiler,
        table: str = "",
        base: FromClause | None = None,
        middles: Mapping[Aggregate, Element] | None = None,
    ) -> None:
        self.compiler, self.table = compiler, table
        self._middles = middles or {}
        self._reached: dict[Path, FromClause] = {}
        self._figures: dict[tuple[Path, Figure], Element] = {}
        if table:
            self.source = compiler.table(table) if base is None else base
            self._reached[()] = self.source

    def at(self, path: Path) -> FromClause:
        """The table at the end of a path; rows that lead nowhere are kept."""
        if not self.table:
            raise DomainError("a column stands where there is no row; it takes rows of a table")
        if path not in self._reached:
            *before, link = path
            there = self.compiler.table(link.target)
            key = self.compiler.schema.key(link.target)
            same = self.at(tuple(before)).c[link.column] == there.c[key]
            self.source = self.source.outerjoin(there, same)
            self._reached[path] = there
        return self._reached[path]

    def key(self, path: Path) -> Element:
        return self.at(path).c[self.compiler.schema.key(self.compiler.schema.end(self.table, path))]

    def named(self, path: Path) -> Element:
        """The key of the row that a path leads to, or would lead to if it were there. To be
        compared with keys of rows that are there. It saves the join of the last table."""
        if not path or path in self._reached:
            return self.key(path)
        *before, link = path
        return self.at(tuple(before)).c[link.column]

    def grouped(self, path: Path) -> Element:
        """As `named`, for groups. In SQLite, where a text may link to a number and each column
        compares texts in its own way, two values may name one row, so its key is taken there."""
        return self.key(path) if self.compiler.texts else self.named(path)

    def where(self, rows: Rows, path: Path = ()) -> list[Element]:
        return [] if rows.where is None else [self.holds(rows.where, path)]

    def value(self, attribute: Attribute | Aggregate, at: Path = ()) -> Element:
        match attribute:
            case Value():
                return self.compiler.literal(attribute)
            case Field(path, column):
                table = self.compiler.schema.end(self.table, (*at, *path))
                stored = self.at((*at, *path)).c[column]
                return self.compiler.read(self.compiler.schema.column(table, column), stored)
            case DatePart(part, of):
                return date_part(part, self._finite(of, at))
            case Elapsed(unit, start, end):
                seconds = _Seconds(self.value(start, at), self.value(end, at))
                return sa.cast(seconds, sa.Double) / sa.literal(float(SECONDS[unit]), sa.Double)
            case Arithmetic(sign, left, right):
                return arithmetic(sign, self.value(left, at), self.value(right, at))
            case Belonging(path, figure):
                return self._belonging((*at, *path), figure)
            case Figure():
                return self.compiler.figure(attribute)
            case Aggregate():
                raise DomainError(
                    "rows are ordered by what each of them has, not by a figure over all; the same "
                    "goes for what they are compared by and shown with"
                )

    def _finite(self, day: Attribute, at: Path) -> Element:
        """A date, or nothing where it is infinite."""
        value = self.value(day, at)
        if isinstance(day, Field):
            table = self.compiler.schema.end(self.table, (*at, *day.path))
            if self.compiler.schema.column(table, day.column).format == "infinity":
                return sa.case((sa.func.isfinite(value), value))
        return value

    def ranked(
        self, where: list[Element], keys: Sequence[Element], figures: Sequence[Aggregate]
    ) -> tuple[Scope, Sequence[Element], list[Element]]:
        """The rows as a query that knows the middle values of each group, if a figure needs them:
        the scope for the figures, its keys, and the conditions that are left. Not every database
        has a median: it is the average of the one or two middle values."""
        medians = list(dict.fromkeys(figure for figure in figures if figure.function == "median"))
        if not medians:
            return self, keys, where
        values = [self.value(_of(median)) for median in medians]
        columns = list(self.at(()).c)
        taken = {column.name for column in columns}
        free = (name for n in count() if (name := f"c{n}") not in taken)
        more = [column.label(next(free)) for column in (*keys, *values)]
        inner = sa.select(*columns, *more).select_from(self.source).where(*where).subquery()
        made = [inner.c[column.name] for column in more[: len(keys)]]
        middles = [
            middle(inner.c[column.name], made).label(next(free)) for column in more[len(keys) :]
        ]
        base = sa.select(*list(inner.c)[: len(columns) + len(keys)], *middles).subquery()
        new = dict(zip(medians, list(base.c)[-len(medians) :], strict=True))
        kept = [base.c[column.name] for column in made]
        return Scope(self.compiler, self.table, base, new), kept, []

    def measured(self, figure: GroupFigure | Attribute) -> Element:
        match figure:
            case Aggregate():
                return self.aggregate(figure)
            case Arithmetic(sign, left, right):
                return arithmetic(sign, self.measured(left), self.measured(right))
            case Figure() | Value():
                return self.value(figure)
            case _:
                raise DomainError(
                    "groups are ordered by what they are grouped by, or by figures over them"
                )

    def aggregate(self, aggregate: Aggregate) -> Element:
        if aggregate in self._middles:
            return sa.func.avg(self._middles[aggregate])
        if aggregate.of is None and aggregate.function == "count":
            return sa.func.count()
        value = self.value(_of(aggregate))
        match aggregate.function:
            case "count":
                return sa.func.count(value.distinct() if aggregate.distinct else value)
            case "sum":
                return sa.func.sum(value)
            case "average" | "median":
                return sa.func.avg(value)
            case "minimum":
                return sa.func.min(value)
            case "maximum":
                return sa.func.max(value)

    def having(self, having: Having) -> Element:
        return compare(having.sign, self.measured(having.aggregate), self.measured(having.value))

    def holds(self, condition: Condition, at: Path = ()) -> Element:
        match condition:
            case Compare(left, sign, right):
                return compare(sign, self.value(left, at), self.value(right, at))
            case Between(of, low, high, open_):
                value, last = self.value(of, at), self.compiler.literal(high)
                below = value < last if open_ else value <= last
                return sa.and_(value >= self.compiler.literal(low), below)
            case Contains(of, text, where):
                return contains(self.value(of, at), text, where)
            case Missing(of):
                return self.value(of, at).is_(None)
            case OneOf(of, values):
                return self.value(of, at).in_([self.compiler.literal(choice) for choice in values])
            case Among(of, answer):
                value = self.value(of, at)
                return sa.case((value.is_not(None), value.in_(self.compiler.column(answer))))
            case Related(path, rows):
                return self._is_related((*at, *path), rows)
            case And(parts):
                return sa.and_(*(self.holds(one, at) for one in parts))
            case Or(parts):
                return sa.or_(*(self.holds(one, at) for one in parts))
            case Not(part):
                return sa.not_(self.holds(part, at))

    def _relation(self, path: Path, rows: Rows) -> tuple[Element, Association, Scope]:
        schema = self.compiler.schema
        relation = schema.related(schema.end(self.table, path), rows.table)
        return self.key((*path, *relation.outer)), relation, Scope(self.compiler, relation.base)

    def _is_related(self, path: Path, rows: Rows) -> Element:
        """Whether some of these rows belong to the row at the end of a path: yes or no."""
        mine, relation, inner = self._relation(path, rows)
        where = inner.where(rows, relation.inner)
        end = inner.named(relation.end)
        where += [end.is_not(None)]
        where += [inner.key(relation.inner).is_not(None)] if relation.inner else []
        some = sa.select(end).select_from(inner.source).where(*where).correlate(None)
        return sa.and_(mine.is_not(None), mine.in_(some))

    def _belonging(self, path: Path, figure: Figure) -> Element:
        if (path, figure) not in self._figures:
            mine, relation, inner = self._relation(path, figure.rows)
            end = inner.grouped(relation.end)
            if relation.inner:
                inner, end = self._pair(relation, figure.rows, inner, end)
            where = inner.where(figure.rows)
            inner, (end,), where = inner.ranked(where, [end], [figure.aggregate])
            value = inner.aggregate(figure.aggregate).label("figure")
            some = sa.select(end.label("end"), value).select_from(inner.source).where(*where)
            each = some.group_by(end).subquery()
            self.source = self.source.outerjoin(each, mine == each.c.end)
            shown: Element = each.c.figure
            if figure.aggregate.function == "count":
                shown = sa.func.coalesce(shown, 0)
            self._figures[path, figure] = shown
        return self._figures[path, figure]

    def _pair(
        self, relation: Association, rows: Rows, between: Scope, end: Element
    ) -> tuple[Scope, Element]:
        """The rows themselves with what they belong to; a row between may lead there twice."""
        row = between.grouped(relation.inner)
        pairs = sa.select(end.label("end"), row.label("row")).select_from(between.source)
        once = pairs.distinct().subquery()
        inner = Scope(self.compiler, rows.table)
        inner.source = inner.source.join(once, inner.key(()) == once.c.row)
        return inner, once.c.end


def _of(aggregate: Aggregate) -> Attribute:
    if aggregate.of is None:
        raise DomainError(f"the {aggregate.function} is of a column or of a number; say which")
    return aggregate.of


def _distinct(every: sa.Select[Any], program: Listing) -> sa.Select[Any]:
    if not program.order and program.limit is None:
        return every
    columns = list(every.subquery().c)
    shown: list[Attribute | Aggregate] = list(program.shown)
    orders = [(columns[shown.index(order.by)], order.descending) for order in program.order]
    orders += [(column, False) for column in columns]
    return first(sa.select(*columns), program, orders)


def _of_group(
    by: Attribute | Aggregate, key_of: Mapping[Attribute, Element], scope: Scope
) -> Element:
    """What groups are ordered by: the very expression that they are grouped by, or a figure."""
    if not isinstance(by, Aggregate) and by in key_of:
        return key_of[by]
    return scope.measured(by)
