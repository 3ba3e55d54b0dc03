"""The algebra of one schema: its grammar, as rows.

A `Join` says what two neighbours mean together, a `Raise` what one phrase may be as well, and a
`Slot` what a phrase may do in a frame. Each has a name and a price, where learning begins. What a
row makes of two meanings is a list, which is empty if they do not fit; most need nothing but kinds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import cached_property, lru_cache, partial
from itertools import combinations
from typing import Any, NamedTuple

from partwise.chart.k_best import Made
from partwise.database.layer.model import SemanticLayer
from partwise.database.meaning import Meanings
from partwise.database.phrases import (
    Aggregated,
    Amount,
    Attribute,
    ColumnOf,
    Compares,
    Computed,
    Condition,
    Declared,
    Denies,
    Each,
    Either,
    Equals,
    Falls,
    Figures,
    Flag,
    Frame,
    HasNone,
    HasSome,
    IsAmong,
    IsOneOf,
    Key,
    Lacks,
    Lasting,
    LinkedColumn,
    Matches,
    Measure,
    MeasureList,
    Naming,
    Number,
    OrderBy,
    PartOf,
    Pending,
    PerRow,
    Ranges,
    RowKey,
    Same,
    Times,
    Values,
    has_measure,
    table_of,
)
from partwise.database.source.values import separator
from partwise.database.spans.names import SchemaItem
from partwise.database.spans.periods import Period, Recurring
from partwise.database.units import UNITS, factor
from partwise.database.unsaid import COUNT
from partwise.execution.relational.program import Part, TextPart
from partwise.execution.relational.schema import Link

UNLINKED = 9
"""How far tables are from each other that no links join."""
INVERSE: Mapping[str, str] = {">": "<=", ">=": "<", "=": "!=", "<=": ">", "<": ">=", "!=": "="}
_COMPARED = ("number", "text", "id", "part")
_COLUMN_KINDS = (*_COMPARED, "date", "boolean")


class Join(NamedTuple):
    """Two neighbours that mean something together.

    Attributes:
        rule: the kinds of both, and of what they make.
        make: what their meanings may make, given in the order of the rule.
        turned: the price where the right one is said first; None if it is not.
        note: tells apart what the same two may make.
        typed: kinds of columns that are priced each by itself.
    """

    rule: str
    make: Callable[[SchemaAlgebra, Any, Any], Iterable[Any]]
    price: float = 0.0
    turned: float | None = None
    note: str = ""
    typed: tuple[str, ...] = ()

    def read(self) -> Iterable[tuple[str, str, str, str, bool, float]]:
        """Left kind, right kind, kind and name in each order, whether that is turned, the price."""
        left, right, _, kind = self.rule.split()
        for one, other, turned, price in (
            (left, right, False, self.price),
            (right, left, True, self.turned),
        ):
            if price is not None:
                name = f"{one} {other} {self.note}".strip().lower()
                yield one, other, kind, name, turned, price

    def prices(self) -> Iterable[tuple[str, float]]:
        """All names that it gives, with their prices."""
        for *_, name, _, price in self.read():
            for kind in self.typed or [""]:
                yield f"{name} {kind}".rstrip(), price


class Raise(NamedTuple):
    """A phrase that is of another kind, too."""

    rule: str
    name: str
    make: Callable[[SchemaAlgebra, Any], Iterable[Any]]
    price: float = 0.0


class Slot(NamedTuple):
    """What a phrase of a kind may do in a frame: the frames after it."""

    kind: str
    name: str
    make: Callable[[SchemaAlgebra, Frame, Any], Iterable[Frame]]
    price: float = 0.0


# --- what several rows make --------------------------------------------------------------------


def _pair(_: SchemaAlgebra, left: Any, right: Any) -> Iterable[Any]:
    return [(left, right)]


def _left(_: SchemaAlgebra, left: Any, right: Any) -> Iterable[Any]:
    return [left]


def _right(_: SchemaAlgebra, left: Any, right: Any) -> Iterable[Any]:
    return [right]


def _rows_of(table: str) -> Aggregated:
    return Aggregated("count", None, table)


def _figure(function: Any, column: Attribute, *conditions: Condition) -> Computed:
    """A figure of a column as an amount to compare with."""
    return Computed(Frame(measures=(Aggregated(function, column),), conditions=conditions))


def _figures(functions: Any, of: Attribute | None) -> MeasureList:
    """Functions that are said together, of the same."""
    return MeasureList(tuple(Aggregated(function, of) for function in functions.split()))


def _is_figure(frame: Frame) -> bool:
    """Whether a frame is one number."""
    more = frame.keys or frame.orders or frame.shown or frame.flags or frame.limit
    return len(frame.measures) == 1 and not more


def _is_rows(frame: Frame) -> bool:
    """Whether a frame is rows and conditions alone."""
    plain = Frame(frame.head, frame.beside, frame.conditions)
    return bool(frame.head or frame.conditions) and frame == plain


def _order_figure_of(measures: MeasureList, way: bool, most: int = 0) -> Iterable[OrderBy]:
    return [OrderBy(measures.figures[0], way, most)] if len(measures.figures) == 1 else ()


def _is_amount(amount: Any) -> bool:
    return isinstance(amount, Number | Computed)


# --- comparison: "at least 3", "older than 40", "more than the average" ------------------------


def _compare(algebra: SchemaAlgebra, comparison: Any, column: Attribute) -> Iterable[Condition]:
    sign, amount = comparison
    if not _is_amount(amount) or algebra.kind_of(column) in ("date", "boolean"):
        return ()
    return [Compares(column, sign, made) for made in algebra.in_units(column, amount)]


def _fall(algebra: SchemaAlgebra, comparison: Any, column: Attribute) -> Iterable[Condition]:
    sign, period = comparison
    return [Falls(column, period, sign)] if algebra.is_dated(column, period) else ()


def _count_rows(_: SchemaAlgebra, comparison: Any, table: str) -> Iterable[Condition]:
    sign, amount = comparison
    fits = _is_amount(amount) and not getattr(amount, "units", ())
    return [Figures(_rows_of(table), sign, amount)] if fits else ()


def _compare_measure(
    algebra: SchemaAlgebra, comparison: Any, measures: MeasureList
) -> Iterable[Condition]:
    (sign, amount), (figure, *more) = comparison, measures.figures
    if not _is_amount(amount) or more:
        return ()
    return [Figures(figure, sign, made) for made in algebra.in_units(figure, amount)]


def _sign_condition(_: SchemaAlgebra, sign: Any, condition: Condition) -> Iterable[Condition]:
    """ "before March", where the column of a period is silent."""
    if not isinstance(condition, Falls) or condition.sign != "=" or sign == "=":
        return ()
    return [condition._replace(sign=sign)]


def _numbered(algebra: SchemaAlgebra, table: str, number: Any) -> Iterable[Condition]:
    """ "invoice 7506": a row by its key."""
    key = algebra.schema.table(table).key
    return [Compares(ColumnOf(table, key), "=", Number(number))] if key else ()


def _same_row(algebra: SchemaAlgebra, sign: Any, left: Any, right: Any) -> Iterable[Condition]:
    if left == right or left.table != right.table:
        return ()
    alike = algebra.kind_of(left) == algebra.kind_of(right)
    return [Compares(left, sign, Same(right))] if alike else ()


def _own_row(algebra: SchemaAlgebra, signed: Any, column: Attribute) -> Iterable[Condition]:
    """A column that links to a row means that row's: "older than their manager"."""
    sign, compared = signed
    link = algebra.link_of(column)
    if link is None or link.target != compared.table or not isinstance(compared, ColumnOf):
        return ()
    return [Compares(compared, sign, Same(LinkedColumn(link, compared.table, compared.name)))]


def _columns(algebra: SchemaAlgebra, signed: Any, column: Attribute) -> Iterable[Condition]:
    """ "more in debt than in savings", the first column with the sign."""
    sign, compared = signed
    return () if _own_row(algebra, signed, column) else _same_row(algebra, sign, compared, column)


