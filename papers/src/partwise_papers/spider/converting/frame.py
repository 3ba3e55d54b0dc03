"""The rows of one SELECT: expressions as attributes and conditions of a row of the grain."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date

from sqlglot import exp

from partwise.execution.relational.program import (
    Aggregate,
    Among,
    And,
    Arithmetic,
    Attribute,
    Between,
    Compare,
    Condition,
    Contains,
    Field,
    Figure,
    Function,
    Grouping,
    Listing,
    Missing,
    Not,
    OneOf,
    Or,
    Program,
    Related,
    Rows,
    Sign,
    Value,
)
from partwise.execution.relational.schema import Association, Path, Schema
from partwise_papers.spider.converting.moving import Mover
from partwise_papers.spider.converting.scope import ColumnPlace, JoinedTables
from partwise_papers.spider.converting.style import Style, UnsupportedSqlError

SIGNS: dict[type[exp.Expression], Sign] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_ARITHMETIC = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
_FUNCTIONS: dict[type[exp.Expression], Function] = {
    exp.Sum: "sum",
    exp.Avg: "average",
    exp.Min: "minimum",
    exp.Max: "maximum",
}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
Nested = Callable[[exp.Expression], Program]
"""Makes a program of a query within the query."""


@dataclass
class JoinedRows:
    """The rows that a SELECT is about.

    Attributes:
        grain: the alias whose rows they are.
        paths: alias -> the way to it.
    """

    scope: JoinedTables
    grain: str
    paths: dict[str, Path]
    style: Style
    nested: Nested

    @property
    def table(self) -> str:
        """The table of the rows."""
        return self.scope.tables[self.grain]

    def rows(self, conditions: Sequence[exp.Expression]) -> Rows:
        """The rows, with the conditions on their own columns and on what hangs on them."""
        own = [one for one in conditions if self.aliases(one) <= set(self.paths)]
        made = [self.condition(one) for one in own]
        left = [one for one in conditions if one not in own]
        done: set[str] = set(self.paths)
        for alias in self.scope.tables:
            if alias not in done:
                around = self.scope.around(self.paths, alias)
                done |= set(around)
                made.append(self._hanging(around, left))
                left = [one for one in left if not self.aliases(one) <= set(around)]
        if left:
            raise UnsupportedSqlError("a condition over rows that are not linked")
        if self.style.linked:
            made += [Not(Missing(self._end(one))) for one in self.paths.values() if one]
        return Rows(self.table, united(list(dict.fromkeys(made))))

    def aliases(self, expression: exp.Expression) -> set[str]:
        """The tables whose columns an expression has, queries within it left out."""
        columns = [
            one for one in expression.find_all(exp.Column) if not _within_query(one, expression)
        ]
        return {one.alias for column in columns if (one := self.scope.find(column)) is not None}

    def _end(self, path: Path) -> Field:
        return Field(path, self.scope.schema.key(path[-1].target))

    def _hanging(self, around: dict[str, str], conditions: Sequence[exp.Expression]) -> Condition:
        """That some row is joined to this one, by the equality that leads there."""
        here, there = self._joint(around)
        joins = [one for one in self.scope.joins if {one[0].alias, one[1].alias} <= set(around)]
        part = JoinedTables(self.scope.schema, around, joins)
        frame = frame_of(part, {there.alias}, self.style, self.nested)
        rows = frame.rows([one for one in conditions if self.aliases(one) <= set(around)])
        return self.among(self.field(here), Listing(rows, (frame.field(there),)))

    def _joint(self, around: Collection[str]) -> tuple[ColumnPlace, ColumnPlace]:
        for one, other in self.scope.joins:
            for here, there in ((one, other), (other, one)):
                if here.alias in self.paths and there.alias in around:
                    return here, there
        raise UnsupportedSqlError("a join without a condition")

    def among(self, value: Attribute, values: Listing | Grouping) -> Condition:
        """That a value is in an answer; where the tables are linked, that some row belongs."""
        if self.style.related and isinstance(value, Field) and isinstance(values, Listing):
            related = self._related(value, values)
            if related is not None:
                return related
        return Among(value, values)

    def _related(self, value: Field, values: Listing) -> Condition | None:
        shown, schema = values.shown[0], self.scope.schema
        if values.limit is not None or not isinstance(shown, Field):
            return None
        mine = _followed(value, self.table, schema)
        theirs = _followed(shown, values.rows.table, schema)
        for path in mine:
            for end in theirs:
                here, there = schema.end(self.table, path), schema.end(values.rows.table, end)
                if here != there:
                    continue
                if here == values.rows.table and not end and path and values.rows.where:
                    return moved(values.rows.where, path)
                for cut in range(len(path) + 1):
                    start = schema.end(self.table, path[:cut])
                    relation = schema.relation(start, values.rows.table)
                    if relation == Association(path[cut:], values.rows.table, end, ()):
                        return Related(path[:cut], values.rows)
        return None

    def field(self, place: ColumnPlace) -> Field:
        """A column of a row, by the shortest way: a key is the column that points to it."""
        path = self.paths[place.alias]
        if (
            path
            and self.scope.schema.key(path[-1].target) == place.column
            and not self.style.linked
        ):
            return Field(path[:-1], path[-1].column)
        return Field(path, place.column)

    def attribute(self, expression: exp.Expression) -> Attribute:
        """A value for each row."""
        match expression:
            case exp.Paren():
                return self.attribute(expression.this)
            case exp.Column():
                place = self.scope.find(expression)
                return Value(expression.name) if place is None else self.field(place)
            case exp.Literal() | exp.Neg():
                return Value(number(expression))
            case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
                sign = _ARITHMETIC[type(expression)]
                left, right = expression.this, expression.expression
                return Arithmetic(sign, self.attribute(left), self.attribute(right))  # type: ignore[arg-type]
            case exp.Subquery():
                return _single(self.nested(expression.this))
        raise UnsupportedSqlError(f"what is no value: {type(expression).__name__}")

    def aggregate(self, expression: exp.Expression) -> Aggregate | Arithmetic:
        """A figure over rows."""
        match expression:
            case exp.Paren():
                return self.aggregate(expression.this)
            case exp.Count():
                return self._count(expression.this)
            case exp.Sum() | exp.Avg() | exp.Min() | exp.Max():
                of = expression.this
                if isinstance(of, exp.Distinct):
                    of = of.expressions[0]
                return Aggregate(_FUNCTIONS[type(expression)], self.attribute(of))
            case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
                sign = _ARITHMETIC[type(expression)]
                left, right = expression.this, expression.expression
                return Arithmetic(sign, self.aggregate(left), self.aggregate(right))  # type: ignore[arg-type]
        raise UnsupportedSqlError(f"what is no figure over rows: {type(expression).__name__}")

    def _count(self, of: exp.Expression) -> Aggregate:
        if isinstance(of, exp.Star):
            return Aggregate("count")
        if isinstance(of, exp.Distinct):
            if len(of.expressions) != 1:
                raise UnsupportedSqlError("count(DISTINCT) of several columns")
            return Aggregate("count", self.attribute(of.expressions[0]), distinct=True)
        value = self.attribute(of)
        key = isinstance(value, Field) and not value.path
        if key and value.column == self.scope.schema.table(self.table).key:  # type: ignore[union-attr]
            return Aggregate("count")
        return Aggregate("count", value)

    def condition(self, expression: exp.Expression) -> Condition:
        """A condition on a row."""
        match expression:
            case exp.Paren():
                return self.condition(expression.this)
            case exp.And():
                parts = [self.condition(expression.this), self.condition(expression.expression)]
                return united(parts) or parts[0]
            case exp.Or():
                return either(
                    [self.condition(expression.this), self.condition(expression.expression)]
                )
            case exp.Not():
                return Not(self.condition(expression.this))
            case exp.Between():
                low, high = expression.args["low"], expression.args["high"]
                of = self.attribute(expression.this)
                return Between(of, self._literal(of, low), self._literal(of, high))
            case exp.Like():
                made = like(self.attribute(expression.this), text_of(expression.expression))
                return Not(made) if expression.args.get("negate") else made
            case exp.Is():
                return Missing(self.attribute(expression.this))
            case exp.In():
                return self._in(expression)
        if type(expression) in SIGNS:
            return self._compared(expression)
        raise UnsupportedSqlError(f"what is no condition: {type(expression).__name__}")

    def _in(self, expression: exp.In) -> Condition:
        of = self.attribute(expression.this)
        query = expression.args.get("query")
        if query is None:
            return OneOf(of, tuple(self._literal(of, one) for one in expression.expressions))
        values = self.nested(query.this)
        if not isinstance(values, Listing | Grouping):
            return self._with_figure(of, "=", values)
        return self.among(of, without_distinct(values))

    def _compared(self, expression: exp.Expression) -> Condition:
        sign, left, right = SIGNS[type(expression)], expression.this, expression.expression
        of = self.attribute(left)
        if not isinstance(right, exp.Subquery):
            other = self.attribute(right)
            return Compare(of, sign, self._fitting(of, other))
        answer = self.nested(right.this)
        if isinstance(answer, Listing | Grouping) and sign in ("=", "!="):
            some = self.among(of, without_distinct(answer))
            return some if sign == "=" else Not(some)
        return self._with_figure(of, sign, answer)

    def _with_figure(self, of: Attribute, sign: Sign, answer: Program) -> Condition:
        return Compare(of, sign, _single(answer))

    def _literal(self, of: Attribute, expression: exp.Expression) -> Value:
        value = self._fitting(of, self.attribute(expression))
        if not isinstance(value, Value):
            raise UnsupportedSqlError("a column where a literal is expected")
        return value

    def _fitting(self, of: Attribute, value: Attribute) -> Attribute:
        """A day as a date, if it is compared with a column of dates."""
        if not isinstance(value, Value) or not isinstance(of, Field):
            return value
        end = self.scope.schema.end(self.table, of.path)
        kind = self.scope.schema.column(end, of.column).kind
        if kind == "date" and isinstance(value.value, str) and _DAY.fullmatch(value.value):
            return Value(date.fromisoformat(value.value))
        return value


def frame_of(
    scope: JoinedTables, needed: Collection[str], style: Style, nested: Nested
) -> JoinedRows:
    """The frame whose rows lead to some tables: to those needed, or to all if they can."""
    grain = scope.grain(needed)
    if not style.head:
        try:
            grain = scope.grain(scope.tables)
        except UnsupportedSqlError:
            wider = [one for one in scope.tables if set(needed) <= set(scope.paths(one))]
            grain = max(wider, key=lambda one: len(scope.paths(one)))
    return JoinedRows(scope, grain, scope.paths(grain), style, nested)


def united(parts: Sequence[Condition]) -> Condition | None:
    """All of some conditions, without brackets within; None of none."""
    flat = [one for part in parts for one in (part.parts if isinstance(part, And) else (part,))]
    flat = list(dict.fromkeys(flat))
    return None if not flat else flat[0] if len(flat) == 1 else And(tuple(flat))


def either(parts: Sequence[Condition]) -> Condition:
    """One of some conditions; equalities of one column become a list of values."""
    flat = [one for part in parts for one in (part.parts if isinstance(part, Or) else (part,))]
    equal = [one for one in flat if isinstance(one, Compare) and one.sign == "="]
    columns = {one.left for one in equal}
    values = tuple(one.right for one in equal if isinstance(one.right, Value))
    if len(columns) == 1 and len(values) == len(flat):
        return OneOf(columns.pop(), values)
    return Or(tuple(flat))


def moved(condition: Condition, path: Path) -> Condition:
    """A condition on the row that a path leads to."""
    return Mover(path).condition(condition)


def number(expression: exp.Expression) -> str | int | float:
    """A literal."""
    if isinstance(expression, exp.Neg):
        value = number(expression.this)
        return value if isinstance(value, str) else -value
    if expression.is_string:
        return str(expression.this)
    text = str(expression.this)
    return float(text) if "." in text else int(text)


def text_of(expression: exp.Expression) -> str:
    """A text literal, in single or double quotes."""
    return str(expression.this if isinstance(expression, exp.Literal) else expression.name)


def like(of: Attribute, pattern: str) -> Condition:
    """A pattern with wildcards at its ends or between its parts."""
    if "%" not in pattern and "_" not in pattern:
        return Contains(of, pattern)
    parts = [one for one in pattern.split("%") if one]
    if len(parts) > 1:
        return And(tuple(Contains(of, one) for one in parts))
    text = parts[0] if parts else ""
    start, end = not pattern.startswith("%"), not pattern.endswith("%")
    return Contains(of, text, "start" if start else "end" if end else "anywhere")


def without_distinct(answer: Listing | Grouping) -> Listing | Grouping:
    """An answer to look a value up in: repeats do not matter, nor does order without a limit."""
    if isinstance(answer, Listing):
        order = answer.order if answer.limit is not None else ()
        return Listing(answer.rows, answer.shown, order, answer.limit)
    figures = () if answer.showing else answer.figures
    return Grouping(
        answer.rows,
        answer.by,
        figures,
        answer.having,
        answer.order if answer.limit is not None else (),
        answer.limit,
        answer.shown,
    )


def _single(answer: Program) -> Figure | Arithmetic:
    """A number to compare with; one column of one row is its maximum."""
    if isinstance(answer, Figure | Arithmetic):
        return answer
    if isinstance(answer, Listing) and len(answer.shown) == 1:
        aggregate = Aggregate("maximum", answer.shown[0])
        if answer.limit is None:
            return Figure(answer.rows, aggregate)
        if answer.limit == 1 and len(answer.order) == 1 and answer.order[0].by == answer.shown[0]:
            function: Function = "maximum" if answer.order[0].descending else "minimum"
            return Figure(answer.rows, Aggregate(function, answer.shown[0]))
    raise UnsupportedSqlError("a query with several columns or groups as a number")


def _followed(value: Field, table: str, schema: Schema) -> list[Path]:
    """The ways to the rows that a key or link column stands for."""
    end = schema.end(table, value.path)
    ways = [(*value.path, one) for one in schema.leaving(end) if one.column == value.column]
    return ([value.path] if schema.table(end).key == value.column else []) + ways


def _within_query(column: exp.Expression, expression: exp.Expression) -> bool:
    parent = column
    while parent is not expression:
        if isinstance(parent, exp.Query):
            return True
        parent = parent.parent  # type: ignore[assignment]
    return isinstance(parent, exp.Query)
