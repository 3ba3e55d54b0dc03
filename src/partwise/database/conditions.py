"""What a frame says of the rows of one table: attributes, figures and conditions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from partwise.database import phrases as M
from partwise.database.layer.model import SemanticLayer
from partwise.database.source.values import separator
from partwise.database.spans.periods import Period, Recurring
from partwise.execution.relational import program as P
from partwise.execution.relational.schema import Link, Path

DAYS_OF_YEAR = 365.25


class NoProgram(Exception):
    """What is asked for cannot be said of these rows."""


class Places:
    """How the tables of a database lead to each other, and what names their rows."""

    def __init__(self, layer: SemanticLayer) -> None:
        self.layer, self.schema = layer, layer.schema
        self.names = [table.name for table in layer.schema.tables]
        self._grains: dict[frozenset[str], str | None] = {}

    def kind_of(self, of: M.Attribute | M.Measure) -> str:
        """What values are: a column's kind, or ``part`` of a date."""
        match of:
            case M.ColumnOf(table, name) | M.LinkedColumn(_, table, name):
                return self.schema.column(table, name).kind
            case M.Aggregated(function, attribute) if function != "count" and attribute is not None:
                return self.kind_of(attribute)
            case M.PerRow(measure):
                return self.kind_of(measure)
            case M.PartOf():
                return "part"
            case M.Naming():
                return "text"
        return "number"

    def reaches(self, table: str, others: Iterable[str]) -> bool:
        """Whether each row of a table leads to one of each of some others."""
        return all(self.schema.path(table, other) is not None for other in others)

    def linked(self, table: str, other: str) -> bool:
        """Whether rows of another table belong to those of a table."""
        return self.schema.relation(table, other) is not None

    def common(self, tables: Iterable[str]) -> str | None:
        """The table whose rows lead to all of some tables, and by the fewest links."""
        wanted = frozenset(tables)
        if wanted not in self._grains:
            self._grains[wanted] = self._nearest(wanted)
        return self._grains[wanted]

    def _nearest(self, wanted: frozenset[str]) -> str | None:
        best: tuple[float, str] | None = None
        for name in self.names:
            paths = [
                path for table in wanted if (path := self.schema.path(name, table)) is not None
            ]
            links = sum(map(len, paths)) + (0 if name in wanted else 0.5)
            if len(paths) == len(wanted) > 0 and (best is None or links < best[0]):
                best = (links, name)
        return None if best is None else best[1]

    def grain(self, tables: Iterable[str]) -> str:
        """The same of tables that must have one."""
        if (found := self.common(tables)) is None:
            raise NoProgram("no rows lead to all of this")
        return found

    def key(self, table: str) -> str | None:
        """The column that tells the rows of a table apart."""
        return self.schema.table(table).key

    def display(self, table: str) -> list[M.ColumnOf]:
        """The columns that name a row: those that the layer has, else its key, else its first."""
        info, key = self.layer.table(table), self.key(table)
        public = [column.name for column in info.columns if not column.private]
        names = [name for name in info.display if name in public]
        return [M.ColumnOf(table, name) for name in names or ([key] if key else public[:1])]

    def display_through(self, link: Link) -> list[M.Attribute]:
        """The columns that name the row which a link leads to."""
        return [
            M.LinkedColumn(link, link.target, column.name) for column in self.display(link.target)
        ]

    def names_row(self, attribute: M.Attribute) -> bool:
        """Whether an attribute names rows, so that it stands for them."""
        return (
            isinstance(attribute, M.ColumnOf)
            and attribute.table in self.names
            and (
                attribute.name == self.key(attribute.table)
                or attribute in self.display(attribute.table)
            )
        )

    def table_of_measure(self, measure: M.Measure) -> str | None:
        """Whose rows a figure is over, if that is said."""
        if isinstance(measure, M.Declared):
            return self.layer.measure(measure.name).table
        return measure.table or (None if measure.of is None else M.table_of(measure.of))

    def tables_in(self, condition: M.Condition) -> set[str]:
        """The tables that a condition speaks of; none where it is of a frame's own rows."""
        match condition:
            case M.Compares(attribute, _, M.Same(other)):
                return {M.table_of(attribute), M.table_of(other)}
            case M.Equals(values):
                return {M.table_of(attribute) for attribute, _ in values}
            case M.Denies(part):
                return self.tables_in(part)
            case M.Either(parts):
                return self.tables_of(parts)
            case M.IsAmong(frame):
                return {M.table_of(self.anchor(frame))}
            case M.HasSome(table):
                return {table}
            case M.HasNone() | M.Each() | M.Figures():
                return set()
        return {M.table_of(condition.attribute)}

    def tables_of(self, conditions: Iterable[M.Condition]) -> set[str]:
        """The tables that some conditions speak of."""
        return {table for condition in conditions for table in self.tables_in(condition)}

    def anchor(self, frame: M.Frame) -> M.Attribute:
        """By which attribute the rows of a closed frame are looked for."""
        shown = self.resolved(frame).shown
        tables = [M.table_of(attribute) for attribute in shown]
        if shown and not self.names_row(shown[0]) and frame.head in (None, tables[0]):
            return shown[0]
        table = frame.head or next(iter(tables), None)
        if table is None or (key := self.key(table)) is None:
            raise NoProgram("there is nothing to look for these rows by")
        return M.ColumnOf(table, key)

    def resolved(self, frame: M.Frame) -> M.Frame:
        """A frame with the columns that name a row, where names are asked for."""
        if not any(attribute.tag == "naming" for attribute in frame.shown):
            return frame
        made: list[M.Attribute] = []
        for attribute in frame.shown:
            if attribute.tag != "naming":
                made.append(attribute)
            elif (link := getattr(attribute, "link", None)) is not None:
                made += self.display_through(link)
            elif table := attribute.table or frame.head or self._said_first(frame):
                made += self.display(table)
        return frame._replace(shown=tuple(dict.fromkeys(made)))

    def _said_first(self, frame: M.Frame) -> str | None:
        """The table that a frame without a head speaks of."""
        said = [M.table_of(attribute) for attribute in frame.shown if attribute.tag != "naming"]
        said += [key.table for key in frame.keys if key.tag == "entity" and key.table]
        said += [
            table for condition in frame.conditions for table in sorted(self.tables_in(condition))
        ]
        # What is ordered by a figure is a group, not a row.
        said += [
            M.table_of(order.by)
            for order in frame.orders
            if not isinstance(order.by, M.Aggregated | M.Declared | M.Pending)
        ]
        return next(iter(said), None)


