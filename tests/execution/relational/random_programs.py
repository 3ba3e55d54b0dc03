"""Random schemas, rows and programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, get_args

from hypothesis import strategies as st

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
    Part,
    Program,
    Related,
    Rows,
    Sign,
    Span,
    TextPart,
    Union,
    Value,
    aggregates,
)
from partwise.execution.relational.schema import Column, Kind, Link, Path, Schema, Table

NAMES = ("shop", "order", "visitor", "select")
"""Words of SQL among them."""
TEXTS = ("", "a", "B", "ab", "a'b", "50%", "x_y", "bA")
VALUES: dict[Kind, st.SearchStrategy[Any]] = {
    "number": st.one_of(st.integers(-3, 5), st.sampled_from([0.5, 1.25, -2.5])),
    "text": st.sampled_from(TEXTS),
    "date": st.dates(date(2023, 11, 1), date(2024, 3, 31)),
    "boolean": st.booleans(),
    "id": st.integers(1, 5),
}
SIGNS: Sequence[Sign] = get_args(Sign)
SIGNS_OF_ARITHMETIC: Sequence[Literal["+", "-", "*", "/"]] = ("+", "-", "*", "/")


@dataclass(frozen=True)
class Database:
    schema: Schema
    rows: dict[str, list[dict[str, Any]]]


@st.composite
def databases(draw: st.DrawFn) -> Database:
    names = NAMES[: draw(st.sampled_from([4, 3, 3, 2, 1]))]
    keyed = [draw(st.booleans()) or number == 0 for number in range(len(names))]
    tables, links = [], []
    for name, has_key in zip(names, keyed, strict=True):
        kinds = draw(st.lists(st.sampled_from(["number", "text", "date", "boolean"]), max_size=3))
        columns = [Column("id", "id")] if has_key else []
        columns += [Column(f"{kind} {at}", kind) for at, kind in enumerate(kinds)]
        targets = [one for one, there in zip(names, keyed, strict=True) if there]
        for target in draw(st.lists(st.sampled_from(targets), max_size=2)):
            column = Column(f"{target}_{len(columns)}", "id")
            columns.append(column)
            links.append(Link(name, column.name, target))
        columns = columns or [Column("number 0", "number")]
        tables.append(Table(name, tuple(columns), "id" if has_key else None))
    rows = {table.name: draw(rows_of(table)) for table in tables}
    return Database(Schema(tuple(tables), tuple(links)), rows)


@st.composite
def rows_of(draw: st.DrawFn, table: Table) -> list[dict[str, Any]]:
    rows = []
    for number in range(draw(st.sampled_from([0, 1, 3, 4, 5, 6]))):
        values = {one.name: draw(st.none() | VALUES[one.kind]) for one in table.columns}
        rows.append(values | ({} if table.key is None else {table.key: number + 1}))
    return rows


def varies(attribute: Attribute | Aggregate) -> bool:
    """Whether it is of the row, and not the same for all rows."""
    match attribute:
        case DatePart(_, of):
            return varies(of)
        case Elapsed(_, start, end):
            return varies(start) or varies(end)
        case Arithmetic(_, left, right):
            return varies(left) or varies(right)
        case _:
            return not isinstance(attribute, Value | Figure)


@st.composite
def programs(draw: st.DrawFn, database: Database) -> Program:
    made = Programs(draw, database.schema)
    kind = draw(st.sampled_from(["listing", "grouping", "listing", "grouping", "number", "yes no"]))
    if kind == "yes no":
        return Exists(made.rows(2)) if draw(st.booleans()) else Holds(made.holding(2))
    if kind == "number":
        return made.calculated(1)
    if kind == "grouping":
        return made.grouping()
    if draw(st.integers(0, 4)) == 0:
        kinds = made.kinds()
        return Union(tuple(made.answer(kinds, 1) for _ in range(draw(st.integers(2, 3)))))
    return made.listing()


class Programs:
    """Draws the parts of programs."""

    def __init__(self, draw: st.DrawFn, schema: Schema) -> None:
        self.draw, self.schema = draw, schema

    def listing(self) -> Listing:
        rows = self.rows(2)
        some = range(self.draw(st.integers(1, 2)))
        shown = tuple(self.attribute(rows.table, 2) for _ in some)
        if self.draw(st.booleans()):
            by = self.draw(st.lists(st.sampled_from(shown), max_size=2))
            order = tuple(Order(one, self.draw(st.booleans())) for one in by)
            return Listing(rows, shown, order, self.limit(), distinct=True)
        orders = range(self.draw(st.integers(0, 2)))
        order = tuple(Order(self.key(rows.table), self.draw(st.booleans())) for _ in orders)
        each = tuple(self.key(rows.table) for _ in range(self.draw(st.integers(0, 1))))
        ties, only = self.draw(st.booleans()), self.draw(st.booleans())
        return Listing(rows, shown, order, self.limit(), each, ties=ties, only=only)

    def limit(self) -> int | None:
        return self.draw(st.none() | st.integers(1, 3))

    def grouping(self) -> Grouping:
        rows = self.rows(2)
        by = tuple(self.key(rows.table) for _ in range(self.draw(st.integers(0, 2))))
        some = range(self.draw(st.integers(1, 2)))
        figures: tuple[GroupFigure, ...] = tuple(self.measured(rows.table) for _ in some)
        if not by and not aggregates(figures):
            figures = (*figures, Aggregate("count"))
        keys = [self.key(rows.table) for _ in by] if self.draw(st.booleans()) else []
        shown = tuple(self.draw(st.lists(st.sampled_from([*by, *keys]), max_size=2))) if by else ()
        orders = self.draw(st.lists(st.sampled_from([*by, *shown, *figures]), max_size=2))
        order = tuple(Order(one, self.draw(st.booleans())) for one in orders)
        having = tuple(self.having(rows.table) for _ in range(self.draw(st.integers(0, 1))))
        named = shown if by and self.draw(st.booleans()) else None
        if named is None:
            order = tuple(one for one in order if one.by in by or one.by in figures)
        ties, only = self.draw(st.booleans()), self.draw(st.booleans())
        return Grouping(rows, by, figures, having, order, self.limit(), named, ties, only)

    def measured(self, table: str) -> GroupFigure:
        """A figure of a group."""
        if self.draw(st.integers(0, 2)):
            return self.aggregate(table, 1)
        if self.draw(st.booleans()):
            return self.figure(0)
        left = self.aggregate(table, 1, numbers=True)
        right = self.draw(st.sampled_from([Value(2), self.figure(0), left, Aggregate("count")]))
        sign = self.draw(st.sampled_from(SIGNS_OF_ARITHMETIC))
        return Arithmetic(sign, left, right)

    def calculated(self, depth: int) -> Figure | Arithmetic:
        """A number for all rows."""
        if depth == 0 or self.draw(st.booleans()):
            rows = self.rows(2)
            return Figure(rows, self.aggregate(rows.table, 1, numbers=depth == 0))
        sign = self.draw(st.sampled_from(SIGNS_OF_ARITHMETIC))
        return Arithmetic(sign, self.calculated(0), self.calculated(0))

    def holding(self, depth: int) -> Condition:
        """A condition on numbers for all rows."""
        if depth and self.draw(st.booleans()):
            parts = (self.holding(depth - 1), self.holding(depth - 1))
            return self.draw(st.sampled_from([And(parts), Or(parts), Not(parts[0])]))
        left = self.calculated(0)
        sign = self.draw(st.sampled_from(SIGNS))
        simple = [Missing(left), Between(left, Value(0), Value(4)), OneOf(left, (Value(1),))]
        return self.draw(st.sampled_from([Compare(left, sign, self.calculated(0)), *simple]))

    def kinds(self) -> list[Kind]:
        some = st.sampled_from(["number", "text", "date", "id"])
        return self.draw(st.lists(some, min_size=1, max_size=2))

    def answer(self, kinds: Sequence[Kind], depth: int) -> Listing | Grouping:
        """An answer with columns of these kinds."""
        rows = self.rows(depth)
        shown = tuple(self.field(rows.table, [one]) for one in kinds)
        keys = tuple(one for one in shown if varies(one))
        order = tuple(Order(one, self.draw(st.booleans())) for one in keys)
        ties = self.draw(st.booleans())
        if len(keys) == len(kinds) and self.draw(st.booleans()):
            having = tuple(self.having(rows.table) for _ in range(self.draw(st.integers(0, 1))))
            return Grouping(rows, keys, (), having, order, self.limit(), ties=ties)
        return Listing(rows, shown, order, self.limit(), ties=ties)

    def rows(self, depth: int, tables: Sequence[str] = ()) -> Rows:
        names = tables or [table.name for table in self.schema.tables]
        table = self.draw(st.sampled_from(names))
        some = depth > 0 and self.draw(st.integers(0, 3)) > 0
        return Rows(table, self.condition(table, depth) if some else None)

    def path(self, table: str, depth: int = 2) -> Path:
        links = list(self.schema.leaving(table))
        if not links or not depth or self.draw(st.booleans()):
            return ()
        link = self.draw(st.sampled_from(links))
        return (link, *self.path(link.target, depth - 1))

    def field(self, table: str, kinds: Sequence[Kind]) -> Attribute:
        path = self.path(table)
        columns = self.schema.table(self.schema.end(table, path)).columns
        fitting = [one for one in columns if one.kind in kinds]
        if fitting:
            return Field(path, self.draw(st.sampled_from(fitting)).name)
        return Value(self.draw(VALUES[kinds[0]]))

    def key(self, table: str) -> Attribute:
        """What rows are ordered and grouped by: no constant."""
        own = Field((), self.draw(st.sampled_from(self.schema.table(table).columns)).name)
        kind: Kind = self.draw(st.sampled_from(["number", "text", "date", "id"]))
        other = self.number(table, 1) if kind == "number" else self.field(table, [kind])
        return own if isinstance(other, Value) or not varies(other) else other

    def attribute(self, table: str, depth: int) -> Attribute:
        kind: Kind = self.draw(st.sampled_from(["number", "text", "date", "id"]))
        if kind == "number":
            return self.number(table, depth)
        if kind == "date" and self.draw(st.booleans()):
            part: TextPart = self.draw(st.sampled_from(get_args(TextPart)))
            return DatePart(part, self.field(table, ["date"]))
        return self.field(table, [kind])

    def number(self, table: str, depth: int) -> Attribute:
        kinds = [
            "field",
            "part",
            "elapsed",
            *(["belonging", "sum", "belonging", "figure"] if depth > 0 else []),
        ]
        kind = self.draw(st.sampled_from(kinds))
        if kind == "part":
            part: Part = self.draw(st.sampled_from(get_args(Part)))
            return DatePart(part, self.field(table, ["date"]))
        if kind == "elapsed":
            unit: Span = self.draw(st.sampled_from(get_args(Span)))
            start = self.field(table, ["date"])
            day = st.dates(date(1990, 1, 1), date(2030, 1, 1)).map(Value)
            end = self.draw(day) if self.draw(st.booleans()) else self.field(table, ["date"])
            return Elapsed(unit, start, end)
        if kind == "sum":
            left, right = self.number(table, depth - 1), self.number(table, depth - 1)
            return Arithmetic(self.draw(st.sampled_from(SIGNS_OF_ARITHMETIC)), left, right)
        if kind == "figure":
            return self.figure(depth - 1)
        path = self.path(table)
        if kind == "belonging" and (others := self.related(table, path)):
            return Belonging(path, self.figure(depth - 1, others))
        return self.field(table, ["number"])

    def related(self, table: str, path: Path) -> list[str]:
        end = self.schema.end(table, path)
        every = (one.name for one in self.schema.tables)
        return [one for one in every if self.schema.relation(end, one) is not None]

    def figure(self, depth: int, tables: Sequence[str] = ()) -> Figure:
        rows = self.rows(depth, tables)
        return Figure(rows, self.aggregate(rows.table, depth, numbers=True))

    def aggregate(self, table: str, depth: int, numbers: bool = False) -> Aggregate:
        kinds = ["rows", "count", "sum", "average", "median", "minimum", "maximum"]
        function = self.draw(st.sampled_from(kinds))
        if function == "rows":
            return Aggregate("count")
        if function == "count":
            return Aggregate("count", self.attribute(table, depth), self.draw(st.booleans()))
        if function in ("sum", "average", "median") or numbers:
            return Aggregate(function, self.number(table, depth))
        return Aggregate(function, self.field(table, ["number", "text", "date"]))

    def having(self, table: str) -> Having:
        value = self.draw(st.sampled_from([Value(1), Value(0), self.figure(0)]))
        sign = self.draw(st.sampled_from(SIGNS))
        figure = self.aggregate(table, 0, numbers=True)
        ratio = Arithmetic("/", figure, Aggregate("count"))
        return Having(ratio if self.draw(st.booleans()) else figure, sign, value)

    def condition(self, table: str, depth: int) -> Condition:
        simple = ["compare", "number", "between", "contains", "missing", "one of"]
        kinds = [
            *simple,
            *(["related", "and", "or", "not", "related", "among"] if depth > 0 else []),
        ]
        kind = self.draw(st.sampled_from(kinds))
        if kind in ("and", "or"):
            parts = tuple(self.condition(table, depth - 1) for _ in range(2))
            return And(parts) if kind == "and" else Or(parts)
        if kind == "not":
            return Not(self.condition(table, depth - 1))
        path = self.path(table)
        if kind == "related" and (others := self.related(table, path)):
            return Related(path, self.rows(depth - 1, others))
        if kind == "among":
            of: Kind = self.draw(st.sampled_from(["number", "text", "date", "id"]))
            return Among(self.field(table, [of]), self.answer([of], depth - 1))
        if kind == "contains":
            at = self.draw(st.sampled_from(["anywhere", "start", "end"]))
            return Contains(self.field(table, ["text"]), self.draw(st.sampled_from(TEXTS)), at)
        if kind == "missing":
            return Missing(self.attribute(table, depth))
        return self.comparison(table, kind, depth)

    def comparison(self, table: str, kind: str, depth: int) -> Condition:
        if kind == "number":
            sign = self.draw(st.sampled_from(SIGNS))
            return Compare(self.number(table, depth), sign, self.number(table, depth - 1))
        of: Kind = self.draw(st.sampled_from(["number", "text", "date", "boolean"]))
        field, values = self.field(table, [of]), VALUES[of].map(Value)
        if kind == "one of":
            return OneOf(field, tuple(self.draw(st.lists(values, min_size=1, max_size=2))))
        if kind == "between":
            return Between(field, self.draw(values), self.draw(values), self.draw(st.booleans()))
        signs = ("=", "!=") if of == "boolean" else SIGNS
        other = self.draw(values) if self.draw(st.booleans()) else self.field(table, [of])
        return Compare(field, self.draw(st.sampled_from(signs)), other)
