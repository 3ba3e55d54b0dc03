"""Programs that make groups, from a frame that has nothing waiting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from partwise.database.reading.amounts import count_of
from partwise.database.reading.closing import tables_of
from partwise.database.reading.comparing import UnfitError
from partwise.database.reading.frame import Cond, Fig, FrameOrder, Ref, names_of
from partwise.database.reading.row_maker import RowMaker
from partwise.database.spans.periods import Period
from partwise.execution.relational.program import (
    Attribute,
    Field,
    Grouping,
    Having,
    Order,
    Program,
    Rows,
)

DAY = timedelta(days=1)


class GroupMaker(RowMaker):
    """Makes the programs of one frame that make groups, too."""

    def groups(self) -> Iterator[Program]:
        """Figures for each of some groups, or groups alone."""
        frame = self.frame
        shown, figs = list(frame.shown), list(frame.figures)
        if frame.keys and not figs:
            figs = self._summed(shown)
            shown = [one for one in shown if Fig("sum", *one[:2]) not in figs]
        if frame.keys and figs:
            self._of_each_row(self.conditions.table_of(figs[0]))
        ordered = frame.ordered
        having = [one.left for one in self.figures if isinstance(one.left, Fig)]
        over = [*figs, *([ordered] if isinstance(ordered, Fig) else []), *having]
        keys = self._keys(shown, over)
        if isinstance(ordered, Ref) and (ordered not in keys or ordered.part):
            return
        if not over and frame.keys:
            yield from self._shown_of_each()
            yield from self._of_totals(keys, figs)
            self.shifts.append("silent_count")
            figs = over = [Fig("count", self._counted(keys))]
            self._sort_by(figs[0])
        if keys and over:
            yield self._figured(keys, figs, over)

    def _keys(self, shown: Sequence[Ref], over: Sequence[Fig]) -> list[Ref | str]:
        """What makes groups; nothing where there are none."""
        frame = self.frame
        if frame.keys:
            return [*frame.keys, *(one for one in shown if one not in frame.keys)]
        if not shown and not (frame.head and frame.figures):
            return []
        self.shifts.append("silent_per")
        return self._silent_keys(shown, over)

    def _figured(
        self, keys: Sequence[Ref | str], figs: Sequence[Fig], over: Sequence[Fig]
    ) -> Program:
        """Groups with their figures.

        Args:
            over: figures that are shown, ordered by, or compared; all of one table.
        """
        tables = {self.conditions.table_of(one) for one in over}
        if len(tables) != 1:
            raise UnfitError("figures over several tables")
        base = next(iter(tables))
        self._of_those(base, keys)
        return self._grouped(base, keys, figs)

    def _of_those(self, base: str, keys: Sequence[Ref | str]) -> None:
        """Rows that belong to those in groups are had by them: "how many clients have bookings, by
        city"."""
        head = self.frame.head
        if head and head not in {base, *keys} and self.schema.path(base, head) is None:
            self.conds = [*self.conds, Cond(head, "some")]

    def _of_each_row(self, base: str) -> None:
        """Figures of what belongs to each row are conditions on rows, not groups: "customers with
        at least 2 orders per city"."""
        apart = [
            one
            for one in self.figures
            if isinstance(one.left, Fig)
            and (of := self.conditions.table_of(one.left)) != base
            and self.schema.path(of, base) is not None
        ]
        self.conds += apart
        self.figures = [one for one in self.figures if one not in apart]

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
        """Groups by some keys; rows of a table instead, where these belong to each."""
        frame, conditions = self.frame, self.conditions
        conditions.one_year = self._in_one_year()
        if isinstance(keys[0], str) and self.schema.path(base, keys[0]) is None:
            return self._listed(keys[0], [one for one in keys if isinstance(one, Ref)], figs)
        by, shown = self._attributes(base, keys)
        if any(isinstance(one.value, Fig) for one in self.figures):
            raise UnfitError("a group is compared with a number")
        order = self._group_order(base, keys)
        having = self._having(base)
        if frame.each and order and not figs and self._is_cut():
            # "The highest invoice in each country" is not one country.
            self.shifts.append("each_cut")
        where = conditions.where(base, self.conds)
        return Grouping(
            Rows(base, where),
            tuple(by),
            tuple(conditions.aggregate(one, base) for one in figs),
            having,
            order,
            frame.limit if order else None,
            None if shown == by else tuple(shown),
            only=frame.place > 0,
        )

    def _having(self, base: str) -> tuple[Having, ...]:
        """Conditions on figures of groups."""
        aggregate, value = self.conditions.aggregate, self.conditions.compared_with
        return tuple(
            Having(aggregate(one.left, base), one.op, value(one))  # type: ignore[arg-type]
            for one in self.figures
        )

    def _is_cut(self) -> bool:
        """Whether some of the first are wanted."""
        order = self.frame.order
        return bool(self.frame.limit and order is not None and not order.all)

    def _in_one_year(self) -> bool:
        """Whether a condition is of days of one year alone."""
        within = [one.value for one in self.conds if one.op == "in" and not one.negated]
        periods = [one for one in within if isinstance(one, Period)]
        return any(one.start.year == (one.end - DAY).year for one in periods)

    def _attributes(
        self, base: str, keys: Sequence[Ref | str]
    ) -> tuple[list[Attribute], list[Attribute]]:
        """What makes groups of rows, and what is shown of each group."""
        by: list[Attribute] = []
        shown: list[Attribute] = []
        named = {one.table for one in keys if isinstance(one, Ref)}
        for key in keys:
            if isinstance(key, str):
                path = self.schema.path(base, key)
                if path is None:
                    raise UnfitError(f"{base} does not lead to {key}")
                by.append(Field(path, self.schema.key(key)))
                if key not in named:
                    names = self.layer.table(key).display or (self.schema.key(key),)
                    shown += [Field(path, one) for one in names]
            elif key.part:
                parts = self.conditions.dated(base, key)
                shown += parts
                by += parts
            else:
                field = self.conditions.field(base, key)
                shown.append(field)
                if key.table not in keys:
                    by.append(field)
        return by, shown

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
