"""One SQL query as programs, one in each of the styles.

A program is about rows of one table. The *grain* of a SELECT is a table from which the links lead
to all others (`JoinedTables`); a table that the grain does not lead to is asked for some row.
Expressions become attributes and conditions of a row of the grain (`JoinedRows`), and the SELECT a
listing, a figure or groups of them.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import date
from itertools import product
from typing import Any

import sqlglot
from sqlglot import exp

from partwise.errors import DataError, DomainError
from partwise.execution.relational.program import (
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
    Field,
    Figure,
    Function,
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
    Sign,
    Union,
    Value,
)
from partwise.execution.relational.schema import Association, Link, Path, Schema


class UnsupportedSqlError(DataError):
    """SQL that no program says; the text names the construct."""


@dataclass(frozen=True)
class Style:
    """How a query is turned into a program, where there is a choice.

    Attributes:
        head: whether the rows are those of what is shown, and tables that only have conditions are
            asked for some row; else one row for each row of the join.
        related: whether ``IN`` becomes `Related` where the tables are linked; else `Among`.
        measures: whether groups of rows that belong to a table's row become figures of that row.
        merged: whether set operations become conditions on the rows of one listing.
        linked: whether rows without a linked row are left out, as an inner join does.
    """

    head: bool = True
    related: bool = True
    measures: bool = False
    merged: bool = True
    linked: bool = False


STYLES = tuple(
    Style(head, related, measures, merged, linked)
    for linked, measures, head, related, merged in product(
        (False, True), (False, True), (True, False), (True, False), (True, False)
    )
)
"""All of them, those that the words of a question suggest first."""


@dataclass(frozen=True)
class ColumnPlace:
    """A column of one of the tables: the table's alias, and the column's stored name."""

    alias: str
    column: str


@dataclass
class JoinedTables:
    """The tables of a SELECT by alias, and the equalities that join them."""

    schema: Schema
    tables: dict[str, str]
    joins: list[tuple[ColumnPlace, ColumnPlace]] = field(default_factory=list)

    def find(self, column: exp.Column) -> ColumnPlace | None:
        """Where a column stands; None if it is a text in double quotes."""
        name, alias = column.name.lower(), column.table.lower()
        for one, table in self.tables.items():
            if alias not in ("", one):
                continue
            for known in self.schema.table(table).columns:
                if known.name.lower() == name:
                    return ColumnPlace(one, known.name)
        if column.this.quoted and not alias:
            return None
        raise UnsupportedSqlError(f"unknown column: {column.sql()}")

    def edges(self) -> Iterator[tuple[str, Link, str]]:
        """Alias, link, alias: from many rows to one."""
        for one, other in self.joins:
            for here, there in ((one, other), (other, one)):
                target = self.tables[there.alias]
                link = Link(self.tables[here.alias], here.column, target)
                if self.schema.table(target).key == there.column and link in self.schema.links:
                    yield here.alias, link, there.alias

    def paths(self, grain: str) -> dict[str, Path]:
        """The way from an alias to each that it leads to."""
        paths: dict[str, Path] = {grain: ()}
        todo = deque([grain])
        edges = list(self.edges())
        while todo:
            here = todo.popleft()
            for start, link, end in edges:
                if start == here and end not in paths:
                    paths[end] = (*paths[here], link)
                    todo.append(end)
        return paths

    def grain(self, needed: Collection[str]) -> str:
        """The alias that leads to some others, by the shortest ways in all; raises
        UnsupportedSqlError if none does."""
        found = []
        for alias in self.tables:
            paths = self.paths(alias)
            if all(name in paths for name in needed):
                found.append((sum(len(paths[name]) for name in needed), alias not in needed, alias))
        if not found:
            raise UnsupportedSqlError("tables that no link joins into one row")
        return min(found, key=lambda one: one[:2])[2]

    def joined(self) -> bool:
        """Whether one of the tables leads to all others."""
        return any(len(self.paths(alias)) == len(self.tables) for alias in self.tables)

    def around(self, inside: Collection[str], alias: str) -> dict[str, str]:
        """The aliases that hang on one that is outside of `inside`, itself first."""
        found = {alias: self.tables[alias]}
        todo = [alias]
        while todo:
            here = todo.pop()
            for one, other in self.joins:
                for start, end in ((one.alias, other.alias), (other.alias, one.alias)):
                    if start == here and end not in inside and end not in found:
                        found[end] = self.tables[end]
                        todo.append(end)
        return found


def scope_of(select: exp.Select, schema: Schema) -> tuple[JoinedTables, list[exp.Expression]]:
    """The tables of a SELECT, and the conditions that are not joins."""
    source = select.args.get("from_")
    if source is None:
        raise UnsupportedSqlError("SELECT without FROM")
    joins = select.args.get("joins") or []
    scope = JoinedTables(schema, {})
    known = {table.name.lower(): table.name for table in schema.tables}
    for one in [source.this, *(join.this for join in joins)]:
        if not isinstance(one, exp.Table):
            raise UnsupportedSqlError("subquery in FROM")
        if one.name.lower() not in known:
            raise UnsupportedSqlError(f"unknown table: {one.name}")
        scope.tables[one.alias_or_name.lower()] = known[one.name.lower()]
    every = [join.args["on"] for join in joins if join.args.get("on") is not None]
    where = select.args.get("where")
    conditions = [part for condition in every for part in conjuncts(condition)]
    conditions += conjuncts(where.this) if where else []
    return scope, [condition for condition in conditions if not _is_join(condition, scope)]


def conjuncts(condition: exp.Expression) -> list[exp.Expression]:
    """The parts of a conjunction."""
    if isinstance(condition, exp.Paren):
        return conjuncts(condition.this)
    if isinstance(condition, exp.And):
        return conjuncts(condition.this) + conjuncts(condition.expression)
    return [condition]


def _is_join(condition: exp.Expression, scope: JoinedTables) -> bool:
    """Whether a condition joins two tables; it is noted then."""
    if isinstance(condition, exp.Boolean):
        return True
    left, right = condition.args.get("this"), condition.args.get("expression")
    if not isinstance(condition, exp.EQ):
        return False
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
        return False
    one, other = scope.find(left), scope.find(right)
    if one is None or other is None or one.alias == other.alias:
        return False
    scope.joins.append((one, other))
    return True


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
        own = [condition for condition in conditions if self.aliases(condition) <= set(self.paths)]
        made = [self.condition(condition) for condition in own]
        left = [condition for condition in conditions if condition not in own]
        done: set[str] = set(self.paths)
        for alias in self.scope.tables:
            if alias not in done:
                around = self.scope.around(self.paths, alias)
                done |= set(around)
                made.append(self._hanging(around, left))
                left = [
                    condition for condition in left if not self.aliases(condition) <= set(around)
                ]
        if left:
            raise UnsupportedSqlError("a condition over rows that are not linked")
        if self.style.linked:
            made += [Not(Missing(self._end(path))) for path in self.paths.values() if path]
        return Rows(self.table, unite(list(dict.fromkeys(made))))

    def aliases(self, expression: exp.Expression) -> set[str]:
        """The tables whose columns an expression has, queries within it left out."""
        columns = [
            column
            for column in expression.find_all(exp.Column)
            if not _within_query(column, expression)
        ]
        return {one.alias for column in columns if (one := self.scope.find(column)) is not None}

    def _end(self, path: Path) -> Field:
        return Field(path, self.scope.schema.key(path[-1].target))

    def _hanging(self, around: dict[str, str], conditions: Sequence[exp.Expression]) -> Condition:
        """That some row is joined to this one, by the equality that leads there."""
        here, there = self._joint(around)
        joins = [join for join in self.scope.joins if {join[0].alias, join[1].alias} <= set(around)]
        part = JoinedTables(self.scope.schema, around, joins)
        frame = frame_of(part, {there.alias}, self.style, self.nested)
        rows = frame.rows(
            [condition for condition in conditions if self.aliases(condition) <= set(around)]
        )
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
            related = self._relate(value, values)
            if related is not None:
                return related
        return Among(value, values)

    def _relate(self, value: Field, values: Listing) -> Condition | None:
        shown, schema = values.shown[0], self.scope.schema
        if values.limit is not None or not isinstance(shown, Field):
            return None
        mine = _ways_along(value, self.table, schema)
        theirs = _ways_along(shown, values.rows.table, schema)
        for path in mine:
            for end in theirs:
                here, there = schema.end(self.table, path), schema.end(values.rows.table, end)
                if here != there:
                    continue
                if here == values.rows.table and not end and path and values.rows.where:
                    condition: Condition = move_back(values.rows.where, path)
                    return condition
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
                return unite(parts) or parts[0]
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
            return OneOf(of, tuple(self._literal(of, item) for item in expression.expressions))
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
            wider = [alias for alias in scope.tables if set(needed) <= set(scope.paths(alias))]
            grain = max(wider, key=lambda alias: len(scope.paths(alias)))
    return JoinedRows(scope, grain, scope.paths(grain), style, nested)


def unite(parts: Sequence[Condition]) -> Condition | None:
    """All of some conditions, without brackets within; None of none."""
    flat = [
        condition
        for part in parts
        for condition in (part.parts if isinstance(part, And) else (part,))
    ]
    flat = list(dict.fromkeys(flat))
    return None if not flat else flat[0] if len(flat) == 1 else And(tuple(flat))


def either(parts: Sequence[Condition]) -> Condition:
    """One of some conditions; equalities of one column become a list of values."""
    flat = [
        condition
        for part in parts
        for condition in (part.parts if isinstance(part, Or) else (part,))
    ]
    equal = [
        condition for condition in flat if isinstance(condition, Compare) and condition.sign == "="
    ]
    columns = {comparison.left for comparison in equal}
    values = tuple(comparison.right for comparison in equal if isinstance(comparison.right, Value))
    if len(columns) == 1 and len(values) == len(flat):
        return OneOf(columns.pop(), values)
    return Or(tuple(flat))


def move_back(part: Any, path: Path) -> Any:
    """A condition or value of the row that a path leads to, as seen from the path's start."""
    match part:
        case Field() | Belonging() | Related():
            return replace(part, path=(*path, *part.path))
        case Figure() | Listing() | Grouping():
            # These are about rows of their own.
            return part
        case Arithmetic(left=Aggregate()) | Arithmetic(right=Aggregate()):
            return part
    if isinstance(part, tuple):
        return tuple(move_back(item, path) for item in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    inner = {slot.name: move_back(getattr(part, slot.name), path) for slot in fields(part)}
    return replace(part, **inner)


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
    parts = [part for part in pattern.split("%") if part]
    if len(parts) > 1:
        return And(tuple(Contains(of, part) for part in parts))
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


def _ways_along(value: Field, table: str, schema: Schema) -> list[Path]:
    """The ways to the rows that a key or link column stands for."""
    end = schema.end(table, value.path)
    ways = [(*value.path, link) for link in schema.leaving(end) if link.column == value.column]
    return ([value.path] if schema.table(end).key == value.column else []) + ways


def _within_query(column: exp.Expression, expression: exp.Expression) -> bool:
    parent = column
    while parent is not expression:
        if isinstance(parent, exp.Query):
            return True
        parent = parent.parent  # type: ignore[assignment]
    return isinstance(parent, exp.Query)


def as_measures(grouped: Grouping, frame: JoinedRows) -> Listing:
    """The rows of the table that the groups are of, each with its figures; raises
    UnsupportedSqlError if the groups are not those of one table."""
    path = _key(grouped, frame)
    schema = frame.scope.schema
    table = schema.end(frame.table, path)
    if schema.relation(table, frame.table) != Association((), frame.table, path, ()):
        raise UnsupportedSqlError("groups of rows that do not belong to a table's row")
    figure = _RowFigures(grouped.rows, path, schema.key(table))
    conditions: list[Condition] = [
        Compare(figure.of(condition.aggregate), condition.sign, condition.value)
        for condition in grouped.having
    ]
    fewest = any(not order.descending for order in grouped.order if isinstance(order.by, Aggregate))
    if not grouped.having and (fewest or not grouped.order or grouped.rows.where is not None):
        conditions.insert(0, Related((), grouped.rows))
    shown = [figure.own(key) for key in grouped.showing]
    shown += [figure.of(measure) for measure in grouped.figures]
    orders = tuple(Order(figure.of(order.by), order.descending) for order in grouped.order)
    return Listing(Rows(table, unite(conditions)), tuple(shown), orders, grouped.limit)


def _key(grouped: Grouping, frame: JoinedRows) -> Path:
    """The way to the row that the groups are of: its key, or what points to it."""
    schema = frame.scope.schema
    fields = [key for key in grouped.keys if isinstance(key, Field)]
    if len(fields) < len(grouped.keys):
        raise UnsupportedSqlError("groups by what is not a column")
    for key in grouped.by:
        if not isinstance(key, Field):
            continue
        end = schema.end(frame.table, key.path)
        for link in schema.leaving(end):
            if link.column == key.column:
                return (*key.path, link)
        if key.path:
            return key.path
    raise UnsupportedSqlError("groups by a column of the rows themselves")


class _RowFigures:
    """Turns what is said of the groups into what is said of the row that they are of."""

    def __init__(self, rows: Rows, path: Path, key: str) -> None:
        self.rows, self.path, self.key = rows, path, key

    def of(self, figure: Aggregate | Arithmetic | Attribute) -> Attribute:
        """A figure over a group, as one of a row."""
        if isinstance(figure, Aggregate):
            return Belonging((), Figure(self.rows, figure))
        if isinstance(figure, Arithmetic):
            return Arithmetic(figure.sign, self.of(figure.left), self.of(figure.right))
        return self.own(figure)

    def own(self, attribute: Attribute) -> Attribute:
        """A column of the row."""
        if isinstance(attribute, Field):
            size = len(self.path)
            if attribute == Field(self.path[:-1], self.path[-1].column):
                return Field((), self.key)
            if attribute.path[:size] == self.path:
                return Field(attribute.path[size:], attribute.column)
        raise UnsupportedSqlError("a column that is not one of the group's row")


_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)


