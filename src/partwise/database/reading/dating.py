"""Conditions on the dates of rows."""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.comparing import UnfitError, all_of, of_years, sign_of, within
from partwise.database.reading.durations import SPANS, span_of
from partwise.database.reading.fields import Fields
from partwise.database.reading.frame import Cond, Ref
from partwise.database.reading.label import Quantity
from partwise.database.reading.links import ids_of
from partwise.database.reading.usual_dates import YEARLY
from partwise.database.spans.periods import Period, Recurring
from partwise.execution.relational.program import (
    Compare,
    Condition,
    DatePart,
    Field,
    Missing,
    Not,
    OneOf,
    Or,
    Value,
)


def dated(fields: Fields, base: str, left: Ref, cond: Cond) -> Condition:
    """A date of each row beside a period."""
    field, what = fields.field(base, left), cond.value
    kind = fields.layer.column(left.table, left.column).kind
    if isinstance(what, Recurring):
        if kind != "date":
            raise UnfitError(f"{left.column} is no date")
        return _recurring(field, cond.op, what)
    if kind in YEARLY and what.year_only and _may_be_year(fields.layer, left, cond.op):
        return of_years(field, cond.op, *what.years)
    if kind != "date":
        raise UnfitError(f"{left.column} is no date")
    match cond.op:
        case ">":
            return Compare(field, ">=", Value(what.end))
        case ">=":
            return Compare(field, ">=", Value(what.start))
        case "<":
            return Compare(field, "<", Value(what.start))
        case "<=":
            return Compare(field, "<", Value(what.end))
        case "!=":
            return Not(within(field, what))
        case _:
            return within(field, what)


def _recurring(field: Field, op: str, what: Recurring) -> Condition:
    """A date in each March, or on each Friday."""
    if op not in {"in", "=", "!="}:
        raise UnfitError("no day is before each March")
    part = DatePart(what.part, field)  # type: ignore[arg-type]
    made: Condition = Compare(part, "=", Value(what.number))
    if what.more:
        made = OneOf(part, tuple(map(Value, (what.number, *what.more))))
    return Not(made) if op == "!=" else made


def lasts_on(fields: Fields, base: str, left: Ref, cond: Cond) -> Condition | None:
    """Whether a day lies between the first and the last one of what lasts: "on leave on 15
    April", "campaigns that ran on 1 December"."""
    day = cond.value
    if cond.op != "in" or not isinstance(day, Period) or (day.end - day.start).days != 1:
        return None
    if (span := span_of(fields.layer.table(left.table))) is None:
        return None
    first, last = (fields.field(base, left._replace(column=one)) for one in span)
    goes_on = Or((Compare(last, ">=", Value(day.start)), Missing(last)))
    return all_of([Compare(first, "<", Value(day.end)), goes_on])


def lasting(fields: Fields, base: str, end: Ref, op: str, time: Quantity) -> Condition:
    """How long it took up to a date, compared with a time."""
    if (span := SPANS.get(time.unit)) is None:
        raise UnfitError(f"{time.unit} is no time")
    made = fields.elapsed(base, end, span)
    return Compare(made, sign_of(op), Value(time.number))


def _may_be_year(layer: SemanticLayer, left: Ref, op: str) -> bool:
    """Not a link to a row, a key that is at least something, unless it is called a year, nor
    what is counted in miles."""
    links = {one.column for one in layer.schema.leaving(left.table)}
    ids = links if op in {"in", "="} else ids_of(layer.schema, left.table)
    column = layer.column(left.table, left.column)
    if column.unit not in {None, "year"}:
        return False
    return left.column not in ids or bool({"year", "season"} & {*column.label.split()})
