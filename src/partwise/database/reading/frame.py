"""A question as a frame: one head and what is said of it, filled by its labels from left to right.

What a label does depends on what is open before it: after "average" a column is averaged, after
"per" it is what groups are made by. Where several things are possible, each gives a frame of its
own, under the name of its role; which one is meant is for scores to say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.labels import Label
from partwise.database.reading.names import Thing
from partwise.database.reading.periods import Period, Recurring, in_year

FUNCTIONS = ("sum", "average", "maximum", "minimum", "median")


class Ref(NamedTuple):
    """A column of some table; `via` is the link column that leads to it, where one was said; `part`
    is the part of a date, of whatever date is usual if no column was said."""

    table: str
    column: str
    via: tuple[str, str] | None = None
    part: str = ""


NAME = Ref("", "")
"""Whatever names a row of the head."""


class Fig(NamedTuple):
    """A figure: a function of a column, a count of a table's rows, or a measure."""

    function: str
    table: str
    column: str = ""
    distinct: bool = False
    measure: str = ""


class Other(NamedTuple):
    """A column of a thing that is named: "longer than Bohemian Rhapsody"."""

    of: Ref
    name: Ref
    text: str


class Cond(NamedTuple):
    """A condition.

    Attributes:
        left: a column, a figure, or a table whose rows there are; None where it was not said.
        op: a sign, ``in`` (a period), ``contains``, ``starts``, ``ends``, ``missing``, ``some``.
        value: what it is compared with: a literal, `Fig`, or for ``between`` two.
        negated: whether it must not hold.
        join: how it goes together with the one before: ``""`` (both must hold, of one row),
            ``or``, ``both`` (both must hold, maybe of two rows), ``same`` (of one column: ``or``
            for a row's own, ``both`` for rows that belong to it).
        more: further columns with their values, as of a person's name.
    """

    left: Ref | Fig | str | None
    op: str
    value: Any = None
    negated: bool = False
    join: str = ""
    more: tuple[tuple[str, str], ...] = ()


class Order(NamedTuple):
    """What comes first; without a column or figure, whatever is natural."""

    by: Ref | Fig | None
    descending: bool
    all: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """What a question says, as far as it was read.

    Attributes:
        head: the table whose rows are asked for.
        shown, figures, conds, keys, order, limit: what is said of them.
        distinct, yesno, everything: whether that was said.
        agg, way, sign, per, neg, text, sort, join: operations that wait for what they are about.
        attr: a column or figure that waits for a value; num: a number that waits for either; low:
            the first of two values; word: a text that something is to contain.
        unit: what numbers are to be shown in.
        again: the figures of the column before, which may be meant of the next one, too.
        mentioned: tables that were said without a use of their own.
        last: the word behind the last label; near: its table, if it is one.
    """

    head: str = ""
    shown: tuple[Ref, ...] = ()
    figures: tuple[Fig, ...] = ()
    conds: tuple[Cond, ...] = ()
    keys: tuple[Ref | str, ...] = ()
    order: Order | None = None
    limit: int | None = None
    distinct: bool = False
    yesno: bool = False
    everything: bool = False
    agg: str = ""
    way: str = ""
    sign: str = ""
    per: bool = False
    neg: bool = False
    text: str = ""
    sort: str = ""
    join: str = ""
    missing: str = ""
    attr: Ref | Fig | None = None
    num: Any = None
    low: Any = None
    word: str = ""
    again: str = ""
    unit: str = ""
    mentioned: tuple[str, ...] = ()
    last: int = -1
    near: str = ""


class Step(NamedTuple):
    """A frame with one more label in it, and the role that the label has there."""

    frame: Frame
    role: str


def steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """All that a label can do to a frame; none where it does not fit."""
    match label.kind:
        case "table":
            made = _table(frame, label)
        case "column":
            made = _column(frame, label, layer)
            if label.op == "unit":
                made = [Step(replace(one, unit=label.value), role) for one, role in made]
        case "measure":
            made = _measure(frame, label, layer)
        case "value":
            made = _value(frame, label, layer)
        case "number":
            made = _number(frame, label, layer)
        case "period":
            made = _period(frame, label)
        case "unit":
            made = [] if frame.unit else [Step(replace(frame, unit=label.value), "unit")]
        case "part":
            made = _part(frame, label)
        case "name":
            waits = frame.agg or frame.way or frame.sign or frame.per
            made = [] if waits else [Step(_shown(frame, NAME), "name")]
        case "text":
            made = _text(frame, label)
        case _:
            made = _operation(frame, label)
    near = label.thing.table if label.kind == "table" and label.thing is not None else ""
    return [Step(replace(one, last=label.end, near=near), role) for one, role in made]


def _part(frame: Frame, label: Label) -> list[Step]:
    """Years, months and the like make groups."""
    ref = Ref("", "", None, label.value)
    if frame.per or label.op == "adverb":
        return [Step(replace(frame, per=False, keys=(*frame.keys, ref)), "part_key")]
    if frame.agg or frame.sign or frame.num is not None:
        return []
    return [Step(_shown(frame, ref), "part_show")]


