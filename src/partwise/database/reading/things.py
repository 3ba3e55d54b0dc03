"""What rows are compared with, where it is no number: a thing that is named, or an average."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.amounts import MONEY
from partwise.database.reading.comparing import UnfitError
from partwise.database.reading.conditions import Conditions
from partwise.database.reading.denying import unmet
from partwise.database.reading.filling import Step, add, compared
from partwise.database.reading.frame import Cond, Fig, Frame, FrameOrder, Mean, Other, Ref
from partwise.database.reading.grouping import key_of_periods
from partwise.database.reading.label import Label
from partwise.database.reading.links import leads
from partwise.database.reading.totals import totals_below
from partwise.database.spans.periods import Period
from partwise.database.spans.text import stem, stems_of
from partwise.execution.relational.program import Compare, Holds, Program, Value

_LIMITS = frozenset(map(stem, ("minimum", "reorder", "threshold", "maximum", "safety", "target")))
_HELD = frozenset(map(stem, ("stock", "quantity", "hand", "level", "inventory", "balance")))
THAN = (">", "<", ">=", "<=")
"""Signs behind which a thing may be named."""


def than_a_thing(frame: Frame, label: Label, name: Ref, layer: SemanticLayer) -> list[Step]:
    """ "Longer than Orbit Nine", "more orders than Acme", "cost more than the family room"."""
    left = frame.attr
    if frame.sign not in {">", "<"} or (left is None and not frame.than):
        # "Since when is Ann here" and "students from the UK" compare with nothing.
        return []
    if isinstance(left, Ref) and layer.column(*left[:2]).kind not in {"number", "date"}:
        return []
    more = tuple(zip(label.columns[1:], label.values[1:], strict=True))
    text = label.values[0] if label.values else label.value
    if frame.agg in {"average", "median"}:
        if not isinstance(left, Ref) or layer.column(*left[:2]).kind != "number":
            return []
        # "Heavier than the average cat".
        mean = Other(Fig(frame.agg, *left[:2]), name, text, more)
        done = add(frame, Cond(left, frame.sign, mean), attr=None, sign="", agg="")
        return [Step(done, "value_averaged")]
    cond = Cond(frame.attr, frame.sign, Other(frame.attr, name, text, more))
    role = "value_compared" if frame.attr is not None else "value_compared_silently"
    return [Step(add(frame, cond, attr=None, sign=""), role)]


def than_own(frame: Frame, ref: Ref, layer: SemanticLayer) -> list[Step]:
    """ "Who earns more than their own manager": a column of the row that each leads to."""
    attr = frame.attr
    if frame.sign not in THAN or not isinstance(attr, Ref) or attr.via or attr.table != ref.table:
        return []
    if not leads(layer.schema, *ref[:2], ref.table):
        return []
    cond = Cond(attr, frame.sign, attr._replace(via=ref[:2]))
    return [Step(add(frame, cond, attr=None, sign=""), "own_compared")]


def held_of(layer: SemanticLayer, limit: Ref) -> Ref | None:
    """What a limit is of: the stock, of a level to order at or the least that there should be."""
    if not _LIMITS & {*stems_of(layer.column(*limit[:2]).label)}:
        return None
    for one in layer.table(limit.table).columns:
        stems = {*stems_of(one.label)}
        if one.kind == "number" and not one.private and stems & _HELD and not stems & _LIMITS:
            return Ref(limit.table, one.name)
    return None


def more_than(frame: Frame, count: Fig) -> list[Step]:
    """A table behind "more", whose rows are counted and compared: "more orders than Acme"."""
    if frame.sign not in THAN or frame.attr is not None:
        return []
    return [Step(frame._replace(attr=count), "count_waiting")]


def happened(frame: Frame, table: str, layer: SemanticLayer) -> list[Step]:
    """How often what was said happened: "who has borrowed more than 15 books" counts loans."""
    said = [one.left for one in frame.conds if isinstance(one.left, str) and not one.negated]
    said += [one for one in frame.mentioned if one not in said]
    events = [one for one in said if one != table and layer.schema.path(one, table) is not None]
    return [Step(compared(frame, Fig("count", one)), "count_happened") for one in events[-1:]]


def than_average(frame: Frame, events: Sequence[str]) -> Iterator[tuple[Frame, str]]:
    """ "Hosts paid less than the average", "customers ordering more often than average"."""
    if frame.attr is not None or frame.num is not None or frame.agg not in {"average", "median"}:
        return
    if not frame.head or frame.sign not in THAN:
        return
    done = frame._replace(sign="", agg="")
    silent = Cond(None, frame.sign, Fig(frame.agg, "", ""), frame.neg)
    yield done._replace(neg=False, conds=(*frame.conds, silent)), "than_average"
    for event in events:
        often = Cond(Fig("count", event), frame.sign, Mean(event, frame.head), frame.neg)
        yield done._replace(neg=False, conds=(*frame.conds, often)), "than_average_count"


def one_of_two(frame: Frame) -> Iterator[Frame]:
    """Groups by what two conditions tell apart, of which the first is wanted: "did we sell more in
    2023 or 2024", "more prints or drawings"."""
    pair = _last_two(frame)
    if pair is None:
        return
    one, two = pair
    done = frame._replace(either="", yesno=False, limit=1)
    if isinstance(one.value, Period) and isinstance(two.value, Period):
        key = key_of_periods(one.left, one.value)
        if key is None or key != key_of_periods(two.left, two.value):
            return
        conds = (*frame.conds[:-2], one, two._replace(join="or"))
        done = done._replace(keys=(key,), conds=conds)
    elif isinstance(one.left, Ref) and one.op == two.op == "=":
        done = done._replace(keys=(one.left,))
    else:
        return
    yield done
    table = frame.head or (one.left.table if isinstance(one.left, Ref) else "")
    if done.way and table:
        order = FrameOrder(Fig("count", table), done.way == "desc")
        yield done._replace(way="", order=order)