def _than_row(algebra: SchemaAlgebra, column: Attribute, than: Any) -> Iterable[Condition]:
    """Than the figure of a row that is said: "less rent than Harbor"."""
    sign, values = than
    fits = algebra.kind_of(column) in ("number", "date")
    return [Compares(column, sign, _figure("maximum", column, Equals(values)))] if fits else ()


def _than_all(algebra: SchemaAlgebra, column: Attribute, than: Any) -> Iterable[Condition]:
    """ "above average"."""
    sign, function = than
    fits = algebra.kind_of(column) in ("number", "date")
    return [Compares(column, sign, _figure(function, column))] if fits else ()


def _as_many(_: SchemaAlgebra, signed: Any, table: str) -> Iterable[Condition]:
    """Rows of two tables that belong to one row: "twice as many orders as returns"."""
    sign, factor, figure = signed
    other = Same(PerRow(_rows_of(table), None))
    amount = other if factor == 1 else Times(factor, other)
    return [Figures(figure, sign, amount)] if figure.table != table else ()


def _than_row_figure(_: SchemaAlgebra, signed: Any, values: Values) -> Iterable[Condition]:
    """Than the figure of a row that is said: "more trips than Gull"."""
    sign, factor, figure = signed
    of_row = Frame(measures=(figure,), conditions=(Equals(values),))
    return [Figures(figure, sign, Computed(of_row))] if factor == 1 and sign != "=" else ()


def _late_figure(algebra: SchemaAlgebra, condition: Any, function: str) -> Iterable[Condition]:
    """A figure told at the end: "rated below 3.5 on average"."""
    if not (isinstance(condition, Compares) and isinstance(condition.amount, Number)):
        return ()
    column, sign, amount, _ = condition
    if " " in function or not algebra.is_number(column):
        return ()
    return [Figures(_figures(function, column).figures[0], sign, amount)]


def _single(functions: str, *made: Any) -> Iterable[Any]:
    """What is made with one function; nothing with several."""
    return () if " " in functions else made


COMPARISON = (
    Join("SIGN NUMBER -> COMPARISON", lambda _, sign, n: [(sign, Number(n))]),
    Join(
        "NUMBER SIGN -> COMPARISON",
        lambda _, n, sign: [(sign, Number(n))] if sign in (">=", "<=", "=") else (),
    ),
    Join("SIGN PERIOD -> COMPARISON", _pair),
    Join(
        "SIGN FRAME -> COMPARISON",
        lambda _, sign, frame: [(sign, Computed(frame))] if _is_figure(frame) else (),
    ),
    Join("SIGN CONDITION -> CONDITION", _sign_condition),
    Join(
        "CONDITION SIGN -> CONDITION",
        lambda a, c, sign: _sign_condition(a, sign, c) if sign in (">=", "<=") else (),
    ),
    Join("COMPARISON DISTINCT -> COMPARISON", _left),
    Join("COMPARISON COLUMN -> CONDITION", _compare, turned=0.0, typed=_COMPARED),
    Join("COMPARISON COLUMN -> CONDITION", _fall, turned=0.0, note="period"),
    Join("COMPARISON TABLE -> CONDITION", _count_rows, turned=-0.3),
    Join("COMPARISON MEASURE -> CONDITION", _compare_measure, turned=0.0),
    # "At least twice as many orders as returns", "more orders than returns".
    Join(
        "SIGN COMPARISON -> COMPARISON",
        lambda _, sign, equal: [(sign, equal[1])] if equal[0] == "=" != sign else (),
        0.3,
    ),
    Join("SIGN TABLE -> TABLE_SIGN", lambda _, sign, table: [(sign, 1, _rows_of(table))], -0.5),
    Join(
        "COMPARISON TABLE -> TABLE_SIGN",
        lambda _, comparison, table: (
            [(comparison[0], comparison[1].value, _rows_of(table))]
            if isinstance(comparison[1], Number) and not comparison[1].units
            else ()
        ),
        -0.5,
        note="times",
    ),
    Join("TABLE_SIGN TABLE -> CONDITION", _as_many, 0.5),
    Join("TABLE_SIGN VALUE -> CONDITION", _than_row_figure, 0.5),
    # What is equal needs no sign.
    Join(
        "COLUMN NUMBER -> CONDITION",
        lambda a, column, n: _compare(a, ("=", Number(n)), column),
        turned=-0.3,
        typed=_COMPARED,
    ),
    Join(
        "COLUMN PERIOD -> CONDITION",
        lambda a, column, period: _fall(a, ("=", period), column),
        turned=0.0,
    ),
    Join("COLUMN TEXT -> CONDITION", lambda _, column, x: [Compares(column, "=", Number(x))]),
    Join("TABLE NUMBER -> CONDITION", _numbered, -0.2),
    Join(
        "NUMBER TABLE -> CONDITION",
        lambda _, n, table: [Figures(_rows_of(table), "=", Number(n))],
        -0.4,
    ),
    # "120 minutes", "$ 5": converted where they are compared.
    Join("NUMBER UNIT -> QUANTITY", lambda _, n, units: [Number(n, units)], turned=0.0),
    Join("SIGN QUANTITY -> COMPARISON", _pair),
    Join(
        "QUANTITY SIGN -> COMPARISON",
        lambda _, amount, sign: [(sign, amount)] if sign in (">=", "<=", "=") else (),
    ),
    Join(
        "COLUMN QUANTITY -> CONDITION",
        lambda a, column, amount: _compare(a, ("=", amount), column),
        turned=0.0,
    ),
    Join(
        "COLUMN_SIGN QUANTITY -> CONDITION",
        lambda a, signed, amount: _compare(a, (signed[0], amount), signed[1]),
    ),
    # The column is in the sign: "older than".
    Join("SIGN COLUMN -> COLUMN_SIGN", _pair),
    Join(
        "COLUMN_SIGN NUMBER -> CONDITION",
        lambda _, signed, n: [Compares(signed[1], signed[0], Number(n))],
    ),
    Join(
        "COLUMN_SIGN PERIOD -> CONDITION",
        lambda a, signed, period: _fall(a, (signed[0], period), signed[1]),
    ),
    Join(
        "COLUMN_SIGN FRAME -> CONDITION",
        lambda _, signed, frame: (
            [Compares(signed[1], signed[0], Computed(frame))] if _is_figure(frame) else ()
        ),
    ),
    Join("COLUMN_SIGN COLUMN -> CONDITION", _own_row, -0.2, note="own"),
    Join("COLUMN_SIGN COLUMN -> CONDITION", _columns, -0.2),
    Join(
        "COLUMN COLUMN_SIGN -> CONDITION",
        lambda a, column, signed: _same_row(a, signed[0], column, signed[1]),
        -0.3,
    ),
    # Than another row, than all.
    Join(
        "COLUMN_SIGN VALUE -> CONDITION",
        lambda _, signed, values: [
            Compares(signed[1], signed[0], _figure("maximum", signed[1], Equals(values)))
        ],
        0.3,
    ),
    Join(
        "COLUMN_SIGN AGG -> CONDITION",
        lambda _, signed, function: _single(
            function, Compares(signed[1], signed[0], _figure(function, signed[1]))
        ),
    ),
    Join("AGG VALUE -> AGG_VALUE", lambda _, f, values: _single(f, (f, values)), -0.6),
    Join(
        "COLUMN_SIGN AGG_VALUE -> CONDITION",
        lambda _, signed, of: [
            Compares(signed[1], signed[0], _figure(of[0], signed[1], Equals(of[1])))
        ],
        0.3,
    ),
    Join(
        "SIGN VALUE -> SIGN_VALUE",
        lambda _, sign, values: [(sign, values)] if sign in ("<", ">", ">=", "<=") else (),
        -0.5,
    ),
    Join("COLUMN SIGN_VALUE -> CONDITION", _than_row, turned=0.0),
    Join("SIGN AGG -> SIGN_AGG", lambda _, sign, f: _single(f, (sign, f))),
    Join("COLUMN SIGN_AGG -> CONDITION", _than_all, turned=0.0),
    Join("CONDITION AGG -> CONDITION", _late_figure, turned=-0.3),
)


# --- ranges: "between 3 and 5", "from March to May 2021" ---------------------------------------


def _numbers(_: SchemaAlgebra, low: Any, high: Any) -> Iterable[Any]:
    return () if isinstance(low, tuple) else [(low, high)]


