"""The columns that a frame speaks of, as attributes of the rows of a table."""

from __future__ import annotations

from contextlib import suppress
from datetime import date

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.amounts import unsaid_number
from partwise.database.reading.comparing import TEXTS, UnfitError
from partwise.database.reading.durations import (
    ELAPSED,
    SPANS,
    end_of,
    start_of,
)
from partwise.database.reading.frame import Cond, Ref
from partwise.database.reading.label import Quantity
from partwise.database.reading.usual_dates import usual_date
from partwise.database.spans.periods import Period, Recurring
from partwise.database.units import factor
from partwise.execution.relational.program import Attribute, DatePart, Elapsed, Field, Span
from partwise.execution.relational.schema import Path


class Fields:
    """Finds the columns of rows, also where a question names none.

    Attributes:
        shifts: what was added without a word for it, as names; they count for the score.
        events: the table of a figure of what belongs to each row: its dates are meant.
    """

    def __init__(self, layer: SemanticLayer) -> None:
        self.layer, self.schema = layer, layer.schema
        self.shifts: list[str] = []
        self.one_year, self.events = False, ""

    def path(self, base: str, ref: Ref) -> Path | None:
        """How a row leads to a column's row; None if it does not lead to one."""
        if ref.via is None:
            return self.schema.path(base, ref.table)
        start = self.schema.path(base, ref.via[0])
        link = next(one for one in self.schema.links if (one.table, one.column) == ref.via)
        return None if start is None else (*start, link)

    def elapsed(self, base: str, ref: Ref, span: Span = "day") -> Elapsed:
        """The time up to a date of each row."""
        if (start := start_of(self.layer, ref)) is None:
            raise UnfitError(f"nothing begins before {ref.column}")
        there = self.field(base, ref._replace(part=""))
        return Elapsed(span, Field(there.path, start.column), there)

    def attribute(self, base: str, ref: Ref) -> Field | Elapsed:
        """A column of each row, or the time up to it."""
        return self.elapsed(base, ref) if ref.part == ELAPSED else self.field(base, ref)

    def field(self, base: str, ref: Ref) -> Field:
        """A column, of each row."""
        if (path := self.path(base, ref)) is None:
            raise UnfitError(f"a row of {base} has no single {ref.table}")
        self.shifts += ["link"] * len(path)
        return Field(path, ref.column)

    def dated(self, base: str, ref: Ref) -> tuple[Attribute, ...]:
        """A part of a date; a month with its year, so that those of two years stay apart."""
        if ref.part == ELAPSED:
            return (self.elapsed(base, ref),)
        year = Period(date.min, date.min, True) if ref.part == "year" else None
        at = ref if ref.column else self.usual_date(base, year)
        field = self.field(base, at)
        if self.layer.column(at.table, at.column).kind == "number" or ref.part == "date":
            return (field,)
        within = ref.part in {"month", "quarter"} and not self.one_year
        part = f"year_{ref.part}" if within else ref.part
        return (DatePart(part, field),)  # type: ignore[arg-type]

    def usual_date(self, base: str, what: Period | Recurring | None) -> Ref:
        """The date that goes without saying: of what a figure is over, as "the seller with most
        revenue in 2024" need not have joined in it; else of a row."""
        if self.events:
            with suppress(UnfitError):
                return usual_date(self.layer, self.events, what)
        return usual_date(self.layer, base, what)

    def unsaid(self, base: str, cond: Cond) -> Ref:
        """The column of a condition that names none."""
        self.shifts.append("silent_column")
        if isinstance(cond.value, (Period, Recurring)):
            return self.usual_date(base, cond.value)
        if cond.op in TEXTS:
            if not (display := self.layer.table(base).display):
                raise UnfitError(f"nothing names a row of {base}")
            return Ref(base, display[0])
        value = cond.value[-1] if type(cond.value) is tuple else cond.value
        unit = value.unit if isinstance(value, Quantity) else None
        end = end_of(self.layer, base) if unit in SPANS else None
        if unit is not None and end is not None and not self.counts_in(base, unit):
            # "Took longer than 2 weeks", and no number of the row counts time.
            return end
        return self.number(base, unit)

    def counts_in(self, base: str, unit: str) -> bool:
        """Whether a number of a row counts in such units."""
        return any(factor(one.unit, unit) is not None for one in self.layer.table(base).columns)

    def number(self, base: str, unit: str | None = None) -> Ref:
        """The number that "over 20" speaks of."""
        if (number := unsaid_number(self.layer, base, unit)) is None:
            raise UnfitError(f"{base} has no number that goes without saying")
        return Ref(base, number.name)