def _measure(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    assert label.thing is not None
    name = label.thing.table
    return _figure(frame, Fig("", layer.measure(name).table, measure=name), "measure")


TRUE = ("1", "yes", "y", "true", "t")
"""How "yes" is stored, in lower case."""


def is_flag(layer: SemanticLayer, ref: Ref) -> bool:
    """Whether a column says yes or no."""
    column = layer.column(ref.table, ref.column)
    stored = {one.lower() for one in column.values}
    return column.kind == "boolean" or (
        column.enumeration and len(stored) <= 2 and bool(stored & set(TRUE))
    )


def _add(frame: Frame, cond: Cond, **more: Any) -> Frame:
    """The frame with a condition, and what waited for it used."""
    joined = cond._replace(negated=cond.negated or frame.neg, join=frame.join)
    return replace(frame, conds=(*frame.conds, joined), neg=False, join="", **more)


def _table(frame: Frame, label: Label) -> list[Step]:
    assert label.thing is not None
    table = label.thing.table
    if label.op == "who":
        return [] if frame.head else [Step(replace(frame, head=table), "who")]
    count = Fig("count", table)
    if frame.agg in {"count", "sum"}:
        return _figure(frame, count, "count")
    if frame.per:
        return [Step(replace(frame, per=False, keys=(*frame.keys, table)), "key")]
    if frame.num is not None and frame.sign:
        return [Step(_compared(frame, count), "count_compared")]
    made = []
    if frame.way:
        made.append(Step(_ordered(frame, count), "count_ordered"))
        made.append(Step(_ordered(frame, Fig("total", table)), "total_ordered"))
    if frame.num is not None:
        made.append(Step(_compared(frame, count), "count_compared"))
    if frame.neg:
        return [*made, Step(_add(frame, Cond(table, "some")), "some")]
    if not frame.head:
        made.append(Step(replace(frame, head=table), "head"))
    else:
        made.append(Step(replace(frame, mentioned=(*frame.mentioned, table)), "mention"))
        if frame.head != table:
            made.append(Step(_add(frame, Cond(table, "some")), "some"))
    return made


def _column(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    assert label.thing is not None
    ref = Ref(label.thing.table, label.thing.column)
    kind = layer.column(*ref[:2]).kind
    if label.op in {"when", "where"}:
        return [Step(_shown(frame, ref), label.op)]
    ranked = kind in {"number", "date"}
    made = []
    if frame.per:
        return [Step(replace(frame, per=False, keys=(*frame.keys, ref)), "key")]
    if frame.agg == "count":
        made = _figure(frame, Fig("count", *ref[:2], distinct=True), "count_column")
        if kind == "number":
            made += [Step(_shown(replace(frame, agg=""), ref), "show_number")]
            made += _figure(frame, Fig("sum", *ref[:2]), "sum")
        return made
    if frame.agg:
        return _figures(frame, frame.agg, ref, kind, "figure")
    if frame.missing:
        cond = Cond(ref, "missing", negated=frame.missing == "present")
        return [Step(_add(frame, cond, missing=""), "condition")]
    if frame.num is not None and kind == "number":
        made.append(Step(_compared(frame, ref), "condition"))
    if frame.way and ranked:
        made.append(Step(_ordered(frame, ref), "order"))
        if kind == "number":
            made.append(Step(_ordered(frame, Fig("sum", *ref[:2])), "sum_ordered"))
    if frame.sort:
        return [Step(_ordered(frame, ref), "order")]
    if is_flag(layer, ref):
        made.append(Step(_add(frame, Cond(ref, "flag")), "flag"))
    if frame.neg:
        made.append(Step(_add(replace(frame, neg=False), Cond(ref, "missing")), "without"))
    if frame.way:
        return made
    if frame.again:
        made += _figures(frame, frame.again, ref, kind, "figure_again")
    made.append(Step(_shown(frame, ref), "show"))
    made.append(Step(replace(_given(frame), attr=ref), "condition"))
    return made


def _figures(frame: Frame, functions: str, ref: Ref, kind: str, role: str) -> list[Step]:
    """One figure or several of a column: "highest and lowest age"."""
    *before, last = functions.split("+")
    fits = kind == "number" or (kind == "date" and {*before, last} <= {"maximum", "minimum"})
    if not fits:
        return []
    figs = tuple(Fig(one, *ref[:2]) for one in before)
    made = _figure(replace(frame, figures=(*frame.figures, *figs)), Fig(last, *ref[:2]), role)
    return [Step(replace(one, again=functions), name) for one, name in made]


def _shown(frame: Frame, ref: Ref) -> Frame:
    if ref in frame.shown:
        return _given(frame)
    frame = _given(frame)
    return replace(frame, shown=(*frame.shown, ref))


def _given(frame: Frame) -> Frame:
    """A column that waited in vain for a value is shown."""
    if isinstance(frame.attr, Ref) and not frame.sign:
        shown = frame.shown if frame.attr in frame.shown else (*frame.shown, frame.attr)
        return replace(frame, attr=None, shown=shown)
    if isinstance(frame.attr, Fig) and not frame.sign:
        return replace(frame, attr=None, figures=(*frame.figures, frame.attr))
    return frame


def _figure(frame: Frame, figure: Fig, role: str) -> list[Step]:
    """A figure is what is ordered by, compared, or the answer, by what is open."""
    if frame.sign == "between":
        return []
    done = replace(frame, agg="", distinct=False)
    if frame.way or frame.sort:
        return [Step(_ordered(done, figure), f"{role}_ordered")]
    if frame.sign and frame.num is not None:
        return [Step(_compared(done, figure), f"{role}_compared")]
    if frame.sign:
        left = frame.attr or (Ref(figure.table, figure.column) if figure.column else None)
        cond = Cond(left, frame.sign, figure)
        return [Step(_add(done, cond, sign="", attr=None), f"{role}_nested")]
    if frame.num is not None:
        return [Step(_compared(done, figure), f"{role}_compared")]
    done = _given(done)
    return [
        Step(replace(done, figures=(*done.figures, figure)), role),
        Step(replace(done, attr=figure), f"{role}_waiting"),
    ]


def _ordered(frame: Frame, by: Ref | Fig) -> Frame:
    if frame.sort:
        return replace(frame, sort="", order=Order(by, frame.sort == "desc", True))
    return replace(frame, way="", order=Order(by, frame.way == "desc"))


def _compared(frame: Frame, left: Ref | Fig) -> Frame:
    op = frame.sign or "="
    return _add(frame, Cond(left, op, frame.num), num=None, sign="")


def _value(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    assert label.thing is not None
    ref = Ref(label.thing.table, label.thing.column)
    if frame.agg and frame.agg != "count":
        return []
    if frame.sign in {">", "<"} and isinstance(frame.attr, Ref) and not label.values:
        cond = Cond(frame.attr, frame.sign, Other(frame.attr, ref, label.value))
        return [Step(_add(frame, cond, attr=None, sign=""), "value_compared")]
    if frame.sign not in {"", "!=", "="} or frame.way or frame.per or frame.num is not None:
        return []
    said = frame.attr
    role = "value"
    if isinstance(said, Ref):
        if said[:2] == ref[:2]:
            role = "value_said"
        elif _leads(layer, said, ref.table):
            # "Reports to Ann": the row that the link leads to is called so.
            ref, role = ref._replace(via=said[:2]), "value_linked"
        else:
            frame = _given(frame)
    elif said is not None:
        return []
    negated = frame.sign == "!="
    more = tuple(zip(label.columns[1:], label.values[1:], strict=True))
    first = label.values[0] if label.values else label.value
    op = frame.text or "="
    cond = Cond(ref, op, first, negated, more=more)
    last = frame.conds[-1] if frame.conds else None
    if last is not None and last[:2] == cond[:2] and not frame.join:
        # "French, Spanish or German": of one row only one can be; "both French and German": one of
        # each.
        frame = replace(frame, join="both" if last.join == "both" else "same")
    return [Step(_add(frame, cond, attr=None, sign="", text=""), role)]


def _leads(layer: SemanticLayer, said: Ref, table: str) -> bool:
    """Whether a column is a link to a table."""
    links = layer.schema.links
    return any((one.table, one.column, one.target) == (*said[:2], table) for one in links)


def _number(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    value = label.value
    if frame.num is not None:
        return []
    if isinstance(frame.low, Period):
        return []
    if isinstance(frame.low, Recurring):
        return []
    if frame.low is not None:
        cond = Cond(frame.attr, "between", (frame.low, value))
        return [Step(_add(frame, cond, attr=None, low=None, sign=""), "number_high")]
    if frame.sign == "between":
        return [Step(replace(frame, low=value), "number_low")]
    if frame.attr is not None:
        cond = Cond(frame.attr, frame.sign or "=", value)
        return [Step(_add(frame, cond, attr=None, sign=""), "number_compared")]
    made = []
    if frame.near and frame.last == label.start and not frame.sign:
        key = layer.schema.table(frame.near).key
        if key is not None:
            made.append(Step(_add(frame, Cond(Ref(frame.near, key), "=", value)), "number_key"))
    whole = isinstance(value, int) and value > 0
    if whole and frame.limit is None and not frame.sign:
        made.append(Step(replace(frame, limit=value), "limit"))
    if not frame.way:
        made.append(Step(replace(frame, num=value), "number"))
    return made


def _period(frame: Frame, label: Label) -> list[Step]:
    attr = frame.attr
    if frame.num is not None or frame.way or frame.agg or isinstance(attr, Fig):
        return []
    if frame.sign == "between":
        if frame.low is None:
            return [Step(replace(frame, low=label.value), "period_low")]
        if (start := _first_day(frame.low, label.value)) is None:
            return []
        cond = Cond(attr, "in", Period(start, label.value.end))
        return [Step(_add(frame, cond, attr=None, low=None, sign=""), "period_high")]
    cond = Cond(attr, frame.sign or "in", label.value)
    return [Step(_add(frame, cond, attr=None, sign=""), "period")]


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


def _text(frame: Frame, label: Label) -> list[Step]:
    bare = label.op == "bare"
    if frame.text and not isinstance(frame.attr, Fig):
        cond = Cond(frame.attr, frame.text, label.value)
        return [Step(_add(frame, cond, attr=None, text=""), "text_part")]
    if bare and not frame.word and not isinstance(frame.attr, Fig) and not frame.sign:
        return [Step(replace(frame, word=label.value), "text_early")]
    if isinstance(frame.attr, Ref) and not bare and frame.sign in {"", "=", "!="}:
        cond = Cond(frame.attr, "=", label.value, frame.sign == "!=")
        return [Step(_add(frame, cond, attr=None, sign=""), "text")]
    return []


def _operation(frame: Frame, label: Label) -> list[Step]:
    op, _, what = label.op.partition(":")
    if label.thing is not None:
        return _adjective(frame, label.thing, op, what)
    match op:
        case "count" | "agg":
            function = what or "count"
            if not frame.agg:
                return [Step(replace(frame, agg=function), label.op)]
            if function == "count":
                # "Total number of": a count.
                return [Step(replace(frame, agg=function), "count_total")]
            if frame.agg == "count" or function in frame.agg:
                return []
            return [Step(replace(frame, agg=f"{frame.agg}+{function}"), "agg_more")]
        case "dir":
            return _direction(frame, what)
        case "sort":
            if frame.order is not None and frame.order.all:
                order = frame.order._replace(descending=what == "desc")
                return [Step(replace(frame, order=order), label.op)]
            made = [Step(replace(frame, sort=what), label.op)]
            if isinstance(frame.attr, Ref):
                order = Order(frame.attr, what == "desc", True)
                made.append(Step(replace(frame, attr=None, order=order), f"{label.op}_after"))
            return made
        case "sign":
            return _sign(frame, label, what)
        case "between":
            taken = frame.sign or frame.num is not None
            return [] if taken else [Step(replace(frame, sign="between"), op)]
        case "between_and":
            return [Step(frame, op)] if frame.low is not None else []
        case "not":
            return [] if frame.neg else [Step(replace(frame, neg=True), op)]
        case "or" | "both":
            return [Step(replace(frame, join=op), op)]
        case "per":
            return [] if frame.per else [Step(replace(frame, per=True), op)]
        case "distinct":
            return [Step(replace(frame, distinct=True), op)]
        case "contains" | "starts" | "ends":
            if frame.word:
                attr = frame.attr if isinstance(frame.attr, Ref) else None
                cond = Cond(attr, op, frame.word)
                return [Step(_add(frame, cond, attr=None, word=""), f"{op}_after")]
            return [] if frame.text else [Step(replace(frame, text=op), op)]
        case "missing" | "present":
            if isinstance(frame.attr, Ref):
                cond = Cond(frame.attr, "missing", negated=op == "present")
                return [Step(_add(frame, cond, attr=None), f"{op}_after")]
            return [Step(replace(frame, missing=op), op)]
        case "yesno":
            return [Step(replace(frame, yesno=True), op)] if label.start == 0 else []
        case "everything":
            return [Step(replace(frame, everything=True), op)]
        case "limit":
            return [Step(replace(frame, way="desc" if frame.way == "" else frame.way), "limit_op")]
        case "avg_over":
            return []
        case _:
            return []


def _direction(frame: Frame, what: str) -> list[Step]:
    if isinstance(frame.attr, (Ref, Fig)):
        order = Order(frame.attr, what == "desc")
        return [Step(replace(frame, attr=None, order=order), f"dir:{what}_after")]
    if frame.way or (frame.order is not None and not frame.order.all):
        return []
    return [Step(replace(frame, way=what), f"dir:{what}")]


def _sign(frame: Frame, label: Label, what: str) -> list[Step]:
    last = frame.conds[-1] if frame.conds else None
    after = frame.last == label.start and what in {">=", "<="}
    if after and last is not None and last.op == "=" and isinstance(last.value, (int, float)):
        conds = (*frame.conds[:-1], last._replace(op=what))
        return [Step(replace(frame, conds=conds), f"sign:{what}_after")]
    if frame.sign:
        return []
    return [Step(replace(frame, sign=what), f"sign:{what}")]


def _adjective(frame: Frame, thing: Thing, op: str, what: str) -> list[Step]:
    """A superlative is what is ordered by; a comparative waits for a value."""
    ref = Ref(thing.table, thing.column)
    if op == "sign":
        if frame.sign or frame.attr is not None:
            return []
        return [Step(replace(frame, sign=what, attr=ref), "comparative")]
    if frame.agg or frame.way or frame.order is not None:
        return []
    order = Order(ref, what == "desc")
    return [Step(replace(frame, order=order), "superlative")]
