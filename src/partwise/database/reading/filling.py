"""What several steps of filling a frame have in common."""

from __future__ import annotations

from typing import Any, NamedTuple

from partwise.database.reading.durations import ELAPSED
from partwise.database.reading.frame import Cond, Fig, Frame, FrameOrder, Ref


class Step(NamedTuple):
    """A frame with one more label in it, and the role that the label has there."""

    frame: Frame
    role: str


def add(frame: Frame, cond: Cond, **more: Any) -> Frame:
    """The frame with a condition, and what waited for it used."""
    joined = cond._replace(negated=cond.negated or frame.neg, join=frame.join)
    return frame._replace(conds=(*frame.conds, joined), neg=False, join="", than=False, **more)


def given(frame: Frame) -> Frame:
    """A column that waited in vain for a value is shown."""
    if isinstance(frame.attr, Ref) and not frame.sign:
        shown = frame.shown if frame.attr in frame.shown else (*frame.shown, frame.attr)
        return frame._replace(attr=None, shown=shown)
    if isinstance(frame.attr, Fig) and not frame.sign:
        return frame._replace(attr=None, figures=(*frame.figures, frame.attr))
    return frame


def settled(frame: Frame) -> Frame:
    """The frame with the number that waits compared with no column: its own rows have one."""
    cond = Cond(None, frame.sign, frame.num, frame.neg)
    return frame._replace(conds=(*frame.conds, cond), sign="", num=None, neg=False)


def showing(frame: Frame, ref: Ref) -> Frame:
    """The frame with a column that is shown, once."""
    if ref in frame.shown:
        return given(frame)
    frame = given(frame)
    return frame._replace(shown=(*frame.shown, ref))


def key_step(frame: Frame, key: Ref | str) -> Step:
    """One more column or table that makes groups."""
    return Step(frame._replace(per=False, keys=(*frame.keys, key)), "key")


def figure_steps(frame: Frame, figure: Fig, role: str) -> list[Step]:
    """A figure is what is ordered by, compared, or the answer, by what is open."""
    if frame.sign == "between":
        return []
    done = frame._replace(agg="", distinct=False)
    if frame.way or frame.sort:
        return [Step(ordered(done._replace(per=False), figure), f"{role}_ordered")]
    if frame.sign and frame.num is not None:
        return [Step(compared(done, figure), f"{role}_compared")]
    if frame.sign:
        left = frame.attr or (Ref(figure.table, figure.column) if figure.column else None)
        cond = Cond(left, frame.sign, figure)
        return [Step(add(done, cond, sign="", attr=None), f"{role}_nested")]
    if frame.num is not None:
        return [Step(compared(done, figure), f"{role}_compared")]
    done = given(done)
    known = done.figures if figure in done.figures else (*done.figures, figure)
    return [
        Step(done._replace(figures=known), role),
        Step(done._replace(attr=figure), f"{role}_waiting"),
    ]


def figures_steps(frame: Frame, functions: str, ref: Ref, kind: str, role: str) -> list[Step]:
    """One figure or several of a column: "highest and lowest age"."""
    *before, last = functions.split("+")
    if kind == "date" and last in {"average", "median"} and not before:
        # There is no average of dates: of how long it took.
        return figure_steps(frame, Fig(last, *ref[:2], part=ELAPSED), "figure_elapsed")
    fits = kind == "number" or (kind == "date" and {*before, last} <= {"maximum", "minimum"})
    if not fits:
        return []
    figs = tuple(Fig(one, ref.table, "" if one == "count" else ref.column) for one in before)
    made = figure_steps(frame._replace(figures=(*frame.figures, *figs)), Fig(last, *ref[:2]), role)
    return [Step(one._replace(again=functions), name) for one, name in made]


def ordered(frame: Frame, by: Ref | Fig) -> Frame:
    """The frame in the order that waited for a column or figure."""
    if frame.sort:
        return frame._replace(sort="", order=FrameOrder(by, frame.sort == "desc", True))
    return frame._replace(way="", order=FrameOrder(by, frame.way == "desc"))


def commonest_of(frame: Frame, ref: Ref, down: bool) -> Frame:
    """The frame with the values of a column as groups, the most frequent first."""
    keys = frame.keys if ref in frame.keys else (*frame.keys, ref)
    return frame._replace(keys=keys, order=FrameOrder(Fig("count", ref.table), down))


def compared(frame: Frame, left: Ref | Fig) -> Frame:
    """The frame with the number that waited compared with a column or figure."""
    op = frame.sign or "="
    if isinstance(left, Fig) and type(frame.num) is tuple:
        return ranged(frame._replace(num=None, sign=""), left, frame.num)
    return add(frame, Cond(left, op, frame.num), num=None, sign="")


def ranged(frame: Frame, left: Fig, bounds: tuple[Any, Any]) -> Frame:
    """The frame with a figure that is between two numbers."""
    low, high = bounds
    both = (Cond(left, ">=", low, join=frame.join), Cond(left, "<=", high))
    return frame._replace(conds=(*frame.conds, *both), join="", than=False)
