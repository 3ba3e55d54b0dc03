"""From a frame to the relational programs that it stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from partwise.database import phrases as M
from partwise.database.conditions import Conditions, NoProgram, conjunction
from partwise.database.layer.model import SemanticLayer
from partwise.database.spans.names import SchemaItem
from partwise.database.unsaid import COUNT, Steps, Unsaid, step
from partwise.errors import DomainError
from partwise.execution.relational import program as P

Programs = Iterator[tuple[P.Program, Steps]]


class Step(NamedTuple):
    """What a rule of meaning adds that no word says.

    Attributes:
        price: its weight before anything is learned.
        told: how a user hears of it; nothing if it goes without saying.
    """

    name: str
    price: float
    told: str | None = None


STEPS = (
    Step("silent head", -0.5, "rows of the table that was named"),
    Step("silent name", -0.3, "shown by name"),
    Step("name beside", -1.6, "with its name"),
    Step("linked contents", -1.3, "shown by what it is about"),
    Step("linked names", -1.2, "shown by what it belongs to"),
    Step("sort shown", -0.6, "with what it is ordered by"),
    Step("key shown", -0.6, "with its key"),
    Step("each value once", -0.3, "each value once"),
    Step("side by side", 0.3),
    Step("yes or no", 0.0),
    Step("listed for yes", -1.5),
    Step("rows of head", -0.6),
    Step("of each year", 1.0, "those of each year apart"),
    Step("share", 0.2),
    Step("difference", 0.2),
    Step("silent key", -0.1),
    Step("silent key head", -0.1),
    Step("silent count", -0.4, "counted"),
    Step("measure shown", -0.4, "with the figure"),
    Step("each row", -0.5),
    Step("first of each", -0.2),
    Step("by value", -0.5),
    Step("through beside", -0.5),
    Step("silent related", -1.2, "rows that belong to what was named"),
    Step("silent total", -1.2, "added up"),
    Step("silent order average", -1.0, "by what is usual"),
    Step("silent order sum", -1.2, "by what is usual"),
    Step("silent event", -1.2, "how often it occurs"),
)
PRICES: Mapping[str, float] = {entry.name: entry.price for entry in STEPS}
OF_YEARS: Mapping[str, P.TextPart] = {"month": "year_month", "quarter": "year_quarter"}
TOLD: Mapping[str, str] = {entry.name: entry.told for entry in STEPS if entry.told}


class _Parts(NamedTuple):
    """Conditions on rows and on figures, and orders by figures."""

    rows: tuple[M.Condition, ...]
    figures: tuple[M.Condition, ...]
    orders: tuple[M.OrderBy, ...]

    @classmethod
    def of(cls, frame: M.Frame) -> _Parts:
        return cls(
            tuple(condition for condition in frame.conditions if not M.has_measure(condition)),
            tuple(condition for condition in frame.conditions if M.has_measure(condition)),
            tuple(order for order in frame.orders if M.is_measure(order.by)),
        )

    def measures(self) -> Iterator[M.Measure]:
        """The figures that groups are chosen or ordered by."""
        yield from (
            condition.measure for condition in self.figures if isinstance(condition, M.Figures)
        )
        yield from (
            order.by for order in self.orders if isinstance(order.by, M.Aggregated | M.Declared)
        )


def _by_year(frame: M.Frame) -> Iterator[tuple[M.Frame, Steps]]:
    """Groups by months or quarters: those of each year, or those of all years together."""
    keys = tuple(
        key._replace(part=OF_YEARS[key.part])
        if isinstance(key, M.PartOf) and key.part in OF_YEARS
        else key
        for key in frame.keys
    )
    yield frame, ()
    if keys != frame.keys:
        yield frame._replace(keys=keys), step("of each year")


class _Groups(NamedTuple):
    """What makes groups, and what is shown of them."""

    keys: tuple[M.Key, ...]
    shown: tuple[M.Attribute, ...]
    steps: Steps = ()


class Meanings(Unsaid):
    """Turns frames over one database into programs."""

    def __init__(self, layer: SemanticLayer, types: Mapping[SchemaItem, str]) -> None:
        super().__init__(layer, types)
        self._conditions = Conditions(self._places, self)

    # --- programs -------------------------------------------------------------------------------

    def programs(self, frame: M.Frame) -> Programs:
        """The programs of a whole frame, with the steps of each that no word said."""
        if any(isinstance(order.by, M.Pending) for order in frame.orders):
            return
        makers = (
            (self._difference,)
            if "difference" in frame.flags
            else (
                *(self._yes_no, self._figures, self._listing),
                *(self._grouping, self._each_row, self._first_of_each),
            )
        )
        try:
            resolved = self._places.resolved(frame)
            completed = [
                (whole, (*years, *before))
                for dated, years in _by_year(resolved)
                for whole, before in self.completed(dated)
            ]
        except NoProgram:
            return
        for whole, before in completed:
            for make in makers:
                try:
                    for program, steps in make(whole):
                        yield program, (*before, *steps)
                # Programs check for themselves that they can be run.
                except (NoProgram, DomainError):
                    continue

    def number(self, frame: M.Frame) -> P.Figure | P.Arithmetic:
        """The one number that a frame gives."""
        makers = self._difference(frame) if "difference" in frame.flags else self._totalled(frame)
        made = next((program for program, _ in makers), None)
        if not isinstance(made, P.Figure | P.Arithmetic):
            raise NoProgram("this is no number")
        return made

    def column(self, frame: M.Frame, attribute: M.Attribute) -> P.Listing | P.Grouping:
        """An attribute of a frame's rows."""
        frame = self._places.resolved(frame)
        parts = _Parts.of(frame)
        if parts.figures or parts.orders:
            by = M.RowKey(M.table_of(attribute)) if self._places.names_row(attribute) else attribute
            return self._grouped(frame._replace(measures=()), parts, _Groups((by,), (attribute,)))
        if frame.measures or frame.keys:
            raise NoProgram("figures are no rows")
        only = frame._replace(head=M.table_of(attribute), shown=(attribute,), flags=frozenset())
        return next(self._listed(only, ()))[0]

    # --- yes or no, figures over all rows -------------------------------------------------------

    def _yes_no(self, frame: M.Frame) -> Programs:
        if "yes" not in frame.flags or frame.keys or frame.orders:
            return
        parts = _Parts.of(frame)
        if frame.measures and parts.figures:
            return
        if parts.figures and not (parts.rows or frame.head or frame.shown):
            yield P.Holds(self._all_hold(parts.figures)), ("yes or no",)
            return
        rows = frame.head or next(map(M.table_of, frame.shown), None)
        rows = rows or self._places.grain(self._places.tables_of(parts.rows))
        some = [M.HasSome(table) for table in frame.beside if self.schema.path(rows, table) is None]
        where = self._conditions.where((*parts.rows, *parts.figures, *some), rows)
        yield P.Exists(P.Rows(rows, where)), ("yes or no",)

    def _all_hold(self, conditions: Iterable[M.Condition]) -> P.Condition:
        """Comparisons of figures over all rows: "are there more bakers than stores"."""
        made: list[P.Condition] = []
        for condition in conditions:
            if not isinstance(condition, M.Figures):
                raise NoProgram("figures alone are compared")
            figure = self.number(M.Frame(measures=(condition.measure,)))
            amount = self._conditions.amount(condition.amount, None)
            made.append(P.Compare(figure, condition.sign, amount))
        return made[0] if len(made) == 1 else P.And(tuple(made))

    def _figures(self, frame: M.Frame) -> Programs:
        if not frame.shown:
            yield from self._totalled(frame)
            yield from self._side_by_side(frame)

    def _totalled(self, frame: M.Frame) -> Programs:
        """Figures over all rows, without groups."""
        frame, parts = _shared(frame), _Parts.of(frame)
        if not frame.measures or frame.keys or parts.orders or frame.limit or "yes" in frame.flags:
            return
        tables = [self._counted_in(measure, frame, parts) for measure in frame.measures]
        grains: list[tuple[str, Steps]] = [(self._places.grain(tables), ())]
        head = frame.head
        if head and head != grains[0][0] and self._places.reaches(head, tables):
            grains.append((head, ("rows of head",)))
        for rows, steps in grains:
            inner = self._inner(frame, parts, rows)
            outer = tuple(condition for condition in parts.rows if condition not in inner)
            aggregates = [
                self._conditions.aggregate(measure, rows, inner) for measure in frame.measures
            ]
            for where, more in self._selected(frame, parts._replace(rows=outer), rows):
                yield from self._computed(frame, P.Rows(rows, where), aggregates, (*steps, *more))

    def _side_by_side(self, frame: M.Frame) -> Programs:
        """Figures over rows of several tables: "how many bakers and how many breads"."""
        tables = {self._places.table_of_measure(measure) for measure in frame.measures}
        more = frame.beside or frame.keys or frame.orders or frame.flags
        if None in tables or len(tables) < 2 or more:
            return
        alone = (frame._replace(head=None, measures=(measure,)) for measure in frame.measures)
        first, *others = map(self.number, alone)
        if isinstance(first, P.Figure):
            figures = (first.aggregate, *others)
            yield P.Grouping(first.rows, (), figures), ("side by side",)

    def _inner(self, frame: M.Frame, parts: _Parts, rows: str) -> list[M.Condition]:
        """The conditions on what belongs to each row, where a figure is over its figures."""
        if not any(isinstance(getattr(each, "of", None), M.PerRow) for each in frame.measures):
            return []
        return [condition for condition in parts.rows if not self._is_own(condition, rows)]

    def _counted_in(self, measure: M.Measure, frame: M.Frame, parts: _Parts) -> str:
        """The table of a figure; where nothing says it, the one that the conditions are about."""
        table = self._places.table_of_measure(measure) or frame.head
        return table or self._places.grain(self._places.tables_of(parts.rows))

    def _selected(
        self, frame: M.Frame, parts: _Parts, rows: str
    ) -> Iterator[tuple[P.Condition | None, Steps]]:
        """Which rows a figure is over. With a condition on groups, those of the chosen values: how
        many countries have more than four customers."""
        match frame.measures[0]:
            case M.Aggregated(_, of) if of is not None and parts.figures:
                value = self._conditions.attribute(of, rows)
                having = tuple(
                    self._conditions.having(condition, rows) for condition in parts.figures
                )
                inside = P.Rows(rows, self._conditions.where(parts.rows, rows))
                yield P.Among(value, P.Grouping(inside, (value,), (), having)), ()
            case _:
                yield from self._ways(frame, (*parts.rows, *parts.figures), rows)

    def _computed(
        self, frame: M.Frame, rows: P.Rows, aggregates: list[P.Aggregate], steps: Steps
    ) -> Programs:
        if "share" in frame.flags:
            if rows.where is not None:
                whole = P.Figure(P.Rows(rows.table), aggregates[0])
                yield _percent(P.Figure(rows, aggregates[0]), whole), (*steps, "share")
        elif len(aggregates) == 1:
            yield P.Figure(rows, aggregates[0]), steps
        else:
            yield P.Grouping(rows, (), tuple(aggregates)), steps

    def _difference(self, frame: M.Frame) -> Programs:
        """One number less another: of two figures, of two groups of rows, or of each row."""
        frame = frame._replace(flags=frame.flags - {"difference"})
        of = frame.measures or frame.shown[-2:]
        if {*map(self._places.kind_of, of)} - {"number"}:
            return
        if not frame.measures and len(frame.shown) >= 2:
            # "of each project", which has both
            rows = next((key.table for key in frame.keys if isinstance(key, M.RowKey)), frame.head)
            for program, steps in self._listing(frame._replace(head=rows, keys=())):
                if isinstance(program, P.Listing) and len(program.shown) >= 2:
                    *others, left, right = program.shown
                    less = P.Arithmetic("-", left, right)
                    yield replace(program, shown=(*others, less)), (*steps, "difference")
            return
        for grouping, steps in self._grouping(frame) if frame.keys else ():
            if isinstance(grouping, P.Grouping) and len(grouping.figures) == 2:
                less = P.Arithmetic("-", *grouping.figures)
                yield replace(grouping, figures=(less,)), (*steps, "difference")
        for first, second in () if frame.keys else _pairs(frame):
            yield P.Arithmetic("-", self.number(first), self.number(second)), ("difference",)

    # --- which rows -----------------------------------------------------------------------------

    def _ways(
        self, frame: M.Frame, conditions: tuple[M.Condition, ...], rows: str
    ) -> Iterator[tuple[P.Condition | None, Steps]]:
        """The conditions on a frame's rows, as they are, by value, or on rows of a table that is
        said beside the head."""
        shown = next(iter(frame.shown), None)
        far = [
            M.HasSome(table)
            for table in frame.beside
            if self.schema.path(rows, table) is None and self._places.linked(rows, table)
        ]
        plain = self._conditions.where([*conditions, *far], rows, shown)
        yield plain, ()
        differing = any(
            isinstance(condition, M.HasNone | M.Denies | M.Each) for condition in conditions
        )
        if differing and shown is not None and M.table_of(shown) == rows:
            by_value = conjunction(self._by_value(part, rows, shown) for part in conditions)
            if by_value != plain:
                yield by_value, ("by value",)
        beside = [
            table for table in frame.beside if table != rows and self.schema.path(table, rows)
        ]
        if beside and (
            held := [
                condition for condition in conditions if self._held(condition, beside[0], rows)
            ]
        ):
            inside = P.Rows(beside[0], self._conditions.where(held, beside[0]))
            rest = [condition for condition in conditions if condition not in held]
            own = self._conditions.where(rest, rows, shown)
            yield conjunction([own, P.Related((), inside)]), ("through beside",)

    def _by_value(
        self, condition: M.Condition, rows: str, shown: M.Attribute
    ) -> P.Condition | None:
        """As EXCEPT and INTERSECT do: no row with the shown value is such."""
        match condition:
            case M.Denies(part):
                return P.Not(self._conditions.among([part], rows, shown))
            case M.HasNone(frame):
                none = self._conditions.none(frame, rows)
                if isinstance(none, P.Missing):
                    return none
                value = self._conditions.attribute(shown, rows)
                return P.Not(P.Among(value, P.Listing(P.Rows(rows, none.part), (value,))))
            case M.Each(left, right):
                arms = [self._conditions.among([arm], rows, shown) for arm in (left, right)]
                return P.And(tuple(arms))
        return self._conditions.where([condition], rows, shown)

    def _held(self, condition: M.Condition, beside: str, rows: str) -> bool:
        """Whether rows of a table beside the head may carry a condition."""
        if isinstance(condition, M.HasNone | M.Each | M.IsAmong | M.Figures):
            return False
        tables = self._places.tables_in(condition)
        return bool(tables) and rows not in tables and self._places.reaches(beside, tables)

    # --- lists of rows --------------------------------------------------------------------------

    def _listing(self, frame: M.Frame) -> Programs:
        parts = _Parts.of(frame)
        if frame.measures or frame.keys or parts.figures or parts.orders or "share" in frame.flags:
            return
        steps: Steps = ("listed for yes",) if "yes" in frame.flags else ()
        if frame.head is None and not frame.shown:
            frame = frame._replace(head=self._silent_head(frame))
            steps = (*steps, "silent head")
        head = frame.head or M.table_of(frame.shown[0])
        if "star" in frame.flags:
            columns = self.layer.table(head).columns
            every = tuple(M.ColumnOf(head, one.name) for one in columns if not one.private)
            frame = frame._replace(head=head, shown=frame.shown or every)
        if not frame.shown:
            yield from self._named(frame, head, steps)
            return
        yield from self._listed(frame, steps)
        yield from self._with_names(frame, head, steps)

    def _silent_head(self, frame: M.Frame) -> str:
        """The table of conditions and orders whose head nobody says."""
        said = self._places.tables_of(frame.conditions)
        said |= _tables_of_orders(frame)
        if not said and any(isinstance(condition, M.HasNone) for condition in frame.conditions):
            said = set(frame.beside)
        return self._places.grain(said)

    def _named(self, frame: M.Frame, head: str, steps: Steps) -> Programs:
        """Rows by their names; by those of what they are about; or of what they lead to."""
        name = tuple(self._places.display(head))
        yield from self._listed(frame._replace(shown=name), (*steps, "silent name"))
        links = list(self.schema.leaving(head))
        if frame.conditions:
            # "what has she ordered"
            said = self._places.tables_of(frame.conditions)
            unsaid = [link for link in links if link.target not in said]
            for number, link in enumerate(unsaid[:3]):
                types = f"{self.type_of(head)} {self.type_of(link.target)}"
                shown = tuple(self._places.display_through(link))
                more = step("linked contents", number, types)
                yield from self._listed(frame._replace(shown=shown), (*steps, *more))
        if not self.layer.table(head).display:
            for number, link in enumerate(links[:3]):
                shown = tuple(self._places.display_through(link))
                more = step("linked names", f"{number} {self.type_of(link.target)}")
                yield from self._listed(frame._replace(shown=shown), (*steps, *more))

    def _with_names(self, frame: M.Frame, head: str, steps: Steps) -> Programs:
        """Columns beside the names of their rows: "agents with their rates"."""
        own = set(map(M.table_of, frame.shown)) == {head}
        if own and not frame.flags & {"star", "distinct"} and not self._is_named(frame, head):
            beside = frame._replace(shown=(*self._places.display(head), *frame.shown))
            more = step("name beside", self.type_of(head))
            yield from self._listed(beside, (*steps, *more))

    def _is_named(self, frame: M.Frame, table: str) -> bool:
        """Whether a column that names the rows of a table is shown."""
        return any(
            M.table_of(attribute) == table and self._places.names_row(attribute)
            for attribute in frame.shown
        )

    def _listed(self, frame: M.Frame, steps: Steps) -> Iterator[tuple[P.Listing, Steps]]:
        """Rows with what is shown of them."""
        tables = {*map(M.table_of, frame.shown), *((frame.head,) if frame.head else ())}
        rows = frame.head
        if rows is None or not self._places.reaches(rows, tables):
            rows = self._places.grain(tables)
        orders = _tables_of_orders(frame)
        if not self._places.reaches(rows, orders):
            rows = self._places.grain(tables | orders)
        for where, more in self._ways(frame, _Parts.of(frame).rows, rows):
            yield from self._shown(frame, P.Rows(rows, where), (*steps, *more))

    def _shown(
        self, frame: M.Frame, rows: P.Rows, steps: Steps
    ) -> Iterator[tuple[P.Listing, Steps]]:
        """Rows, and the same with more columns or each value once."""
        fields, order = self._fields(frame.shown, rows.table), self._order(frame, rows.table)
        limit, table = _limit(frame), rows.table
        hidden = tuple(
            ordered.by
            for ordered in order
            if ordered.by not in fields and not isinstance(ordered.by, P.Aggregate)
        )
        once = P.Listing(rows, fields, () if hidden else order, distinct=True)
        if "distinct" in frame.flags and not hidden and limit is None:
            yield once, steps
            return
        plain = P.Listing(rows, fields, order, limit, only=_is_place(frame))
        yield plain, steps
        if limit is not None and hidden:
            yield replace(plain, shown=(*fields, *hidden)), (*steps, "sort shown")
        key = self._places.key(table)
        if "silent name" in steps and key and M.ColumnOf(table, key) not in frame.shown:
            yield replace(plain, shown=(P.Field((), key), *fields)), (*steps, "key shown")
        if not self._is_named(frame, table) and not hidden and limit is None:
            yield once, (*steps, "each value once")

    def _fields(self, shown: Iterable[M.Attribute], rows: str) -> tuple[P.Attribute, ...]:
        return tuple(
            dict.fromkeys(self._conditions.attribute(attribute, rows) for attribute in shown)
        )

    def _order(
        self,
        frame: M.Frame,
        rows: str,
        figure: Callable[[M.Measure, str], P.Belonging | P.Aggregate] | None = None,
    ) -> tuple[P.Order, ...]:
        """Rows ordered by their attributes, or by figures; those of groups, if nothing else is
        given."""
        figure = figure or self._conditions.aggregate
        return tuple(
            P.Order(
                figure(order.by, rows)
                if isinstance(order.by, M.Aggregated | M.Declared)
                else self._conditions.attribute(_no_pending(order.by), rows),
                order.descending,
            )
            for order in frame.orders
        )

    # --- groups ---------------------------------------------------------------------------------

    def _grouping(self, frame: M.Frame) -> Programs:
        frame, parts = _shared(frame), _Parts.of(frame)
        measured = frame.measures or parts.figures or parts.orders
        if not (measured or frame.keys) or "yes" in frame.flags:
            return
        groups = self._groups(frame)
        plain, steps = self._grouped(frame, parts, groups), groups.steps
        if "share" in frame.flags and len(plain.figures) == 1:
            figure = self._conditions.aggregate(frame.measures[0], plain.rows.table)
            share = _percent(figure, P.Figure(plain.rows, figure))
            yield replace(plain, figures=(share,)), (*steps, "share")
            return
        yield plain, steps
        chosen_by = [
            *(having.aggregate for having in plain.having),
            *(order.by for order in plain.order),
        ]
        more = tuple(
            figure
            for figure in dict.fromkeys(chosen_by)
            if isinstance(figure, P.Aggregate) and figure not in plain.figures
        )
        if more:
            figures = (*plain.figures, *more)
            yield replace(plain, figures=figures), (*steps, "measure shown")
        elif not plain.figures:
            yield replace(plain, figures=(P.Aggregate("count"),)), (*steps, "silent count")

    def _groups(self, frame: M.Frame) -> _Groups:
        """What makes groups: the keys that are said, what is shown, or the head's rows."""
        shown = list(frame.shown)
        if frame.keys:
            for key in frame.keys:
                shown += [
                    attribute for attribute in self._shown_of(key, shown) if attribute not in shown
                ]
            return _Groups(frame.keys, tuple(shown))
        if shown:
            tables = dict.fromkeys(
                M.table_of(attribute) for attribute in shown if self._places.names_row(attribute)
            )
            entities = [M.RowKey(table) for table in tables]
            others = [attribute for attribute in shown if M.table_of(attribute) not in tables]
            return _Groups((*entities, *others), tuple(shown), ("silent key",))
        parts = _Parts.of(frame)
        if frame.head and (parts.figures or parts.orders):
            name = tuple(self._places.display(frame.head))
            return _Groups((M.RowKey(frame.head),), name, ("silent key head",))
        raise NoProgram("nothing makes groups")

    def _shown_of(self, key: M.Key, shown: Iterable[M.Attribute]) -> list[M.Attribute]:
        """What is shown of a group beside what is said."""
        match key:
            case M.RowKey(table):
                named = any(M.table_of(attribute) == table for attribute in shown)
                return [] if named else [*self._places.display(table)]
            case M.Naming(_, link) if link is not None:
                return self._places.display_through(link)
        return [key]

    def _by(self, key: M.Key, rows: str) -> Iterator[P.Attribute]:
        """The columns that tell groups apart."""
        match key:
            case M.RowKey(table):
                name = self._places.key(table)
                columns = [M.ColumnOf(table, name)] if name else self._places.display(table)
                yield from (self._conditions.attribute(column, rows) for column in columns)
            case M.Naming(_, link) if link is not None:
                # By what it leads to, so that a row that leads nowhere is in no group.
                end = M.LinkedColumn(link, link.target, self.schema.key(link.target))
                yield self._conditions.attribute(end, rows)
            case _:
                yield self._conditions.attribute(key, rows)

    def _grouped(self, frame: M.Frame, parts: _Parts, groups: _Groups) -> P.Grouping:
        """Groups of rows, with the figures that are said."""
        rows = self._grain_of_groups(frame, parts, groups)
        by = tuple(attribute for key in groups.keys for attribute in self._by(key, rows))
        fields, order = self._fields(groups.shown, rows), self._order(frame, rows)
        if not by or any(
            not isinstance(ordered.by, P.Aggregate) and ordered.by not in (*by, *fields)
            for ordered in order
        ):
            raise NoProgram("groups are ordered by what makes them, or by figures")
        some = [M.HasSome(table) for table in frame.beside if self.schema.path(rows, table) is None]
        shown = next(iter(groups.shown), None)
        return P.Grouping(
            P.Rows(rows, self._conditions.where([*parts.rows, *some], rows, shown)),
            by,
            tuple(self._conditions.aggregate(measure, rows) for measure in frame.measures),
            tuple(self._conditions.having(condition, rows) for condition in parts.figures),
            order,
            _limit(frame),
            fields,
            only=_is_place(frame),
        )

    def _grain_of_groups(self, frame: M.Frame, parts: _Parts, groups: _Groups) -> str:
        """The table whose rows are grouped."""
        measures = [*frame.measures, *parts.measures()]
        keys = {_table_of_key(key) for key in groups.keys}
        counted = {self._places.table_of_measure(measure) for measure in measures} - {None}
        tables = {table for table in (*counted, *keys, *map(M.table_of, groups.shown)) if table}
        if frame.head and not tables - keys:
            tables.add(frame.head)
        rows = self._places.grain(tables)
        for measure in measures:
            if isinstance(measure, M.Declared):
                own = self.layer.measure(measure.name).table
                return own if self._places.reaches(own, tables) else rows
        return rows

    # --- rows with figures of their own ---------------------------------------------------------

    def _each_row(self, frame: M.Frame) -> Programs:
        """Rows of one table, with figures over what belongs to each; what has nothing counts 0."""
        parts = _Parts.of(frame)
        if not (frame.measures or parts.figures or parts.orders) or "yes" in frame.flags:
            return
        rows = self._entity(frame)
        shown = frame.shown or tuple(self._places.display(rows))
        inner = [condition for condition in parts.rows if not self._is_own(condition, rows)]
        outer = [condition for condition in parts.rows if condition not in inner]
        where = [self._conditions.where(outer, rows, shown[0])]
        where += [self._conditions.counted(condition, rows, inner) for condition in parts.figures]
        belonging = partial(self._conditions.belonging, inner=inner)
        order = self._order(frame, rows, belonging)
        figures: list[P.Attribute] = [belonging(measure, rows) for measure in frame.measures]
        steps: Steps = ("each row",)
        if "share" in frame.flags:
            figures, steps = [self._share_of_each(frame, rows, inner)], ("each row", "share")
        fields = (*self._fields(shown, rows), *figures)
        chosen, place = P.Rows(rows, conjunction(where)), _is_place(frame)
        listing = P.Listing(chosen, fields, order, _limit(frame), only=place)
        yield listing, steps
        more = [ordered.by for ordered in order if isinstance(ordered.by, P.Belonging)]
        if more := [figure for figure in more if figure not in fields]:
            yield replace(listing, shown=(*fields, *more)), (*steps, "measure shown")

    def _share_of_each(
        self, frame: M.Frame, rows: str, inner: Sequence[M.Condition]
    ) -> P.Arithmetic:
        """How much of a figure over what belongs to each row is over what `inner` holds of."""
        if not inner or len(frame.measures) != 1:
            raise NoProgram("a share is of more than itself")
        figure = partial(self._conditions.belonging, frame.measures[0], rows)
        return _percent(figure(inner), figure(()))

    def _entity(self, frame: M.Frame) -> str:
        """The table of whose rows there are figures."""
        said = [key.table for key in frame.keys if isinstance(key, M.RowKey)]
        if len(said) < len(frame.keys):
            raise NoProgram("values have no rows that belong to them")
        said += [
            M.table_of(attribute) for attribute in frame.shown if self._places.names_row(attribute)
        ]
        said += [frame.head] if frame.head else []
        if not said:
            raise NoProgram("no rows are said")
        return said[0]

    def _is_own(self, condition: M.Condition, rows: str) -> bool:
        """Whether a condition is one on the rows themselves, not on what belongs to them."""
        return isinstance(condition, M.HasNone | M.Each) or self._places.reaches(
            rows, self._places.tables_in(condition)
        )

    def _first_of_each(self, frame: M.Frame) -> Programs:
        """The first rows of each group: "the cheapest bread of each baker"."""
        parts, limit = _Parts.of(frame), _limit(frame)
        if not frame.keys or limit is None or frame.measures or parts.figures or parts.orders:
            return
        if frame.flags or not (frame.head or frame.shown):
            return
        head = frame.head or M.table_of(frame.shown[0])
        shown = list(frame.shown or self._places.display(head))
        named = [attribute for key in frame.keys for attribute in self._shown_of(key, shown)]
        tables = {head, *map(M.table_of, (*named, *shown)), *map(_table_of_key, frame.keys)}
        rows = self._places.grain(tables)
        each = tuple(attribute for key in frame.keys for attribute in self._by(key, rows))
        where = self._conditions.where(parts.rows, rows, shown[0])
        fields = self._fields((*named, *shown), rows)
        order = self._order(frame, rows)
        chosen, place = P.Rows(rows, where), _is_place(frame)
        yield P.Listing(chosen, fields, order, limit, each, only=place), ("first of each",)


