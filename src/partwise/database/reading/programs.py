"""A frame as programs over rows: what was not said is added, each addition under a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.amounts import count_of
from partwise.database.reading.arms import in_arms, of_first
from partwise.database.reading.beside import also_shown
from partwise.database.reading.closing import closed, tables_of
from partwise.database.reading.comparing import UnfitError, all_of, sign_of
from partwise.database.reading.conditions import Conditions
from partwise.database.reading.converting import InUnit
from partwise.database.reading.figuring import in_percent, of_two
from partwise.database.reading.frame import Cond, Fig, Frame, Ref, names_of, told_by
from partwise.database.reading.frame import Order as FrameOrder
from partwise.database.reading.periods import Period
from partwise.database.reading.rates import ADVERBS
from partwise.database.reading.things import all_done, of_both
from partwise.errors import DomainError
from partwise.execution.relational.checking import problems
from partwise.execution.relational.program import (
    Attribute,
    Belonging,
    Compare,
    Condition,
    Exists,
    Field,
    Grouping,
    Having,
    Listing,
    Not,
    Order,
    Program,
    Related,
    Rows,
)

DAY = timedelta(days=1)


class Made(NamedTuple):
    """A program of a frame.

    Attributes:
        shifts: what was added without a word, or was said without a use.
    """

    program: Program
    shifts: tuple[str, ...]


def programs(frame: Frame, layer: SemanticLayer) -> list[Made]:
    """All programs of a frame; none if it is not whole."""
    result: dict[Program, Made] = {}
    for whole, shifts in closed(frame, layer):
        for shape in _SHAPES if not whole.pair else (_Maker.pairs,):
            try:
                maker = _Maker(layer, whole)
                maker.shifts += shifts
                for plain in shape(maker):
                    converter = InUnit(layer, whole.unit)
                    program = converter(plain)
                    if whole.unit and not (converter.found or program != plain):
                        maker.shifts.append("unused_unit")
                    if next(problems(program, layer.schema), None) is not None:
                        continue
                    result.setdefault(program, Made(program, tuple(maker.shifts)))
            except DomainError:
                continue
    return list(result.values())


class _Maker:
    """Makes the programs of one frame that has nothing waiting."""

    def __init__(self, layer: SemanticLayer, frame: Frame) -> None:
        self.layer, self.frame, self.schema = layer, frame, layer.schema
        self.conditions = Conditions(layer)
        self.shifts = self.conditions.shifts
        self.figures = [one for one in frame.conds if isinstance(one.left, Fig)]
        self.conds = [one for one in frame.conds if not isinstance(one.left, Fig)]
        if frame.agg or frame.way or (frame.place and frame.order is None):
            raise UnfitError("something waits")

    def yes_or_no(self) -> Iterator[Program]:
        """Whether there are such rows."""
        frame = self.frame
        if not frame.yesno or frame.shown or frame.figures or frame.keys or frame.order:
            return
        base = self.base()
        done = all_done(self.conditions, frame, base)
        yield done or Exists(Rows(base, self.where(base)))

    def numbers(self) -> Iterator[Program]:
        """Figures over all rows that are wanted."""
        frame = self.frame
        if not frame.figures or frame.shown or frame.keys or frame.order:
            return
        first = self.conditions.table_of(frame.figures[0])
        base = first
        many = frame.head and self.schema.path(frame.head, first) is not None
        if many and frame.figures[0].column and frame.figures[0].function != "count":
            base = frame.head
        conds = [*self.conds, *self.figures]
        if frame.head and frame.head != base and self.schema.path(base, frame.head) is None:
            conds = [*conds, Cond(frame.head, "some")]
        if self._apart(frame.figures):
            each = [self.conditions.figure(one, conds) for one in frame.figures]
            yield Grouping(each[0].rows, (), (each[0].aggregate, *each[1:]))
            return
        made = [self.conditions.figure(one, conds, base) for one in frame.figures]
        if len(made) == 1:
            yield made[0]
        else:
            yield Grouping(made[0].rows, (), tuple(one.aggregate for one in made))

    def _apart(self, figures: Sequence[Fig]) -> bool:
        """Whether some are counts of several tables: "how many bakers and how many breads"."""
        tables = {self.conditions.table_of(one) for one in figures}
        return len(tables) > 1 and any(
            one.function == "count" and not one.column for one in figures[1:]
        )

    def groups(self) -> Iterator[Program]:
        """Figures for each of some groups, or groups alone."""
        frame = self.frame
        keys: list[Ref | str] = list(frame.keys)
        shown = list(frame.shown)
        figs = list(frame.figures)
        if keys and not figs:
            figs = self._summed(shown)
            shown = [one for one in shown if Fig("sum", *one[:2]) not in figs]
        ordered = frame.order.by if frame.order is not None else None
        having = [one.left for one in self.figures if isinstance(one.left, Fig)]
        over = [*figs, *([ordered] if isinstance(ordered, Fig) else []), *having]
        if not keys:
            if not shown and not (frame.head and frame.figures):
                return
            self.shifts.append("silent_per")
            keys, shown = self._silent_keys(shown, over), []
        elif shown:
            keys += [one for one in shown if one not in keys]
        if isinstance(ordered, Ref) and (ordered not in keys or ordered.part):
            return
        if not over:
            if not frame.keys:
                return
            yield from self._shown_of_each()
            yield from self._of_totals(keys, figs)
            self.shifts.append("silent_count")
            figs = over = [Fig("count", self._counted(keys))]
            self._sort_by(figs[0])
        tables = {self.conditions.table_of(one) for one in over}
        if len(tables) != 1:
            raise UnfitError("figures over several tables")
        if len(keys) == len(figs) == 1 and self._is_rate(keys[0], figs[0]):
            self.shifts.append("rate_named")
            yield self.conditions.figure(figs[0], [*self.conds, *self.figures])
            return
        yield self._grouped(next(iter(tables)), keys, list(figs))

    def _is_rate(self, key: Ref | str, fig: Fig) -> bool:
        """Whether groups by a part of whatever date mean what a column is for by its name: "what do
        we pay per month" of monthly salaries."""
        if not isinstance(key, Ref) or key.column or key.part not in ADVERBS or not fig.column:
            return False
        said = {key.part, *ADVERBS[key.part].split()}
        return bool(said & {*self.layer.column(fig.table, fig.column).label.split()})

    def _of_totals(self, keys: list[Ref | str], figs: list[Fig]) -> Iterator[Program]:
        """Groups with the sum of what says how many each row stands for: "downloads by day"."""
        table = self._counted(keys)
        column = count_of(self.layer, table) if table else None
        if column is None or figs:
            return
        frame, shifts = self.frame, list(self.shifts)
        self.shifts.append("silent_amount")
        total = Fig("sum", table, column.name)
        self._sort_by(total)
        yield self._grouped(table, keys, [total])
        self.frame, self.shifts[:] = frame, shifts

    def _shown_of_each(self) -> Iterator[Program]:
        """Rows with what each has one of: "the head of each department"."""
        frame, shifts = self.frame, list(self.shifts)
        base, shown = frame.keys[0], frame.shown
        if len(frame.keys) > 1 or not isinstance(base, str) or not shown or frame.order:
            return
        one_each = all(self.conditions.path(base, one) is not None for one in shown)
        if frame.head in {"", base} and one_each:
            self.frame = frame._replace(keys=())
            each = dict.fromkeys((*names_of(self.layer, base), *shown))
            yield self._listed(base, list(each), ())
            self.frame, self.shifts[:] = frame, shifts

    def _sort_by(self, fig: Fig) -> None:
        """Order groups by a figure that was not said, where an order was."""
        if self.frame.sort and self.frame.order is None:
            order = FrameOrder(fig, self.frame.sort == "desc", True)
            self.frame = self.frame._replace(order=order)
            self.shifts[:] = [one for one in self.shifts if one != "unused_sort"]
            self.shifts.append("figure_sorted")

    def arms(self) -> Iterator[Program]:
        """Values that rows of both of two kinds have, or of one alone."""
        if not self.figures:
            yield from in_arms(self.conditions, self.frame, self.conds)

    def firsts(self) -> Iterator[Program]:
        """Rows that are linked with the first of others."""
        if self.frame.order is not None and not self.figures:
            yield from of_first(self.conditions, self.frame, self.base(), self.conds)

    def held(self) -> Iterator[Program]:
        """Whether one of two things is above the other."""
        yield from of_both(self.conditions, self.frame)

    def pairs(self) -> Iterator[Program]:
        """What two figures make."""
        if self.figures:
            return
        if not self.frame.keys:
            yield from of_two(self.conditions, self.frame, self.conds)
        elif self.frame.pair.startswith("share"):
            # "The share of each genre".
            keys, shown = list(self.frame.keys), self.frame.shown
            figs = [*self.frame.figures, *self._summed(shown)]
            if len(figs) > 1 or len(shown) > len(figs):
                return
            fig = figs[0] if figs else Fig("count", self._counted(keys))
            grouped = self._grouped(self.conditions.table_of(fig), keys, [fig])
            if isinstance(grouped, Grouping):
                yield in_percent(grouped, self.conditions.figure(fig, self.conds))

    def _summed(self, shown: Sequence[Ref]) -> list[Fig]:
        """Numbers beside groups are added up."""
        numbers = [
            one
            for one in shown
            if one.table and self.layer.column(one.table, one.column).kind == "number"
        ]
        self.shifts += ["silent_total"] * len(numbers)
        return [Fig("sum", one.table, one.column) for one in numbers]

    def _counted(self, keys: Sequence[Ref | str]) -> str:
        if self.frame.head and self.frame.head not in keys:
            return self.frame.head
        one = keys[0]
        table = one if isinstance(one, str) else one.table
        return table or next((name for name in tables_of(self.frame) if name), "")

    def _silent_keys(self, shown: Sequence[Ref], over: Sequence[Fig]) -> list[Ref | str]:
        """Shown columns as groups: all of one table whose rows they name are its rows; rows of
        equal names are a group where figures are over these very rows."""
        if not shown:
            return [self.frame.head]
        tables = dict.fromkeys(one.table for one in shown if one.table)
        counted = {self.conditions.table_of(one) for one in over}
        for table in tables:
            info = self.layer.table(table)
            if table in counted:
                continue
            mine = {one.column for one in shown if one.table == table}
            if mine & {*info.display, self.schema.table(table).key}:
                return [table, *(one for one in shown)]
        return list(shown)

    def _grouped(self, base: str, keys: Sequence[Ref | str], figs: Sequence[Fig]) -> Program:
        frame, conditions = self.frame, self.conditions
        within = [one for one in self.conds if one.op == "in" and not one.negated]
        periods = [one.value for one in within if isinstance(one.value, Period)]
        conditions.one_year = any(one.start.year == (one.end - DAY).year for one in periods)
        if isinstance(keys[0], str) and self.schema.path(base, keys[0]) is None:
            return self._listed(keys[0], [one for one in keys if isinstance(one, Ref)], figs)
        by: list[Attribute] = []
        shown: list[Attribute] = []
        refs = [one for one in keys if isinstance(one, Ref)]
        for key in keys:
            if isinstance(key, str):
                path = self.schema.path(base, key)
                if path is None:
                    raise UnfitError(f"{base} does not lead to {key}")
                by.append(Field(path, self.schema.key(key)))
                if not any(one.table == key for one in refs):
                    names = self.layer.table(key).display or (self.schema.key(key),)
                    shown += [Field(path, one) for one in names]
            elif key.part:
                parts = conditions.dated(base, key)
                shown += parts
                by += parts
            else:
                field = conditions.field(base, key)
                shown.append(field)
                if key.table not in keys:
                    by.append(field)
        for one in self.figures:
            if isinstance(one.value, Fig):
                raise UnfitError("a group is compared with a number")
        order = self._group_order(base, keys)
        having = tuple(
            Having(conditions.aggregate(one.left, base), one.op, conditions.compared_with(one))  # type: ignore[arg-type]
            for one in self.figures
        )
        if (
            frame.each
            and order
            and frame.limit
            and frame.order
            and not frame.order.all
            and not figs
        ):
            # "The highest invoice in each country" is not one country.
            self.shifts.append("each_cut")
        where = conditions.where(base, self.conds)
        figures = tuple(conditions.aggregate(one, base) for one in figs)
        same = tuple(shown) == tuple(by)
        return Grouping(
            Rows(base, where),
            tuple(by),
            figures,
            having,
            order,
            frame.limit if order else None,
            None if same else tuple(shown),
            only=frame.place > 0,
        )

    def _group_order(self, base: str, keys: Sequence[Ref | str]) -> tuple[Order, ...]:
        said = [self.frame.order] if self.frame.order is not None else []
        order = []
        for one in (*said, *self.frame.then):
            if isinstance(one.by, Fig):
                order.append(Order(self.conditions.aggregate(one.by, base), one.descending))
            elif one.by is not None:
                if one.by not in keys:
                    raise UnfitError("groups are ordered by what makes them")
                order.append(Order(self.conditions.field(base, one.by), one.descending))
        return tuple(order)

    def rows(self) -> Iterator[Program]:
        """Rows, and what is shown of each."""
        frame = self.frame
        if frame.figures and not (frame.head or frame.shown):
            return
        if frame.keys and not (frame.order and isinstance(frame.order.by, Ref)):
            return
        if frame.yesno and not frame.shown and not frame.figures:
            return
        if self._of_values():
            return
        base = self.base()
        listed = self._listed(base, list(frame.shown), frame.figures)
        before = list(self.shifts)
        yield listed
        for name, other in also_shown(self.layer, frame, listed):
            self.shifts[:] = [*before, name]
            yield other
        once = not listed.order or (not listed.limit and _ordered_by_shown(listed))
        if not frame.distinct and once and not frame.figures and frame.shown:
            self.shifts[:] = [*before, "silent_distinct"]
            yield replace(listed, distinct=True)

    def _of_values(self) -> bool:
        """Whether a figure is of each value of a column: "the city with most customers" is a city,
        not the city of a customer."""
        frame = self.frame
        ordered = frame.order is not None and isinstance(frame.order.by, Fig)
        if frame.head or not frame.shown or not (ordered or frame.figures or self.figures):
            return False
        return not any(
            one.column in {*self.layer.table(one.table).display, self.schema.table(one.table).key}
            for one in frame.shown
            if one.table
        )

    def _listed(self, base: str, shown: Sequence[Ref], figs: Sequence[Fig]) -> Listing:
        frame, conditions = self.frame, self.conditions
        inner: list[Cond] = []
        outer = list(self.conds)
        ordered = frame.order.by if frame.order is not None else None
        belongs = [*figs, *([ordered] if isinstance(ordered, Fig) else [])]
        belongs += [one.left for one in self.figures if isinstance(one.left, Fig)]
        if belongs:
            conditions.events = True
            outer, inner = conditions.inside(base, conditions.table_of(belongs[0]), self.conds)
        fields: list[Attribute] = []
        for one in shown:
            fields += conditions.dated(base, one) if one.part else [conditions.field(base, one)]
        if not fields:
            self.shifts.append("silent_name")
            fields = self._names(base)
        made = [conditions.belonging(base, one, inner) for one in figs]
        order: tuple[Order, ...] = ()
        if isinstance(ordered, Ref):
            order = (Order(self._ranked_by(base, ordered, inner), frame.order.descending),)  # type: ignore[union-attr]
        elif isinstance(ordered, Fig):
            by = conditions.belonging(base, ordered, inner)
            order = (Order(by, frame.order.descending),)  # type: ignore[union-attr]
        for then in frame.then:
            if isinstance(then.by, Ref):
                order = (*order, Order(conditions.field(base, then.by), then.descending))
        where = conditions.where(base, outer)
        parts = [where] if where is not None else []
        parts += [self._compared(base, having, inner) for having in self.figures]
        if made or (order and isinstance(order[0].by, Belonging)):
            first = made[0] if made else order[0].by
            assert isinstance(first, Belonging)
            parts.append(Related((), first.figure.rows))
        each = tuple(self._key(base, one) for one in frame.keys)
        rows, only = Rows(base, all_of(parts)), frame.place > 0
        listed = Listing(rows, (*fields, *made), order, frame.limit, each, only=only)
        return replace(listed, distinct=True) if self._once(listed) else listed

    def _once(self, listed: Listing) -> bool:
        """Whether equal rows are shown once."""
        return self.frame.distinct and not listed.each and _ordered_by_shown(listed)

    def _ranked_by(self, base: str, ref: Ref, inner: Sequence[Cond]) -> Attribute:
        """A column of each row; of what belongs to it, the first value in the order that is asked
        for."""
        if self.conditions.path(base, ref) is not None:
            return self.conditions.attribute(base, ref)
        assert self.frame.order is not None
        function = "maximum" if self.frame.order.descending else "minimum"
        return self.conditions.belonging(base, Fig(function, *ref[:2]), inner)

    def _compared(self, base: str, cond: Cond, inner: Sequence[Cond]) -> Condition:
        assert isinstance(cond.left, Fig)
        mine = self.conditions.belonging(base, cond.left, inner)
        made = Compare(mine, sign_of(cond.op), self.conditions.compared_with(cond))
        return Not(made) if cond.negated else made

    def _key(self, base: str, key: Ref | str) -> Attribute:
        if isinstance(key, Ref):
            return self.conditions.field(base, key)
        return self.conditions.field(base, Ref(key, self.schema.key(key)))

    def _names(self, base: str) -> list[Attribute]:
        """What is shown where nothing was said."""
        columns = self.layer.table(base).columns
        if self.frame.everything:
            return [Field((), one.name) for one in columns if not one.private]
        if names := names_of(self.layer, base):
            return [self.conditions.field(base, one) for one in names]
        told = told_by(self.layer, base)
        return [Field(self.conditions.path(base, one) or (), one.column) for one in told]

    def where(self, base: str) -> Condition | None:
        """All conditions, on rows of a base."""
        return self.conditions.where(base, [*self.conds, *self.figures])

    def base(self) -> str:
        """The table whose rows are asked for: the head, if all that is shown belongs to its rows;
        else the nearest table whose rows lead to all that is."""
        shown = [one for one in self.frame.shown if one.table]
        wanted = [one.via[0] if one.via is not None else one.table for one in shown]
        if self.frame.head:
            wanted.insert(0, self.frame.head)
        if not wanted:
            wanted = [next(tables_of(self.frame), "")]
            self.shifts.append("silent_head")
        if not wanted[0]:
            raise UnfitError("the frame has no table")
        if all(self.schema.path(wanted[0], one) is not None for one in wanted):
            return wanted[0]
        best: list[tuple[int, str]] = []
        for table in self.schema.tables:
            paths = [self.schema.path(table.name, one) for one in wanted]
            if None not in paths and not self.layer.table(table.name).private:
                best.append((sum(len(one) for one in paths if one is not None), table.name))
        if not best:
            raise UnfitError("nothing leads to all that is shown")
        self.shifts.append("pair")
        return min(best)[1]


_SHAPES: Sequence[Callable[[_Maker], Iterator[Program]]] = (
    _Maker.yes_or_no,
    _Maker.held,
    _Maker.numbers,
    _Maker.groups,
    _Maker.rows,
    _Maker.arms,
    _Maker.firsts,
)


def _ordered_by_shown(listed: Listing) -> bool:
    """Whether rows are ordered by nothing but what is shown of them."""
    return all(one.by in listed.shown for one in listed.order)
