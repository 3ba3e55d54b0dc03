"""What words for operations do to a frame."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from partwise.database.reading.denying import left_out
from partwise.database.reading.durations import late
from partwise.database.reading.filling import Step, add, commonest_of
from partwise.database.reading.frame import Cond, Fig, Frame, FrameOrder, Ref
from partwise.database.reading.grouping import counted_each, split, versus
from partwise.database.reading.label import EACH, Label
from partwise.database.reading.totals import OF_EACH
from partwise.database.spans.periods import Period

_ALONE = {
    "left_out": left_out,
    "split": split,
    "counted_each": counted_each,
    "versus": versus,
}
"""Operations that need nothing but a frame."""


def operation(frame: Frame, label: Label) -> list[Step]:
    """All that an operation, or an adjective, can do to a frame."""
    op, _, what = label.op.partition(":")
    if op == "late":
        in_time = (what == "not") != frame.neg
        return [Step(add(frame._replace(neg=False), late(label.value, in_time)), op)]
    if label.thing is not None:
        return _adjective(frame, label, op, what)
    if op in _ALONE:
        return _ALONE[op](frame)
    match op:
        case "count" | "agg":
            return _function(frame, label.op, what or "count")
        case "dir":
            return _direction(frame, what)
        case "either":
            return _either(frame, what)
        case "often":
            return _often(frame, what)
        case "sort":
            return _sorting(frame, label.op, what)
        case "share" | "difference":
            return [] if frame.pair else [Step(frame._replace(pair=label.op), op)]
        case "sign":
            return _sign(frame, label, what)
        case "contains" | "starts" | "ends":
            return _containing(frame, op, label.start)
        case "missing" | "present":
            return _missing(frame, op)
        case "place":
            free = not (frame.place or frame.way or frame.order or frame.limit)
            return [Step(frame._replace(place=label.value), op)] if free else []
        case "limit":
            return [Step(frame._replace(way=frame.way or "desc"), "limit_op")]
        case _:
            made = _opening(frame, op, label.start)
            if label.value == EACH:
                made = [Step(one._replace(each=True), role) for one, role in made]
            return made


def _either(frame: Frame, way: str) -> list[Step]:
    """One of two is asked for, and nothing is ranked yet."""
    if frame.way or frame.either or frame.order is not None:
        return []
    return [Step(frame._replace(way=way, either=way, yesno=False), "either")]


def _opening(frame: Frame, op: str, start: int) -> list[Step]:
    """What only opens something, where it is not open."""
    compares = bool(frame.sign) or frame.num is not None
    changes: Mapping[str, tuple[bool, Mapping[str, Any]]] = {
        "between": (not compares, {"sign": op}),
        "between_and": (frame.low is not None, {}),
        "not": (not frame.neg, {"neg": True}),
        "or": (True, {"join": op}),
        "both": (True, {"join": op}),
        "per": (not frame.per, {"per": True}),
        "distinct": (True, {"distinct": True}),
        "yesno": (start == 0, {"yesno": True}),
        "everything": (True, {"everything": True}),
        "whole": (frame.yesno, {"everything": True}),
        "listed": (frame.yesno, {"yesno": False}),
    }
    fits, change = changes.get(op, (False, {}))
    return [Step(frame._replace(**change), op)] if fits else []


def _function(frame: Frame, op: str, function: str) -> list[Step]:
    last = frame.figures[-1] if frame.figures else None
    said = last is not None and last.column and last.function == function
    if not frame.agg and said and function in {"average", "median"}:
        # "How long does it take to ship on average": the function was said before.
        again = Step(frame, "agg_repeated")
        return [Step(frame._replace(agg=function), op), again]
    if not frame.agg:
        return [Step(frame._replace(agg=function), op)]
    if function == "count":
        # "Total number of": a count; "average number of": of what each row has.
        if frame.agg in OF_EACH:
            return [Step(frame._replace(agg=function, mean=frame.agg), "count_of_each")]
        return [Step(frame._replace(agg=function), "count_total")]
    if function in frame.agg:
        return []
    return [Step(frame._replace(agg=f"{frame.agg}+{function}"), "agg_more")]


def _sorting(frame: Frame, op: str, what: str) -> list[Step]:
    down = what == "desc"
    if frame.then:
        then = (*frame.then[:-1], frame.then[-1]._replace(descending=down))
        return [Step(frame._replace(then=then), op)]
    if frame.order is not None and frame.order.all:
        return [Step(frame._replace(order=frame.order._replace(descending=down)), op)]
    made = [Step(frame._replace(sort=what), op)]
    if frame.order is not None and frame.order.descending == down:
        # "The ten longest, longest first".
        made.append(Step(frame, "sort_again"))
    if isinstance(frame.attr, Ref):
        order = FrameOrder(frame.attr, down, True)
        made.append(Step(frame._replace(attr=None, order=order), f"{op}_after"))
    return made


def _containing(frame: Frame, op: str, start: int) -> list[Step]:
    if frame.word:
        attr = frame.attr if isinstance(frame.attr, Ref) else None
        return [Step(add(frame, Cond(attr, op, frame.word), attr=None, word=""), f"{op}_after")]
    if frame.conds and frame.conds[-1].op == op and frame.last == start:
        # "With the word live in the title".
        return [Step(frame, f"{op}_again")]
    return [] if frame.text else [Step(frame._replace(text=op), op)]


def _missing(frame: Frame, op: str) -> list[Step]:
    if isinstance(frame.attr, Ref):
        cond = Cond(frame.attr, "missing", negated=op == "present")
        return [Step(add(frame, cond, attr=None), f"{op}_after")]
    last = frame.figures[-1] if frame.figures else None
    if last is not None and last.column and last.function in {"count", "sum"}:
        # "How many marks are missing".
        cond = Cond(Ref(last.table, last.column), "missing", negated=op == "present")
        counted = frame._replace(figures=(*frame.figures[:-1], Fig("count", last.table)))
        return [Step(add(counted, cond), f"{op}_counted"), Step(frame._replace(missing=op), op)]
    return [Step(frame._replace(missing=op), op)]


def _direction(frame: Frame, what: str) -> list[Step]:
    if isinstance(frame.attr, (Ref, Fig)):
        order = FrameOrder(frame.attr, what == "desc")
        return [Step(frame._replace(attr=None, order=order), f"dir:{what}_after")]
    if frame.keys and len(frame.figures) == 1 and not (frame.per or frame.order or frame.way):
        # "Number of albums per artist, top 10".
        order = FrameOrder(frame.figures[0], what == "desc")
        return [Step(frame._replace(order=order), f"dir:{what}_after")]
    if frame.way or (frame.order is not None and not frame.order.all):
        return []
    return [Step(frame._replace(way=what), f"dir:{what}")]


def _often(frame: Frame, what: str) -> list[Step]:
    """What value most rows have: "the most common kind", "which kind is most common"."""
    if isinstance(frame.attr, Ref):
        common = commonest_of(frame._replace(attr=None), frame.attr, what == "desc")
        return [Step(common, "commonest_after")]
    if frame.way or frame.order is not None:
        return []
    return [Step(frame._replace(way=what, often=True), "often")]


def _sign(frame: Frame, label: Label, what: str) -> list[Step]:
    last = frame.conds[-1] if frame.conds else None
    after = frame.last == label.start and what in {">=", "<="}
    if after and last is not None and last.op == "=" and isinstance(last.value, (int, float)):
        conds = (*frame.conds[:-1], last._replace(op=what))
        return [Step(frame._replace(conds=conds), f"sign:{what}_after")]
    if frame.sign:
        return []
    than = label.end - label.start > 1
    return [Step(frame._replace(sign=what, than=than), f"sign:{what}")]


def _adjective(frame: Frame, label: Label, op: str, what: str) -> list[Step]:
    """A superlative is what is ordered by; a comparative waits for a value."""
    assert label.thing is not None
    ref = Ref(label.thing.table, label.thing.column)
    if op == "sign":
        if frame.sign or frame.attr is not None:
            return []
        return [Step(frame._replace(sign=what, attr=ref), "comparative")]
    if op == "difference":
        # "How much bigger is a suite than a double": of the column that "bigger" speaks of.
        if frame.pair or frame.attr is not None:
            return []
        return [Step(frame._replace(pair=f"{op}:{what}", attr=ref), "difference_of")]
    if frame.agg or frame.way or frame.order is not None:
        return []
    if isinstance(label.value, date):
        # What is next is still to come.
        coming = Cond(ref, ">=", Period(label.value, label.value + timedelta(days=1)))
        order = FrameOrder(ref, what == "desc")
        return [Step(add(frame._replace(order=order), coming), "superlative")]
    order = FrameOrder(ref._replace(part=label.value or ""), what == "desc")
    return [Step(frame._replace(order=order), "superlative")]