# --- parts of frames ---------------------------------------------------------------------------


def _shared(frame: M.Frame) -> M.Frame:
    """A frame with the count of which a share is asked for, where no other figure is."""
    return (
        frame._replace(measures=(COUNT,))
        if "share" in frame.flags and not frame.measures
        else frame
    )


def _percent(part: P.Attribute | P.Aggregate, whole: P.Attribute | P.Aggregate) -> P.Arithmetic:
    return P.Arithmetic("*", P.Value(100), P.Arithmetic("/", part, whole))


def _pairs(frame: M.Frame) -> Iterator[tuple[M.Frame, ...]]:
    """The two frames of which the difference is asked for."""
    if frame.head and frame.beside and not frame.measures:
        counted = (frame.head, *frame.beside)
        yield tuple(M.Frame(measures=(COUNT._replace(table=table),)) for table in counted[:2])
    if len(frame.measures) == 2:
        yield tuple(frame._replace(measures=(measure,)) for measure in frame.measures)
    for condition in frame.conditions if len(frame.measures) == 1 else ():
        arms: tuple[M.Condition, ...] = ()
        match condition:
            case M.Each(left, right) | M.Either((left, right)):
                arms = (left, right)
            case M.IsOneOf(attribute, (low, high)):
                arms = (M.IsOneOf(attribute, (low,)), M.IsOneOf(attribute, (high,)))
        rest = tuple(other for other in frame.conditions if other != condition)
        if arms:
            yield tuple(frame._replace(conditions=(*rest, arm)) for arm in arms)


