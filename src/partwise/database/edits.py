"""What a question that goes on from the last one may mean: edits of the last program.

Each takes parts of what the question means by itself (conditions, what is shown, order, groups,
figures) over to the last program, or asks it of the rows of the last answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from partwise.database.apart import nodes_of
from partwise.database.conditions import conjunction
from partwise.database.domain import used
from partwise.database.layer.model import SemanticLayer
from partwise.errors import DomainError
from partwise.execution.relational import program as P
from partwise.execution.relational.schema import Path
from partwise.execution.relational.writing import canonical

KINDS = (
    *("alone", "same", "where", "where and", "where or", "where only", "where numbers", "over"),
    *("over and", "over only", "shown", "shown too", "order", "order figure", "order of", "by"),
    *("by count", "measure", "measure too", "measure of", "measure new", "count", "rows"),
    *("cut number", "cut place", "cut reversed", "top", "bottom"),
)
"""What is done: the new question alone, the last one again, and edits; those with one first word
are alike."""
FREE = frozenset((*KINDS[-7:], "same", "where numbers"))
"""Those that take nothing of what the new question means by itself."""
COUNT = P.Aggregate("count")
Parts = tuple[P.Condition, ...]
Counted = P.Listing | P.Grouping | P.Figure | P.Exists
"""Programs about rows."""


class Edit(NamedTuple):
    """A program that a question may mean after the last one.

    Attributes:
        kind: one of `KINDS`.
        rank: which interpretation of the question alone it takes parts of; 0 for the best.
        kept: how many conditions of the last program it keeps, and how many it replaces.
    """

    program: P.Program
    kind: str
    rank: int
    kept: int = 0
    replaced: int = 0

    @property
    def group(self) -> str:
        """The kinds that are alike."""
        return self.kind.split()[0]

    @property
    def takes(self) -> bool:
        """Whether it takes anything of what the new question means by itself."""
        return self.kind not in FREE


class Edits:
    """Makes the edits of programs over one database."""

    def __init__(self, layer: SemanticLayer) -> None:
        self.layer, self.schema = layer, layer.schema

    def all(
        self,
        last: P.Program,
        found: Sequence[P.Program],
        numbers: Sequence[int | float] = (),
        places: Sequence[int] = (),
    ) -> list[Edit]:
        """The edits of the last program, each program once for each kind of edit that gives it.

        Args:
            found: what the new question may mean by itself, the best first.
            numbers: that it says.
            places: in an order that it says, as 2 for "second".
        """
        made: dict[tuple[P.Program, str], Edit] = {}
        alone = (Edit(program, "alone", rank) for rank, program in enumerate(found))
        edits = chain.from_iterable(
            self._of(last, program, rank) for rank, program in enumerate(found)
        )
        again = (Edit(last, "same", 0),)
        for edit in chain(alone, again, self._of_last(last, numbers, places), edits):
            try:
                program = canonical(edit.program, self.schema)
                known = (program, edit.kind)
                if known not in made and not any(P.problems(program, self.schema)):
                    made[known] = edit._replace(program=program)
            except DomainError:
                continue
        return list(made.values())

    def _of_last(
        self, last: P.Program, numbers: Sequence[int | float], places: Sequence[int]
    ) -> Iterator[Edit]:
        """Those that take nothing over."""
        if isinstance(last, Counted):
            yield from _possible(self._counted(last))
            yield from _possible(self._cut(last, numbers))
            yield from _possible(self._placed(last, places))

    def _placed(self, last: Counted, places: Sequence[int]) -> Iterator[Edit]:
        """Another place in the order."""
        if isinstance(last, P.Listing | P.Grouping) and last.order and last.limit is not None:
            for place in places:
                only = replace(last, limit=place, only=True)
                yield Edit(only, "cut place", 0, len(parts(last.rows)))

    def _counted(self, last: Counted) -> Iterator[Edit]:
        """How many rows, groups or values the last answer has, and what rows it counts."""
        rows, kept, of = last.rows, len(parts(last.rows)), None
        if isinstance(last, P.Figure):
            counted = last.aggregate.of if last.aggregate.distinct else None
            shown = self.display(rows.table) if counted is None else (counted,)
            yield Edit(P.Listing(rows, shown, distinct=counted is not None), "rows", 0, kept)
        if isinstance(last, P.Listing) and last.distinct and len(last.shown) == 1:
            of = last.shown[0]
        if isinstance(last, P.Grouping) and len(last.by) == 1:
            of = last.by[0]
        chosen = P.Rows(rows.table, conjunction(self.chosen(last)))
        yield Edit(P.Figure(chosen, P.Aggregate("count", of, of is not None)), "count", 0, kept)

    def _cut(self, last: Counted, numbers: Sequence[int | float]) -> Iterator[Edit]:
        """Other numbers, another end of the order, the first or the last group."""
        rows, kept = last.rows, len(parts(last.rows))
        if (where := _with_numbers(rows.where, numbers)) != rows.where:
            yield Edit(replace(last, rows=P.Rows(rows.table, where)), "where numbers", 0, kept)
        if isinstance(last, P.Listing | P.Grouping) and last.order:
            for number in (number for number in numbers if isinstance(number, int)):
                yield Edit(replace(last, limit=number), "cut number", 0, kept)
            turned = tuple(replace(one, descending=not one.descending) for one in last.order)
            yield Edit(replace(last, order=turned), "cut reversed", 0, kept)
        if isinstance(last, P.Grouping) and last.by and last.figures:
            for kind, descending in (("top", True), ("bottom", False)):
                order = (P.Order(last.figures[0], descending),)
                yield Edit(replace(last, order=order, limit=1, figures=()), kind, 0, kept)

    def _of(self, last: P.Program, new: P.Program, rank: int) -> Iterator[Edit]:
        if not (isinstance(last, Counted) and isinstance(new, Counted)):
            return
        makers: tuple[Callable[[Counted, Counted], Iterator[Edit]], ...] = (
            *(self._where, self._over, self._shown, self._order, self._by, self._measure),
        )
        for make in makers:
            for edit in _possible(make(last, new)):
                yield edit._replace(rank=rank)

    def _where(self, last: Counted, new: Counted) -> Iterator[Edit]:
        """The last question, of other rows."""
        old, more = parts(last.rows), self.held(new, last.rows.table)
        if not more:
            return
        left = self.without(old, more, last.rows.table)
        gone = len(old) - len(left)
        yield Edit(_over(last, (*left, *more)), "where", 0, len(left), gone)
        if gone:
            yield Edit(_over(last, (*old, *more)), "where and", 0, len(old))
            before = conjunction(part for part in old if part not in left)
            either = P.Or(tuple(filter(None, (before, conjunction(more)))))
            yield Edit(_over(last, (*left, either)), "where or", 0, len(old))
        if left:
            yield Edit(_over(last, more), "where only", 0, 0, len(old))

    def _over(self, last: Counted, new: Counted) -> Iterator[Edit]:
        """The new question, of the rows of the last answer."""
        old, more = self.about(self.chosen(last), last.rows.table, new.rows.table), parts(new.rows)
        if isinstance(last, P.Grouping):
            old = self.groups(last, new.rows.table) or old
        if not old:
            return
        left = self.without(old, more, new.rows.table)
        gone = len(old) - len(left)
        if left:
            yield Edit(_over(new, (*left, *more)), "over", 0, len(left), gone)
        if gone:
            yield Edit(_over(new, (*old, *more)), "over and", 0, len(old))
        if more:
            yield Edit(_over(new, old), "over only", 0, len(old))

    def _shown(self, last: Counted, new: Counted) -> Iterator[Edit]:
        """The last question, with something else shown."""
        path = self.schema.path(last.rows.table, new.rows.table)
        if path is None or not isinstance(new, P.Listing):
            return
        base, kept = self._with_conditions(last, new)
        shown = moved(new.shown, path)
        match base:
            case P.Listing(_, before):
                yield Edit(replace(base, shown=shown, distinct=False), "shown", 0, kept)
                both = tuple(dict.fromkeys((*before, *shown)))
                yield Edit(replace(base, shown=both, distinct=False), "shown too", 0, kept)
            case P.Grouping():
                both = tuple(dict.fromkeys((*base.showing, *shown)))
                yield Edit(replace(base, shown=both), "shown too", 0, kept)
                if base.chosen:
                    yield Edit(replace(base, shown=shown, figures=()), "shown", 0, kept)

    def _order(self, last: Counted, new: Counted) -> Iterator[Edit]:
        """The last question in the order of the new one."""
        path = self.schema.path(last.rows.table, new.rows.table)
        base, kept = self._with_conditions(last, new)
        if not isinstance(new, P.Listing | P.Grouping):
            return
        if not isinstance(base, P.Listing | P.Grouping):
            return
        if not new.order:
            if base.order and isinstance(new, P.Listing) and path is not None:
                turned = replace(base.order[0], by=moved(new.shown[0], path))
                yield Edit(replace(base, order=(turned,)), "order of", 0, kept)
            return
        if path is not None:
            order = moved(new.order, path)
            yield Edit(replace(base, order=order, limit=new.limit, only=new.only), "order", 0, kept)
        figures = base.figures if isinstance(base, P.Grouping) else ()
        for figure in figures[:1]:
            order = (P.Order(figure, new.order[0].descending),)
            by = replace(base, order=order, limit=new.limit, only=new.only)
            yield Edit(by, "order figure", 0, kept)

    def _by(self, last: Counted, new: Counted) -> Iterator[Edit]:
        """The figures of the last question, for each of something."""
        path = self.schema.path(last.rows.table, new.rows.table)
        if path is None:
            return
        base, kept = self._with_conditions(last, new)
        match new:
            case P.Grouping():
                by, shown = moved(new.by, path), moved(new.showing, path)
            case P.Listing():
                by = shown = moved(new.shown, path)
            case _:
                return
        match base:
            case P.Figure():
                figures: tuple[Any, ...] = (base.aggregate,)
            case P.Grouping():
                figures = base.figures
            case _:
                figures = ()
        if by and figures:
            yield Edit(P.Grouping(base.rows, by, figures, shown=shown), "by", 0, kept)
        if by and figures != (COUNT,):
            yield Edit(P.Grouping(base.rows, by, (COUNT,), shown=shown), "by count", 0, kept)

    def _measure(self, last: Counted, new: Counted) -> Iterator[Edit]:
        """Another figure of the same rows or groups, or the same of another column."""
        path = self.schema.path(last.rows.table, new.rows.table)
        if isinstance(last, P.Figure) and isinstance(new, P.Listing) and last.aggregate == COUNT:
            yield Edit(P.Figure(new.rows, COUNT), "measure new", 0)
        if path is None or not isinstance(last, P.Grouping | P.Figure):
            return
        base, kept = self._with_conditions(last, new)
        before = base.figures if isinstance(base, P.Grouping) else (base.aggregate,)  # type: ignore[union-attr]
        figures: tuple[Any, ...] = ()
        match new:
            case P.Figure():
                figures = (moved(new.aggregate, path),)
            case P.Grouping():
                figures = moved(new.figures, path)
            case P.Listing() if before and getattr(before[0], "of", None) is not None:
                figures = (replace(before[0], of=moved(new.shown[0], path)),)
        if not figures:
            return
        kind = "measure of" if isinstance(new, P.Listing) else "measure"
        if isinstance(base, P.Grouping):
            yield Edit(replace(base, figures=figures), kind, 0, kept)
            both = tuple(dict.fromkeys((*before, *figures)))
            yield Edit(replace(base, figures=both), "measure too", 0, kept)
        elif isinstance(new, P.Listing):
            yield Edit(replace(base, aggregate=figures[0]), kind, 0, kept)

    # --- rows -----------------------------------------------------------------------------------

    def _with_conditions(self, last: Counted, new: Counted) -> tuple[Counted, int]:
        """The last program with the conditions of the new one, and how many it keeps."""
        old, more = parts(last.rows), self.held(new, last.rows.table)
        left = self.without(old, more, last.rows.table)
        return _over(last, (*left, *more)), len(left)

    def held(self, new: Counted, table: str) -> Parts:
        """The conditions of a program, about rows of a table."""
        return self.about(parts(new.rows), new.rows.table, table)

    def about(self, conditions: Parts, here: str, table: str) -> Parts:
        """Conditions on rows of a table, as conditions on those of another. Raises DomainError if
        nothing links them."""
        if here == table or not conditions:
            return conditions
        path = self.schema.path(table, here)
        if path is not None:
            return tuple(moved(part, path) for part in conditions)
        self.schema.related(table, here)
        return (P.Related((), P.Rows(here, conjunction(conditions))),)

    def without(self, old: Parts, new: Parts, table: str) -> Parts:
        """The old conditions that are on other columns than the new ones."""
        columns = set(self._columns(new, table))
        return tuple(part for part in old if not columns & set(self._columns(part, table)))

    def _columns(self, part: Any, table: str) -> Iterator[tuple[str, str | None]]:
        return (place for place in used(part, table, self.schema) if place[1] is not None)

    def chosen(self, last: Counted) -> Parts:
        """What holds of the rows of the last answer, and of no others."""
        rows = last.rows
        match last:
            case P.Listing() if last.limit is not None:
                if last.distinct and len(last.shown) == 1:
                    key = last.shown[0]
                    return (P.Among(key, last),)
                key = P.Field((), self.schema.key(rows.table))
                return (P.Among(key, replace(last, shown=(key,), distinct=False)),)
            case P.Grouping() if last.chosen and len(last.by) == 1:
                return (P.Among(last.by[0], replace(last, shown=None, figures=())),)
        return parts(rows)

    def groups(self, last: P.Grouping, table: str) -> Parts:
        """The same of groups, where each stands for a row of a table; nothing if they do not."""
        if not last.chosen or len(last.by) != 1 or not isinstance(key := last.by[0], P.Field):
            return ()
        end = self.schema.end(last.rows.table, key.path)
        columns = [(end, key.column)]
        columns += [
            (link.target, self.schema.key(link.target))
            for link in self.schema.leaving(end)
            if link.column == key.column
        ]
        for end, column in columns:
            path = self.schema.path(table, end)
            if path is not None and end != last.rows.table:
                values = replace(last, shown=None, figures=())
                return (P.Among(P.Field(path, column), values),)
        return ()

    def display(self, table: str) -> tuple[P.Field, ...]:
        """What names the rows of a table."""
        names = self.layer.table(table).display or self.schema.table(table).identity
        return tuple(P.Field((), name) for name in names)


def _possible(edits: Iterator[Edit]) -> Iterator[Edit]:
    """Edits up to the first that cannot be."""
    try:
        yield from edits
    except DomainError:
        return


def parts(rows: P.Rows) -> Parts:
    """The conditions on rows that must all hold."""
    if rows.where is None:
        return ()
    return rows.where.parts if isinstance(rows.where, P.And) else (rows.where,)


def _over(program: Any, conditions: Iterable[P.Condition]) -> Any:
    """A program over rows of which other conditions hold."""
    where = conjunction(dict.fromkeys(conditions))
    return replace(program, rows=P.Rows(program.rows.table, where))


def _with_numbers(where: P.Condition | None, numbers: Sequence[int | float]) -> Any:
    """Conditions with other numbers, where there are as many."""
    known = [node for node in nodes_of(where) if _is_number(node)]
    if where is None or len(known) != len(numbers):
        return where
    left = iter(numbers)
    return P.rebuilt(where, lambda node: P.Value(next(left)) if _is_number(node) else node)


def _is_number(node: Any) -> bool:
    plain = isinstance(node, P.Value) and not isinstance(node.value, bool)
    return plain and isinstance(node.value, int | float)


def moved(part: Any, path: Path) -> Any:
    """A part of a program that is about a row, for rows from which a path leads to that row."""
    if isinstance(part, tuple):
        return tuple(moved(inner, path) for inner in part)
    if isinstance(part, P.Field | P.Related | P.Belonging):
        return replace(part, path=(*path, *part.path))
    if not is_dataclass(part) or isinstance(part, P.Figure | P.Listing | P.Grouping | P.Rows):
        return part
    made = {one.name: moved(getattr(part, one.name), path) for one in fields(part)}
    return replace(part, **made)  # type: ignore[type-var]