def _thousands(_: SchemaAlgebra, low: Any, high: Any) -> Iterable[Any]:
    """ "between 10 and 20,000": who says both in thousands says so once."""
    return () if isinstance(low, tuple) or not low < 1000 <= high else [(low * 1000, high)]


def _periods(_: SchemaAlgebra, low: Any, high: Any) -> Iterable[Any]:
    """Two periods; a month takes the year of the second, and so does what would begin after it."""
    if not isinstance(high, Period):
        return ()
    if isinstance(low, Recurring) and low.part == "month":
        begin = date(high.start.year, low.number, 1)
    elif isinstance(low, Period) and low.start > high.start and low.start.day == 1:
        begin = low.start.replace(year=high.start.year)
    else:
        return [(low, high)] if isinstance(low, Period) and low.start <= high.start else ()
    return [(Period(begin, begin), high)] if begin <= high.start else ()


def _range(algebra: SchemaAlgebra, column: Attribute, ends: Any) -> Iterable[Condition]:
    low, high = ends
    is_date = algebra.kind_of(column) == "date"
    if not isinstance(low, Period):
        return () if is_date else [Ranges(column, low, high)]
    if is_date:
        return [Ranges(column, low, high)]
    years = all(algebra.is_dated(column, end) for end in ends)
    return [Ranges(column, low.years[0], high.years[1])] if years else ()


def _is_within(condition: Any) -> bool:
    """Whether a condition is that something falls in a period."""
    if not isinstance(condition, Falls):
        return False
    return condition.sign == "=" and isinstance(condition.period, Period)


def _range_of_conditions(algebra: SchemaAlgebra, low: Any, high: Any) -> Iterable[Condition]:
    """Two periods whose column is silent."""
    if not isinstance(high, Falls) or high.attribute != low.attribute:
        return ()
    ends = [*_periods(algebra, low.period, high.period)]
    return _range(algebra, low.attribute, ends[0]) if ends else ()


RANGES = (
    Join("BETWEEN NUMBER -> RANGE_START", _right),
    Join("RANGE_START NUMBER -> RANGE", _numbers),
    Join("RANGE_START NUMBER -> RANGE", _thousands, -0.8, note="thousands"),
    Join("BETWEEN PERIOD -> RANGE_START", _right),
    Join("RANGE_START PERIOD -> RANGE", _periods),
    Join("COLUMN RANGE -> CONDITION", _range, turned=0.0),
    Join("BETWEEN CONDITION -> RANGE_CONDITION", lambda _, b, c: [c] if _is_within(c) else ()),
    Join("RANGE_CONDITION CONDITION -> CONDITION", _range_of_conditions),
    # "The difference between 2023 and 2024."
    Join(
        "RANGE_CONDITION CONDITION -> CONDITION",
        lambda _, low, high: [Each(low, high)] if _is_within(high) and low != high else (),
        -0.5,
        note="each",
    ),
)


# --- values and lists: "in Rome", "Rome or Oslo", "3 or 5", "both Rome and Oslo" ----------------


def _same_column(_: SchemaAlgebra, column: Attribute, values: Values) -> Iterable[Condition]:
    """ "city Rome", where Rome is a city; "name Ada Moss", where first and last names are kept."""
    told = values[0][0]
    beside = len(values) > 1 and isinstance(column, ColumnOf) and column.table == told.table
    return [Equals(values)] if told == column or beside else ()


def _other_column(algebra: SchemaAlgebra, column: Attribute, values: Values) -> Iterable[Condition]:
    """ "town Rome", where Rome is kept in another column."""
    if _same_column(algebra, column, values) or algebra.kind_of(column) not in ("text", "id"):
        return ()
    return [Equals(((column, values[0][1]),))]


def _over(link: Link, values: Any) -> Equals:
    """Values of the row that one link leads to."""
    return Equals(
        tuple((LinkedColumn(link, told.table, told.name), value) for told, value in values)
    )


def _linked_row(algebra: SchemaAlgebra, column: Attribute, values: Values) -> Iterable[Condition]:
    """A column that leads to a row, and the row's name: "reports to Ezra Finley"."""
    link, told = algebra.link_of(column), values[0][0]
    if link is None or not isinstance(told, ColumnOf) or told.table != link.target:
        return ()
    return [_over(link, values)]


def _one_of(_: SchemaAlgebra, left: Condition, right: Condition) -> Iterable[Condition]:
    """Values of one column: "Rome, Oslo or Bonn"."""
    if left == right or not isinstance(right, Equals) or len(right.values) != 1:
        return ()
    ((column, value),) = right.values
    if isinstance(left, Equals) and len(left.values) == 1 and left.values[0][0] == column:
        return [IsOneOf(column, (left.values[0][1], value))]
    if isinstance(left, IsOneOf) and left.attribute == column:
        return [IsOneOf(column, (*left.values, value))]
    return ()


def _side_by_side(algebra: SchemaAlgebra, left: Values, right: Values) -> Iterable[Frame]:
    both = _one_of(algebra, Equals(left), Equals(right))
    return [Frame(keys=(left[0][0],), conditions=(condition,)) for condition in both]


_PARTS: Mapping[Part | TextPart, Callable[[date], Any]] = {
    "year": lambda day: day.year,
    "month": lambda day: day.month,
    "quarter": lambda day: (day.month - 1) // 3,
    "year_month": lambda day: (day.year, day.month),
}
"""Parts of dates that may tell two periods apart."""


def _parts_between(left: Period | Recurring, right: Period | Recurring) -> Iterable[Any]:
    """The parts of dates that are one in each of two periods, but not the same."""
    if isinstance(left, Recurring) and isinstance(right, Recurring):
        return [left.part] if left.part == right.part and not (left.more or right.more) else ()
    if isinstance(left, Recurring) or isinstance(right, Recurring):
        return ()
    ends = [(period.start, period.end - timedelta(1)) for period in (left, right)]
    told = ((part, [{of(day) for day in days} for days in ends]) for part, of in _PARTS.items())
    return [part for part, (x, y) in told if len(x) == len(y) == 1 and x != y][:1]


def _two_periods(algebra: SchemaAlgebra, left: Condition, right: Condition) -> Iterable[Frame]:
    """One group for each of two periods."""
    if not (isinstance(left, Falls) and isinstance(right, Falls)) or left.period == right.period:
        return ()
    column = left.attribute
    if column != right.attribute or {left.sign, right.sign} != {"="}:
        return ()
    if algebra.kind_of(column) != "date":
        keys: Iterable[Key] = [column]
    else:
        keys = [PartOf(part, *column[:2]) for part in _parts_between(left.period, right.period)]
    return [Frame(keys=(key,), conditions=(Either((left, right)),)) for key in keys]


def _either(algebra: SchemaAlgebra, left: Condition, right: Condition) -> Iterable[Condition]:
    """Any two conditions."""
    fits = left != right and not _one_of(algebra, left, right)
    return [Either((left, right))] if fits else ()


def _two_comparisons(algebra: SchemaAlgebra, column: Attribute, two: Any) -> Iterable[Condition]:
    """ "age under 20 or over 60"."""
    parts = [
        condition
        for comparison in two
        for make in (_compare, _fall)
        for condition in make(algebra, comparison, column)
    ]
    return [Either(tuple(parts))] if len(parts) == 2 else ()


def _two_figures(algebra: SchemaAlgebra, measures: MeasureList, two: Any) -> Iterable[Condition]:
    first = measures._replace(figures=measures.figures[:1])
    parts = [part for each in two for part in _compare_measure(algebra, each, first)]
    return [Either(tuple(parts))] if len(parts) == 2 else ()


