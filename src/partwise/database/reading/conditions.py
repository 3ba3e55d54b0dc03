"""The conditions of a frame as conditions on the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, get_args

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.amounts import unsaid_number
from partwise.database.reading.clock import Clock, on_clock
from partwise.database.reading.comparing import (
    TEXTS,
    UnfitError,
    add_to,
    all_of,
    cannot_both,
    check_number,
    converted,
    of_years,
    on_column,
    one_of,
    sign_of,
    within,
)
from partwise.database.reading.durations import (
    SPANS,
    UNTIL,
    end_of,
    passes,
    span_of,
    start_of,
    start_said,
)
from partwise.database.reading.frame import Cond, Fig, Mean, Other, Ref
from partwise.database.reading.label import Quantity
from partwise.database.reading.links import ids_of, leads_to
from partwise.database.reading.period import Period, Recurring
from partwise.database.reading.usual_dates import YEARLY, usual_date
from partwise.database.units import factor
from partwise.execution.relational.program import (
    Aggregate,
    Among,
    Arithmetic,
    Attribute,
    Belonging,
    Compare,
    Condition,
    DatePart,
    Elapsed,
    Field,
    Figure,
    Function,
    Listing,
    Missing,
    Not,
    OneOf,
    Or,
    Related,
    Rows,
    Span,
    Value,
)
from partwise.execution.relational.schema import Link, Path


class Conditions:
    """Writes what a frame says of rows.

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
        """The time up to a date of each row, or from it to a day."""
        if ref.part.startswith(UNTIL):
            day = date.fromisoformat(ref.part.removeprefix(UNTIL))
            return Elapsed("year", self.field(base, ref._replace(part="")), Value(day))
        end = ref
        if (said := start_said(ref.part)) is not None:
            return Elapsed(span, self.field(base, said), self.field(base, ref._replace(part="")))
        if (start := start_of(self.layer, end)) is None:
            raise UnfitError(f"nothing begins before {end.column}")
        there = self.field(base, end._replace(part=""))
        return Elapsed(span, Field(there.path, start.column), there)

    def attribute(self, base: str, ref: Ref) -> Field | Elapsed:
        """A column of each row, or the time up to it."""
        return self.elapsed(base, ref) if passes(ref.part) else self.field(base, ref)

    def field(self, base: str, ref: Ref) -> Field:
        """A column, of each row."""
        if (path := self.path(base, ref)) is None:
            raise UnfitError(f"a row of {base} has no single {ref.table}")
        self.shifts += ["link"] * len(path)
        return Field(path, ref.column)

    def dated(self, base: str, ref: Ref) -> tuple[Attribute, ...]:
        """A part of a date; a month with its year, so that those of two years stay apart."""
        if passes(ref.part):
            return (self.elapsed(base, ref),)
        year = Period(date.min, date.min, True) if ref.part == "year" else None
        at = ref if ref.column else self._usual_date(base, year)
        field = self.field(base, at)
        if self.layer.column(at.table, at.column).kind == "number" or ref.part == "date":
            return (field,)
        within = ref.part in {"month", "quarter"} and not self.one_year
        part = f"year_{ref.part}" if within else ref.part
        return (DatePart(part, field),)  # type: ignore[arg-type]

    def aggregate(self, fig: Fig, base: str) -> Aggregate:
        """A figure over rows of a table."""
        if fig.function == "total":
            return Aggregate("sum", self.field(base, self._number(base)))
        if fig.measure:
            measure = self.layer.measure(fig.measure)
            if not fig.function:
                return measure.aggregate
            if base == measure.table:
                return Aggregate(fig.function, measure.of)  # type: ignore[arg-type]
            total = self.belonging(base, Fig("", measure.table, measure=measure.name), ())
            return Aggregate(fig.function, total)  # type: ignore[arg-type]
        if fig.function not in get_args(Function):
            raise UnfitError(f"{fig.function} is no figure")
        at = Ref(fig.table, fig.column, None, fig.part)
        of = self.attribute(base, at) if fig.column else None
        return Aggregate(fig.function, of, fig.distinct)  # type: ignore[arg-type]

    def table_of(self, fig: Fig) -> str:
        """Whose rows a figure is over."""
        whole = fig.measure and not fig.function
        return self.layer.measure(fig.measure).table if whole else fig.table

    def figure(self, fig: Fig, conds: Sequence[Cond], base: str = "") -> Figure:
        """A figure over all rows of its table, or of another that leads there."""
        table = base or self.table_of(fig)
        if fig.each:
            conds, theirs = self.inside(table, fig.each, conds)
            counted = self.belonging(table, Fig("count", fig.each), theirs)
            rows = Rows(table, self.where(table, conds))
            return Figure(rows, Aggregate(fig.function, counted))  # type: ignore[arg-type]
        aggregate = self.aggregate(fig, table)
        whole = fig.measure and not fig.function
        if whole and (only := self.layer.measure(fig.measure).where) is not None:
            where = self.where(table, conds)
            return Figure(
                Rows(table, all_of([only] if where is None else [only, where])), aggregate
            )
        return Figure(Rows(table, self.where(table, conds)), aggregate)

    def belonging(self, base: str, fig: Fig, conds: Sequence[Cond]) -> Belonging:
        """A figure over what belongs to each row; conditions are on what belongs."""
        table = self.table_of(fig)
        if table == base or leads_to(self.layer, base, table):
            raise UnfitError(f"each row of {base} has one {table} at most")
        self.schema.related(base, table)
        self.shifts.append("belonging")
        return Belonging((), self.figure(fig, conds))

    def inside(self, base: str, table: str, conds: Iterable[Cond]) -> tuple[list[Cond], list[Cond]]:
        """Conditions on rows that belong to a row, and those on the row itself."""
        mine: list[Cond] = []
        theirs: list[Cond] = []
        for one in conds:
            at = self.place(base, one)
            direct = at is not None and leads_to(self.layer, base, at)
            there = at is not None and self.schema.path(table, at) is not None
            (theirs if there and not direct and not one.negated else mine).append(one)
        return mine, theirs

    def place(self, base: str, cond: Cond) -> str | None:
        """The table that a condition is about."""
        match cond.left:
            case Ref(table, _, via):
                return via[0] if via is not None else table
            case str():
                return cond.left
            case None:
                return self._silent(base, cond).table
            case _:
                return None

    def where(self, base: str, conds: Sequence[Cond]) -> Condition | None:
        """All conditions, on rows of a table; None without any.

        Those on rows that belong to a row are of one such row, unless "both" was said or no row can
        be so. A row has one value of a column, so "from Germany and also from France" are either.
        """
        parts: list[Condition] = []
        groups: list[list[Cond]] = []
        for one in conds:
            at = self.place(base, one)
            if (link := self._one_link(base, one)) is not None:
                # "Artworks without a room": the row names none.
                self.shifts.append("some")
                self._join(parts, Missing(Field((), link.column)), one)
            elif at is None or (not isinstance(one.left, str) and leads_to(self.layer, base, at)):
                self._join(parts, self._direct(base, one), one)
            elif groups and one.join != "both" and self._together(base, groups[-1], one):
                groups[-1].append(one)
            else:
                groups.append(self._begun(base, groups, one))
        parts += [self._related(base, group) for group in groups]
        return all_of(parts)

    def _one_link(self, base: str, cond: Cond) -> Link | None:
        """The only link of a row to a table that it is said to have no row of."""
        if not isinstance(cond.left, str) or cond.op != "some" or not cond.negated:
            return None
        some = [one for one in self.schema.leaving(base) if one.target == cond.left]
        back = any(one.target == base for one in self.schema.leaving(cond.left))
        return some[0] if len(some) == 1 and not back and cond.left != base else None

    def _begun(self, base: str, groups: Sequence[Sequence[Cond]], cond: Cond) -> list[Cond]:
        """A new group; what was said to happen ("viewed both X and Y") happens in it, too."""
        said = [one[0] for one in groups if isinstance(one[0].left, str) and not one[0].negated]
        if cond.join in {"both", "same"} and said and self._together(base, said[-1:], cond):
            return [said[-1], cond]
        return [cond]

    def _together(self, base: str, group: Sequence[Cond], cond: Cond) -> bool:
        if cond.negated or (group[0].negated and not isinstance(group[0].left, str)):
            return False
        if any(cannot_both(one, cond) for one in group):
            return False
        return self._grain(base, [*group, cond]) is not None

    def _grain(self, base: str, conds: Sequence[Cond]) -> str | None:
        """The table whose rows all conditions can be about, the nearest to a base."""
        places = [self.place(base, one) for one in conds]
        best: tuple[int, str] | None = None
        for table in self.schema.tables:
            paths = [self.schema.path(table.name, one) for one in places if one is not None]
            relation = self.schema.relation(base, table.name)
            if None in paths or relation is None or leads_to(self.layer, base, table.name):
                continue
            if self.layer.table(table.name).private:
                continue
            length = sum(len(one) for one in paths if one is not None)
            length += len(relation.end) + len(relation.inner) + len(relation.outer)
            if best is None or (length, table.name) < best:
                best = (length, table.name)
        return None if best is None else best[1]

    def _related(self, base: str, group: Sequence[Cond]) -> Condition:
        negated = group[0].negated
        rest = [one for one in group if not isinstance(one.left, str)]
        links = [one.left for one in rest if one.op == "linked" and isinstance(one.left, Ref)]
        table = links[0].table if links else self._grain(base, group)
        if table is None:
            raise UnfitError(f"nothing links {base} with what is said of it")
        self.shifts.append("some")
        inner = [
            one._replace(negated=one.negated and one is not group[0])
            for one in rest
            if one.op != "linked"
        ]
        rows = Rows(table, self.where(table, inner))
        some: Condition = Related((), rows)
        if links:
            if len(links) > 1 or self.schema.table(base).key is None:
                raise UnfitError("one row is linked in two ways")
            linked = Field((), links[0].column)
            some = Among(Field((), self.schema.key(base)), Listing(rows, (linked,)))
        return Not(some) if negated else some

    def _join(self, parts: list[Condition], made: Condition, cond: Cond) -> None:
        """Add a condition to others; after "or" it is one of two."""
        last = parts[-1] if parts else None
        if cond.join not in {"or", "same"} or last is None:
            add_to(parts, made, cond.join == "both")
        elif (merged := one_of(last, made)) is not None:
            parts[-1] = merged
        else:
            parts[-1] = Or((*(last.parts if isinstance(last, Or) else (last,)), made))

    def _direct(self, base: str, cond: Cond) -> Condition:
        made = self._positive(base, cond)
        return Not(made) if cond.negated else made

    def _positive(self, base: str, cond: Cond) -> Condition:
        if isinstance(cond.left, Fig):
            mine = self.belonging(base, cond.left, ())
            return Compare(mine, sign_of(cond.op), self.compared_with(cond))
        left = cond.left if isinstance(cond.left, Ref) else self._silent(base, cond)
        if isinstance(cond.value, (Period, Recurring)):
            lasts = cond.left is None and self._lasts_on(base, left, cond)
            return lasts or self._dated(base, left, cond)
        if isinstance(cond.value, Clock):
            timed = self.field(base, left)
            return on_clock(timed, cond, self.layer.column(left.table, left.column).kind)
        if cond.op == "linked":
            raise UnfitError("a link to the row itself")
        column = self.layer.column(left.table, left.column)
        kind = column.kind
        if kind == "date" and isinstance(cond.value, Quantity):
            return self._lasting(base, left, cond.op, cond.value)
        if kind == "date" and isinstance(cond.value, int | float):
            raise UnfitError(f"{left.column} is no number")
        field = self.field(base, left)
        if isinstance(cond.value, Ref):
            other = self.layer.column(*cond.value[:2])
            ids = ids_of(self.schema, left.table)
            if other.kind != kind or other.unit != column.unit or left.column in ids:
                raise UnfitError(f"{left.column} is not compared with {other.name}")
            return Compare(field, sign_of(cond.op), self.field(base, cond.value))
        unit = cond.value.unit if isinstance(cond.value, Quantity) else None
        if column.unit is None and unit is not None and self._counts(left.table, unit):
            raise UnfitError(f"of {left.table}, another column than {left.column} is in {unit}")
        cond = cond._replace(value=_of_same(converted(cond.value, column.unit), left))
        if isinstance(cond.value, Fig) and cond.value.column:
            of = self.layer.column(cond.value.table, cond.value.column).kind
            if "date" in {of, kind} and of != kind:
                raise UnfitError(f"{left.column} is not compared with {cond.value.column}")
        if (made := on_column(field, column, cond, left)) is not None:
            return made
        if isinstance(cond.value, int | float) and kind == "text":
            if cond.op not in {"=", "!="} or isinstance(cond.value, bool):
                raise UnfitError(f"{left.column} is no number")
            # A code of digits.
            cond = cond._replace(value=str(cond.value))
        if cond.op not in {"=", "!="} and not isinstance(cond.value, Other):
            check_number(kind, left)
        compared = Compare(field, sign_of(cond.op), self.compared_with(cond))
        more = [
            Compare(self.field(base, Ref(left.table, column, left.via)), "=", Value(text))
            for column, text in cond.more
        ]
        return all_of([compared, *more]) or compared

    def _lasting(self, base: str, end: Ref, op: str, time: Quantity) -> Condition:
        """How long it took up to a date, compared with a time."""
        if (span := SPANS.get(time.unit)) is None:
            raise UnfitError(f"{time.unit} is no time")
        made = self.elapsed(base, end, span)
        return Compare(made, sign_of(op), Value(time.number))

    def _mean(self, mean: Mean) -> Arithmetic:
        """How many rows of one table a row of another has, of those that have some."""
        field = self.field(mean.of, Ref(mean.per, self.schema.key(mean.per)))
        rows = Rows(mean.of)
        each = Figure(rows, Aggregate("count", field, True))
        return Arithmetic("/", Figure(rows, Aggregate("count")), each)

    def compared_with(self, cond: Cond) -> Value | Figure | Arithmetic:
        """What a condition compares with: a value, or a figure over all rows."""
        if isinstance(cond.value, Mean):
            return self._mean(cond.value)
        if isinstance(cond.value, Fig):
            return self.figure(cond.value, ())
        if isinstance(cond.value, Other):
            name = Cond(cond.value.name, "=", cond.value.text, more=cond.value.more)
            if isinstance(cond.value.of, Fig):
                return self.figure(cond.value.of, [name])
            if cond.value.of is None:
                raise UnfitError("nothing is compared")
            # "Less than all songs in English": than the least of them.
            function = "minimum" if cond.op == "<" else "maximum"
            return self.figure(Fig(function, *cond.value.of[:2]), [name])
        if isinstance(cond.left, Fig):
            return Value(self._counted(cond.left, cond.value))
        return Value(cond.value)

    def _counted(self, fig: Fig, value: Any) -> Any:
        """A number in the unit of the figure that it is compared with."""
        if type(value) is tuple:
            raise UnfitError("a figure is compared with one number")
        if isinstance(value, Quantity) and fig.function == "count":
            raise UnfitError("a count has no unit")
        if fig.measure:
            return converted(value, self.layer.measure(fig.measure).unit)
        if not fig.column:
            return converted(value, None)
        column = self.layer.column(fig.table, fig.column)
        if column.kind == "date" and fig.function in {"maximum", "minimum"} and not fig.part:
            raise UnfitError(f"{fig.column} is no number")
        return converted(value, column.unit)

    def _may_be_year(self, left: Ref, op: str) -> bool:
        """Not a link to a row, a key that is at least something, unless it is called a year, nor
        what is counted in miles."""
        links = {one.column for one in self.schema.leaving(left.table)}
        ids = links if op in {"in", "="} else ids_of(self.schema, left.table)
        column = self.layer.column(left.table, left.column)
        if column.unit not in {None, "year"}:
            return False
        return left.column not in ids or bool({"year", "season"} & {*column.label.split()})

    def _lasts_on(self, base: str, left: Ref, cond: Cond) -> Condition | None:
        """Whether a day lies between the first and the last one of what lasts: "on leave on 15
        April", "campaigns that ran on 1 December"."""
        day = cond.value
        if cond.op != "in" or not isinstance(day, Period) or (day.end - day.start).days != 1:
            return None
        if (span := span_of(self.layer.table(left.table))) is None:
            return None
        first, last = (self.field(base, left._replace(column=one)) for one in span)
        goes_on = Or((Compare(last, ">=", Value(day.start)), Missing(last)))
        return all_of([Compare(first, "<", Value(day.end)), goes_on])

    def _dated(self, base: str, left: Ref, cond: Cond) -> Condition:
        field, what = self.field(base, left), cond.value
        kind = self.layer.column(left.table, left.column).kind
        if isinstance(what, Recurring):
            if kind != "date":
                raise UnfitError(f"{left.column} is no date")
            part = DatePart(what.part, field)  # type: ignore[arg-type]
            if cond.op not in {"in", "=", "!="}:
                raise UnfitError("no day is before each March")
            made: Condition = Compare(part, "=", Value(what.number))
            if what.more:
                made = OneOf(part, tuple(map(Value, (what.number, *what.more))))
            return Not(made) if cond.op == "!=" else made
        if kind in YEARLY and what.year_only and self._may_be_year(left, cond.op):
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

    def _usual_date(self, base: str, what: Period | Recurring | None) -> Ref:
        """The date that goes without saying: of what a figure is over, as "the seller with most
        revenue in 2024" need not have joined in it; else of a row."""
        if self.events:
            with suppress(UnfitError):
                return usual_date(self.layer, self.events, what)
        return usual_date(self.layer, base, what)

    def _silent(self, base: str, cond: Cond) -> Ref:
        """The column of a condition that names none."""
        self.shifts.append("silent_column")
        if isinstance(cond.value, (Period, Recurring)):
            return self._usual_date(base, cond.value)
        if cond.op in TEXTS:
            if not (display := self.layer.table(base).display):
                raise UnfitError(f"nothing names a row of {base}")
            return Ref(base, display[0])
        value = cond.value[-1] if type(cond.value) is tuple else cond.value
        unit = value.unit if isinstance(value, Quantity) else None
        end = end_of(self.layer, base) if unit in SPANS else None
        if unit is not None and end is not None and not self._counts(base, unit):
            # "Took longer than 2 weeks", and no number of the row counts time.
            return end
        return self._number(base, unit)

    def _counts(self, base: str, unit: str) -> bool:
        """Whether a number of a row counts in such units."""
        return any(factor(one.unit, unit) is not None for one in self.layer.table(base).columns)

    def _number(self, base: str, unit: str | None = None) -> Ref:
        """The number that "over 20" speaks of."""
        if (number := unsaid_number(self.layer, base, unit)) is None:
            raise UnfitError(f"{base} has no number that goes without saying")
        return Ref(base, number.name)


def _of_same(value: Any, left: Ref) -> Any:
    """What a column is compared with, where it is the same column of another row or of all."""
    if isinstance(value, Other) and value.of is None:
        return value._replace(of=left)
    if isinstance(value, Fig) and not value.table:
        return value._replace(table=left.table, column=left.column)
    return value
