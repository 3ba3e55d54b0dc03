"""What can be asked of a database, whatever its tables are.

A program is about *rows of one table*, never about tuples of a join. A column of another table is
reached along links from many to one and stays one value for each row. Towards the many side a
program can only ask whether some row there is as wanted (`Related`), or for a figure over them
(`Belonging`). So nothing repeats because of a join.

Nulls are those of SQL: no comparison with one holds, nor does its negation; figures pass over them;
`Missing` alone finds them. In a list of groups a null makes one, too, so that nothing is lost;
where groups are chosen, by a condition or a limit, it makes none.

How to say what has no node of its own:

- *The lowest and the highest age*, without groups: ``Grouping(rows, (), (lowest, highest))``, which
  always is one row.
- *The share of rock in all sales*: ``Arithmetic("/", Figure(rock, total), Figure(every, total))``.
  *The share of each genre*: ``Grouping(rows, (genre,), (Arithmetic("/", total, Figure(every,
  total)),))``, where `total` is an `Aggregate`. Times 100 for percents.
- *Have we sold more A than B?* ``Holds(Compare(Figure(..), ">", Figure(..)))``.
- *The number of tracks of each artist*, where two artists may have one name: ``Grouping(rows,
  (artist_id,), (count,), shown=(artist_name,))``.
- *Values that are in two listings* (``INTERSECT``): ``Listing(Rows(table, Among(column,
  Listing(other_rows, (other_column,)))), (column,), distinct=True)``. *Values in one and not in the
  other* (``EXCEPT``): the same with ``Not(Among(..))``. *In one or the other* (``UNION``): `Or` for
  rows of one table, `Union` for those of several.
- *Customers of the country with the most customers*: `Among` with a `Grouping` that has an order, a
  limit and no figures. *How many countries have more than four customers*: a `Figure` that counts
  distinct countries, over rows whose country is `Among` such groups.
- *The average number of customers of a country*: the count of rows over the distinct count.
- *In the last six months*: `Between` two days, of which whoever reads the question knows the last.
- *The longest track, or all of them if several are as long*: ``ties=True`` with a limit.
- *The second longest track*: ``limit=2, only=True``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date
from typing import Any, Literal, TypeVar

from partwise.errors import DomainError
from partwise.execution.relational.schema import Path, Schema

Sign = Literal["=", "!=", "<", "<=", ">", ">="]
Function = Literal["count", "sum", "average", "minimum", "maximum", "median"]
Part = Literal["year", "quarter", "month", "day", "weekday"]
"""Weekdays are numbered from 0, Sunday."""
TextPart = Literal["year_quarter", "year_month"]
"""A part of a certain year, as text: ``2024-Q1``, ``2024-03``."""
Span = Literal["second", "minute", "hour", "day", "week"]
"""A unit of the time between two dates."""
SECONDS: Mapping[Span, int] = {
    **{"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
}
"""How long each is."""


@dataclass(frozen=True)
class Value:
    """A number, text, date or truth value that the question says."""

    value: str | int | float | bool | date


@dataclass(frozen=True)
class Field:
    """A column, of the row that a path leads to."""

    path: Path
    column: str


@dataclass(frozen=True)
class DatePart:
    """A part of a date, as a number or as text."""

    part: Part | TextPart
    of: Attribute


@dataclass(frozen=True)
class Elapsed:
    """The time from one date to another, with a fraction; less than nothing if it ends before. A
    date without a time is its midnight. Fractions of a second do not count."""

    unit: Span
    start: Attribute
    end: Attribute


@dataclass(frozen=True)
class Arithmetic:
    """Two numbers put together. Nothing is divided by zero: that is null. Over `Aggregate` it is a
    figure of a group, over `Figure` alone a number for all rows, which can be an answer of its
    own."""

    sign: Literal["+", "-", "*", "/"]
    left: Attribute | Aggregate
    right: Attribute | Aggregate


@dataclass(frozen=True)
class Aggregate:
    """A figure over rows.

    Attributes:
        of: whose values; None with `count` for the rows themselves. Numbers with `sum`, `average`
            and `median`.
        distinct: whether equal values count once, with `count`.
    """

    function: Function
    of: Attribute | None = None
    distinct: bool = False


@dataclass(frozen=True)
class Rows:
    """The rows of a table that are as a condition says."""

    table: str
    where: Condition | None = None


@dataclass(frozen=True)
class Figure:
    """A figure over some rows: an answer of its own, or a number to compare with."""

    rows: Rows
    aggregate: Aggregate


@dataclass(frozen=True)
class Belonging:
    """A figure over those of some rows that belong to the row that a path leads to. Which rows
    belong to which is `Schema.relation`."""

    path: Path
    figure: Figure


Attribute = Value | Field | DatePart | Elapsed | Arithmetic | Belonging | Figure
"""One value for each row."""


@dataclass(frozen=True)
class Compare:
    """A comparison of two values."""

    left: Attribute
    sign: Sign
    right: Attribute


@dataclass(frozen=True)
class Between:
    """Whether a value is from `low` to `high`. `open_`: whether `high` is excluded, as the end of a
    period is."""

    of: Attribute
    low: Value
    high: Value
    open_: bool = False


@dataclass(frozen=True)
class Contains:
    """Whether a text has another in it, whatever the case."""

    of: Attribute
    text: str
    at: Literal["anywhere", "start", "end"] = "anywhere"


@dataclass(frozen=True)
class Missing:
    """Whether there is no value."""

    of: Attribute


@dataclass(frozen=True)
class OneOf:
    """Whether a value is one of some."""

    of: Attribute
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Related:
    """Whether some of these rows belong to the row that a path leads to."""

    path: Path
    rows: Rows


@dataclass(frozen=True)
class Among:
    """Whether a value is in the one column of an answer; it need not be linked. Raises DomainError
    if the answer does not have one column."""

    of: Attribute
    values: Listing | Grouping

    def __post_init__(self) -> None:
        if (count := width(self.values)) != 1:
            raise DomainError(f"a value is looked for in one column, not in {count}; show only one")


@dataclass(frozen=True)
class And:
    """Whether all of some conditions hold."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Or:
    """Whether one of some conditions holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Not:
    """Whether a condition does not hold."""

    part: Condition


Condition = Compare | Between | Contains | Missing | OneOf | Related | Among | And | Or | Not


@dataclass(frozen=True)
class Order:
    """What the answer is ordered by; nulls come last. Equals are ordered by their keys."""

    by: Attribute | Aggregate
    descending: bool = False


@dataclass(frozen=True)
class Listing:
    """Rows, and what is shown of each.

    Attributes:
        limit: how many come first.
        each: then the limit is for each group of rows with the same values of these.
        distinct: whether equal rows of the answer are shown once; then they are ordered by what is
            shown.
        ties: whether rows after the limit are kept that `order` does not tell from the last before
            it.
        only: whether the last place within the limit alone is wanted: with a limit of 3 the third.
            Rows that `order` does not tell apart share a place.

    Raises DomainError if distinct rows are to be ordered by what is not shown, or to be cut by
    group, by place or with ties.
    """

    rows: Rows
    shown: tuple[Attribute, ...]
    order: tuple[Order, ...] = ()
    limit: int | None = None
    each: tuple[Attribute, ...] = ()
    distinct: bool = False
    ties: bool = False
    only: bool = False

    def __post_init__(self) -> None:
        hidden = any(order.by not in self.shown for order in self.order)
        if self.distinct and (self.each or self.ties or self.only or hidden):
            raise DomainError(
                "distinct rows have no ties, places or groups, and are ordered by what is shown of "
                "them"
            )


@dataclass(frozen=True)
class Having:
    """A condition on a group: a figure over its rows, compared with a number."""

    aggregate: Aggregate | Arithmetic
    sign: Sign
    value: Value | Figure | Arithmetic


def _paths(attribute: Attribute | Aggregate) -> Iterator[Path]:
    """The paths to the columns that an attribute is made of."""
    match attribute:
        case Field(path):
            yield path
        case DatePart(_, of):
            yield from _paths(of)
        case Elapsed(_, start, end):
            yield from _paths(start)
            yield from _paths(end)
        case Arithmetic(_, left, right):
            yield from _paths(left)
            yield from _paths(right)


GroupFigure = Aggregate | Arithmetic | Figure | Value
"""One value for each group: figures over its rows or over other rows, and numbers made of them."""


@dataclass(frozen=True)
class Grouping:
    """Groups of rows with equal values, and figures over each.

    Attributes:
        by: what makes the groups; with nothing, all rows are one group, even if there are none. A
            row that leads nowhere is in no group; a null makes a group unless groups are `chosen`.
        order: by what is in `by` or `shown`, or by figures.
        shown: what is shown of a group before its figures; None for all of `by`. What is not in
            `by` makes groups, too, but may be null: the name of what `by` has the key of.
        ties: whether groups after the limit are kept that `order` does not tell from the last
            before it.
        only: whether the last place within the limit alone is wanted, as in `Listing`.

    Raises DomainError if it has neither groups nor a figure over its rows.
    """

    rows: Rows
    by: tuple[Attribute, ...]
    figures: tuple[GroupFigure, ...]
    having: tuple[Having, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    shown: tuple[Attribute, ...] | None = None
    ties: bool = False
    only: bool = False

    def __post_init__(self) -> None:
        if not self.by and (self.shown or not aggregates(self.figures)):
            raise DomainError("without groups there are only figures over all rows; give one")

    @property
    def chosen(self) -> bool:
        """Whether only some groups are wanted: then a null is none of them."""
        return bool(self.having) or self.limit is not None

    @property
    def leading(self) -> tuple[Path, ...]:
        """The paths of what makes the groups, to rows that there must be."""
        paths = (path for key in self.by for path in _paths(key))
        return tuple(dict.fromkeys(path for path in paths if path))

    @property
    def keys(self) -> tuple[Attribute, ...]:
        """All that makes the groups: `by`, and what else is shown."""
        return (*self.by, *(value for value in self.shown or () if value not in self.by))

    @property
    def showing(self) -> tuple[Attribute, ...]:
        """What is shown of a group before its figures."""
        return self.by if self.shown is None else self.shown


@dataclass(frozen=True)
class Union:
    """The rows that one of some answers has, each once, in no order. Raises DomainError if there is
    one answer alone, or if they do not have equally many columns."""

    parts: tuple[Listing | Grouping, ...]

    def __post_init__(self) -> None:
        counts = [width(part) for part in self.parts]
        if len(counts) < 2 or len(set(counts)) != 1:
            raise DomainError(
                f"two or more answers with equally many columns are united, not with {counts}"
            )


@dataclass(frozen=True)
class Exists:
    """Whether there are such rows: yes or no."""

    rows: Rows


@dataclass(frozen=True)
class Holds:
    """Whether a condition on figures alone holds: yes or no; null where a figure is null."""

    condition: Condition


Program = Listing | Grouping | Union | Figure | Arithmetic | Exists | Holds
"""What a question means."""


def width(program: Program) -> int:
    """How many columns an answer has."""
    match program:
        case Listing():
            return len(program.shown)
        case Grouping():
            return len(program.showing) + len(program.figures)
        case Union():
            return width(program.parts[0])
        case _:
            return 1


def aggregates(figures: Iterable[Attribute | Aggregate]) -> tuple[Aggregate, ...]:
    """The figures over a group's rows that figures of a group are made of."""
    made: list[Aggregate] = []
    for figure in figures:
        if isinstance(figure, Arithmetic):
            made += aggregates((figure.left, figure.right))
        elif isinstance(figure, Aggregate):
            made.append(figure)
    return tuple(made)


