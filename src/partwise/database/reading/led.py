"""What words for rows that lead to others of their table do to a frame."""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.filling import Step, add
from partwise.database.reading.frame import Cond, Fig, Frame, Order, Ref, names_of
from partwise.database.reading.label import Label

FURTHEST = 1
"""The most words between a name and the word for those that it leads: "has Ann ever hired"."""


def family_steps(frame: Frame, ref: Ref, label: Label, layer: SemanticLayer) -> list[Step]:
    """ "Ann's team", "offspring of Daisy", "top-level categories", "who has referred the most"."""
    if label.op == "root":
        if frame.neg or frame.per or frame.way:
            return []
        made = frame._replace(head=frame.head or ref.table)
        return [Step(add(made, Cond(ref, "missing")), "root")]
    last = frame.conds[-1] if frame.conds else None
    near = 0 <= label.start - frame.last <= FURTHEST
    left = last.left if near and last is not None and last.op == "=" else None
    if last is not None and isinstance(left, Ref) and left[:1] == ref[:1] and left.via is None:
        conds = (*frame.conds[:-1], last._replace(left=left._replace(via=ref[:2])))
        return [Step(frame._replace(head=frame.head or ref.table, conds=conds), "team")]
    if frame.attr is not None or frame.sign or frame.per or frame.agg not in {"", "count"}:
        return []
    if frame.way:
        return [Step(most_led(frame, ref, layer), "team_most")]
    if frame.neg or frame.head not in {"", ref.table}:
        return []
    head = frame._replace(head=ref.table)
    some = add(head, Cond(ref, "missing", negated=True))
    return [Step(head._replace(attr=ref), "team_of"), Step(some, "team_some")]


def most_led(frame: Frame, ref: Ref, layer: SemanticLayer) -> Frame:
    """Those that most, or fewest, rows of their table lead to."""
    keys = tuple(one._replace(via=ref[:2]) for one in names_of(layer, ref.table))
    order = Order(Fig("count", ref.table), frame.way == "desc")
    done = frame._replace(way="", attr=None, head="", keys=keys, order=order)
    return add(done, Cond(ref, "missing", negated=True))
