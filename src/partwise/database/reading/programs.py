"""A frame as programs over rows: what was not said is added, each addition under a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.arms import in_arms, of_first
from partwise.database.reading.closing import closed
from partwise.database.reading.converting import InUnit
from partwise.database.reading.figuring import in_percent, of_two
from partwise.database.reading.frame import Cond, Fig, Frame
from partwise.database.reading.group_maker import GroupMaker
from partwise.database.reading.things import all_done, of_both
from partwise.errors import DomainError
from partwise.execution.relational.program import (
    Exists,
    Grouping,
    Program,
    Rows,
    problems,
)


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


class _Maker(GroupMaker):
    """Makes the programs of one frame that has nothing waiting."""

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
        base = self._base_of_figures()
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

    def _base_of_figures(self) -> str:
        """The table whose rows the figures are over: the head, where each of its rows leads to what
        a function is of."""
        head, first = self.frame.head, self.frame.figures[0]
        table = self.conditions.table_of(first)
        of_head = head and first.column and first.function != "count"
        return head if of_head and self.schema.path(head, table) is not None else table

    def _apart(self, figures: Sequence[Fig]) -> bool:
        """Whether some are counts of several tables: "how many bakers and how many breads"."""
        tables = {self.conditions.table_of(one) for one in figures}
        return len(tables) > 1 and any(
            one.function == "count" and not one.column for one in figures[1:]
        )

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


_SHAPES: Sequence[Callable[[_Maker], Iterator[Program]]] = (
    _Maker.yes_or_no,
    _Maker.held,
    _Maker.numbers,
    _Maker.groups,
    _Maker.rows,
    _Maker.arms,
    _Maker.firsts,
)