Node = TypeVar("Node")


_KNOWN: dict[type, tuple[str, ...]] = {}


def _names(node: Any) -> tuple[str, ...]:
    """The names of a node's fields, looked up once for each class; none of plain values."""
    kind = type(node)
    if kind not in _KNOWN:
        _KNOWN[kind] = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
    return _KNOWN[kind]


def is_node(node: Any) -> bool:
    """Whether something has parts: it is no name, number or the like."""
    return isinstance(node, tuple) or bool(_names(node))


def parts(node: Any) -> Iterator[Any]:
    """What a node is made of: nodes, and plain values such as names."""
    if isinstance(node, tuple):
        yield from node
    else:
        yield from (getattr(node, name) for name in _names(node))


def rebuilt(node: Node, change: Callable[[Any], Any]) -> Node:
    """A node whose parts, and then itself, are changed."""
    if isinstance(node, tuple):
        return type(node)(rebuilt(item, change) for item in node)
    if names := _names(node):
        made = {name: rebuilt(getattr(node, name), change) for name in names}
        return change(replace(node, **made))  # type: ignore[no-any-return, type-var]
    return node


_WITH_FIGURES = (Grouping, Having, Order, Arithmetic, Figure)
"""What can be made of figures over a group."""
_FIGURES = (Aggregate, Arithmetic)


