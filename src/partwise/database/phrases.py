"""What a phrase about the rows of a database means: the items of `SchemaAlgebra`.

An item is a kind, which is a state of the chart, and a meaning of that kind:

- what stands for something: a ``TABLE``'s meaning is its name, that of a ``COLUMN`` an `Attribute`,
  of a ``VALUE`` `Values`, of a ``NUMBER`` a number, of a ``PERIOD`` a `Period`, and so on;
- half of something, for what is still to be said: a ``COMPARISON`` is a sign and an amount, a
  ``COLUMN_SIGN`` a sign and an attribute, a ``RANGE`` two ends, a ``PATTERN`` a text and where it
  is, ``LIST_OR`` a condition;
- operations, as the lexicon names them: their meaning is the argument that stands there, as "desc".

All meanings are tuples, so that they hash fast; the last field of most is a tag, which keeps
meanings of different classes unequal.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from partwise.database.spans.names import SchemaItem
from partwise.database.spans.periods import Period, Recurring
from partwise.execution.relational.program import Function, Part, Sign, Span, TextPart
from partwise.execution.relational.schema import Link

# --- attributes: one value for each row --------------------------------------------------------


class ColumnOf(NamedTuple):
    """A column of a table."""

    table: str
    name: str
    tag: str = "column"


class PartOf(NamedTuple):
    """A part of a date."""

    part: Part | TextPart
    table: str
    name: str
    tag: str = "part"


class LinkedColumn(NamedTuple):
    """A column of the row that one of several links leads to."""

    link: Link
    table: str
    name: str
    tag: str = "linked"


class PerRow(NamedTuple):
    """A figure over the rows that belong to each row of a table, or of the one that is spoken of
    (None)."""

    measure: Measure
    table: str | None
    tag: str = "per row"


class Lasting(NamedTuple):
    """The time between two dates of a row."""

    unit: Span | Literal["year"]
    start: str
    table: str
    name: str
    tag: str = "lasting"


class Naming(NamedTuple):
    """The columns that name the rows of a table, of the head (None), or of what a link leads to."""

    table: str | None
    link: Link | None = None
    tag: str = "naming"


Attribute = ColumnOf | PartOf | LinkedColumn | PerRow | Lasting | Naming


# --- measures: one value for some rows ---------------------------------------------------------


class Aggregated(NamedTuple):
    """A figure.

    Attributes:
        of: whose values; None to count rows.
        table: whose rows are counted; None for those that are spoken of.
    """

    function: Function
    of: Attribute | None = None
    table: str | None = None
    distinct: bool = False
    tag: str = "aggregated"


class Declared(NamedTuple):
    """A measure that the layer has."""

    name: str
    tag: str = "declared"


class Pending(NamedTuple):
    """What is ordered by, while it is still to be said: "top three suppliers by ..."."""

    tag: str = "pending"


Measure = Aggregated | Declared


class MeasureList(NamedTuple):
    """Figures that are asked for together, and the table whose rows they count, if it is said."""

    figures: tuple[Measure, ...]
    head: str | None = None
    tag: str = "measures"


# --- conditions --------------------------------------------------------------------------------


class Number(NamedTuple):
    """An amount that is said, in one of some units until it is compared."""

    value: Any
    units: tuple[str, ...] = ()
    tag: str = "number"


class Computed(NamedTuple):
    """An amount that a frame gives: nesting is a frame inside a condition."""

    frame: Frame
    tag: str = "computed"


class Same(NamedTuple):
    """The amount in another column of the row."""

    attribute: Attribute
    tag: str = "same"


class Times(NamedTuple):
    """A multiple of an amount: "at least twice as many"."""

    factor: int | float
    amount: Amount
    tag: str = "times"


Amount = Number | Computed | Same | Times
Values = tuple[tuple[Attribute, Any], ...]


class Compares(NamedTuple):
    """A column compared with an amount."""

    attribute: Attribute
    sign: Sign
    amount: Amount
    tag: str = "compares"


class Falls(NamedTuple):
    """A date, or a year, in a period, before or after it."""

    attribute: Attribute
    period: Period | Recurring
    sign: Sign = "="
    tag: str = "falls"


class Ranges(NamedTuple):
    """A column between two numbers, or two periods."""

    attribute: Attribute
    low: Any
    high: Any
    tag: str = "ranges"


class Matches(NamedTuple):
    """A text that contains another, starts or ends with it."""

    attribute: Attribute
    text: str
    where: Literal["anywhere", "start", "end"]
    tag: str = "matches"


class Lacks(NamedTuple):
    """A column without a value."""

    attribute: Attribute
    tag: str = "lacks"


class IsOneOf(NamedTuple):
    """A column with one of some values."""

    attribute: Attribute
    values: tuple[Any, ...]
    tag: str = "one of"


class Equals(NamedTuple):
    """Columns with just these values."""

    values: Values
    tag: str = "holds"


class Figures(NamedTuple):
    """A measure compared with an amount, of each group, or of each row."""

    measure: Measure
    sign: Sign
    amount: Amount
    tag: str = "figures"


class Denies(NamedTuple):
    """No such row."""

    part: Condition
    tag: str = "denies"


class Either(NamedTuple):
    """One or the other."""

    parts: tuple[Condition, ...]
    tag: str = "either"


class Each(NamedTuple):
    """One and the other, where one row need not be both: "in Rome and in Oslo"."""

    left: Condition
    right: Condition
    tag: str = "each"


class HasNone(NamedTuple):
    """No row of a frame belongs to it."""

    frame: Frame
    tag: str = "has none"


class IsAmong(NamedTuple):
    """Is among the rows of a closed frame: "of the department with the highest budget"."""

    frame: Frame
    tag: str = "among"


class HasSome(NamedTuple):
    """Some row of a table belongs to it."""

    table: str
    tag: str = "has some"


Condition = (
    Compares
    | Falls
    | Ranges
    | Matches
    | Lacks
    | IsOneOf
    | Equals
    | Figures
    | Denies
    | Either
    | Each
    | HasNone
    | IsAmong
    | HasSome
)


# --- frames ------------------------------------------------------------------------------------


class RowKey(NamedTuple):
    """Each row of a table, as a key of groups."""

    table: str
    tag: str = "entity"


Key = Attribute | RowKey


class OrderBy(NamedTuple):
    """What rows or groups are ordered by.

    Attributes:
        limit: how many of the first are kept; 0 for all.
        only: whether the last of these alone is wanted: "the second longest".
    """

    by: Attribute | Measure | Pending
    descending: bool
    limit: int = 0
    only: bool = False
    tag: str = "order"


Flag = Literal["distinct", "yes", "star", "share", "difference"]


class Frame(NamedTuple):
    """A head, and modifiers that fill its slots one by one.

    Attributes:
        head: the table whose rows are spoken of; None while nobody says it.
        beside: tables that are named beside the head: they only link.
        limit: how many rows are asked for, where no order says it.
    """

    head: str | None = None
    beside: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    shown: tuple[Attribute, ...] = ()
    measures: tuple[Measure, ...] = ()
    keys: tuple[Key, ...] = ()
    orders: tuple[OrderBy, ...] = ()
    limit: int | None = None
    flags: frozenset[Flag] = frozenset()


def is_measure(by: Attribute | Measure | Pending) -> bool:
    """Whether something is a figure over rows."""
    return isinstance(by, Aggregated | Declared)


def has_measure(condition: Condition) -> bool:
    """Whether a condition, or a part of it, compares a figure over rows."""
    match condition:
        case Figures():
            return True
        case Denies(part):
            return has_measure(part)
        case Either(parts):
            return any(map(has_measure, parts))
        case Each(left, right):
            return has_measure(left) or has_measure(right)
    return False


def table_of(attribute: Attribute) -> str:
    """The table from whose rows an attribute is reached: that of the link, if it is over one."""
    link = getattr(attribute, "link", None)
    return (attribute.table or "") if link is None else str(link.table)


class SpanConstant(NamedTuple):
    """What a span of a question may stand for: a leaf of the chart.

    Attributes:
        start: its first word.
        end: behind its last word.
        kind: a state of the chart.
        role: what its words do, as the scorer names it: ``table``, ``column``, ``top desc``.
        item: the table, column or measure that it speaks of.
        match: how well the words fit, as `MATCH` names the figures; none for a number.
        type: what the item is, one of `types.TYPES`.
    """

    start: int
    end: int
    kind: str
    meaning: Any
    role: str
    item: SchemaItem | None = None
    match: tuple[float, ...] = ()
    type: str = ""


MATCH = ("exact", "covered", "first", "typed", "alike", "rank", "places", "words")
"""How well the words of a constant fit: whether they are a whole name, which share of its words
they are, whether it is the first name, how well they are spelt, how alike they are in meaning, how
soon the lexicon's row names the column (1 / place), 1 / how many columns hold the value, and the
number of further words."""
