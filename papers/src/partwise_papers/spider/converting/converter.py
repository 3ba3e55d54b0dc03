"""One SQL query as a program, in one of the styles."""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from partwise.errors import DomainError
from partwise.execution.relational.program import (
    Aggregate,
    Among,
    Arithmetic,
    Attribute,
    Condition,
    Field,
    Figure,
    Grouping,
    Having,
    Listing,
    Not,
    Order,
    Program,
    Rows,
    Union,
    Value,
)
from partwise.execution.relational.schema import Schema
from partwise_papers.spider.converting.frame import SIGNS, JoinedRows, either, frame_of, united
from partwise_papers.spider.converting.measures import as_measures
from partwise_papers.spider.converting.scope import conjuncts, scope_of
from partwise_papers.spider.converting.style import STYLES, Style, UnsupportedSqlError

_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)


def read_sql(sql: str) -> exp.Expression:
    """The syntax tree of a query.

    Raises:
        UnsupportedSqlError: if it cannot be read.
    """
    try:
        tree = sqlglot.parse_one(sql.strip().rstrip(";"), read="sqlite")
    except sqlglot.errors.ParseError as error:
        raise UnsupportedSqlError(f"SQL that cannot be read: {error}") from None
    if not isinstance(tree, exp.Expression):
        raise UnsupportedSqlError("SQL that is no query")
    return tree


def candidates(sql: str, schema: Schema) -> list[Program]:
    """Programs for a query, those that words suggest first, each once.

    Raises:
        UnsupportedSqlError: if none can be made.
    """
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
    """A query as a program.

    Raises:
        UnsupportedSqlError: if no program says it.
    """
    match tree:
        case exp.Subquery():
            return convert(tree.this, schema, style)
        case exp.Intersect() | exp.Except() | exp.Union():
            left = convert(tree.this, schema, style)
            right = convert(tree.expression, schema, style)
            return _united(tree, left, right, style)
        case exp.Select():
            return _Converter(schema, style).select(tree)
    raise UnsupportedSqlError(f"SQL that is no query: {type(tree).__name__}")


def _united(tree: exp.Expression, left: Program, right: Program, style: Style) -> Program:
    if not isinstance(left, Listing | Grouping) or not isinstance(right, Listing | Grouping):
        raise UnsupportedSqlError("a set operation on figures")
    if style.merged and isinstance(left, Listing) and isinstance(right, Listing):
        return _merged(tree, left, right)
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
        return Listing(Rows(left.rows.table, united([first, condition])), shown, distinct=True)
    where = united([*([left.rows.where] if left.rows.where else []), condition])
    return Listing(Rows(left.rows.table, where), shown, distinct=True)


def _plain(answer: Listing | Grouping) -> Listing | Grouping:
    if isinstance(answer, Listing):
        return Listing(answer.rows, answer.shown, answer.order, answer.limit)
    return answer


def _merged(tree: exp.Expression, left: Listing, right: Listing) -> Program:
    same = left.rows.table == right.rows.table and left.shown == right.shown
    cut = left.limit is not None or right.limit is not None
    if not same or cut or right.rows.where is None:
        raise UnsupportedSqlError("a set operation on rows of different tables")
    mine = [left.rows.where] if left.rows.where is not None else []
    theirs = right.rows.where
    if isinstance(tree, exp.Union):
        where = either([*mine, theirs]) if mine else None
    else:
        where = united([*mine, Not(theirs) if isinstance(tree, exp.Except) else theirs])
    return Listing(Rows(left.rows.table, where), left.shown, distinct=True)


class _Converter:
    """Turns one SELECT into a program."""

    def __init__(self, schema: Schema, style: Style) -> None:
        self.schema, self.style = schema, style

    def select(self, select: exp.Select) -> Program:
        if isinstance(select.args["from_"].this, exp.Subquery):
            return self._over(select)
        scope, conditions = scope_of(select, self.schema)
        frame = JoinedRows(scope, "", {}, self.style, self._nested)
        shaped = [
            *select.expressions,
            *((select.args.get("group") and select.args["group"].expressions) or []),
            *((select.args.get("order") and select.args["order"].expressions) or []),
            *([select.args["having"].this] if select.args.get("having") else []),
        ]
        needed = {alias for one in shaped for alias in frame.aliases(one)}
        needed |= _starred(select, scope.tables)
        if any(_counts_rows(one) for one in shaped):
            needed = set(scope.tables) if scope.joined() else needed
        frame = frame_of(scope, needed or {next(iter(scope.tables))}, self.style, self._nested)
        return _Select(frame, select, conditions).program()

    def _nested(self, tree: exp.Expression) -> Program:
        return convert(tree, self.schema, self.style)

    def _over(self, select: exp.Select) -> Program:
        """``SELECT count(*) FROM (SELECT ..)``: rows, or values counted once."""
        inner = self._nested(select.args["from_"].this.this)
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
        not isinstance(one.this, exp.Distinct)
        for one in expression.find_all(exp.Count, exp.Sum, exp.Avg)
    )