def _limit(frame: M.Frame) -> int | None:
    """How many rows or groups are wanted."""
    if frame.limit is not None:
        if not frame.orders:
            raise NoProgram("nothing says which come first")
        return frame.limit
    return next((order.limit for order in frame.orders if order.limit), None)


def _is_place(frame: M.Frame) -> bool:
    """Whether the last of these alone is wanted: "the second longest"."""
    return any(order.only for order in frame.orders)


def _no_pending(by: M.Attribute | M.Pending) -> M.Attribute:
    if isinstance(by, M.Pending):
        raise NoProgram("what it is ordered by is still to be said")
    return by


def _tables_of_orders(frame: M.Frame) -> set[str]:
    """The tables of the attributes that rows are ordered by."""
    return {
        M.table_of(order.by)
        for order in frame.orders
        if not isinstance(order.by, M.Aggregated | M.Declared | M.Pending)
    }


def _table_of_key(key: M.Key) -> str:
    return key.table if isinstance(key, M.RowKey) else M.table_of(key)


# --- what a whole frame has --------------------------------------------------------------------

SHAPES: Mapping[str, int] = {
    **{"shown": 4, "conditions": 3, "measures": 2, "keys": 2, "orders": 2, "head": 1}
}
"""The parts of a frame -> the number from which on it does not matter how many there are."""


