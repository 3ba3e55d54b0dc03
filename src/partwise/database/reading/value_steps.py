"""What values, numbers, periods and texts do to a frame: mostly, conditions."""

from __future__ import annotations

from datetime import date
from typing import Any

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.amounts import unsaid_number
from partwise.database.reading.denying import denied_beside
from partwise.database.reading.filling import Step, add, given, ranged
from partwise.database.reading.frame import Cond, Fig, Frame, Ref
from partwise.database.reading.grouping import of_both_values, within_groups
from partwise.database.reading.kinds import head_of_kind, is_kind, key_of_kind
from partwise.database.reading.label import Label, Quantity, Quoted
from partwise.database.reading.links import is_unnamed, leads
from partwise.database.reading.things import THAN, than_a_thing
from partwise.database.source.values import separator
from partwise.database.spans.numbers import YEARS
from partwise.database.spans.periods import Period, Recurring, in_year

FURTHEST = 2
"""How many words may stand between a column and what it is compared with, if that is not stored."""


def value_steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """A stored value: mostly, rows that have it."""
    assert label.thing is not None
    ref = Ref(label.thing.table, label.thing.column)
    if frame.sign in THAN and frame.num is None and not frame.way and not frame.per:
        return than_a_thing(frame, label, ref, layer)
    if frame.per:
        return [*key_of_kind(frame, label, layer), *within_groups(frame, label, layer)]
    equal = _equal(label, ref)
    if _is_counted(frame, label, ref, layer):
        return [Step(add(frame, equal), "value")]
    if frame.sign not in {"", "!=", "="} or frame.num is not None:
        return []
    # "The lightest desserts": a kind stands where the rows could.
    if frame.way and not frame.either and not is_kind(label, layer):
        return [Step(add(frame, equal), "value_ranked")] if _is_far(frame, label) else []
    return [] if isinstance(frame.attr, Fig) else _having_value(frame, label, equal, layer)


def _equal(label: Label, ref: Ref) -> Cond:
    more = tuple(zip(label.columns[1:], label.values[1:], strict=True))
    return Cond(ref, "=", label.values[0] if label.values else label.value, more=more)


def _is_far(frame: Frame, label: Label) -> bool:
    """Whether a name is of other rows than those that are ranked: "which town bought the most rye
    bread"."""
    table = label.thing.table if label.thing is not None else ""
    return label.type == "name" and frame.head not in {"", table} and frame.attr is None


def _having_value(frame: Frame, label: Label, equal: Cond, layer: SemanticLayer) -> list[Step]:
    """Rows that have a value, which `equal` says of its own column."""
    assert isinstance(equal.left, Ref)
    frame, ref, role = _column_of(frame, label, equal.left, layer)
    listed = separator(layer.column(*ref[:2])) is not None
    sign = frame.text or ("contains" if listed else "=")
    cond = equal._replace(left=ref, op=sign, negated=frame.sign == "!=")
    if listed and frame.conds and frame.conds[-1][:2] == cond[:2] and not frame.join:
        # "Who speaks French and German": one text can list both.
        frame = frame._replace(join="both")
    frame, cond, others = _behind_another(frame, cond, role)
    step = Step(add(frame, cond, attr=None, sign="", text=""), role)
    others += _of_those(step.frame, label, ref.table, frame.last)
    return [step, *others, *head_of_kind(step, label, layer)]


def _column_of(
    frame: Frame, label: Label, ref: Ref, layer: SemanticLayer
) -> tuple[Frame, Ref, str]:
    """The column of a value by the one that is said before it, with the role of the value."""
    role, said = "value", frame.attr
    if not isinstance(said, Ref):
        return frame, ref, role
    if said[:2] == ref[:2]:
        return frame, ref, "value_said"
    if leads(layer.schema, *said[:2], ref.table):
        # "Reports to Ann": the row that the link leads to is called so.
        return frame, ref._replace(via=said[:2]), "value_linked"
    return given(frame), ref, role


def _of_those(frame: Frame, label: Label, table: str, last: int) -> list[Step]:
    """A value behind what may have done something, and make no groups: "loans by members from
    Oslo"."""
    behind = frame.head and frame.keys[-1:] == (table,) and label.start - last <= BEFORE
    return [Step(frame._replace(keys=frame.keys[:-1]), "value_of_those")] if behind else []


def _is_counted(frame: Frame, label: Label, ref: Ref, layer: SemanticLayer) -> bool:
    """Whether a value stands between a number and the rows that are counted: "guests with more than
    2 open bookings"."""
    counts = isinstance(frame.num, int) and frame.attr is None and label.start == frame.last
    return counts and bool(frame.head) and bool(layer.schema.path(ref.table, frame.head))