def _lists(kind: str) -> tuple[Join, ...]:
    """Rows of a list of values, and the same of conditions."""

    def turn(_: SchemaAlgebra, item: Any, word: str) -> Iterable[Condition]:
        return [Equals(item) if kind == "VALUE" else item]

    def one_of(algebra: SchemaAlgebra, left: Condition, item: Any) -> Iterable[Condition]:
        return [made for right in turn(algebra, item, "") for made in _one_of(algebra, left, right)]

    def either(algebra: SchemaAlgebra, left: Condition, item: Any) -> Iterable[Condition]:
        return [made for right in turn(algebra, item, "") for made in _either(algebra, left, right)]

    def each(algebra: SchemaAlgebra, left: Condition, item: Any) -> Iterable[Condition]:
        return [Each(left, right) for right in turn(algebra, item, "") if left != right]

    return (
        Join(f"{kind} OR -> LIST_OR", turn),
        Join(f"LIST_OR {kind} -> CONDITION", one_of, note="in"),
        Join(f"LIST_OR {kind} -> CONDITION", either),
        Join(f"{kind} BOTH -> LIST_BOTH", turn),
        Join(f"LIST_BOTH {kind} -> CONDITION", each),
    )


LISTS = (
    Join("COLUMN VALUE -> CONDITION", _same_column, 0.6, turned=0.6, note="same"),
    Join("COLUMN VALUE -> CONDITION", _other_column, -1.0, note="other"),
    Join("COLUMN VALUE -> CONDITION", _linked_row, 0.3, turned=0.3, note="link"),
    Join(
        "VALUE VALUE -> CONDITION",
        lambda a, left, right: _one_of(a, Equals(left), Equals(right)),
        -0.2,
    ),
    *_lists("VALUE"),
    *_lists("CONDITION"),
    # "Rome vs Oslo": both, each by itself.
    Join("VALUE VERSUS -> LIST_VERSUS", _left),
    Join("LIST_VERSUS VALUE -> FRAGMENT", _side_by_side),
    Join("CONDITION VERSUS -> LIST_BOTH", _left),
    Join("LIST_BOTH CONDITION -> FRAGMENT", _two_periods, note="periods"),
    Join("NUMBER OR -> NUMBER_OR", _left),
    Join("NUMBER_OR NUMBER -> NUMBERS", lambda _, x, y: [(x, y)] if x != y else ()),
    Join("COLUMN NUMBERS -> CONDITION", lambda _, column, two: [IsOneOf(column, two)]),
    Join("COMPARISON OR -> COMPARISON_OR", _left),
    Join("COMPARISON_OR COMPARISON -> COMPARISONS", _pair),
    Join("COLUMN COMPARISONS -> CONDITION", _two_comparisons, turned=0.0),
    Join("MEASURE COMPARISONS -> CONDITION", _two_figures),
)


# --- aggregates: "how many", "average age", "the average number of orders per customer" ---------


def _aggregate(algebra: SchemaAlgebra, functions: str, column: Attribute) -> Iterable[MeasureList]:
    return [_figures(functions, column)] if algebra.has_figures(functions, column) else ()


def _odd_aggregate(
    algebra: SchemaAlgebra, functions: str, column: Attribute
) -> Iterable[MeasureList]:
    """ "total name": what is no amount."""
    return () if algebra.has_figures(functions, column) else [_figures(functions, column)]


def _amount_of(algebra: SchemaAlgebra, functions: str, table: str) -> Iterable[MeasureList]:
    """ "average order": the amount of a table is silent."""
    found = [total for total in algebra.totals(table) if isinstance(total, Aggregated)]
    return [_figures(functions, total.of) for total in found[:2]]


def _figure_to_take(algebra: SchemaAlgebra, function: str, measures: MeasureList) -> Iterable[Any]:
    """ "the average number of orders", "the average turnover", still to be said of what."""
    adds = len(measures.figures) == 1 and algebra.adds_up(measures.figures[0])
    return _single(function, (function, measures.figures[0])) if adds else ()


def _of_figures(_: SchemaAlgebra, taken: Any, table: str) -> Iterable[MeasureList]:
    function, figure = taken
    fits = table != getattr(figure, "table", None)
    return [_figures(function, PerRow(figure, table))] if fits else ()


def _again(_: SchemaAlgebra, measures: MeasureList, column: Attribute) -> Iterable[MeasureList]:
    """ "the highest price and score": the figure once more, of another column."""
    last = measures.figures[-1]
    if not isinstance(last, Aggregated) or last.of in (None, column) or len(measures.figures) > 3:
        return ()
    return [measures._replace(figures=(*measures.figures, last._replace(of=column)))]


def _count_column(distinct: bool) -> Callable[[SchemaAlgebra, Any, Any], Iterable[MeasureList]]:
    return lambda _, word, column: [MeasureList((Aggregated("count", column, None, distinct),))]


AGGREGATES = (
    Join("COUNT TABLE -> MEASURE", lambda _, c, table: [MeasureList((_rows_of(table),), table)]),
    Join("COUNT COLUMN -> MEASURE", _count_column(distinct=True), note="distinct"),
    Join("COUNT COLUMN -> MEASURE", _count_column(distinct=False), -0.3),
    Join(
        "COUNT COLUMN -> COLUMN",
        lambda a, count, column: [column] if a.is_number(column) else (),
        -0.6,
        note="told",
    ),
    Join("COUNT DISTINCT_COLUMN -> MEASURE", _count_column(distinct=True)),
    Join("COUNT DISTINCT -> COUNT", _left),
    Join("DISTINCT COLUMN -> DISTINCT_COLUMN", _right),
    Join("AGG COLUMN -> MEASURE", _aggregate, turned=-0.4),
    Join(
        "AGG COLUMN -> MEASURE",
        _odd_aggregate,
        turned=0.0,
        note="of",
        typed=("text", "id", "boolean"),
    ),
    Join("AGG TABLE -> MEASURE", _amount_of, -0.8),
    Join("AGG AGG -> AGG", lambda _, f, g: [f"{f} {g}"] if g not in f.split() else ()),
    Join("AGG MEASURE -> AGG_MEASURE", _figure_to_take, note="taken"),
    Join(
        "AGG_MEASURE KEY -> MEASURE",
        lambda _, taken, key: (
            [_figures(taken[0], PerRow(taken[1], key.table))] if isinstance(key, RowKey) else ()
        ),
    ),
    Join("AGG_MEASURE TABLE -> MEASURE", _of_figures, -0.5),
    Join("MEASURE COLUMN -> MEASURE", _again, -0.2),
)


# --- superlatives and order: "the three oldest", "most orders", "sorted by age" -----------------


def _top(meaning: str) -> tuple[bool, int]:
    """Whether the largest come first, and how many of them."""
    way, _, number = meaning.partition(" ")
    return way == "desc", int(number or 1)


def _order(_: SchemaAlgebra, top: str, by: Any) -> Iterable[OrderBy]:
    return [OrderBy(by, *_top(top))]


def _how_many(_: SchemaAlgebra, top: str, number: Any) -> Iterable[str]:
    fits = isinstance(number, int) and 0 < number <= 100 and " " not in top
    return [f"{top} {number}"] if fits else ()


def _place(_: SchemaAlgebra, place: str, order: OrderBy) -> Iterable[OrderBy]:
    return [order._replace(limit=int(place), only=True)] if order.limit == 1 else ()


def _often(word: str) -> OrderBy:
    """By the number of rows."""
    return OrderBy(COUNT, word == "desc", 1)


SUPERLATIVES = (
    Join("TOP NUMBER -> TOP", _how_many, turned=0.0),
    Join("TOP COLUMN -> ORDER", _order, turned=0.0, typed=_COLUMN_KINDS),
    Join("TOP TABLE -> ORDER", lambda _, top, table: [OrderBy(_rows_of(table), *_top(top))]),
    Join("TOP MEASURE -> ORDER", lambda _, top, m: _order_figure_of(m, *_top(top)), turned=0.0),
    Join("PLACE ORDER -> ORDER", _place),
    Join(
        "OFTEN COLUMN -> FRAGMENT",
        lambda _, word, column: [Frame(shown=(column,), orders=(_often(word),))],
    ),
    Join(
        "OFTEN COLUMN -> FRAGMENT",
        lambda a, word, column: [
            Frame(keys=(key,), orders=(_often(word),)) for key in _per_link(a, "", column)
        ],
        note="link",
    ),
    Join(
        "OFTEN TABLE -> FRAGMENT",
        lambda _, word, table: [Frame(head=table, orders=(_often(word),))],
    ),
)
ORDERS = (
    Join(
        "SORT COLUMN -> ORDER",
        lambda _, sort, column: [OrderBy(column, sort == "desc")],
        typed=_COLUMN_KINDS,
    ),
    Join(
        "COLUMN SORT -> FRAGMENT",
        lambda _, column, sort: [Frame(shown=(column,), orders=(OrderBy(column, sort == "desc"),))],
        -0.2,
    ),
    Join("SORT MEASURE -> ORDER", lambda _, sort, m: _order_figure_of(m, sort == "desc")),
    Join("SORT TABLE -> ORDER", lambda _, sort, table: [OrderBy(_rows_of(table), sort == "desc")]),
    Join("SORT SORT -> SORT", lambda _, x, y: ["desc" if "desc" in (x, y) else "asc"]),
    Join(
        "ORDER SORT -> ORDER",
        lambda _, order, sort: [OrderBy(order.by, sort == "desc")] if not order.limit else (),
    ),
)


