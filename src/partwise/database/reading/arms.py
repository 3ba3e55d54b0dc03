"""Questions in two arms: values that rows of both have, values that only those of one have, and
what is linked with the first of some rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partwise.database.reading.comparing import UnfitError, all_of
from partwise.database.reading.conditions import Conditions
from partwise.database.reading.frame import Cond, Fig, Frame, Ref
from partwise.execution.relational.program import (
    Aggregate,
    Among,
    Attribute,
    Condition,
    Field,
    Figure,
    Listing,
    Not,
    Order,
    Program,
    Rows,
)


def split(conds: Sequence[Cond]) -> tuple[Sequence[Cond], Sequence[Cond], bool] | None:
    """Conditions of two arms, and whether the second must not hold; None if all are of one.

    A second arm begins where something is denied, or where a column that was compared is compared
    again: no row is older than 23 and younger than 20, but a town may have both.
    """
    for at, one in enumerate(conds):
        if one.negated:
            return conds[:at], conds[at:], True
    for at in range(len(conds) - 1, 0, -1):
        one = conds[at]
        again = any(one.left == before.left for before in conds[:at])
        if again and one.join != "or" and not isinstance(one.left, str):
            return conds[:at], conds[at:], False
    return None


def in_arms(conditions: Conditions, frame: Frame, conds: Sequence[Cond]) -> Iterator[Program]:
    """Values of a column in both arms, or in the first alone; or how many there are."""
    if frame.keys or frame.order or frame.limit or (arms := split(conds)) is None:
        return
    columns, counted = _wanted(frame)
    if not columns:
        return
    base = columns[0].table
    conditions.shifts.append("arm_denied" if arms[2] else "arm_shared")
    shown: list[Attribute] = [conditions.field(base, one) for one in columns]
    rows = Rows(base, _in_both(conditions, base, shown[0], arms))
    yield (
        Figure(rows, Aggregate("count", shown[0], True))
        if counted
        else Listing(rows, tuple(shown), distinct=True)
    )


def _wanted(frame: Frame) -> tuple[list[Ref], bool]:
    """The columns whose values are asked for, and whether these are counted; no columns if anything
    else is."""
    counted = len(frame.figures) == 1 and frame.figures[0].distinct and not frame.shown
    if frame.figures and not counted:
        return [], False
    columns = [Ref(*frame.figures[0][1:3])] if counted else list(frame.shown)
    return [] if any(one.part or not one.table for one in columns) else columns, counted


def _in_both(
    conditions: Conditions,
    base: str,
    shown: Attribute,
    arms: tuple[Sequence[Cond], Sequence[Cond], bool],
) -> Condition | None:
    """That a row is of the first arm, and another one with the same value of the second.

    Raises:
        UnfitError: if the second arm says nothing.
    """
    first, second, denied = arms
    two = _arm(conditions, base, second)
    if two is None:
        raise UnfitError("the second arm says nothing")
    among: Condition = Among(shown, Listing(Rows(base, two), (shown,)))
    one = _arm(conditions, base, first)
    return all_of([*([one] if one is not None else []), Not(among) if denied else among])


def _arm(conditions: Conditions, base: str, conds: Sequence[Cond]) -> Condition | None:
    """Conditions of one arm, which start again; that there are such rows is no condition."""
    mine = [one._replace(negated=False, join="") for one in conds if one.left != base]
    return conditions.where(base, mine)


def of_first(
    conditions: Conditions, frame: Frame, base: str, conds: Sequence[Cond]
) -> Iterator[Program]:
    """What is linked with the first of some rows: "students in the dorm with most amenities"."""
    order = frame.order
    if order is None or order.by is None or order.all or not frame.shown or frame.figures:
        return
    said = [one for one in (*reversed(frame.mentioned), frame.head) if one]
    table = next((one for one in said if conditions.schema.path(base, one)), None)
    if table is None:
        return
    conditions.shifts.append("of_first")
    by: Attribute
    if isinstance(order.by, Fig):
        by = conditions.belonging(table, order.by, ())
    else:
        by = conditions.field(table, order.by)
    key = conditions.schema.key(table)
    ranked = Order(by, order.descending)
    first = Listing(
        Rows(table), (Field((), key),), (ranked,), frame.limit or 1, only=frame.place > 0
    )
    path = conditions.schema.path(base, table) or ()
    there = Among(Field(path, key), first)
    where = conditions.where(base, conds)
    shown = tuple(conditions.field(base, one) for one in frame.shown)
    yield Listing(Rows(base, all_of([*([where] if where is not None else []), there])), shown)