def _behind_another(frame: Frame, cond: Cond, role: str) -> tuple[Frame, Cond, list[Step]]:
    """How a value joins the one of the same column before it, and what else the two may be."""
    last = frame.conds[-1] if frame.conds else None
    if last is None:
        return frame, cond, []
    if (apart := denied_beside(frame, last, cond)) is not None:
        return *apart, []
    if last[:2] != cond[:2] or frame.join:
        return frame, cond, []
    others: list[Step] = []
    # "French, Spanish or German": of one row only one can be; "both French and German": one of
    # each.
    if last.join != "both" and isinstance(cond.left, Ref) and frame.head not in {"", cond.left[0]}:
        # "Patients allergic to penicillin and latex": one row for each.
        each = add(frame._replace(join="both"), cond, attr=None, sign="", text="")
        others.append(Step(each, f"{role}_both"))
    if (groups := of_both_values(frame, cond)) is not None:
        parted = add(groups._replace(join="same"), cond, attr=None, sign="", text="")
        others.append(Step(parted, f"{role}_groups"))
    return frame._replace(join="both" if last.join == "both" else "same"), cond, others


def number_steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """A number: one that is compared, a key, or how many rows there are to be."""
    value = label.value
    if frame.num is not None or isinstance(frame.low, Period | Recurring):
        return []
    if frame.text and isinstance(value, int) and not isinstance(frame.attr, Fig):
        # "Post codes starting with 4".
        cond = Cond(frame.attr, frame.text, str(value))
        return [Step(add(frame, cond, attr=None, text=""), "text_part")]
    if frame.low is not None:
        return _between(frame, value)
    if frame.sign == "between":
        return [Step(frame._replace(low=value), "number_low")]
    if frame.attr is not None:
        cond = Cond(frame.attr, frame.sign or "=", value)
        return [Step(add(frame, cond, attr=None, sign=""), "number_compared")]
    made = [*_of_amount(frame, label, layer), *_of_key(frame, label, layer)]
    if _may_limit(frame, value):
        made.append(Step(frame._replace(limit=value), "limit"))
    if not frame.way:
        made.append(Step(frame._replace(num=value), "number"))
    return made


def _may_limit(frame: Frame, value: float) -> bool:
    """Whether a number may say how many rows there are to be."""
    # "Which month of 2024" asks for one.
    whole = isinstance(value, int) and value > 0 and value not in YEARS
    return whole and frame.limit is None and not frame.sign


def _between(frame: Frame, high: Any) -> list[Step]:
    """The second number of two."""
    bounds = _bounds(frame.low, high)
    open_ = frame._replace(attr=None, low=None, sign="")
    if isinstance(frame.attr, Fig):
        return [Step(ranged(open_, frame.attr, both), role) for both, role in bounds]
    ranges = [Step(add(open_, Cond(frame.attr, "between", both)), role) for both, role in bounds]
    if frame.attr is None:
        # "Between 150 and 200 pages": the column stands behind.
        ranges += [
            Step(frame._replace(num=both, low=None), f"{role}_early") for both, role in bounds
        ]
    return ranges