# --- keys: "per country", "for each open invoice" -----------------------------------------------


def _per_link(algebra: SchemaAlgebra, _: str, column: Attribute) -> Iterable[Key]:
    """Each row that a column leads to, over its own link where another one leads there, too."""
    link = algebra.link_of(column)
    if link is None:
        return ()
    several = link in algebra.other_links(link.target) or link.table == link.target
    return [Naming(link.target, link) if several else RowKey(link.target)]


KEYS = (
    Join("PER COLUMN -> KEY", _right),
    Join("PER COLUMN -> KEY", _per_link, -0.5, note="link"),
    Join("PER TABLE -> KEY", lambda _, per, table: [RowKey(table)]),
    Join("PER CONDITION -> KEY_CONDITION", _right),
    Join("PER VALUE -> KEY_CONDITION", lambda _, per, values: [Equals(values)]),
    Join(
        "KEY_CONDITION COLUMN -> FRAGMENT",
        lambda _, condition, column: [Frame(keys=(column,), conditions=(condition,))],
        -0.2,
    ),
    Join(
        "KEY_CONDITION TABLE -> FRAGMENT",
        lambda _, condition, table: [Frame(keys=(RowKey(table),), conditions=(condition,))],
    ),
)


# --- negation, by value or by row, and what is not there ----------------------------------------


def _zero(algebra: SchemaAlgebra, _: str, column: Attribute) -> Iterable[Condition]:
    """ "without points": 0 of them."""
    return [Compares(column, "=", Number(0))] if algebra.is_number(column) else ()


def _not_value(algebra: SchemaAlgebra, column: Attribute, condition: Any) -> Iterable[Condition]:
    """A column before what is not its value: "city is not Rome"."""
    if not isinstance(condition, Denies) or not isinstance(condition.part, Equals):
        return ()
    values = condition.part.values
    made = (*_same_column(algebra, column, values), *_other_column(algebra, column, values))
    return map(Denies, made)


NEGATION = (
    Join("NOT VALUE -> CONDITION", lambda _, no, values: [Denies(Equals(values))]),
    Join(
        "NOT COMPARISON -> COMPARISON",
        lambda _, no, comparison: [(INVERSE[comparison[0]], comparison[1])],
        0.2,
    ),
    Join(
        "NOT CONDITION -> CONDITION",
        lambda _, no, condition: [Denies(condition)] if not isinstance(condition, HasNone) else (),
    ),
    Join("COLUMN CONDITION -> CONDITION", _not_value, 0.5),
    Join("NOT TABLE -> CONDITION", lambda _, no, table: [HasNone(Frame(table))]),
    Join(
        "NOT FRAME -> CONDITION", lambda _, no, frame: [HasNone(frame)] if _is_rows(frame) else ()
    ),
    Join("NOT COLUMN -> CONDITION", lambda _, no, column: [Lacks(column)], -0.6),
    Join("NOT COLUMN -> CONDITION", _zero, -0.6, note="zero"),
    Join("MISSING COLUMN -> CONDITION", lambda _, no, column: [Lacks(column)], turned=0.0),
    Join("PRESENT COLUMN -> CONDITION", lambda _, yes, column: [Denies(Lacks(column))], turned=0.0),
)


# --- patterns: "whose name starts with A" -------------------------------------------------------

PATTERNS = (
    Join("CONTAINS TEXT -> PATTERN", lambda _, word, text: [(text, "anywhere")]),
    Join("STARTS TEXT -> PATTERN", lambda _, word, text: [(text, "start")]),
    Join("ENDS TEXT -> PATTERN", lambda _, word, text: [(text, "end")]),
    Join(
        "COLUMN PATTERN -> CONDITION",
        lambda _, column, pattern: [Matches(column, *pattern)],
        turned=0.0,
    ),
    Join("NOT PATTERN -> NOT_PATTERN", _right, 0.2),
    Join(
        "COLUMN NOT_PATTERN -> CONDITION",
        lambda _, column, pattern: [Denies(Matches(column, *pattern))],
    ),
)

JOINS = (
    *(*COMPARISON, *RANGES, *LISTS, *AGGREGATES, *SUPERLATIVES),
    *(*ORDERS, *KEYS, *NEGATION, *PATTERNS),
)


# --- unary steps --------------------------------------------------------------------------------


def _other_links(algebra: SchemaAlgebra, values: Values) -> Iterable[Condition]:
    """ "flights to Rome", where the shortest way to airports is over their origins."""
    told = values[0][0]
    if not isinstance(told, ColumnOf):
        return ()
    return [_over(link, values) for link in algebra.other_links(told.table)]


def _same_attribute(_: SchemaAlgebra, comparison: Any) -> Iterable[Condition]:
    """ "above the average price": the price is above it."""
    sign, amount = comparison
    figure = amount.frame.measures[0] if isinstance(amount, Computed) else None
    if not isinstance(figure, Aggregated) or figure.of is None:
        return ()
    return [Compares(figure.of, sign, amount)]


def _count_of_each(_: SchemaAlgebra, comparison: Any) -> Iterable[Condition]:
    """ "more than 3 of them"."""
    sign, amount = comparison
    whole = isinstance(amount, Number) and isinstance(amount.value, int) and not amount.units
    return [Figures(COUNT, sign, amount)] if whole else ()


def _silent_date(algebra: SchemaAlgebra, signed: Any) -> Iterable[Condition]:
    """ "returned after the due date", where the verb says which date is compared."""
    sign, column = signed
    if not isinstance(column, ColumnOf) or algebra.kind_of(column) != "date":
        return ()
    others = algebra.dates_of(column.table)
    return [Compares(other, sign, Same(column)) for other in others if other != column]


def _order_figure(function: str) -> Callable[[SchemaAlgebra, OrderBy], Iterable[OrderBy]]:
    """By a figure over the rows of each: "the best rated products", "clients with most money"."""

    def make(algebra: SchemaAlgebra, order: OrderBy) -> Iterable[OrderBy]:
        if not isinstance(order.by, ColumnOf) or not algebra.is_number(order.by):
            return ()
        return [order._replace(by=_figures(function, order.by).figures[0])]

    return make


def _close(_: SchemaAlgebra, frame: Frame) -> Iterable[Condition]:
    """A whole frame becomes a condition: "of the department with the highest budget"."""
    chosen = any(order.limit for order in frame.orders) or any(map(has_measure, frame.conditions))
    more = frame.measures or frame.keys or frame.flags or _is_pending(frame) or len(frame.shown) > 1
    named = frame.head or frame.shown
    return [IsAmong(frame)] if chosen and named and not more else ()


UNARY = (
    Raise("VALUE -> CONDITION", "other link", _other_links, -1.0),
    Raise("COUNT -> MEASURE", "bare count", lambda _, word: [MeasureList((COUNT,))], -0.5),
    Raise("EACH_COUNT -> MEASURE", "each count", lambda _, word: [MeasureList((COUNT,))]),
    Raise("TOP -> ORDER", "top count", lambda _, top: [OrderBy(COUNT, *_top(top))], -0.8),
    Raise("OFTEN -> ORDER", "often count", lambda _, word: [_often(word)], -0.3),
    Raise("COMPARISON -> CONDITION", "same attribute", _same_attribute, -0.1),
    Raise("COMPARISON -> CONDITION", "count compared", _count_of_each, -1.0),
    Raise("COLUMN_SIGN -> CONDITION", "other date", _silent_date, -1.0),
    Raise("ORDER -> ORDER", "order by sum", _order_figure("sum"), -0.9),
    Raise("ORDER -> ORDER", "order by average", _order_figure("average"), -0.9),
    Raise("FRAME -> CONDITION", "among", _close, -0.7),
)


