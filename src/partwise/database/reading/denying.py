"""What is denied: "neither A nor B", "without a name", "not counted", and what is left undone."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.filling import Step, add
from partwise.database.reading.frame import Cond, Frame, own_name


def denied_beside(frame: Frame, last: Cond, cond: Cond) -> tuple[Frame, Cond] | None:
    """A second value of a column where one of the two is denied: "neither A nor B", "outside A and
    B", "A but not B". Each holds on its own; None where neither is denied."""
    if last[:2] != cond[:2] or frame.join not in {"", "or"}:
        return None
    if last.negated:
        return frame._replace(join="", neg=False), cond._replace(negated=True)
    denied = (frame.neg or cond.negated) and not frame.join
    return (frame, cond) if denied else None


def without_name(frame: Frame, layer: SemanticLayer) -> list[Step]:
    """ "Animals without a name"."""
    if not (frame.neg and frame.head):
        return []
    conds = [Cond(one, "missing") for one in own_name(layer, frame.head)]
    return [Step(add(frame._replace(neg=False), one), "without") for one in conds]


def left_out(frame: Frame) -> list[Step]:
    """ "Cancelled ones not counted": what was said last must not hold."""
    if not frame.conds or frame.conds[-1].negated or frame.conds[-1].op not in {"=", "flag"}:
        return []
    conds = (*frame.conds[:-1], frame.conds[-1]._replace(negated=True, join=""))
    return [Step(frame._replace(conds=conds, neg=False), "left_out")]


def unmet(conds: Sequence[Cond]) -> list[Cond] | None:
    """Conditions of rows of which what was said is not done, as "paid"; None where nothing was."""
    done = [one for one in conds if one.op == "flag" or (one.op == "missing" and one.negated)]
    if not done:
        return None
    return [one._replace(negated=not one.negated) if one is done[-1] else one for one in conds]