def _starred(select: exp.Select, tables: dict[str, str]) -> set[str]:
    """The tables all of whose columns are shown."""
    stars = [one for one in select.expressions if one.is_star and not isinstance(one, exp.Count)]
    named = {one.table.lower() for one in stars if isinstance(one, exp.Column) and one.table}
    return named or (set(tables) if stars else set())


class _Select:
    """The program of a SELECT whose rows are known."""

    def __init__(
        self, frame: JoinedRows, select: exp.Select, conditions: Sequence[exp.Expression]
    ) -> None:
        self.frame, self.select = frame, select
        having = select.args.get("having")
        parts = conjuncts(having.this) if having else []
        self.having = [one for one in parts if one.find(*_AGGREGATES)]
        self.rows = frame.rows([*conditions, *(one for one in parts if one not in self.having)])
        self.shown = [_unaliased(one) for one in select.expressions]
        group = select.args.get("group")
        self.group = group.expressions if group else []
        limit = select.args.get("limit")
        self.limit = int(limit.expression.this) if limit else None

    def program(self) -> Program:
        figures = [one for one in self.shown if one.find(*_AGGREGATES)]
        if self.group or self.having:
            return self._groups()
        if len(figures) == len(self.shown):
            return self._figures()
        if figures:
            return self._bare(figures)
        return self._listing()

    def _figures(self) -> Program:
        made = tuple(self.frame.aggregate(one) for one in self.shown)
        if len(made) > 1:
            return Grouping(self.rows, (), made)
        return _figure(self.rows, made[0])

    def _bare(self, figures: Sequence[exp.Expression]) -> Program:
        """Columns beside one maximum or minimum: those of its row. (SQLite's bare columns.)"""
        kind = figures[0]
        if len(figures) > 1 or not isinstance(kind, exp.Max | exp.Min):
            raise UnsupportedSqlError("a column beside a figure, without groups")
        shown = tuple(self.frame.attribute(one.this if one is kind else one) for one in self.shown)
        order = Order(self.frame.attribute(kind.this), isinstance(kind, exp.Max))
        return Listing(self.rows, shown, (order,), 1)

    def _listing(self) -> Program:
        shown = self._attributes(self.shown)
        orders = self._orders()
        if orders and any(isinstance(one.by, Aggregate) for one in orders):
            raise UnsupportedSqlError("rows in the order of a figure, without groups")
        if not self.select.args.get("distinct"):
            return Listing(self.rows, shown, orders, self.limit)
        if not orders and self.limit is None:
            return Listing(self.rows, shown, distinct=True)
        by = (*shown, *(one.by for one in orders if one.by not in shown))
        hidden = None if len(by) == len(shown) else shown
        return Grouping(self.rows, by, (), order=orders, limit=self.limit, shown=hidden)  # type: ignore[arg-type]

    def _attributes(self, shown: Sequence[exp.Expression]) -> tuple[Attribute, ...]:
        made: list[Attribute] = []
        for one in shown:
            if not one.is_star:
                made.append(self.frame.attribute(one))
                continue
            only = one.table.lower() if isinstance(one, exp.Column) else ""
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
        return tuple(self._order(one) for one in order.expressions) if order else ()

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
                one.alias.lower(): one.this
                for one in self.select.expressions
                if isinstance(one, exp.Alias)
            }
            made: exp.Expression = named.get(by.name.lower(), by)
            return made
        return by

    def _groups(self) -> Program:
        by = tuple(dict.fromkeys(self.frame.attribute(one) for one in self.group))
        shown = self._attributes([one for one in self.shown if not one.find(*_AGGREGATES)])
        figures = tuple(self.frame.aggregate(one) for one in self.shown if one.find(*_AGGREGATES))
        having = tuple(made for one in self.having for made in self._having(one))
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
        kinds = [one for one in self.shown if one.find(*_AGGREGATES)]
        kind = kinds[0] if len(kinds) == 1 else None
        if not isinstance(kind, exp.Max | exp.Min) or grouped.having or grouped.order:
            raise UnsupportedSqlError("groups that are not rows of a table")
        columns = [one.this if one is kind else one for one in self.shown]
        shown = tuple(dict.fromkeys(self.frame.attribute(one) for one in columns))
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
    parts = [_figure(rows, one) for one in (made.left, made.right)]  # type: ignore[arg-type]
    return Arithmetic(made.sign, parts[0], parts[1])


def _unaliased(expression: exp.Expression) -> exp.Expression:
    return expression.this if isinstance(expression, exp.Alias) else expression