def read_sql(sql: str) -> exp.Expression:
    """The syntax tree of a query; raises UnsupportedSqlError if it cannot be read."""
    try:
        tree = sqlglot.parse_one(sql.strip().rstrip(";"), read="sqlite")
    except sqlglot.errors.ParseError as error:
        raise UnsupportedSqlError(f"SQL that cannot be read: {error}") from None
    if not isinstance(tree, exp.Expression):
        raise UnsupportedSqlError("SQL that is no query")
    return tree


def candidates(sql: str, schema: Schema) -> list[Program]:
    """Programs for a query, those that words suggest first, each once; raises UnsupportedSqlError
    if none can be made."""
    tree, made, why = read_sql(sql), [], None
    plain = tree.find(exp.Join) is None and len(list(tree.find_all(exp.Select))) == 1
    for style in STYLES[:1] if plain else STYLES:
        try:
            made.append(convert(tree, schema, style))
        except (UnsupportedSqlError, DomainError) as error:
            why = why or error
    if not made and why is not None:
        raise why
    return list(dict.fromkeys(made))


def convert(tree: exp.Expression, schema: Schema, style: Style) -> Program:
    """A query as a program; raises UnsupportedSqlError if no program says it."""
    match tree:
        case exp.Subquery():
            return convert(tree.this, schema, style)
        case exp.Intersect() | exp.Except() | exp.Union():
            left = convert(tree.this, schema, style)
            right = convert(tree.expression, schema, style)
            return _unite(tree, left, right, style)
        case exp.Select():
            return _Converter(schema, style).select(tree)
    raise UnsupportedSqlError(f"SQL that is no query: {type(tree).__name__}")


