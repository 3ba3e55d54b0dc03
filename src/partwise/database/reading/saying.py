"""What a state, said without its column, does to a frame."""

from __future__ import annotations

from partwise.database.reading.filling import Step, add, given
from partwise.database.reading.frame import Frame
from partwise.database.reading.labels import Label


def stated(frame: Frame, label: Label) -> list[Step]:
    """ "Still open", "unpaid", "overdue"; "not" before a single one turns it round."""
    if frame.sign or frame.num is not None or frame.missing:
        return []
    conds = label.value
    if frame.neg and len(conds) > 1:
        return []
    made = given(frame._replace(neg=False))
    for one in conds:
        made = add(made, one._replace(negated=one.negated != frame.neg))
    return [Step(made, f"state_{label.op}")]
