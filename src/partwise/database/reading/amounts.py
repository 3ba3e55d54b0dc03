"""Numbers of a table that say how much or how many, not which."""

from __future__ import annotations

from partwise.database.layer.model import ColumnInfo, SemanticLayer
from partwise.database.reading.links import ids_of
from partwise.database.spans.types import is_flag
from partwise.database.units import factor
from partwise.execution.relational.program import Field

MONEY = {"usd", "eur", "gbp", "money"}
"""Units of money."""
PLANNED = {"estimated", "expected", "planned", "budgeted", "forecast", "projected", "anticipated"}
ACTUAL = {"actual", "real", "final", "effective"}
"""Words of columns that say what was planned, and what came of it."""
COUNTS = {"count", "quantity", "number", "amount", "units", "pieces"}
"""Words of columns that say how many of something a row stands for."""


BESIDE = {
    *("shipping", "freight", "delivery", "postage", "handling", "tax", "vat", "discount", "tip"),
    *("gratuity", "deposit", "refund", "surcharge", "deductible", "overdraft"),
}
"""Words of amounts that come beside what something costs."""
NO_AMOUNTS = {"percent", "percentage", "rating", "stars", "score"}
"""Words of numbers that are no money, whatever else they are called."""


ASKED, SOLD = {"ask", "asking", "asked", "list", "listed", "listing"}, {"sold", "sale", "selling"}
"""Words of amounts that something is offered for, and was sold for."""


def is_beside(column: ColumnInfo) -> bool:
    """Whether an amount comes beside what a row costs, as shipping does."""
    return bool(BESIDE & {*column.label.split()})


def usual_amount(
    layer: SemanticLayer, table: str, some: list[ColumnInfo] | None = None
) -> ColumnInfo | None:
    """Of amounts of money of a table, the one that goes without saying: that of its measure, the
    total, or the first that is not beside; none if all are, and something below has a total.

    Args:
        some: the amounts; None for all.
    """
    if some is None:
        some = [one for one in amounts_of(layer, table) if one.unit in MONEY]
    info = layer.table(table)
    of = layer.measure(info.measure).of if info.measure else None
    main = [one for one in some if not is_beside(one)]
    own = [one for one in main if isinstance(of, Field) and not of.path and of.column == one.name]
    if any(SOLD & {*one.label.split()} for one in own):
        # "Flats under 300000" are those that are offered for so much.
        own = [one for one in main if ASKED & {*one.label.split()}] or own
    total = [one for one in main if "total" in one.label.split()]
    below = any(layer.schema.path(one.table, table) for one in layer.measures)
    return next(iter([*own, *total, *main, *([] if below else some)]), None)


def unsaid_number(layer: SemanticLayer, table: str, unit: str | None = None) -> ColumnInfo | None:
    """The number of a row that "over 20" means: what has such a unit, money, or the only one;
    none if there are several."""
    numbers = [one for one in amounts_of(layer, table) if not is_flag(one)]
    if unit is not None:
        fit = [one for one in numbers if factor(one.unit, unit) is not None]
        numbers = fit or [one for one in numbers if one.unit is None]
    money = [one for one in numbers if one.unit in MONEY]
    chosen = usual_amount(layer, table, money) if money else None
    if chosen is None and not money and len(numbers) == 1:
        return numbers[0]
    return chosen


def is_plan(layer: SemanticLayer, table: str, column: str) -> bool:
    """Whether a column says what was planned where another one says what came of it: the estimated
    cost beside the actual cost."""
    words = layer.column(table, column).label.split()
    kept = [one for one in words if one not in PLANNED]
    if kept == words or not kept:
        return False
    columns = [one for one in layer.table(table).columns if not one.private]
    others = [one.label.split() for one in columns if one.name != column]
    return any([word for word in one if word not in ACTUAL] == kept for one in others)


def amounts_of(layer: SemanticLayer, table: str) -> list[ColumnInfo]:
    """The numbers of a table that people add up or compare: neither keys nor links."""
    ids = ids_of(layer.schema, table)
    columns = layer.table(table).columns
    return [
        one
        for one in columns
        if one.kind == "number" and not (one.private or one.name in ids)
        if not is_plan(layer, table, one.name)
    ]


def count_of(layer: SemanticLayer, table: str) -> ColumnInfo | None:
    """The column that says how many a row stands for, as of a table of downloads per day; None if
    no column does, or several do."""
    some = [one for one in amounts_of(layer, table) if COUNTS & set(one.label.split())]
    return some[0] if len(some) == 1 else None
