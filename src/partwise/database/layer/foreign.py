"""What other tools say, put into a layer; what it cannot hold is listed.

Their SQL becomes attributes, conditions and functions of programs. Only what means the same in a
program is translated; all else is refused with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

import sqlglot
from sqlglot import exp

from partwise.database.layer.entries import readable, singular
from partwise.database.layer.foreign_files import (
    AGGREGATES,
    ForeignColumn,
    ForeignLink,
    ForeignMetric,
    ForeignSemantics,
    ForeignTable,
)
from partwise.database.layer.model import ColumnInfo, Measure, SemanticLayer, TableInfo
from partwise.errors import DomainError
from partwise.execution.relational import program as P
from partwise.execution.relational.schema import Column, Link, Schema, Table

Tree = Any
"""A node of a tree of sqlglot."""
LONGEST = 2000
"""Characters of an expression."""
_SIGNS: Mapping[type[Any], P.Sign] = {
    **{exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
}
_PARTS: Mapping[str, P.Part] = {
    **{"YEAR": "year", "QUARTER": "quarter", "MONTH": "month", "DAY": "day"}
}


class Translated(NamedTuple):
    """A figure over the rows of a table."""

    table: str
    function: P.Function
    of: P.Attribute | None
    where: P.Condition | None
    distinct: bool


class Translator:
    """Translates SQL over the tables of another tool. `tables`: by their names in that tool, with
    their names in the database."""

    def __init__(self, schema: Schema, tables: Mapping[str, tuple[str, ForeignTable]]) -> None:
        self.schema, self.tables = schema, tables

    def figure(self, text: str, table: str, where: tuple[str, ...]) -> Translated:
        """A figure. `table`: whose columns are named without a table; "" if all are named with one.
        `where`: conditions that all hold. Raises DomainError if no program can say it."""
        tree = _parsed(text)
        conditions = [_parsed(one) for one in where]
        while isinstance(tree, exp.Filter):
            conditions.append(tree.expression.this)
            tree = tree.this
        base = self._base([tree, *conditions], table)
        scope = _Scope(self, base, table)
        kind = tree.key.lower() if isinstance(tree, exp.AggFunc) else ""
        if kind not in AGGREGATES:
            raise DomainError(f"{tree.sql()} is not one function over rows")
        of, distinct = tree.this, False
        if isinstance(of, exp.Distinct) and kind == "count" and len(of.expressions) == 1:
            of, distinct = of.expressions[0], True
        of, only = _case_parts(of, kind)
        conditions += only
        counted = kind == "count" and (isinstance(of, exp.Star | exp.Literal) or of is None)
        value = None if counted else scope.value(of)
        parts = tuple(scope.condition(one) for one in conditions)
        joined = P.And(parts) if len(parts) > 1 else parts[0] if parts else None
        return Translated(base, AGGREGATES[kind], value, joined, distinct)

    def _base(self, trees: list[Tree], table: str) -> str:
        """The table whose rows lead to all tables that are named."""
        named = [one.table for tree in trees for one in tree.find_all(exp.Column)]
        names = list(dict.fromkeys(one or table for one in named)) or [table]
        stored = [self.stored(one) for one in names]
        if table:
            stored.insert(0, self.stored(table))
        for base in stored:
            if all(self.schema.path(base, other) is not None for other in stored):
                return base
        raise DomainError(f"no rows lead to all of {', '.join(dict.fromkeys(stored))}")

    def stored(self, name: str) -> str:
        """The table of the database that a name of the tool is for. Raises DomainError if there is
        none."""
        found = [key for key in self.tables if key.lower() == name.lower()]
        if not found:
            raise DomainError(f"no table of the database is called {name or 'so'}")
        return self.tables[found[0]][0]

    def column(self, name: str, table: str, base: str) -> P.Field | str:
        """A column, or the SQL that it is computed by. `table`: in the tool. `base`: the table of
        the database whose rows the figure is over."""
        stored = self.stored(table) if table else base
        foreign = next((f for s, f in self.tables.values() if s == stored), None)
        computed = foreign.expressions().get(name, name) if foreign is not None else name
        if computed.lower() != name.lower():
            return computed
        columns = [one.name for one in self.schema.table(stored).columns]
        alike = [one for one in columns if one.lower() == name.lower()]
        path = self.schema.path(base, stored)
        if not alike or path is None:
            raise DomainError(f"{stored} has no column {name} that can be reached")
        return P.Field(path, alike[0])


class _Scope:
    """What names of columns mean in one figure. `base`: the table of the database whose rows the
    figure is over. `table`: in the tool, of columns that are named without one."""

    def __init__(self, translator: Translator, base: str, table: str, depth: int = 0) -> None:
        self.translator, self.base, self.table, self.depth = translator, base, table, depth

    def value(self, tree: Tree) -> P.Attribute:
        """One value for each row."""
        match tree:
            case exp.Paren():
                return self.value(tree.this)
            case exp.Column():
                return self._column(tree)
            case exp.Neg() if not isinstance(tree.this, exp.Literal):
                return P.Arithmetic("-", P.Value(0), self.value(tree.this))
            case exp.Cast() if tree.to.this in exp.DataType.NUMERIC_TYPES:
                return self.value(tree.this)
            case exp.Literal() | exp.Boolean() | exp.Neg() | exp.Cast():
                return _constant(tree)
            case exp.Add() | exp.Sub() | exp.Mul() | exp.Div():
                return self._arithmetic(tree)
            case exp.Extract():
                return self._part(tree.name.upper(), tree.expression)
            case exp.Year() | exp.Quarter() | exp.Month() | exp.Day():
                return self._part(tree.key.upper(), tree.this)
        raise DomainError(f"{tree.sql()} is nothing that a measure can say")

    def _column(self, tree: Tree) -> P.Attribute:
        table = tree.table or self.table
        made = self.translator.column(tree.name, table, self.base)
        if isinstance(made, P.Field):
            return made
        if self.depth > 5:
            raise DomainError(f"{tree.sql()} is computed by way of itself")
        inner = _Scope(self.translator, self.base, table, self.depth + 1)
        parsed = _parsed(made)
        if isinstance(parsed, exp.Column) and parsed.name.lower() == tree.name.lower():
            return self.value(parsed)
        return inner.value(parsed)

    def _arithmetic(self, tree: Tree) -> P.Attribute:
        signs = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
        right = tree.expression
        if isinstance(tree, exp.Div) and isinstance(right, exp.Nullif):
            # Nothing is divided by zero in a program.
            right = right.this
        return P.Arithmetic(signs[tree.key], self.value(tree.this), self.value(right))  # type: ignore[arg-type]

    def _part(self, part: str, of: Tree) -> P.Attribute:
        if part not in _PARTS:
            raise DomainError(f"{part.lower()} is no part of a date that a measure can say")
        return P.DatePart(_PARTS[part], self.value(of))

    def condition(self, tree: Tree) -> P.Condition:
        """Whether a row is as wanted."""
        if type(tree) in _SIGNS:
            left, right = self.value(tree.this), self.value(tree.expression)
            left, right = self._as_day(left, right), self._as_day(right, left)
            return P.Compare(left, _SIGNS[type(tree)], right)
        match tree:
            case exp.Paren():
                return self.condition(tree.this)
            case exp.And():
                return P.And(tuple(self.condition(one) for one in tree.flatten()))
            case exp.Or():
                return P.Or(tuple(self.condition(one) for one in tree.flatten()))
            case exp.Not():
                return P.Not(self.condition(tree.this))
            case exp.Is() if isinstance(tree.expression, exp.Null):
                return P.Missing(self.value(tree.this))
            case exp.In() if tree.expressions:
                return P.OneOf(self.value(tree.this), tuple(map(_constant, tree.expressions)))
            case exp.Between():
                of = self.value(tree.this)
                low, high = (self._as_day(_constant(tree.args[one]), of) for one in ("low", "high"))
                return P.Between(of, low, high)
            case exp.ILike():
                return self._contains(tree)
            case exp.Column():
                return P.Compare(self.value(tree), "=", P.Value(True))
        raise DomainError(f"{tree.sql()} is no condition that a measure can have")

    def _as_day(self, value: P.Attribute, beside: P.Attribute) -> Any:
        """A text that is compared with a date, as the day that it is."""
        if not (isinstance(value, P.Value) and isinstance(value.value, str)):
            return value
        if not isinstance(beside, P.Field):
            return value
        schema = self.translator.schema
        kind = schema.column(schema.end(self.base, beside.path), beside.column).kind
        return P.Value(_day(value.value)) if kind == "date" else value

    def _contains(self, tree: Tree) -> P.Condition:
        pattern = _constant(tree.expression).value
        inner = str(pattern).strip("%")
        if not inner or "%" in inner or "_" in inner:
            raise DomainError(f"{tree.sql()} is no condition that a measure can have")
        start, end = str(pattern).startswith("%"), str(pattern).endswith("%")
        if not start and not end:
            raise DomainError(f"{tree.sql()} is no condition that a measure can have")
        at = "anywhere" if start and end else "end" if start else "start"
        return P.Contains(self.value(tree.this), inner, at)  # type: ignore[arg-type]


def _parsed(text: str) -> Tree:
    """The tree of one expression. Raises DomainError if it is none."""
    if len(text) > LONGEST:
        raise DomainError(f"the expression is longer than {LONGEST} characters")
    try:
        tree = sqlglot.parse_one(f"SELECT {text}", dialect="postgres")
    except (sqlglot.errors.SqlglotError, RecursionError) as error:
        raise DomainError(f"{text} cannot be read as SQL") from error
    plain = isinstance(tree, exp.Select) and len(tree.expressions) == 1
    if not plain or any(tree.args.get(key) for key in ("from", "from_", "where", "with", "with_")):
        raise DomainError(f"{text} is not one expression")
    made = tree.expressions[0]
    if made.find(exp.Query) is not None:
        raise DomainError(f"{text} has a query within")
    return made.this if isinstance(made, exp.Alias) else made


def _case_parts(of: Tree | None, kind: str) -> tuple[Tree, list[Tree]]:
    """``CASE WHEN condition THEN value END`` as the value and the condition. Rows without it are
    nulls, which figures pass over, or zeros, which add nothing to a sum."""
    while isinstance(of, exp.Paren):
        of = of.this
    if not isinstance(of, exp.Case) or of.this is not None or len(of.args["ifs"]) != 1:
        return of, []
    other = of.args.get("default")
    zero = isinstance(other, exp.Literal) and other.name == "0" and kind == "sum"
    if not (other is None or isinstance(other, exp.Null) or zero):
        return of, []
    branch = of.args["ifs"][0]
    return branch.args["true"], [branch.this]


def _constant(tree: Tree) -> P.Value:
    """A number, text, truth value or day. Raises DomainError if it is none."""
    match tree:
        case exp.Literal() if tree.is_string:
            return P.Value(tree.name)
        case exp.Literal():
            return P.Value(int(tree.name) if tree.name.isdecimal() else float(tree.name))
        case exp.Boolean():
            return P.Value(bool(tree.this))
        case exp.Neg():
            inner = _constant(tree.this).value
            if isinstance(inner, int | float):
                return P.Value(-inner)
        case exp.Cast() if tree.is_type("date") and isinstance(tree.this, exp.Literal):
            return P.Value(_day(tree.this.name))
    raise DomainError(f"{tree.sql()} is no value that is written out")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise DomainError(f"{text} is no day that a measure can say") from error


_PLAIN = re.compile(r"[\W_]+")


def apply(layer: SemanticLayer, foreign: ForeignSemantics) -> tuple[SemanticLayer, tuple[str, ...]]:
    """The layer with what another tool says, and what could not be put into it. Names, descriptions
    and measures of the tool stand before those of the layer; synonyms are added. A table or column
    that the database does not have is left out."""
    applier = _Applier(layer, foreign)
    applier.schema = applier.linked()
    tables = tuple(applier.table(one) for one in layer.tables)
    measures = {one.name: one for one in layer.measures} | applier.measures()
    made = replace(layer, schema=applier.schema, tables=tables, measures=tuple(measures.values()))
    return made, (*foreign.left_out, *applier.left_out)


class _Applier:
    def __init__(self, layer: SemanticLayer, foreign: ForeignSemantics) -> None:
        self.layer, self.foreign, self.schema = layer, foreign, layer.schema
        self.left_out: list[str] = []
        self.tables: dict[str, tuple[str, ForeignTable]] = {}
        stored = [one.name for one in layer.tables]
        for one in foreign.tables:
            place = _match(one.stored.rpartition(".")[2] or one.stored, stored)
            if place is None:
                why = f"the database has no table {one.stored}"
                self.left_out.append(f"table {one.name}: {why}")
            else:
                self.tables[one.name] = place, _joined(self.tables.get(one.name), one)

    def linked(self) -> Schema:
        """The schema with the keys and links of the tool."""
        tables = {one.name: one for one in self.schema.tables}
        for stored, foreign in self.tables.values():
            key = _match(foreign.key, [one.name for one in tables[stored].columns])
            if key is not None and tables[stored].key is None:
                tables[stored] = _with_id(replace(tables[stored], key=key), key)
        links = list(self.schema.links)
        for one in self.foreign.links:
            link = self._link(one, tables)
            if link is not None and (link.table, link.column) not in {
                (other.table, other.column) for other in links
            }:
                links.append(link)
                tables[link.table] = _with_id(tables[link.table], link.column)
        return Schema(tuple(tables.values()), tuple(links))

    def _link(self, one: ForeignLink, tables: Mapping[str, Table]) -> Link | None:
        if one.table not in self.tables or one.target not in self.tables:
            return None
        table, target = self.tables[one.table][0], self.tables[one.target][0]
        column = _match(one.column, [column.name for column in tables[table].columns])
        if column is None or tables[target].key is None or column == tables[table].key:
            self.left_out.append(
                f"link {one.table}.{one.column} to {one.target}: there is no such column, or "
                f"{target} has no key"
            )
            return None
        return Link(table, column, target)

    def table(self, info: TableInfo) -> TableInfo:
        """A table with what the tool says of it."""
        kinds = {one.name: one.kind for one in self.schema.table(info.name).columns}
        columns = {one.name: replace(one, kind=kinds[one.name]) for one in info.columns}
        for stored, foreign in self.tables.values():
            if stored != info.name:
                continue
            for one in foreign.columns:
                name = _match(one.expression, list(columns))
                if name is None:
                    why = f"it is computed, by {one.expression}"
                    self.left_out.append(f"column {foreign.name}.{one.name}: {why}")
                else:
                    columns[name] = _info(columns[name], one)
            date = _match(_expression(foreign, foreign.date), list(columns))
            label, synonyms = _named(
                info.names, foreign.label, singular(foreign.name), foreign.synonyms
            )
            info = replace(
                info,
                label=label,
                synonyms=synonyms,
                description=foreign.description or info.description,
                date=date if date and columns[date].kind == "date" else info.date,
            )
        return replace(info, columns=tuple(columns.values()))

    def measures(self) -> dict[str, Measure]:
        """The figures that a measure can say."""
        translator = Translator(self.schema, self.tables)
        made: dict[str, Measure] = {}
        for one in self.foreign.metrics:
            try:
                made[_identifier(one.name)] = _measure(one, translator)
            except DomainError as error:
                self.left_out.append(f"metric {one.name}: {error}")
            except RecursionError:
                self.left_out.append(f"metric {one.name}: its expression is too deep")
        return made


def _measure(metric: ForeignMetric, translator: Translator) -> Measure:
    figure = translator.figure(metric.expression, metric.table, metric.where)
    label = (metric.label or readable(metric.name)).lower()
    return Measure(
        _identifier(metric.name),
        label,
        figure.table,
        figure.function,
        figure.of,
        figure.where,
        tuple(dict.fromkeys(one for one in metric.synonyms if one.lower() != label)),
        metric.description,
        distinct=figure.distinct,
    )


def _info(info: ColumnInfo, foreign: ForeignColumn) -> ColumnInfo:
    label, synonyms = _named(info.names, foreign.label, readable(foreign.name), foreign.synonyms)
    description = foreign.description or info.description
    return replace(info, label=label, synonyms=synonyms, description=description)


def _named(
    names: tuple[str, ...], label: str, name: str, synonyms: Iterable[str]
) -> tuple[str, tuple[str, ...]]:
    """A label and synonyms: the label that the tool gives, else the layer's; then all others."""
    first = label.lower() or names[0]
    others = dict.fromkeys([*names, name, *synonyms])
    return first, tuple(one for one in others if one.lower() != first)


def _expression(table: ForeignTable, name: str) -> str:
    return table.expressions().get(name, name)


def _joined(before: tuple[str, ForeignTable] | None, other: ForeignTable) -> ForeignTable:
    """What two files say of a table."""
    if before is None:
        return other
    one = before[1]
    known = {column.name for column in one.columns}
    return replace(
        one,
        label=one.label or other.label,
        description=one.description or other.description,
        columns=(*one.columns, *(new for new in other.columns if new.name not in known)),
        key=one.key or other.key,
        date=one.date or other.date,
    )


def _match(name: str, names: Iterable[str]) -> str | None:
    """The name that is the same, but for case and separators."""
    listed = list(names)
    if name in listed:
        return name
    alike = [one for one in listed if _PLAIN.sub("", one).lower() == _PLAIN.sub("", name).lower()]
    return alike[0] if name and len(alike) == 1 else None


def _with_id(table: Table, column: str) -> Table:
    columns = (
        Column(one.name, "id", one.texts) if one.name == column else one for one in table.columns
    )
    return replace(table, columns=tuple(columns))


def _identifier(name: str) -> str:
    plain = re.sub(r"\W+", "_", name)
    return plain if plain.isidentifier() else f"m_{plain}"