def shape(frame: M.Frame) -> Steps:
    """What a whole frame has, so that the question as a whole can say how likely that is."""
    counts = {
        **{"shown": len(frame.shown), "conditions": len(frame.conditions)},
        **{"measures": len(frame.measures), "keys": len(frame.keys), "orders": len(frame.orders)},
        "head": int(frame.head is not None),
    }
    return (*(f"shape {part} {min(counts[part], SHAPES[part])}" for part in SHAPES), _sketch(frame))


def _sketch(frame: M.Frame) -> str:
    """The kind of answer that a frame asks for, as one name."""
    figures = (
        measure.function if isinstance(measure, M.Aggregated) else "declared"
        for measure in frame.measures
    )
    orders = (
        f"{'figure' if M.is_measure(order.by) else 'column'} {'down' if order.descending else 'up'}"
        + (" cut" if order.limit else "")
        for order in frame.orders
    )
    parts = (
        f"{int(frame.head is not None)} head, {min(len(frame.shown), 3)} shown",
        *(" + ".join(some) for some in (sorted(figures), orders)),
        f"{len(frame.keys)} keys",
        " + ".join(sorted(condition.tag for condition in frame.conditions)),
        " + ".join(sorted(frame.flags)),
    )
    return "sketch " + "; ".join(parts)
