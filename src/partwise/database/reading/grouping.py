"""Ways to say groups other than "per": "payment methods breakdown", "cash vs card", "average tip of
each server"."""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.filling import Step, add, given
from partwise.database.reading.frame import Cond, Fig, Frame, Ref, linked_names
from partwise.database.reading.label import Label
from partwise.database.spans.periods import Period


def split(frame: Frame) -> list[Step]:
    """A column that was said before makes groups: "payment methods breakdown"."""
    frame = given(frame)
    if not frame.shown or frame.figures or frame.order is not None or not frame.shown[-1].table:
        return []
    keys = (*frame.keys, *(one for one in frame.shown if one.table))
    return [Step(frame._replace(shown=(), keys=keys), "split")]


def counted_each(frame: Frame) -> list[Step]:
    """How many rows there are of what is shown: "which kinds are there, and how many of each"."""
    frame = given(frame)
    shown = tuple(one for one in frame.shown if one.table)
    if frame.figures or frame.keys:
        return []
    if shown:
        figures = (Fig("count", shown[-1].table),)
        return [Step(frame._replace(shown=(), keys=shown, figures=figures), "counted_each")]
    return []


def versus(frame: Frame) -> list[Step]:
    """Groups by what tells two things apart: "cash vs card", "organic versus the rest", "this year
    vs last year"."""
    last = frame.conds[-1] if frame.conds else None
    if last is not None and isinstance(last.value, Period) and last.op == "in":
        key = key_of_periods(last.left, last.value)
        return [] if key is None else [Step(_by(frame, key)._replace(join="or"), "versus")]
    if last is None or not isinstance(last.left, Ref) or last.op not in {"=", "flag"}:
        return []
    if last.op == "flag":
        return [Step(_by(frame._replace(conds=frame.conds[:-1]), last.left), "versus_flag")]
    return [Step(_by(frame, last.left)._replace(join="or"), "versus")]


def key_of_periods(of: object, one: Period) -> Ref | None:
    """The part of a date that tells a year, quarter or month from others like it."""
    date = Ref("", "") if of is None else of
    months = 12 * (one.end.year - one.start.year) + one.end.month - one.start.month
    part = {12: "year", 3: "quarter", 1: "month"}.get(months)
    whole = one.start.day == one.end.day == 1 and (one.start.month - 1) % max(months, 1) == 0
    return date._replace(part=part) if isinstance(date, Ref) and part and whole else None


def of_both_values(frame: Frame, cond: Cond) -> Frame | None:
    """Groups by a column of which two values are said: "how many men and women"; None where it is
    not counted."""
    ref = cond.left
    counts = frame.agg or frame.figures
    return _by(frame, ref) if isinstance(ref, Ref) and counts and ref not in frame.keys else None


def linked_key(frame: Frame, ref: Ref, layer: SemanticLayer) -> list[Step]:
    """Groups by what a link leads to, under its name: "the average tip of each server"."""
    names = linked_names(layer, ref) if frame.per else ()
    keys = (*frame.keys, *names)
    return [Step(frame._replace(per=False, keys=keys), "key_linked")] if names else []


def goes_on(frame: Frame) -> bool:
    """Whether what follows on "and" makes groups, too: "by genre and media type"."""
    waits = frame.per or frame.agg or frame.way or frame.sign or frame.sort or frame.neg
    open_ = waits or frame.order or frame.attr is not None or frame.num is not None
    return bool(frame.keys) and not open_ and not frame.conds


def within_groups(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """What groups are limited to, before what makes them: "what each British buyer spent"."""
    assert label.thing is not None
    table, column = label.thing.table, label.thing.column
    named = label.values or column in layer.table(table).display
    if named or frame.way or frame.num is not None or frame.sign:
        return []
    cond = Cond(Ref(table, column), "=", label.value)
    return [Step(add(frame, cond), "value_within")]


def _by(frame: Frame, ref: Ref) -> Frame:
    return frame if ref in frame.keys else frame._replace(keys=(*frame.keys, ref))