# --- slots --------------------------------------------------------------------------------------


def _is_pending(frame: Frame) -> bool:
    return bool(frame.orders) and isinstance(frame.orders[0].by, Pending)


def _where(frame: Frame, *conditions: Condition) -> Iterable[Frame]:
    """With conditions, in an order of their own: what is said twice is one frame."""
    made = tuple(sorted({*frame.conditions, *conditions}, key=_rank))
    if len(made) == len(frame.conditions) or len(made) > 4:
        return ()
    return [frame._replace(conditions=made)]


@lru_cache(maxsize=10_000)
def _rank(condition: Condition) -> tuple[str, str]:
    # What stands first is what rows are looked for first: names of classes are not to decide it.
    return condition.tag, repr(condition)


def _show(frame: Frame, attribute: Attribute, most: int = 5) -> Iterable[Frame]:
    if attribute in frame.shown or len(frame.shown) >= most:
        return ()
    return [frame._replace(shown=(*frame.shown, attribute))]


def _show_link(algebra: SchemaAlgebra, frame: Frame, column: Attribute) -> Iterable[Frame]:
    link = algebra.link_of(column)
    return _show(frame, Naming(link.target, link), 4) if link else ()


def _be_head(_: SchemaAlgebra, frame: Frame, table: str) -> Iterable[Frame]:
    return [frame._replace(head=table)] if frame.head is None else ()


def _be_beside(_: SchemaAlgebra, frame: Frame, table: str) -> Iterable[Frame]:
    fits = table != frame.head and table not in frame.beside
    return [frame._replace(beside=(*frame.beside, table))] if fits else ()


def _show_rows(_: SchemaAlgebra, frame: Frame, table: str) -> Iterable[Frame]:
    return () if frame.head in (None, table) else _show(frame, Naming(table), 4)


def _show_names(_: SchemaAlgebra, frame: Frame, word: str) -> Iterable[Frame]:
    named = any(isinstance(attribute, Naming) and not attribute.table for attribute in frame.shown)
    return () if named else _show(frame, Naming(None), 99)


def _show_once(_: SchemaAlgebra, frame: Frame, column: Attribute) -> Iterable[Frame]:
    shown = () if frame.flags else _show(frame, column, 99)
    return [made._replace(flags=frozenset({"distinct"})) for made in shown]


def _sum_silently(algebra: SchemaAlgebra, frame: Frame, column: Attribute) -> Iterable[Frame]:
    told = any(isinstance(known, Aggregated) and known.of == column for known in frame.measures)
    if told or not algebra.is_number(column):
        return ()
    return [frame._replace(measures=(*frame.measures, Aggregated("sum", column)))]


def _bind(frame: Frame, by: Attribute | Measure | Pending, fits: bool) -> Iterable[Frame]:
    """What "the top three" are ordered by is said now."""
    if not (fits and _is_pending(frame)):
        return ()
    first, *rest = frame.orders
    return [frame._replace(orders=(first._replace(by=by), *rest))]


def _bind_sum(algebra: SchemaAlgebra, frame: Frame, column: Attribute) -> Iterable[Frame]:
    return _bind(frame, Aggregated("sum", column), algebra.is_number(column))


def _add_order(_: SchemaAlgebra, frame: Frame, order: OrderBy) -> Iterable[Frame]:
    told = any(known.by == order.by for known in frame.orders)
    if _is_pending(frame) or told or len(frame.orders) > 1:
        return ()
    return [frame._replace(orders=(*frame.orders, order))]


def _be_pending(_: SchemaAlgebra, frame: Frame, top: str) -> Iterable[Frame]:
    return () if frame.orders else [frame._replace(orders=(OrderBy(Pending(), *_top(top)),))]


def _sort_figure(_: SchemaAlgebra, frame: Frame, sort: str) -> Iterable[Frame]:
    """ "biggest first": by what was said last."""
    if frame.orders or not frame.measures:
        return ()
    return [frame._replace(orders=(OrderBy(frame.measures[-1], sort == "desc"),))]


def _sort_shown(_: SchemaAlgebra, frame: Frame, sort: str) -> Iterable[Frame]:
    last = frame.shown[-1] if frame.shown else None
    if frame.orders or frame.measures or not isinstance(last, ColumnOf):
        return ()
    return [frame._replace(orders=(OrderBy(last, sort == "desc"),))]


def _add_measures(_: SchemaAlgebra, frame: Frame, measures: MeasureList) -> Iterable[Frame]:
    if any(figure in frame.measures for figure in measures.figures):
        return ()
    figures = (*frame.measures, *measures.figures)
    return [frame._replace(measures=figures, head=frame.head or measures.head)]


def _add_key(_: SchemaAlgebra, frame: Frame, key: Key) -> Iterable[Frame]:
    fits = key not in frame.keys and len(frame.keys) < 2
    return [frame._replace(keys=(*frame.keys, key))] if fits else ()


def _limit(_: SchemaAlgebra, frame: Frame, number: Any) -> Iterable[Frame]:
    fits = frame.limit is None and isinstance(number, int) and 0 < number <= 100
    return [frame._replace(limit=number)] if fits else ()


def _take_figure(algebra: SchemaAlgebra, frame: Frame, function: str) -> Iterable[Frame]:
    """A figure of what was shown last: "age on average"."""
    last = frame.shown[-1] if frame.shown else None
    if last is None or isinstance(last, Naming) or " " in function:
        return ()
    if algebra.kind_of(last) not in ("number", "date", "part"):
        return ()
    figures = (*frame.measures, *_figures(function, last).figures)
    return [frame._replace(shown=frame.shown[:-1], measures=figures)]


def _take_groups(algebra: SchemaAlgebra, frame: Frame, function: str) -> Iterable[Frame]:
    """A figure of the figures of groups: "turnover of a store on average"."""
    match frame.measures, frame.keys:
        case (figure,), (RowKey(table),) if algebra.adds_up(figure) and " " not in function:
            figures = _figures(function, PerRow(figure, table)).figures
            return [frame._replace(measures=figures, keys=(), head=None)]
    return ()


def _merge(frame: Frame, part: Frame) -> Iterable[Frame]:
    """With all that a fragment says."""
    if (frame.orders and part.orders) or (frame.head and part.head) or (frame.keys and part.keys):
        return ()
    merged = frame._replace(
        head=frame.head or part.head,
        shown=(*frame.shown, *(each for each in part.shown if each not in frame.shown)),
        orders=part.orders or frame.orders,
        keys=part.keys or frame.keys,
        conditions=tuple(sorted({*frame.conditions, *part.conditions}, key=_rank)),
    )
    return [merged] if merged != frame else ()


def _add_flag(flag: Flag) -> Callable[[SchemaAlgebra, Frame, Any], Iterable[Frame]]:
    def make(_: SchemaAlgebra, frame: Frame, word: str) -> Iterable[Frame]:
        fits = flag not in frame.flags and len(frame.flags) < 2
        return [frame._replace(flags=frame.flags | {flag})] if fits else ()

    return make


def _never(type_: str) -> Callable[[SchemaAlgebra, Frame, Any], Iterable[Frame]]:
    """ "dishes never sold": no row that belongs to them, of a table that nobody says."""

    def make(algebra: SchemaAlgebra, frame: Frame, word: str) -> Iterable[Frame]:
        for table in algebra.near(frame.head)[:3] if frame.head else ():
            if algebra.type_of(table) == type_:
                yield from _where(frame, HasNone(Frame(table)))

    return make


def _silent_figure(type_: str) -> Callable[[SchemaAlgebra, Frame, Any], Iterable[Frame]]:
    """ "customers over 500": their turnover is."""

    def make(algebra: SchemaAlgebra, frame: Frame, comparison: Any) -> Iterable[Frame]:
        if not frame.head or not isinstance(comparison[1], Number) or comparison[0] == "=":
            return
        for table in algebra.near(frame.head)[:4]:
            totals = [each for each in algebra.totals(table) if isinstance(each, Aggregated)]
            if totals and algebra.type_of(table) == type_:
                for amount in algebra.in_units(totals[0], comparison[1], known=True):
                    yield from _where(frame, Figures(totals[0], comparison[0], amount))

    return make