def _unite(tree: exp.Expression, left: Program, right: Program, style: Style) -> Program:
    if not isinstance(left, Listing | Grouping) or not isinstance(right, Listing | Grouping):
        raise UnsupportedSqlError("a set operation on figures")
    if style.merged and isinstance(left, Listing) and isinstance(right, Listing):
        return _merge(tree, left, right)
    if isinstance(tree, exp.Union):
        return Union((_plain(left), _plain(right)))
    shown = left.shown if isinstance(left, Listing) else left.showing
    if len(shown) != 1:
        raise UnsupportedSqlError("a set operation on several columns")
    second = _plain(right)
    condition: Condition = Among(shown[0], second)
    if isinstance(tree, exp.Except):
        condition = Not(condition)
    if isinstance(left, Grouping):
        first = Among(shown[0], _plain(left))
        return Listing(Rows(left.rows.table, unite([first, condition])), shown, distinct=True)
    where = unite([*([left.rows.where] if left.rows.where else []), condition])
    return Listing(Rows(left.rows.table, where), shown, distinct=True)


def _plain(answer: Listing | Grouping) -> Listing | Grouping:
    if isinstance(answer, Listing):
        return Listing(answer.rows, answer.shown, answer.order, answer.limit)
    return answer


def _merge(tree: exp.Expression, left: Listing, right: Listing) -> Program:
    same = left.rows.table == right.rows.table and left.shown == right.shown
    cut = left.limit is not None or right.limit is not None
    if not same or cut or right.rows.where is None:
        raise UnsupportedSqlError("a set operation on rows of different tables")
    mine = [left.rows.where] if left.rows.where is not None else []
    theirs = right.rows.where
    if isinstance(tree, exp.Union):
        where = either([*mine, theirs]) if mine else None
    else:
        where = unite([*mine, Not(theirs) if isinstance(tree, exp.Except) else theirs])
    return Listing(Rows(left.rows.table, where), left.shown, distinct=True)