def problems(node: Any, schema: Schema, table: str | None = None) -> Iterator[tuple[Any, str]]:
    """The parts of a program that cannot be, and what is wrong with each. `table`: whose row the
    node is about; None for none."""
    inside = tuple(parts(node))
    try:
        if not isinstance(node, tuple):
            table = _table_of(node, inside, schema, table)
    except DomainError as error:
        yield node, str(error)
        return
    for part in inside:
        if is_node(part):
            yield from problems(part, schema, table)


def _table_of(node: Any, inside: tuple[Any, ...], schema: Schema, table: str | None) -> str | None:
    """Whose rows the parts of a node, `inside`, are about. Raises DomainError if the node, its
    parts aside, cannot be."""
    figures = any(isinstance(part, _FIGURES) for part in inside)
    if figures and not isinstance(node, _WITH_FIGURES) and aggregates(inside):
        raise DomainError("a figure over a group stands where there is no group")
    match node:
        case Rows(name):
            return schema.table(name).name
        case Field(path, column):
            schema.column(schema.end(_some(table, column), path), column)
        case Belonging(path, Figure(rows)) | Related(path, rows):
            there = schema.table(rows.table).name
            schema.related(schema.end(_some(table, there), path), there)
        case Listing() | Grouping() | Figure() | Exists():
            _check_order(node)
            return node.rows.table
    return table


def _some(table: str | None, what: str) -> str:
    if table is None:
        raise DomainError(f"{what} stands where there is no row that it is of")
    return table


def _check_order(node: Any) -> None:
    """Raises DomainError if rows are ordered by figures over all of them, or groups by columns that
    differ within them."""
    if isinstance(node, Listing) and aggregates(order.by for order in node.order):
        raise DomainError("rows are ordered by what each of them has, not by a figure over all")
    if isinstance(node, Grouping):
        figures = Aggregate | Arithmetic | Figure | Value
        if not all(order.by in node.keys or isinstance(order.by, figures) for order in node.order):
            raise DomainError("groups are ordered by what makes them, or by figures over them")