class Nested(Protocol):
    """Makes programs of the frames inside conditions."""

    def number(self, frame: M.Frame) -> P.Figure | P.Arithmetic:
        """The one number that a frame gives."""

    def column(self, frame: M.Frame, attribute: M.Attribute) -> P.Listing | P.Grouping:
        """An attribute of a frame's rows."""


class Conditions:
    """Turns conditions of frames into those of programs.

    `rows` is the table whose rows something is said of; `shown` what is shown of them first, if it
    matters: "in Rome and in Oslo" may hold of two rows with one shown value.
    """

    def __init__(self, places: Places, nested: Nested) -> None:
        self._places, self._nested = places, nested
        self._layer, self._schema = places.layer, places.schema

    # --- values ---------------------------------------------------------------------------------

    def attribute(
        self, attribute: M.Attribute, rows: str, inner: Sequence[M.Condition] = ()
    ) -> P.Attribute:
        """One value for each row (`inner`: what holds of the rows that a figure is over)."""
        if (path := self._schema.path(rows, M.table_of(attribute))) is None:
            raise NoProgram("the rows do not lead there")
        match attribute:
            case M.ColumnOf(_, name):
                return P.Field(path, name)
            case M.PartOf(part, _, name):
                return P.DatePart(part, P.Field(path, name))
            case M.LinkedColumn(link, _, name):
                return P.Field((*path, link), name)
            case M.PerRow(measure, str(table)):
                return self.belonging(measure, table, inner, path)
            case M.Lasting("year", start, _, name):
                days = P.Elapsed("day", P.Field(path, start), P.Field(path, name))
                return P.Arithmetic("/", days, P.Value(DAYS_OF_YEAR))
            case M.Lasting(unit, start, _, name) if unit != "year":
                return P.Elapsed(unit, P.Field(path, start), P.Field(path, name))
        raise NoProgram("a name is several columns")

    def aggregate(
        self, measure: M.Measure, rows: str, inner: Sequence[M.Condition] = ()
    ) -> P.Aggregate:
        """A figure over rows, or over figures of what belongs to each, as far as `inner` holds."""
        if isinstance(measure, M.Declared):
            known = self._layer.measure(measure.name)
            if known.table != rows:
                raise NoProgram("the measure is one of other rows")
            return known.aggregate
        summed = measure.function in ("sum", "average", "median")
        if summed and self._places.kind_of(measure) in ("date", "text"):
            raise NoProgram("dates and texts are not added up")
        of = None if measure.of is None else self.attribute(measure.of, rows, inner)
        return P.Aggregate(measure.function, of, measure.distinct)

    def belonging(
        self, measure: M.Measure, rows: str, inner: Sequence[M.Condition], path: Path = ()
    ) -> P.Belonging:
        """A figure over what belongs to each row, as far as `inner` holds of it."""
        table = self._places.table_of_measure(measure)
        if table is None or not self._places.linked(rows, table):
            raise NoProgram("no rows of this figure belong to each row")
        figure = P.Figure(P.Rows(table, self.where(inner, table)), self.aggregate(measure, table))
        return P.Belonging(path, figure)

    def amount(self, amount: M.Amount, rows: str | None) -> P.Value | P.Attribute:
        """What is compared with, of each row, or of all of them together (None)."""
        match amount:
            case M.Number(value):
                return P.Value(value)
            case M.Same(M.PerRow(measure, None)):
                if rows is None:
                    return self._nested.number(M.Frame(measures=(measure,)))
                return self.belonging(measure, rows, ())
            case M.Same(attribute) if rows is not None:
                return self.attribute(attribute, rows)
            case M.Computed(frame):
                return self._nested.number(frame)
            case M.Times(factor, part):
                return P.Arithmetic("*", P.Value(factor), self.amount(part, rows))
        raise NoProgram("all rows together have no value of a row")

    # --- conditions -----------------------------------------------------------------------------

    def where(
        self, conditions: Iterable[M.Condition], rows: str, shown: M.Attribute | None = None
    ) -> P.Condition | None:
        """That all of some conditions hold; what a row does not lead to, some row there fulfils."""
        parts: list[P.Condition | None] = []
        far: list[M.Condition] = []
        for condition in conditions:
            match condition:
                case M.HasNone(frame):
                    parts.append(self.none(frame, rows))
                case M.Each(left, right):
                    parts += self._each(left, right, rows, shown)
                case _ if M.has_measure(condition):
                    parts.append(self.counted(condition, rows, ()))
                case M.Denies(part):
                    parts.append(P.Not(self.required([part], rows, shown)))
                case _ if self._places.reaches(rows, self._places.tables_in(condition)):
                    parts.append(self._holding(condition, rows, shown))
                case _:
                    far.append(condition)
        return conjunction([*parts, *self._elsewhere(far, rows)])

    def required(
        self, conditions: Iterable[M.Condition], rows: str, shown: M.Attribute | None = None
    ) -> P.Condition:
        """The same of conditions that say something."""
        if (made := self.where(conditions, rows, shown)) is None:
            raise NoProgram("this holds of all rows")
        return made

    def _elsewhere(self, far: Sequence[M.Condition], rows: str) -> list[P.Condition]:
        """Conditions on rows that belong to a row: on one of them together, if that can be."""
        if not far:
            return []
        there = self._places.common(self._places.tables_of(far))
        if there is not None and self._places.linked(rows, there):
            return [P.Related((), P.Rows(there, self.where(far, there)))]
        if len(far) == 1:
            raise NoProgram("the rows are not linked with this")
        return [part for condition in far for part in self._elsewhere([condition], rows)]

    def _holding(
        self, condition: M.Condition, rows: str, shown: M.Attribute | None
    ) -> P.Condition | None:
        """A condition on what each row leads to; None where it holds of all rows."""
        match condition:
            case M.Compares(attribute, sign, amount):
                ordered = isinstance(amount, M.Number) and sign not in ("=", "!=")
                measures = amount.frame.measures if isinstance(amount, M.Computed) else ()
                if (ordered or measures) and self._is_text(attribute) != any(
                    map(self._is_text, measures)
                ):
                    raise NoProgram("a text and a number are not compared")
                return P.Compare(self.attribute(attribute, rows), sign, self.amount(amount, rows))
            case M.Falls():
                return self._falling(condition, rows)
            case M.Ranges():
                return self._ranging(condition, rows)
            case M.Matches(attribute, text, at) if self._is_text(attribute):
                return P.Contains(self.attribute(attribute, rows), text, at)
            case M.Lacks(attribute):
                return P.Missing(self.attribute(attribute, rows))
            case M.IsOneOf(attribute, some) if self._lists(attribute):
                return P.Or(tuple(self._equal(attribute, value, rows) for value in some))
            case M.IsOneOf(attribute, some):
                return P.OneOf(self.attribute(attribute, rows), tuple(map(P.Value, some)))
            case M.Equals(values):
                return conjunction(self._equal(of, value, rows) for of, value in values)
            case M.Either(parts):
                return P.Or(tuple(self.required([part], rows, shown) for part in parts))
            case M.IsAmong(frame):
                anchor = self._places.anchor(frame)
                return P.Among(self.attribute(anchor, rows), self._nested.column(frame, anchor))
            case M.HasSome(table):
                return self._some(table, rows)
        raise NoProgram("this is no condition on a row")

    def _is_text(self, of: M.Attribute | M.Measure) -> bool:
        return self._places.kind_of(of) == "text"

    def _lists(self, attribute: M.Attribute) -> bool:
        """Whether each text of a column lists several values."""
        if not isinstance(attribute, M.ColumnOf | M.LinkedColumn):
            return False
        column = self._places.layer.column(attribute.table, attribute.name)
        return separator(column) is not None

    def _equal(self, attribute: M.Attribute, value: str, rows: str) -> P.Condition:
        """A column has a value, alone or among others."""
        field = self.attribute(attribute, rows)
        if self._lists(attribute):
            return P.Contains(field, value, "anywhere")
        return P.Compare(field, "=", P.Value(value))

    def _some(self, table: str, rows: str) -> P.Condition | None:
        """That a row leads to one of a table; its own is there."""
        if path := self._schema.path(rows, table):
            return P.Not(P.Missing(P.Field(path[:-1], path[-1].column)))
        return None

    def _pointed_to(self, rows: str) -> P.Condition:
        """That another row of the same table leads to a row: "employees who manage somebody"."""
        own = (link for link in self._schema.leaving(rows) if link.target == rows)
        link, key = next(own, None), self._places.key(rows)
        if link is None or key is None:
            raise NoProgram("the rows do not lead to each other")
        column = P.Field((), link.column)
        pointing = P.Rows(rows, P.Not(P.Missing(column)))
        return P.Among(P.Field((), key), P.Listing(pointing, (column,)))

    def _falling(self, condition: M.Falls, rows: str) -> P.Condition | None:
        """A date in a period, or a number that is a year in one."""
        value, period, sign = (
            self.attribute(condition.attribute, rows),
            condition.period,
            condition.sign,
        )
        if isinstance(period, Recurring):
            if not self._is_date(condition.attribute):
                raise NoProgram("only a date comes again")
            part: P.Part = "month" if period.part == "month" else "weekday"
            parts = tuple(
                P.Compare(P.DatePart(part, value), sign, P.Value(number))
                for number in (period.number, *period.more)
            )
            return parts[0] if len(parts) == 1 else P.And(parts) if sign == "!=" else P.Or(parts)
        if not self._is_date(condition.attribute):
            first, last = period.years
            if sign == "=" and first != last:
                return P.Between(value, P.Value(first), P.Value(last))
            return P.Compare(value, sign, P.Value(last if sign in ("<=", ">") else first))
        inside = P.Between(value, P.Value(period.start), P.Value(period.end), True)
        match sign:
            case "=":
                return inside
            case "!=":
                return P.Not(inside)
            case ">":
                return P.Compare(value, ">=", P.Value(period.end))
            case "<=":
                return P.Compare(value, "<", P.Value(period.end))
        return P.Compare(value, sign, P.Value(period.start))

    def _is_date(self, attribute: M.Attribute) -> bool:
        return (
            isinstance(attribute, M.ColumnOf | M.LinkedColumn)
            and self._schema.column(attribute.table, attribute.name).kind == "date"
        )

    def _ranging(self, condition: M.Ranges, rows: str) -> P.Condition:
        value, low, high = self.attribute(condition.attribute, rows), condition.low, condition.high
        if isinstance(low, Period) and isinstance(high, Period):
            return P.Between(value, P.Value(low.start), P.Value(high.end), True)
        if not isinstance(low, int | float) or not isinstance(high, int | float):
            raise NoProgram("a period and a number have nothing between them")
        return P.Between(value, P.Value(min(low, high)), P.Value(max(low, high)))

    def none(self, frame: M.Frame, rows: str) -> P.Not | P.Missing:
        """That no row of a frame belongs to a row."""
        conditions = (*frame.conditions, *map(M.HasSome, frame.beside))
        said = self._places.tables_in(conditions[0]) if conditions else set()
        if (table := frame.head or min(said, default=None)) is None:
            raise NoProgram("it is not said of what there is none")
        path = self._schema.path(rows, table)
        if path is None:
            if not self._places.linked(rows, table):
                raise NoProgram("the rows are not linked with this")
            return P.Not(P.Related((), P.Rows(table, self.where(conditions, table))))
        if conditions:
            return P.Not(self.required(conditions, rows))
        if path:
            return P.Missing(P.Field(path[:-1], path[-1].column))
        return P.Not(self._pointed_to(rows))

    def _each(
        self, left: M.Condition, right: M.Condition, rows: str, shown: M.Attribute | None
    ) -> list[P.Condition]:
        """Two conditions that need not hold of one row. Of rows that lead to one thing alone, some
        with the same shown value do."""
        arms = (left, right)
        if not self._places.reaches(rows, self._places.tables_of(arms)):
            return [self.required([arm], rows, shown) for arm in arms]
        if shown is None:
            raise NoProgram("one value cannot be two")
        return [self.among([arm], rows, shown) for arm in arms]

    def among(self, conditions: Sequence[M.Condition], rows: str, shown: M.Attribute) -> P.Among:
        """That some row with the same shown value is so."""
        value = self.attribute(shown, rows)
        return P.Among(
            value, P.Listing(P.Rows(rows, self.where(conditions, rows, shown)), (value,))
        )

    def counted(
        self, condition: M.Condition, rows: str, inner: Sequence[M.Condition]
    ) -> P.Condition:
        """A condition on a figure over what belongs to each row."""
        match condition:
            case M.Denies(part):
                return P.Not(self.counted(part, rows, inner))
            case M.Either(parts):
                return P.Or(tuple(self.counted(part, rows, inner) for part in parts))
            case M.Figures(measure, sign, amount):
                figure = self.belonging(measure, rows, inner)
                return P.Compare(figure, sign, self.amount(amount, rows))
        return self.required([condition], rows)

    def having(self, condition: M.Condition, rows: str) -> P.Having:
        """A condition on a group of rows."""
        if not isinstance(condition, M.Figures):
            raise NoProgram("groups are chosen by figures")
        value = self.amount(condition.amount, rows)
        if _is_of_row(condition.amount) or not isinstance(value, P.Value | P.Figure | P.Arithmetic):
            raise NoProgram("a group has no value of a row")
        return P.Having(self.aggregate(condition.measure, rows), condition.sign, value)


def _is_of_row(amount: M.Amount) -> bool:
    """Whether each row has an amount of its own."""
    return isinstance(amount, M.Same) or (isinstance(amount, M.Times) and _is_of_row(amount.amount))


def conjunction(parts: Iterable[P.Condition | None]) -> P.Condition | None:
    """That all of some conditions hold; None says nothing."""
    made = [part for part in dict.fromkeys(parts) if part is not None]
    return None if not made else made[0] if len(made) == 1 else P.And(tuple(made))
