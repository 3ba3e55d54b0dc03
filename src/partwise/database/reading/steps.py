"""A frame is filled by labels from left to right.

What a label does depends on what is open before it: after "average" a column is averaged, after
"per" it is what groups are made by. Where several things are possible, each gives a frame of its
own, under the name of its role; which one is meant is for scores to say.
"""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.column_steps import column_steps
from partwise.database.reading.denying import without_name
from partwise.database.reading.filling import Step, add, figure_steps, settled, showing
from partwise.database.reading.frame import NAME, Cond, Fig, Frame, Ref, own_name
from partwise.database.reading.grouping import goes_on
from partwise.database.reading.label import Label, Quoted
from partwise.database.reading.operations import operation
from partwise.database.reading.people import parties
from partwise.database.reading.rated import figure_of_rows
from partwise.database.reading.table_steps import table_steps
from partwise.database.reading.totals import averaged
from partwise.database.reading.value_steps import (
    number_steps,
    period_steps,
    state_steps,
    text_steps,
    value_steps,
)

_BEHIND = {"table", "column", "value", "state", "text"}
_OPENING = {"between", "not", "missing", "contains", "starts", "ends"}


def steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """All that a label can do to a frame; none where it does not fit."""
    made = _steps(frame, label, layer)
    if _is_apart(frame, label):
        # "Orders over 500 in May": the number waits for no column.
        made += _steps(settled(frame), label, layer)
    near = _near(frame, label)
    return [Step(_passed(frame, one, label.end, near), role) for one, role in made]


def _near(frame: Frame, label: Label) -> str:
    """The table of which something may be said behind a label: it, or the one before of which the
    label says something, too."""
    table = label.thing.table if label.thing is not None else ""
    if label.kind == "table":
        return table
    compares = label.kind == "op" and label.op.startswith(("sign:", "between"))
    more = compares or label.kind in {"number", "period"} or table == frame.near
    return frame.near if more else ""


def _is_apart(frame: Frame, label: Label) -> bool:
    """Whether what stands behind a number that rows are compared with may be something else: "over
    500 in Leeds" is, "more than 5 open tickets" is not."""
    rows = frame.head or frame.figures
    if not (rows and frame.sign and frame.num is not None) or frame.attr is not None:
        return False
    if label.kind == "op":
        return label.op in _OPENING or label.op.startswith("sign:")
    return label.kind == "period" or (label.kind in _BEHIND and label.start > frame.last)


def _steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    made: list[Step]
    match label.kind:
        case "table":
            made = table_steps(frame, label, layer) + figure_of_rows(frame, label, layer)
        case "column":
            made = column_steps(frame, label, layer)
        case "measure":
            made = _measure(frame, label, layer)
        case "value":
            made = value_steps(frame, label, layer)
        case "number":
            made = number_steps(frame, label, layer)
        case "period":
            made = period_steps(frame, label, layer)
        case "state":
            made = state_steps(frame, label)
        case "unit":
            made = [] if frame.unit else [Step(frame._replace(unit=label.value), "unit")]
        case "part":
            made = _part(frame, label, layer)
        case "name":
            made = _name(frame, layer)
        case "text":
            made = text_steps(frame, label)
        case "op" if label.op == "who_what":
            made = parties(frame, layer)
        case _:
            made = operation(frame, label)
    return made


def _passed(before: Frame, frame: Frame, end: int, near: str) -> Frame:
    """The frame behind a label."""
    order = frame.order
    said = (frame.order, frame.then) != (before.order, before.then)
    going = order is not None and order.all and said
    return frame._replace(last=end, near=near, ordering=end if going else -1)


def _name(frame: Frame, layer: SemanticLayer) -> list[Step]:
    """What names a row, where its column is not said."""
    if frame.agg or frame.way or frame.sign or frame.per:
        return []
    own = own_name(layer, frame.head) if frame.head and isinstance(frame.word, Quoted) else []
    # "With 'live' in its name".
    made = [
        Step(add(frame, Cond(one, "contains", frame.word), word=""), "quoted_in") for one in own
    ]
    return [*made, *without_name(frame, layer), Step(showing(frame, NAME), "name")]


def _part(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """Years, months and the like make groups."""
    ref, attr = Ref("", "", None, label.value), frame.attr
    if frame.per and isinstance(attr, Ref) and layer.column(*attr[:2]).kind == "date":
        # "Sign-ups by year": of the rows, by this date.
        keys = (*frame.keys, attr._replace(part=label.value))
        head = frame.head or attr.table
        return [Step(frame._replace(per=False, attr=None, head=head, keys=keys), "part_key_of")]
    if frame.per or label.op == "adverb" or (label.beside and goes_on(frame)):
        return [Step(frame._replace(per=False, keys=(*frame.keys, ref)), "part_key")]
    if frame.agg or frame.sign or frame.num is not None:
        return []
    return [Step(showing(frame, ref), "part_show")]


def _measure(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    assert label.thing is not None
    measure = layer.measure(label.thing.table)
    made = figure_steps(frame, Fig("", measure.table, measure=measure.name), "measure")
    mean = averaged(frame, measure)
    return [*made, *(figure_steps(frame, mean, "measure_averaged")[:1] if mean else [])]