def _silent_column(type_: str) -> Callable[[SchemaAlgebra, Frame, Any], Iterable[Frame]]:
    """ "people under 40": the column that is compared is silent."""

    def make(algebra: SchemaAlgebra, frame: Frame, comparison: Any) -> Iterable[Frame]:
        if frame.head and isinstance(comparison[1], Number):
            for known, column in algebra.amounts_of(frame.head):
                amounts = algebra.in_units(column, comparison[1], known=True)
                for amount in amounts if known == type_ else ():
                    yield from _where(frame, Compares(column, comparison[0], amount))

    return make


def _compare_date(algebra: SchemaAlgebra, frame: Frame, comparison: Any) -> Iterable[Frame]:
    """ "people under 40": the day on which they were born."""
    if frame.head and isinstance(comparison[1], Period):
        for column in algebra.dates_of(frame.head):
            yield from _where(frame, Falls(column, comparison[1], comparison[0]))


def _match_name(algebra: SchemaAlgebra, frame: Frame, pattern: Any) -> Iterable[Frame]:
    """ "books that start with S": their name does."""
    if frame.head:
        info = algebra.layer.table(frame.head)
        public = {column.name for column in info.columns if not column.private}
        for name in info.display[:2]:
            if name in public:
                yield from _where(frame, Matches(ColumnOf(info.name, name), *pattern))


SLOTS = (
    Slot("TABLE", "head", _be_head),
    Slot("TABLE", "beside", _be_beside, -0.3),
    Slot("TABLE", "show rows", _show_rows, -0.6),
    Slot("COLUMN", "top by column", lambda a, f, by: _bind(f, by, a.is_number(by)), 0.3),
    Slot("COLUMN", "top by sum", _bind_sum, -0.2),
    Slot("COLUMN", "show", lambda _, frame, column: _show(frame, column)),
    Slot("COLUMN", "show link", _show_link, -0.2),
    Slot("COLUMN", "silent sum", _sum_silently, -1.2),
    Slot("NAME", "show name", _show_names, 0.5),
    Slot("DISTINCT_COLUMN", "show distinct", _show_once),
    Slot("VALUE", "condition", lambda _, frame, values: _where(frame, Equals(values))),
    Slot("CONDITION", "condition", lambda _, frame, condition: _where(frame, condition)),
    Slot("COMPARISON", "silent figure of event", _silent_figure("event"), -1.4),
    Slot("COMPARISON", "silent figure of bridge", _silent_figure("bridge"), -1.6),
    Slot("COMPARISON", "silent figure of table", _silent_figure("table"), -1.6),
    Slot("COMPARISON", "silent figure of person", _silent_figure("person"), -1.8),
    Slot("COMPARISON", "silent column of money", _silent_column("money"), -1.2),
    Slot("COMPARISON", "silent column of numbers", _silent_column("number"), -1.3),
    Slot("COMPARISON", "silent date", _compare_date, -1.0),
    Slot("PATTERN", "pattern of name", _match_name),
    Slot("NOT", "silent never of event", _never("event"), -1.5),
    Slot("NOT", "silent never of bridge", _never("bridge"), -1.5),
    Slot("NOT", "silent never of table", _never("table"), -1.8),
    Slot("NOT", "silent never of person", _never("person"), -2.0),
    Slot("MEASURE", "measure", _add_measures),
    Slot("AGG", "late figure", _take_figure, -0.6),
    Slot("AGG", "late figure of groups", _take_groups),
    Slot("KEY", "key", _add_key),
    Slot("ORDER", "order", _add_order),
    Slot("ORDER", "top by order", lambda _, f, x: _bind(f, x.by, not x.limit), 0.6),
    Slot("TOP", "top to come", _be_pending, -0.6),
    Slot("SORT", "sort by figure", _sort_figure, -0.4),
    Slot("SORT", "sort by shown", _sort_shown, -0.5),
    Slot("NUMBER", "limit", _limit),
    Slot("FRAGMENT", "ordered part", lambda _, f, part: _merge(f, part) if part.orders else ()),
    Slot("FRAGMENT", "other part", lambda _, f, part: () if part.orders else _merge(f, part)),
    Slot("DISTINCT", "ask for distinct", _add_flag("distinct"), -0.3),
    Slot("YES", "ask whether", _add_flag("yes"), -0.4),
    Slot("STAR", "ask for all columns", _add_flag("star")),
    Slot("SHARE", "ask for share", _add_flag("share"), 0.2),
    Slot("DIFFERENCE", "ask for difference", _add_flag("difference"), 0.2),
)
PRICES: Mapping[str, float] = {
    **{name: price for row in JOINS for name, price in row.prices()},
    **{row.name: row.price for row in (*UNARY, *SLOTS)},
}
"""Name of every join, unary step and slot -> what it adds to a score before anything is learned."""


def _chain(ways: Sequence[Callable[[Any, Any], list[Made]]]) -> Callable[[Any, Any], list[Made]]:
    """All that several rows make."""
    return lambda left, right: [made for way in ways for made in way(left, right)]


def _whole(number: float) -> float:
    """A number that is whole as such."""
    return int(number) if number == int(number) else number


# --- what a phrase speaks of --------------------------------------------------------------------


def tables_of(kind: str, meaning: Any) -> list[str]:
    """The tables that a phrase speaks of, for the prices of links."""
    match kind:
        case "TABLE":
            return [meaning]
        case "VALUE":
            return [table_of(meaning[0][0])]
        case "ORDER":
            return _spoken(meaning.by)
        case "MEASURE":
            return [table for figure in meaning.figures for table in _spoken(figure)]
        case "FRAGMENT":
            return _spoken_of(meaning)
        case "COLUMN" | "DISTINCT_COLUMN" | "KEY" | "CONDITION":
            return _spoken(meaning)
    return []


def _spoken_of(frame: Frame) -> list[str]:
    """The tables that a part of a question speaks of first."""
    if frame.head:
        return [frame.head]
    attributes = frame.shown or frame.keys
    return [table for attribute in attributes for table in _spoken(attribute)]


def _spoken(meaning: Key | Measure | Pending | Condition) -> list[str]:
    match meaning:
        case ColumnOf(table) | RowKey(table) | Aggregated(table=str(table)):
            return [table]
        case Compares() | Falls() | Ranges() | Matches() | Lacks() | IsOneOf():
            return _spoken(meaning.attribute)
        case Equals(((attribute, _), *_)):
            return [table_of(attribute)]
        case Aggregated(of=of):
            return _spoken(of) if of else []
        case Figures(part) | Denies(part) | Each(part) | Either((part, *_)):
            return _spoken(part)
        case HasNone(frame) | IsAmong(frame):
            return _spoken_of(frame)
        case Pending() | Declared() | HasSome() | Naming(table=None, link=None):
            return []
        case PartOf() | LinkedColumn() | PerRow() | Lasting() | Naming():
            return [table_of(meaning)]
    return []


# --- the algebra --------------------------------------------------------------------------------


