"""What a state, said without its column, does to a frame, and what is denied."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.durations import ELAPSED
from partwise.database.reading.filling import Step, add, given
from partwise.database.reading.frame import Cond, Fig, Frame, Ref, names_of
from partwise.database.reading.label import Label


def stated(frame: Frame, label: Label) -> list[Step]:
    """ "Still open", "unpaid", "overdue"; "not" before a single one turns it round."""
    except_ = frame.sign == "!="
    if (frame.sign and not except_) or frame.num is not None or frame.missing:
        return []
    ended = {one[:2] for one in frame.shown if one.part == ELAPSED}
    if any(isinstance(one.left, Ref) and one.left[:2] in ended for one in label.value):
        # "How long was Ann with us": she need not be here.
        return []
    conds, turned = label.value, frame.neg != except_
    if turned and (len(conds) > 1 or label.op in {"works", "heads"}):
        return []
    made = given(frame._replace(neg=False, sign=""))
    for one in conds:
        made = add(made, one._replace(negated=one.negated != turned))
    if label.op == "heads" and label.thing is not None:
        if frame.figures or frame.agg:
            return []
        made = made._replace(figures=(Fig("count", label.thing.table),))
    return [Step(made, f"state_{label.op}")]


def denied_beside(frame: Frame, last: Cond, cond: Cond) -> tuple[Frame, Cond] | None:
    """A second value of a column where one of the two is denied: "neither A nor B", "outside A and
    B", "A but not B". Each holds on its own; None where neither is denied."""
    if last[:2] != cond[:2] or frame.join not in {"", "or"}:
        return None
    if last.negated:
        return frame._replace(join="", neg=False), cond._replace(negated=True)
    denied = (frame.neg or cond.negated) and not frame.join
    return (frame, cond) if denied else None


def unnamed(frame: Frame, layer: SemanticLayer) -> list[Step]:
    """ "Animals without a name"."""
    if not (frame.neg and frame.head):
        return []
    own = [one.name for one in layer.table(frame.head).columns if one.label == "name"]
    names = [Ref(frame.head, one) for one in own] or [*names_of(layer, frame.head)]
    conds = [Cond(one, "missing") for one in names[:1]]
    return [Step(add(frame._replace(neg=False), one), "without") for one in conds]


def left_out(frame: Frame) -> list[Step]:
    """ "Cancelled ones not counted": what was said last must not hold."""
    if not frame.conds or frame.conds[-1].negated or frame.conds[-1].op not in {"=", "flag"}:
        return []
    conds = (*frame.conds[:-1], frame.conds[-1]._replace(negated=True, join=""))
    return [Step(frame._replace(conds=conds, neg=False), "left_out")]


def unmet(conds: Sequence[Cond]) -> list[Cond] | None:
    """The same for those of which something is not done, as "paid"; None where nothing was."""
    done = [one for one in conds if one.op == "flag" or (one.op == "missing" and one.negated)]
    if not done:
        return None
    return [one._replace(negated=not one.negated) if one is done[-1] else one for one in conds]