def _last_two(frame: Frame) -> tuple[Cond, Cond] | None:
    """The last two conditions, where both are said of the same, and there are no groups."""
    if frame.keys or len(frame.conds) < 2:
        return None
    one, two = frame.conds[-2:]
    return None if one.left != two.left or one.negated or two.negated else (one, two)


def row_of_two(frame: Frame, layer: SemanticLayer) -> Iterator[Frame]:
    """The one of two named rows that comes first: "who earns more, Ann or Bob", "which is longer,
    Neon Rain or Orbit Nine", "who has more orders, Ann or Bob"."""
    pair = _last_two(frame)
    if pair is None or not isinstance(pair[0].left, Ref) or {pair[0].op, pair[1].op} != {"="}:
        return
    one, two = pair
    table = pair[0].left.table
    if pair[0].left.column not in layer.table(table).display:
        return
    if (by := _compared_by(frame, layer, table)) is not None:
        conds = (*frame.conds[:-2], one, two._replace(join="or"))
        chosen = Frame(head=table, conds=conds, limit=1)
        yield chosen._replace(order=FrameOrder(by, frame.either == "desc"))


def _compared_by(frame: Frame, layer: SemanticLayer, table: str) -> Ref | Fig | None:
    """What two rows of a table are compared by."""
    by = frame.ordered if frame.order is not None else frame.attr
    if by is None and frame.head not in {"", table}:
        by = Fig("count", frame.head)
    by = by or next((ref for ref in frame.shown if ref.column), None)
    total = next(iter(totals_below(layer, table)), None)
    if by is None and total is not None:
        # "Who spent more".
        by = Fig("", total.table, measure=total.name)
    return by


def of_both(conditions: Conditions, frame: Frame) -> Iterator[Program]:
    """Whether a figure of one thing is above that of another: "is Neon Rain longer than Orbit
    Nine", "do we sell more online than in the shop"."""
    if not frame.yesno or frame.figures or frame.keys or frame.order:
        return
    last = next((one for one in frame.conds if isinstance(one.value, Other)), None)
    if last is None or last.negated:
        return
    other: Other = last.value
    mine = [one for one in frame.conds if one.left == other.name and one.op == "="]
    if len(mine) != 1 or mine[0].negated:
        return
    rest = [one for one in frame.conds if one not in (last, mine[0])]
    named = Cond(other.name, "=", other.text, more=other.more)
    for fig in _figures(conditions.layer, other):
        one, two = (conditions.figure(fig, [*rest, each]) for each in (mine[0], named))
        conditions.shifts.append("of_both")
        yield Holds(Compare(one, last.op, two))  # type: ignore[arg-type]


def all_done(conditions: Conditions, frame: Frame, base: str) -> Program | None:
    """Whether nothing is left undone: "has she paid everything"."""
    open_ = unmet([one for one in frame.conds if not isinstance(one.left, Fig)])
    if not frame.everything or open_ is None:
        return None
    return Holds(Compare(conditions.figure(Fig("count", base), open_), "=", Value(0)))


def _figures(layer: SemanticLayer, other: Other) -> list[Fig]:
    """What is compared of two things: what was said, else their money or what belongs to them."""
    match other.of:
        case Fig():
            return [other.of]
        case Ref(table, column):
            number = layer.column(table, column).kind == "number"
            own = table == other.name.table
            some = [Fig("maximum", table, column)] if own or not number else []
            return some + ([Fig("sum", table, column)] if number and not own else [])
    table = other.name.table
    measures = [
        Fig("", one.table, measure=one.name)
        for one in layer.measures
        if layer.schema.path(one.table, table) is not None
    ]
    money = [
        Fig("sum", one.name, column.name)
        for one in layer.tables
        if not one.private and layer.schema.path(one.name, table) is not None
        for column in one.columns
        if column.kind == "number" and column.unit in MONEY and not column.private
    ]
    if not (measures or money):
        raise UnfitError("nothing is to be compared")
    return [*measures[:2], *money[:2]]