class _Converter:
    """Turns one SELECT into a program."""

    def __init__(self, schema: Schema, style: Style) -> None:
        self.schema, self.style = schema, style

    def select(self, select: exp.Select) -> Program:
        if "from_" not in select.args:
            raise UnsupportedSqlError("a query of no table")
        if isinstance(select.args["from_"].this, exp.Subquery):
            return self._over(select)
        scope, conditions = scope_of(select, self.schema)
        frame = JoinedRows(scope, "", {}, self.style, self._convert_inner)
        shaped = [
            *select.expressions,
            *((select.args.get("group") and select.args["group"].expressions) or []),
            *((select.args.get("order") and select.args["order"].expressions) or []),
            *([select.args["having"].this] if select.args.get("having") else []),
        ]
        needed = {alias for condition in shaped for alias in frame.aliases(condition)}
        needed |= _star_tables(select, scope.tables)
        if any(_counts_rows(condition) for condition in shaped):
            needed = set(scope.tables) if scope.joined() else needed
        frame = frame_of(
            scope, needed or {next(iter(scope.tables))}, self.style, self._convert_inner
        )
        return _Select(frame, select, conditions).program()

    def _convert_inner(self, tree: exp.Expression) -> Program:
        return convert(tree, self.schema, self.style)

    def _over(self, select: exp.Select) -> Program:
        """``SELECT count(*) FROM (SELECT ..)``: rows, or values counted once."""
        inner = self._convert_inner(select.args["from_"].this.this)
        only = select.expressions[0] if len(select.expressions) == 1 else None
        if not isinstance(only, exp.Count) or select.args.get("where"):
            raise UnsupportedSqlError("subquery in FROM")
        if isinstance(inner, Listing):
            shown = inner.shown[0]
            if inner.distinct:
                return Figure(inner.rows, Aggregate("count", shown, distinct=True))
            return Figure(inner.rows, Aggregate("count"))
        if isinstance(inner, Grouping) and len(inner.by) == 1:
            kept = Grouping(inner.rows, inner.by, (), inner.having)
            rows = Rows(inner.rows.table, Among(inner.by[0], kept))
            return Figure(rows, Aggregate("count", inner.by[0], distinct=True))
        raise UnsupportedSqlError("subquery in FROM")