def _of_amount(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """The amount of what belongs to rows, which goes without saying."""
    near = said_of(frame, label, layer) if frame.sign else ""
    amount = unsaid_number(layer, near) if near else None
    if amount is None:
        return []
    # "Customers with orders over 500".
    cond = Cond(Ref(near, amount.name), frame.sign, label.value)
    return [Step(add(frame, cond, sign=""), "number_compared")]


def _of_key(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """The key of a row: "order 5080"."""
    if not frame.near or frame.last != label.start or frame.sign:
        return []
    key = layer.schema.table(frame.near).key
    cond = Cond(Ref(frame.near, key or ""), "=", label.value)
    return [] if key is None else [Step(add(frame, cond), "number_key")]


def _bounds(low: Any, high: Any) -> list[tuple[tuple[Any, Any], str]]:
    """Two numbers as they are, and with what was said of the second alone: "60 to 80 thousand"."""
    if isinstance(high, Quantity) and isinstance(low, int | float):
        # "Between 3 and 4 minutes".
        low = Quantity(low, high.unit)
    made: list[tuple[tuple[Any, Any], str]] = [((low, high), "number_high")]
    if isinstance(low, int | float) and isinstance(high, int | float) and 0 < low < 1000:
        scale = 1_000_000 if high % 1_000_000 == 0 else 1000 if high % 1000 == 0 else 1
        if scale > 1 and low * scale < high:
            made.append(((low * scale, high), "number_high_scaled"))
    return made


def said_of(frame: Frame, label: Label, layer: SemanticLayer) -> str:
    """The table whose rows belong to those that are asked for, where a label stands right behind
    it: "customers without orders in May"; else nothing."""
    near, first = frame.near, frame.conds[0].left if frame.conds else None
    # "Dogs without appointments in May": a value stands for the rows.
    head = frame.head or (first.table if isinstance(first, Ref) else "")
    if near == head and frame.figures:
        # "How many customers have orders in May": the orders belong to what is counted.
        head = frame.figures[-1].table
    apart = not head or near in {"", head} or layer.table(near).private
    if apart or frame.attr is not None or frame.num is not None or frame.low is not None:
        return ""
    belongs = layer.schema.path(near, head) is not None
    most = BEFORE if label.kind == "period" else 1
    return near if belongs and label.start - frame.last <= most else ""


def _is_event(frame: Frame, label: Label, layer: SemanticLayer) -> bool:
    """Whether a label stands right behind rows that have a date and no name, as orders do."""
    table = frame.head
    if not table or frame.near != table or not 0 <= label.start - frame.last <= BEFORE:
        return False
    waits = frame.num is not None or frame.low is not None or frame.figures
    return not waits and layer.table(table).date is not None and is_unnamed(layer, table)


BEFORE = 2
"""The most words between rows and a period, as in "orders in the last week"."""


def period_steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """A period, or one end of a longer one."""
    attr = frame.attr
    near = said_of(frame, label, layer)
    if near and (day := layer.table(near).date) is not None:
        # "Customers without orders in May": of the orders.
        attr = Ref(near, day)
    elif attr is None and _is_event(frame, label, layer):
        # "Flights in May with two bookings": the flights were in May.
        attr = Ref(frame.head, layer.table(frame.head).date or "")
    ranks = frame.way and not (frame.either or frame.head)
    if frame.num is not None or ranks or isinstance(attr, Fig):
        return []
    if frame.sign == "between":
        return _between_periods(frame, attr, label.value)
    cond = Cond(attr, frame.sign or "in", label.value)
    return [Step(add(frame, cond, attr=None, sign=""), "period")]


def _between_periods(frame: Frame, attr: Ref | None, value: Period | Recurring) -> list[Step]:
    """The first or the second of two periods."""
    if frame.low is None:
        return [Step(frame._replace(low=value, attr=attr), "period_low")]
    start = _first_day(frame.low, value)
    if start is None or not isinstance(value, Period):
        return []
    years = isinstance(frame.low, Period) and frame.low.year_only and value.year_only
    cond = Cond(attr, "in", Period(start, value.end, years))
    return [Step(add(frame, cond, attr=None, low=None, sign=""), "period_high")]


def state_steps(frame: Frame, label: Label) -> list[Step]:
    """Conditions that hold of rows; "not" before a single one turns it round."""
    if frame.sign not in {"", "!="} or frame.num is not None or frame.missing:
        return []
    conds, turned = label.value, frame.neg != (frame.sign == "!=")
    if turned and len(conds) > 1:
        return []
    made = given(frame._replace(neg=False, sign=""))
    for one in conds:
        made = add(made, one._replace(negated=one.negated != turned))
    return [Step(made, f"state_{label.op}")]


def _first_day(low: Any, high: Any) -> date | None:
    """The first day of "1 march to 15 march 2024" and of "1 to 15 march 2024": the year, and the
    month, may be said of the last day alone."""
    if not isinstance(high, Period):
        return None
    if isinstance(low, Period):
        years = (low.start.year, high.start.year, high.start.year - 1)
        days = [in_year(low.start, year) for year in years if year > 0]
        return next((day for day in days if day <= high.start), None)
    whole = isinstance(low, int) and 1 <= low <= high.start.day
    return high.start.replace(day=low) if whole else None


def _said(frame: Frame, label: Label) -> list[Step]:
    """A word behind a column that looks like a value of it, although it is not stored."""
    if not isinstance(frame.attr, Ref) or frame.sign not in {"", "=", "!="}:
        return []
    if frame.text or label.start - frame.last > FURTHEST:
        return []
    cond = Cond(frame.attr, "=", label.value, frame.sign == "!=")
    return [Step(add(frame, cond, attr=None, sign=""), "text_said")]


def text_steps(frame: Frame, label: Label) -> list[Step]:
    """A text that a column holds, or that is a part of it."""
    bare = label.op == "bare"
    if label.thing is not None:
        ref = Ref(label.thing.table, label.thing.column)
        return [Step(add(frame, Cond(ref, "contains", label.value)), "text_of_column")]
    if label.op == "said":
        return _said(frame, label)
    if frame.text and not isinstance(frame.attr, Fig):
        cond = Cond(frame.attr, frame.text, label.value)
        made = [Step(add(frame, cond, attr=None, text=""), "text_part")]
        if frame.attr is None and frame.text == "contains" and isinstance(label.value, Quoted):
            # "With the substring 'live' in its name".
            made.append(Step(frame._replace(word=label.value, text=""), "text_quoted_early"))
        return made
    made = []
    if not frame.word and not isinstance(frame.attr, Fig) and not frame.sign:
        early = "text_quoted_early" if isinstance(label.value, Quoted) else "text_early"
        made.append(Step(frame._replace(word=label.value), early))
    if isinstance(frame.attr, Ref) and not bare and frame.sign in {"", "=", "!="}:
        cond = Cond(frame.attr, "=", label.value, frame.sign == "!=")
        made.append(Step(add(frame, cond, attr=None, sign=""), "text"))
    return made