class SchemaAlgebra:
    """Which phrases about one schema join: a `PhraseAlgebra`. `types`: what each item of the schema
    is, as `types_of` says."""

    modifiers = frozenset(row.kind for row in SLOTS)
    distinct = frozenset({"TABLE", "COLUMN", "NUMBER", "MEASURE"})
    empty = Frame()

    def __init__(self, layer: SemanticLayer, types: Mapping[SchemaItem, str]) -> None:
        meanings = Meanings(layer, types)
        self.layer, self.schema, self.types = layer, layer.schema, types
        self.type_of = meanings.type_of
        self.totals, self.near = lru_cache(meanings.totals), lru_cache(meanings.near)
        self.amounts_of = lru_cache(self._amounts_of)
        self._distance = lru_cache(maxsize=None)(self._links_between)
        self._kinds = {
            (table.name, column.name): str(column.kind)
            for table in self.schema.tables
            for column in table.columns
        }
        self._links = {(link.table, link.column): link for link in reversed(self.schema.links)}
        self.joins: Mapping[tuple[str, str], Callable[[Any, Any], Iterable[Made]]] = (
            self._join_table()
        )
        self.unary: Mapping[str, Callable[[Any], Iterable[Made]]] = self._unary_table()
        self._slots: dict[str, list[Slot]] = defaultdict(list)
        for slot in SLOTS:
            self._slots[slot.kind].append(slot)

    def fill(self, frame: Frame, kind: str, meaning: Any) -> Iterable[tuple[Frame, str]]:
        """What a modifier may do in a frame: the frame after it, and the slot."""
        for slot in self._slots.get(kind, ()):
            for made in slot.make(self, frame, meaning):
                pairs = combinations(made.conditions, 2) if made.conditions else ()
                if not any(self._excludes(*pair) for pair in pairs):
                    yield made, slot.name

    def _excludes(self, left: Condition, right: Condition) -> bool:
        """Whether no row fulfils both: two values of one column, periods without a common day."""
        match left, right:
            case Falls(known, x, "="), Falls(column, y, "="):
                apart = isinstance(x, Period) and isinstance(y, Period) and not x.meets(y)
                return known == column and (apart or not x.months & y.months)
            case Equals(some), Equals(others):
                values = dict(some)
                return any(
                    values.get(of, value) != value and not self._lists(of) for of, value in others
                )
        return False

    def _lists(self, of: Attribute) -> bool:
        """Whether each text of a column may list several values."""
        if not isinstance(of, ColumnOf | LinkedColumn):
            return False
        return separator(self.layer.column(of.table, of.name)) is not None

    def links(self, frame: Frame, kind: str, meaning: Any) -> int:
        """The fewest links from what a frame speaks of to what a modifier does; `UNLINKED` if
        there are none."""
        shown = [table for attribute in frame.shown for table in _spoken(attribute)]
        here = [*([frame.head] if frame.head else ()), *frame.beside, *shown]
        if not here:
            parts = (*frame.conditions, *frame.measures, *(order.by for order in frame.orders))
            here = [table for part in parts for table in _spoken(part)]
        there = tables_of(kind, meaning)
        return min((self._distance(a, b) for a in here for b in there), default=0)

    # --- what the rows ask ---

    def kind_of(self, attribute: Attribute) -> str:
        """What the values of an attribute are: a column's kind, or ``part`` of a date."""
        match attribute:
            case ColumnOf(table, name):
                return self._kinds[table, name]
            case PartOf():
                return "part"
            case PerRow() | Lasting():
                return "number"
        return "text"

    def is_number(self, attribute: Attribute) -> bool:
        """Whether it is a column of numbers."""
        return isinstance(attribute, ColumnOf) and self.kind_of(attribute) == "number"

    def is_dated(self, attribute: Attribute, period: Any) -> bool:
        """Whether values may fall in a period, as dates or as years."""
        if not isinstance(period, Period | Recurring):
            return False
        kind = self.kind_of(attribute)
        years = isinstance(period, Period) and period.year_only
        return kind == "date" or (years and kind in ("number", "text", "part"))

    def adds_up(self, figure: Measure) -> bool:
        """Whether a figure is a sum over rows, or the number of a table's rows."""
        if isinstance(figure, Declared):
            return self.layer.measure(figure.name).function in ("sum", "count")
        return figure.function == "sum" or (figure.function == "count" and bool(figure.table))

    def has_figures(self, functions: str, attribute: Attribute) -> bool:
        """Whether functions are usual of an attribute's values."""
        ranks = set(functions.split()) <= {"maximum", "minimum"}
        return ranks or self.kind_of(attribute) in ("number", "date", "part")

    def in_units(
        self, of: Attribute | Measure, amount: Amount, known: bool = False
    ) -> Iterable[Amount]:
        """An amount, converted into the units of what it is compared with; nothing if that counts
        something else, or is not `known` to count this."""
        if not isinstance(amount, Number) or not amount.units:
            return [amount]
        unit = self._unit_of(of)
        if unit is None:
            return () if known else [Number(amount.value)]
        factors = [found for asked in amount.units if (found := factor(unit, asked)) is not None]
        return [Number(_whole(amount.value * found)) for found in factors[:1]]

    def _unit_of(self, of: Attribute | Measure) -> str | None:
        """The code of a unit; None if it is not known, nothing if there is none."""
        match of:
            case ColumnOf(table, name):
                unknown = None if self.is_number(of) else ""
                return self.layer.column(table, name).unit or unknown
            case Lasting(unit):
                return next((code for code, known in UNITS.items() if known.one == unit), "")
            case Aggregated(function, value) if value is not None and function != "count":
                return self._unit_of(value)
            case Declared(name):
                return self.layer.measure(name).unit
        return ""

    def link_of(self, attribute: Attribute) -> Link | None:
        """The link that a column is."""
        if not isinstance(attribute, ColumnOf):
            return None
        return self._links.get((attribute.table, attribute.name))

    def other_links(self, table: str) -> list[Link]:
        """Links to a table that the shortest way from their own table does not take."""
        return self._other_links.get(table, [])

    def dates_of(self, table: str) -> list[ColumnOf]:
        """The first dates of a table's rows."""
        return self._dates.get(table, [])

    # --- tables ---

    def _join_table(self) -> Mapping[tuple[str, str], Callable[[Any, Any], list[Made]]]:
        ways = defaultdict(list)
        for row in JOINS:
            for left, right, kind, name, turned, _ in row.read():
                ways[left, right].append(self._join(row, kind, name, turned))
        return {pair: some[0] if len(some) == 1 else _chain(some) for pair, some in ways.items()}

    def _join(
        self, row: Join, kind: str, name: str, turned: bool
    ) -> Callable[[Any, Any], list[Made]]:
        """A row as a function of the left and the right meaning: searches call them often."""
        make, second = row.make, not row.rule.startswith("COLUMN")

        def join(left: Any, right: Any) -> list[Made]:
            return [(kind, made, name) for made in make(self, left, right)]

        def join_typed(left: Any, right: Any) -> list[Made]:
            type_ = self.kind_of(right if second else left)
            return [(kind, made, f"{name} {type_}") for made in make(self, left, right)]

        ordered = join_typed if row.typed else join
        return (lambda left, right: ordered(right, left)) if turned else ordered

    def _unary_table(self) -> Mapping[str, Callable[[Any], list[Made]]]:
        rows: dict[str, list[tuple[Raise, str]]] = defaultdict(list)
        for row in UNARY:
            of, _, kind = row.rule.split()
            rows[of].append((row, kind))
        return {of: partial(self._raise, some) for of, some in rows.items()}

    def _raise(self, rows: list[tuple[Raise, str]], meaning: Any) -> list[Made]:
        return [(kind, made, row.name) for row, kind in rows for made in row.make(self, meaning)]

    def _amounts_of(self, table: str) -> list[tuple[str, ColumnOf]]:
        """Columns that may be compared without being said, money first, with their types."""
        some = [
            (type_, ColumnOf(table, column.name))
            for column in self.layer.table(table).columns
            if column.kind == "number" and not column.private
            for type_ in [self.types.get(SchemaItem("column", table, column.name))]
            if type_ in ("number", "money")
        ]
        return sorted(some, key=lambda each: each[0] != "money")[:3] if len(some) <= 6 else []

    @cached_property
    def _other_links(self) -> Mapping[str, list[Link]]:
        made = defaultdict(list)
        for link in self.schema.links:
            path = self.schema.path(link.table, link.target)
            if link.table != link.target and path and path != (link,):
                made[link.target].append(link)
        return made

    @cached_property
    def _dates(self) -> Mapping[str, list[ColumnOf]]:
        return {
            table.name: [
                ColumnOf(table.name, column.name)
                for column in table.columns
                if column.kind == "date" and not column.private
            ][:4]
            for table in self.layer.tables
            if not table.private
        }

    def _links_between(self, table: str, other: str) -> int:
        if table == other:
            return 0
        way = self.schema.relation(table, other)
        return UNLINKED if way is None else len(way.outer) + len(way.end) + len(way.inner)