def _counts_rows(expression: exp.Expression) -> bool:
    """Whether a figure changes if rows repeat."""
    return any(
        not isinstance(aggregate.this, exp.Distinct)
        for aggregate in expression.find_all(exp.Count, exp.Sum, exp.Avg)
    )


def _star_tables(select: exp.Select, tables: dict[str, str]) -> set[str]:
    """The tables all of whose columns are shown."""
    stars = [
        expression
        for expression in select.expressions
        if expression.is_star and not isinstance(expression, exp.Count)
    ]
    named = {star.table.lower() for star in stars if isinstance(star, exp.Column) and star.table}
    return named or (set(tables) if stars else set())


class _Select:
    """The program of a SELECT whose rows are known."""

    def __init__(
        self, frame: JoinedRows, select: exp.Select, conditions: Sequence[exp.Expression]
    ) -> None:
        self.frame, self.select = frame, select
        having = select.args.get("having")
        parts = conjuncts(having.this) if having else []
        self.having = [part for part in parts if part.find(*_AGGREGATES)]
        self.rows = frame.rows([*conditions, *(part for part in parts if part not in self.having)])
        self.shown = [_strip_alias(expression) for expression in select.expressions]
        group = select.args.get("group")
        self.group = group.expressions if group else []
        limit = select.args.get("limit")
        self.limit = int(limit.expression.this) if limit else None

    def program(self) -> Program:
        figures = [expression for expression in self.shown if expression.find(*_AGGREGATES)]
        if self.group or self.having:
            return self._groups()
        if len(figures) == len(self.shown):
            return self._figures()
        if figures:
            return self._bare(figures)
        return self._listing()

    def _figures(self) -> Program:
        made = tuple(self.frame.aggregate(expression) for expression in self.shown)
        if len(made) > 1:
            return Grouping(self.rows, (), made)
        return _figure(self.rows, made[0])

    def _bare(self, figures: Sequence[exp.Expression]) -> Program:
        """Columns beside one maximum or minimum: those of its row. (SQLite's bare columns.)"""
        kind = figures[0]
        if len(figures) > 1 or not isinstance(kind, exp.Max | exp.Min):
            raise UnsupportedSqlError("a column beside a figure, without groups")
        shown = tuple(
            self.frame.attribute(expression.this if expression is kind else expression)
            for expression in self.shown
        )
        order = Order(self.frame.attribute(kind.this), isinstance(kind, exp.Max))
        return Listing(self.rows, shown, (order,), 1)

    def _listing(self) -> Program:
        shown = self._attributes(self.shown)
        orders = self._orders()
        if orders and any(isinstance(order.by, Aggregate) for order in orders):
            raise UnsupportedSqlError("rows in the order of a figure, without groups")
        if not self.select.args.get("distinct"):
            return Listing(self.rows, shown, orders, self.limit)
        if not orders and self.limit is None:
            return Listing(self.rows, shown, distinct=True)
        by = (*shown, *(order.by for order in orders if order.by not in shown))
        hidden = None if len(by) == len(shown) else shown
        return Grouping(self.rows, by, (), order=orders, limit=self.limit, shown=hidden)  # type: ignore[arg-type]

    def _attributes(self, shown: Sequence[exp.Expression]) -> tuple[Attribute, ...]:
        made: list[Attribute] = []
        for expression in shown:
            if not expression.is_star:
                made.append(self.frame.attribute(expression))
                continue
            only = expression.table.lower() if isinstance(expression, exp.Column) else ""
            for alias, table in self.frame.scope.tables.items():
                if only not in ("", alias):
                    continue
                if alias not in self.frame.paths:
                    raise UnsupportedSqlError("all columns of rows that the head does not lead to")
                path = self.frame.paths[alias]
                columns = self.frame.scope.schema.table(table).columns
                made += [Field(path, column.name) for column in columns]
        return tuple(made)

    def _orders(self) -> tuple[Order, ...]:
        order = self.select.args.get("order")
        return tuple(self._order(expression) for expression in order.expressions) if order else ()

    def _order(self, ordered: exp.Expression) -> Order:
        by, descending = ordered.this, bool(ordered.args.get("desc"))
        by = self._alias(by)
        if by.find(*_AGGREGATES):
            made = self.frame.aggregate(by)
            if not isinstance(made, Aggregate):
                raise UnsupportedSqlError("an order by arithmetic over figures")
            return Order(made, descending)
        return Order(self.frame.attribute(by), descending)

    def _alias(self, by: exp.Expression) -> exp.Expression:
        """What a name in ORDER BY stands for."""
        if isinstance(by, exp.Column) and not by.table:
            named = {
                expression.alias.lower(): expression.this
                for expression in self.select.expressions
                if isinstance(expression, exp.Alias)
            }
            made: exp.Expression = named.get(by.name.lower(), by)
            return made
        return by

    def _groups(self) -> Program:
        by = tuple(dict.fromkeys(self.frame.attribute(expression) for expression in self.group))
        shown = self._attributes(
            [expression for expression in self.shown if not expression.find(*_AGGREGATES)]
        )
        figures = tuple(
            self.frame.aggregate(expression)
            for expression in self.shown
            if expression.find(*_AGGREGATES)
        )
        having = tuple(made for condition in self.having for made in self._having(condition))
        orders, hidden = self._orders(), None if shown == by else shown
        if not by:
            raise UnsupportedSqlError("HAVING without groups")
        grouped = Grouping(self.rows, by, figures, having, orders, self.limit, hidden)
        if not self.frame.style.measures:
            return grouped
        try:
            return as_measures(grouped, self.frame)
        except UnsupportedSqlError:
            return self._first_of_each(grouped)

    def _first_of_each(self, grouped: Grouping) -> Program:
        """Columns beside the maximum or minimum of each group: those of its row."""
        kinds = [expression for expression in self.shown if expression.find(*_AGGREGATES)]
        kind = kinds[0] if len(kinds) == 1 else None
        if not isinstance(kind, exp.Max | exp.Min) or grouped.having or grouped.order:
            raise UnsupportedSqlError("groups that are not rows of a table")
        columns = [
            expression.this if expression is kind else expression for expression in self.shown
        ]
        shown = tuple(dict.fromkeys(self.frame.attribute(column) for column in columns))
        order = Order(self.frame.attribute(kind.this), isinstance(kind, exp.Max))
        return Listing(self.rows, shown, (order,), 1, each=grouped.by)

    def _having(self, condition: exp.Expression) -> list[Having]:
        if isinstance(condition, exp.Paren):
            return self._having(condition.this)
        if isinstance(condition, exp.Between):
            of, low, high = condition.this, condition.args["low"], condition.args["high"]
            return self._having(exp.GTE(this=of, expression=low)) + self._having(
                exp.LTE(this=of, expression=high)
            )
        if type(condition) not in SIGNS:
            raise UnsupportedSqlError(f"or in HAVING: {type(condition).__name__}")
        value = self.frame.attribute(condition.expression)
        if not isinstance(value, Value | Figure | Arithmetic):
            raise UnsupportedSqlError("a figure compared with a column")
        return [Having(self.frame.aggregate(condition.this), SIGNS[type(condition)], value)]


def _figure(rows: Rows, made: Aggregate | Arithmetic) -> Figure | Arithmetic:
    if isinstance(made, Aggregate):
        return Figure(rows, made)
    parts = [_figure(rows, side) for side in (made.left, made.right)]  # type: ignore[arg-type]
    return Arithmetic(made.sign, parts[0], parts[1])


def _strip_alias(expression: exp.Expression) -> exp.Expression:
    return expression.this if isinstance(expression, exp.Alias) else expression
