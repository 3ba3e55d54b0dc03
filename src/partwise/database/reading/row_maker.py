"""Programs that show rows, from a frame that has nothing waiting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.beside import also_shown
from partwise.database.reading.closing import tables_of
from partwise.database.reading.comparing import UnfitError, all_of, sign_of
from partwise.database.reading.conditions import Conditions
from partwise.database.reading.frame import Cond, Fig, Frame, Ref, names_of, told_by
from partwise.execution.relational.program import (
    Attribute,
    Belonging,
    Compare,
    Condition,
    Field,
    Listing,
    Not,
    Order,
    Program,
    Related,
    Rows,
)


class RowMaker:
    """Makes the programs of one frame that show rows.

    Args:
        frame: with nothing that waits.

    Raises:
        UnfitError: if something waits.
    """

    def __init__(self, layer: SemanticLayer, frame: Frame) -> None:
        self.layer, self.frame, self.schema = layer, frame, layer.schema
        self.conditions = Conditions(layer)
        self.shifts = self.conditions.shifts
        self.figures = [one for one in frame.conds if isinstance(one.left, Fig)]
        self.conds = [one for one in frame.conds if not isinstance(one.left, Fig)]
        if frame.agg or frame.way or (frame.place and frame.order is None):
            raise UnfitError("something waits")

    def rows(self) -> Iterator[Program]:
        """Rows, and what is shown of each."""
        frame = self.frame
        if self._is_of_others() or self._of_values():
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

    def _is_of_others(self) -> bool:
        """Whether a figure, groups, or yes or no are asked for, and no rows."""
        frame = self.frame
        if frame.figures and not (frame.head or frame.shown):
            return True
        if frame.keys and not isinstance(frame.ordered, Ref):
            return True
        return frame.yesno and not frame.shown and not frame.figures

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
        ordered = frame.ordered
        belongs = [*figs, *([ordered] if isinstance(ordered, Fig) else [])]
        belongs += [one.left for one in self.figures if isinstance(one.left, Fig)]
        if belongs:
            conditions.events = conditions.table_of(belongs[0])
            outer, inner = conditions.inside(base, conditions.table_of(belongs[0]), self.conds)
        fields = self._fields(base, shown)
        made = [conditions.belonging(base, one, inner) for one in figs]
        order = self._order(base, inner)
        where = conditions.where(base, outer)
        parts = [where] if where is not None else []
        parts += [self._compared(base, having, inner) for having in self.figures]
        first = made[0] if made else order[0].by if order else None
        if isinstance(first, Belonging):
            parts.append(Related((), first.figure.rows))
        each = tuple(self._key(base, one) for one in frame.keys)
        rows, only = Rows(base, all_of(parts)), frame.place > 0
        listed = Listing(rows, (*fields, *made), order, frame.limit, each, only=only)
        return replace(listed, distinct=True) if self._once(listed) else listed

    def _fields(self, base: str, shown: Sequence[Ref]) -> list[Attribute]:
        """What is shown of each row; its name where nothing is said."""
        fields: list[Attribute] = []
        for one in shown:
            fields += (
                self.conditions.dated(base, one) if one.part else [self.conditions.field(base, one)]
            )
        if fields:
            return fields
        self.shifts.append("silent_name")
        return self._names(base)

    def _order(self, base: str, inner: Sequence[Cond]) -> tuple[Order, ...]:
        """What rows are ordered by.

        Args:
            inner: conditions on what belongs to them.
        """
        first, made = self.frame.order, []
        if first is not None and isinstance(first.by, Ref):
            made = [Order(self._ranked_by(base, first.by, inner), first.descending)]
        elif first is not None and isinstance(first.by, Fig):
            made = [Order(self.conditions.belonging(base, first.by, inner), first.descending)]
        made += [
            Order(self.conditions.field(base, one.by), one.descending)
            for one in self.frame.then
            if isinstance(one.by, Ref)
        ]
        return tuple(made)

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


def _ordered_by_shown(listed: Listing) -> bool:
    """Whether rows are ordered by nothing but what is shown of them."""
    return all(one.by in listed.shown for one in listed.order)
