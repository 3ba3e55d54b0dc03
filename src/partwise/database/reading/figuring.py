"""Figures made of two: shares, and how much more one thing has than another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from partwise.database.reading.comparing import UnfitError
from partwise.database.reading.conditions import Conditions
from partwise.database.reading.frame import Cond, Fig, Frame, is_number
from partwise.database.spans.text import Word
from partwise.execution.relational.program import (
    Aggregate,
    Arithmetic,
    Figure,
    Grouping,
    Program,
    Value,
)


def of_two(conditions: Conditions, frame: Frame, conds: Sequence[Cond]) -> Iterator[Program]:
    """What two figures make, where a share or a difference is asked for."""
    if frame.keys or frame.order:
        return
    kind, _, way = frame.pair.partition(":")
    if kind == "share":
        yield from _shares(conditions, frame, conds, way == "percent")
    else:
        yield from _differences(conditions, frame, conds, way == "less")


def divided_at(words: Sequence[Word], start: int) -> int | None:
    """The verb that stands between all rows and what is said of a part of them, "what share of the
    orders of Ann were late"; None if there is none.

    Args:
        start: the word behind what asks for a share.
    """
    for at in range(start + 1, len(words)):
        if words[at].plain in _VERBS and words[at - 1].plain not in _RELATIVE:
            return at
    return None


_VERBS = {"has", "have", "had", "is", "are", "was", "were"}
_RELATIVE = {"who", "that", "which", "whose"}
"""Words behind which a verb says what all rows are."""


def in_percent(groups: Grouping, every: Figure) -> Grouping:
    """Groups with the share of each in all, in place of a figure."""
    (figure,) = groups.figures
    share = Arithmetic("*", Value(100), Arithmetic("/", figure, every))
    return replace(groups, figures=(share,))


def _shares(
    conditions: Conditions, frame: Frame, conds: Sequence[Cond], percent: bool
) -> Iterator[Program]:
    """The share of rows that are as the last condition says in those that are as the others say; or
    as all conditions say in all rows."""
    if not conds or frame.shown or len(frame.figures) > 1 or not (frame.figures or frame.head):
        return
    fig = frame.figures[0] if frame.figures else Fig("count", frame.head)
    part = _over(conditions, fig, conds, frame)
    # "What share of the orders of Ann were late" is one in her orders.
    divided = frame.divided if 0 <= frame.divided < len(conds) else None
    for whole in {len(conds) - 1: None, 0: None} if divided is None else (divided,):
        every = _over(conditions, fig, conds[:whole], frame)
        share = Arithmetic("/", part, every)
        yield Arithmetic("*", Value(100), share) if percent else share


def _differences(
    conditions: Conditions, frame: Frame, conds: Sequence[Cond], less: bool
) -> Iterator[Program]:
    """The difference of two figures, or of one between two values of a column."""
    for pair in _pairs(conditions, frame, conds):
        one, other = (_over(conditions, fig, mine, frame) for fig, mine in pair)
        if less:
            one, other = other, one
        yield _mean_difference(one, other) or Arithmetic("-", one, other)


def _pairs(
    conditions: Conditions, frame: Frame, conds: Sequence[Cond]
) -> list[list[tuple[Fig, Sequence[Cond]]]]:
    """Two figures that may be compared, each with its conditions; all pairs."""
    shown = [one for one in frame.shown if is_number(conditions.layer, one)]
    if len(shown) != len(frame.shown):
        return []
    figs = [*frame.figures, *(Fig("sum", one.table, one.column) for one in shown)]
    if len(figs) == 2:
        return [[(fig, conds) for fig in figs]]
    pair = _two_of(conds)
    if pair is None or len(figs) > 2 or not (figs or frame.head):
        return []
    rest = [cond for cond in conds if cond not in pair]
    over = [[*rest, cond._replace(join="")] for cond in pair]
    some = figs or [Fig("count", frame.head), *_amounts(conditions, frame.head)]
    return [[(fig, one) for one in over] for fig in some]


def _mean_difference(one: Figure, other: Figure) -> Figure | None:
    """ "The average difference between asking price and sold price" is over rows that have both;
    None for other figures."""
    left, right = one.aggregate, other.aggregate
    fit = "average" in {left.function, right.function} and one.rows == other.rows
    if not fit or left.of is None or right.of is None or left.of == right.of:
        return None
    return Figure(one.rows, Aggregate("average", Arithmetic("-", left.of, right.of)))


def _amounts(conditions: Conditions, table: str) -> list[Fig]:
    """The only number of rows that say how many there were: downloads of a day."""
    info = conditions.layer.table(table)
    numbers = [one.name for one in info.columns if one.kind == "number" and not one.private]
    return [Fig("sum", table, one) for one in numbers] if len(numbers) == 1 else []


def _two_of(conds: Sequence[Cond]) -> tuple[Cond, Cond] | None:
    """The two conditions that give one column two values."""
    for number, one in enumerate(conds):
        for other in conds[number + 1 :]:
            same = one.left == other.left and one.op == other.op and one.op in {"=", "in"}
            if same and one.value != other.value:
                return one, other
    return None


def _over(conditions: Conditions, fig: Fig, conds: Sequence[Cond], frame: Frame) -> Figure:
    table = conditions.table_of(fig)
    if fig.function not in {"", "count"} and not fig.column:
        raise UnfitError("a figure of nothing")
    if frame.head and frame.head != table and conditions.schema.path(table, frame.head) is None:
        raise UnfitError("the rows of a figure do not lead to what is asked for")
    return conditions.figure(fig, conds)
