"""The conditions of a frame as conditions on the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from partwise.database.reading.comparing import (
    UnfitError,
    add_to,
    all_of,
    cannot_both,
    check_number,
    converted,
    on_column,
    one_of,
    sign_of,
)
from partwise.database.reading.dating import dated, lasting, lasts_on
from partwise.database.reading.fields import Fields
from partwise.database.reading.frame import Cond, Fig, Mean, Other, Ref
from partwise.database.reading.label import Quantity
from partwise.database.reading.links import ids_of, leads_to
from partwise.database.spans.periods import Period, Recurring
from partwise.execution.relational.program import (
    Aggregate,
    Among,
    Arithmetic,
    Belonging,
    Compare,
    Condition,
    Field,
    Figure,
    Function,
    Listing,
    Missing,
    Not,
    Or,
    Related,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Link


class Conditions(Fields):
    """Writes what a frame says of rows."""

    def aggregate(self, fig: Fig, base: str) -> Aggregate:
        """A figure over rows of a table."""
        if fig.function == "total":
            return Aggregate("sum", self.field(base, self.number(base)))
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
                return self.unsaid(base, cond).table
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
        left = cond.left if isinstance(cond.left, Ref) else self.unsaid(base, cond)
        kind = self.layer.column(left.table, left.column).kind
        match cond.value:
            case Period() | Recurring():
                lasts = lasts_on(self, base, left, cond) if cond.left is None else None
                return lasts or dated(self, base, left, cond)
            case _ if cond.op == "linked":
                raise UnfitError("a link to the row itself")
            case Quantity() if kind == "date":
                return lasting(self, base, left, cond.op, cond.value)
            case int() | float() if kind == "date":
                raise UnfitError(f"{left.column} is no number")
            case Ref():
                return self._of_two_columns(base, left, cond.op, cond.value)
            case _:
                return self._compared(base, left, cond)

    def _of_two_columns(self, base: str, left: Ref, op: str, right: Ref) -> Condition:
        """A column of each row compared with another one."""
        column, other = self.layer.column(*left[:2]), self.layer.column(*right[:2])
        field, ids = self.field(base, left), ids_of(self.schema, left.table)
        if other.kind != column.kind or other.unit != column.unit or left.column in ids:
            raise UnfitError(f"{left.column} is not compared with {other.name}")
        return Compare(field, sign_of(op), self.field(base, right))

    def _compared(self, base: str, left: Ref, cond: Cond) -> Condition:
        """A column of each row compared with a value or a figure."""
        column, field = self.layer.column(*left[:2]), self.field(base, left)
        cond = cond._replace(value=self._in_its_unit(left, cond.value))
        if (made := on_column(field, column, cond, left)) is not None:
            return made
        equals = cond.op in {"=", "!="}
        if isinstance(cond.value, int | float) and column.kind == "text":
            if not equals or isinstance(cond.value, bool):
                raise UnfitError(f"{left.column} is no number")
            # A code of digits.
            cond = cond._replace(value=str(cond.value))
        if not equals and not isinstance(cond.value, Other):
            check_number(column.kind, left)
        compared = Compare(field, sign_of(cond.op), self.compared_with(cond))
        more = [
            Compare(self.field(base, Ref(left.table, name, left.via)), "=", Value(text))
            for name, text in cond.more
        ]
        return all_of([compared, *more]) or compared

    def _in_its_unit(self, left: Ref, value: Any) -> Any:
        """What a column is compared with, in its unit.

        Raises:
            UnfitError: if the two cannot be compared.
        """
        column = self.layer.column(*left[:2])
        unit = value.unit if isinstance(value, Quantity) else None
        if column.unit is None and unit is not None and self.counts_in(left.table, unit):
            raise UnfitError(f"of {left.table}, another column than {left.column} is in {unit}")
        value = _of_same(converted(value, column.unit), left)
        if isinstance(value, Fig) and value.column:
            of = self.layer.column(value.table, value.column).kind
            if "date" in {of, column.kind} and of != column.kind:
                raise UnfitError(f"{left.column} is not compared with {value.column}")
        return value

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


def _of_same(value: Any, left: Ref) -> Any:
    """What a column is compared with, where it is the same column of another row or of all."""
    if isinstance(value, Other) and value.of is None:
        return value._replace(of=left)
    if isinstance(value, Fig) and not value.table:
        return value._replace(table=left.table, column=left.column)
    return value
