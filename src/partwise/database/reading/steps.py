"""A frame is filled by labels from left to right.

What a label does depends on what is open before it: after "average" a column is averaged, after
"per" it is what groups are made by. Where several things are possible, each gives a frame of its
own, under the name of its role; which one is meant is for scores to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.agents import agent_steps
from partwise.database.reading.beside import shown_beside
from partwise.database.reading.denying import without_name
from partwise.database.reading.durations import ELAPSED, SPANS, UNTIL, between
from partwise.database.reading.families import family_steps
from partwise.database.reading.filling import (
    Step,
    add,
    commonest_of,
    compared,
    figure_steps,
    figures_steps,
    given,
    ordered,
    settled,
    showing,
)
from partwise.database.reading.frame import (
    NAME,
    Cond,
    Fig,
    Frame,
    Order,
    Ref,
    is_flag,
    linked_names,
    names_of,
    own_name,
)
from partwise.database.reading.grouping import goes_on, linked_key
from partwise.database.reading.label import Label, Quantity, Quoted
from partwise.database.reading.links import is_unnamed, meets, one_of_several
from partwise.database.reading.operations import operation
from partwise.database.reading.people import parties
from partwise.database.reading.rated import (
    amount_ordered,
    figure_of_rows,
    mean_ordered,
    ranks_others,
)
from partwise.database.reading.states import state_steps
from partwise.database.reading.things import THAN, happened, held_of, more_than, than_own
from partwise.database.reading.totals import averaged
from partwise.database.reading.value_steps import (
    age_steps,
    number_steps,
    period_steps,
    text_steps,
    value_steps,
)

_BEHIND = {"table", "column", "value", "age", "state", "text"}
_OPENING = {"between", "not", "missing", "contains", "starts", "ends"}
BETWEEN = 3
"""The most words between two columns that rows are ordered by, as in "town, and then name"."""


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
            made = _table(frame, label, layer) + figure_of_rows(frame, label, layer)
        case "column":
            made = _column(frame, label, layer)
            if label.op == "unit":
                made = [Step(one._replace(unit=label.value), role) for one, role in made]
        case "measure":
            made = _measure(frame, label, layer)
        case "value":
            made = value_steps(frame, label, layer)
        case "number":
            made = number_steps(frame, label, layer)
        case "period":
            made = period_steps(frame, label, layer)
        case "age":
            made = age_steps(frame, label)
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


def _table(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    assert label.thing is not None
    table = label.thing.table
    if label.op == "headcount":
        return figure_steps(frame, Fig("count", table), "headcount") if not frame.agg else []
    if label.op == "who":
        if frame.agg == "count" and not frame.head:
            # "How many people".
            return figure_steps(frame, Fig("count", table), "count")
        beside = _named_beside(frame, table, layer) if label.beside else []
        return beside if frame.head else [Step(frame._replace(head=table), "who")]
    if label.op == "agent":
        return agent_steps(frame, label, layer)
    if label.op == "what":
        return _named_beside(frame, table, layer) if frame.head else []
    count = Fig("count", table)
    key = _key(frame, table)
    if label.beside and goes_on(frame) and table not in frame.keys:
        # "By genre and media type".
        return [key]
    if frame.agg in {"count", "sum"}:
        return [*figure_steps(frame, count, "count"), *([key] if frame.per else [])]
    if frame.per:
        made = [key]
        if frame.way:
            open_ = frame._replace(per=False)
            made.append(Step(ordered(open_, count), "count_ordered_by"))
            made.append(Step(ordered(open_, Fig("total", table)), "total_ordered_by"))
        return made
    if frame.num is not None and frame.sign:
        return [Step(compared(frame, count), "count_compared"), *happened(frame, table, layer)]
    made = more_than(frame, count)
    if frame.way:
        made.append(Step(ordered(frame, count), "count_ordered"))
        made.append(Step(ordered(frame, Fig("total", table)), "total_ordered"))
        made += amount_ordered(frame, table, layer)
        made += mean_ordered(frame, table, layer)
    if frame.num is not None:
        made.append(Step(compared(frame, count), "count_compared"))
    if frame.neg:
        return [*made, Step(add(frame, Cond(table, "some")), "some")]
    if not frame.head:
        if not ranks_others(frame, table, layer):
            made.append(Step(frame._replace(head=table), "head"))
    else:
        made.append(Step(frame._replace(mentioned=(*frame.mentioned, table)), "mention"))
        if frame.head != table:
            made.append(Step(add(frame, Cond(table, "some")), "some"))
            made += _named_beside(frame, table, layer)
    return made


def _key(frame: Frame, key: Ref | str) -> Step:
    """One more column or table that makes groups."""
    return Step(frame._replace(per=False, keys=(*frame.keys, key)), "key")


def _named_beside(frame: Frame, table: str, layer: SemanticLayer) -> list[Step]:
    """Names of what each row is linked with: "paintings and their painters"."""
    schema = layer.schema
    if frame.way or frame.num is not None or frame.sign or frame.sort or frame.figures:
        return []
    apart = schema.path(frame.head, table) is None and schema.path(table, frame.head) is None
    if apart and not meets(layer, frame.head, table):
        return []
    names = names_of(layer, table)
    if not names or set(names) & set(frame.shown):
        return []
    made = given(frame)
    steps_ = [Step(made._replace(shown=(*(made.shown or (NAME,)), *names)), "names_beside")]
    if is_unnamed(layer, frame.head) and not made.shown:
        steps_.append(Step(made._replace(shown=names), "names_instead"))
    return steps_


def _column(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    assert label.thing is not None
    ref = Ref(label.thing.table, label.thing.column)
    kind = layer.column(*ref[:2]).kind
    if label.op == "own":
        head = frame._replace(head=frame.head or label.value.table)
        return [] if _waits(frame) else [Step(add(head, Cond(ref, "=", label.value)), "own")]
    if label.op in {"team", "root"}:
        return family_steps(frame, ref, label, layer)
    if label.op in {"when", "where"}:
        return [Step(showing(frame, ref), label.op)]
    if label.op == "old":
        return _aged(frame, ref, label.value)
    if label.op == "address":
        return _address(frame, [ref._replace(column=one) for one in label.columns], layer)
    if label.op in {"phrase", "lasted"}:
        return _asked(frame, ref, label, layer)
    if label.beside and goes_on(frame):
        return [_key(frame, ref)]
    made = _used(frame, ref, kind, is_flag(layer, ref), layer)
    behind = frame.way and frame.last == label.start and label.end > label.start + 1
    if kind == "date" and behind and not frame.sort:
        # "The most ordered service" is not the one that was ordered last.
        made = [one for one in made if one.role != "order"]
    # "The support rep" is a person, and no number: the name that the link leads to.
    names = () if label.match and label.match[0] else linked_names(layer, ref)
    if names:
        made = [one for one in made if one.role not in {"show", "key"}]
    made += linked_key(frame, ref, layer)
    if label.beside or label.op == "degree":
        made += (both := shown_beside(frame, names or (ref,), layer))
        if names and both:
            return made
    if frame.head and not _waits(frame) and one_of_several(layer.schema, *ref[:2], frame.head):
        # "Students who have secretary votes": the link that is meant of several.
        made.append(Step(add(given(frame), Cond(ref, "linked")), "linked"))
    if not (_waits(frame) or frame.sign or frame.way or frame.sort or frame.neg):
        made += _linked_names(frame, ref, layer)
    return [*_repeated(frame, ref, label.start), *than_own(frame, ref, layer), *made]


def _aged(frame: Frame, ref: Ref, today: date) -> list[Step]:
    """An age: what is shown, a figure over it, an order, or what a number is compared with."""
    part = f"{UNTIL}{today}"
    if frame.agg in {"average", "median", "maximum", "minimum"}:
        return figure_steps(frame, Fig(frame.agg, *ref[:2], part=part), "figure")
    if frame.agg or frame.per or frame.missing:
        return []
    if frame.way or frame.sort:
        return [Step(ordered(frame, ref._replace(part=part)), "order")]
    if frame.sign:
        return []
    showed = Step(showing(frame, ref._replace(part=part)), "show")
    return [showed, Step(given(frame)._replace(attr=ref), "condition")]


def _address(frame: Frame, parts: Sequence[Ref], layer: SemanticLayer) -> list[Step]:
    """All parts of an address, with the name of a linked town."""
    if _waits(frame) or frame.sign or frame.way or frame.sort:
        return []
    for part in parts:
        for one in linked_names(layer, part) or [part]:
            frame = showing(frame, one)
    return [Step(frame, "show")]


def _asked(frame: Frame, ref: Ref, label: Label, layer: SemanticLayer) -> list[Step]:
    """What a phrase asks for: a column, the name that a link leads to, or a time."""
    part = between(Ref(*label.via)) if label.via else ELAPSED
    if label.op == "lasted" and frame.agg in {"average", "median", "maximum", "minimum"}:
        open_ = frame if label.value == "" else frame._replace(unit=label.value)
        return figure_steps(open_, Fig(frame.agg, *ref[:2], part=part), "figure_lasted")
    if frame.agg not in {"", "count", "sum"} or frame.way or frame.sign or frame.per:
        return []
    open_ = frame._replace(agg="")
    if label.op == "lasted":
        # Days go without saying.
        unit = frame.unit if label.value in {"", "day"} else label.value
        return [Step(showing(open_, ref._replace(part=part))._replace(unit=unit), "lasted")]
    linked = _linked_names(open_, ref, layer)
    return linked or [Step(showing(open_, ref), "show")]


def _linked_names(frame: Frame, ref: Ref, layer: SemanticLayer) -> list[Step]:
    """What a link leads to, by its name: "Tim's boss", "the captain of flight 7"."""
    names = linked_names(layer, ref)
    for one in names:
        frame = showing(frame, one)
    return [Step(frame, "linked_names")] if names else []


def _waits(frame: Frame) -> bool:
    """Whether a column would be a group, a figure or what is missing."""
    return bool(frame.per or frame.agg or frame.missing)


def _repeated(frame: Frame, ref: Ref, start: int) -> list[Step]:
    """A column that goes on with what the label before said: one more to order by ("by town and
    name"), or the word for a value ("Ulm city")."""
    made = []
    if frame.order is not None and 0 <= start - frame.ordering <= BETWEEN and frame.order.by != ref:
        then = Order(ref, frame.order.descending, True)
        made.append(Step(frame._replace(per=False, then=(*frame.then, then)), "order_then"))
    last = frame.conds[-1] if frame.conds else None
    behind = last is not None and frame.last == start and last.op == "="
    if behind and last is not None and isinstance(last.left, Ref) and last.left[:2] == ref[:2]:
        made.append(Step(frame, "value_column"))
    return made


def _used(frame: Frame, ref: Ref, kind: str, flag: bool, layer: SemanticLayer) -> list[Step]:
    if frame.per and frame.agg not in {"", "count"} and (frame.way or frame.sort):
        # "The top three by average price."
        return _averaged(frame, ref, kind)
    if frame.per:
        made = [_key(frame, ref)]
        if frame.way and kind in {"number", "date"}:
            # "The top three by price."
            made.append(Step(ordered(frame._replace(per=False), ref), "order_by"))
        return made
    if frame.agg:
        # "How many active drivers": those that are so are counted.
        some = [Step(add(frame, Cond(ref, "flag")), "flag")] if flag and not frame.neg else []
        return [*some, *_averaged(frame, ref, kind)]
    if frame.missing:
        cond = Cond(ref, "missing", negated=frame.missing == "present")
        return [Step(add(frame, cond, missing=""), "condition")]
    return _described(frame, ref, kind, flag, layer)


def _averaged(frame: Frame, ref: Ref, kind: str) -> list[Step]:
    """A column behind "how many" or "average"."""
    if frame.agg != "count":
        return figures_steps(frame, frame.agg, ref, kind, "figure")
    if frame.num is not None:
        # "How many 5 star reviews": the number is not of a count.
        return [Step(compared(frame, ref), "condition")] if kind == "number" else []
    made = figure_steps(frame, Fig("count", *ref[:2], distinct=True), "count_column")
    if kind == "number":
        made += [Step(showing(frame._replace(agg=""), ref), "show_number")]
        made += figure_steps(frame, Fig("sum", *ref[:2]), "sum")
    return made


def _described(frame: Frame, ref: Ref, kind: str, flag: bool, layer: SemanticLayer) -> list[Step]:
    """A column that is compared, ordered by, or shown."""
    made: list[Step] = []
    if isinstance(frame.word, Quoted) and kind == "text":
        # "With 'live' in the title": the text stands before its column.
        made.append(Step(add(frame, Cond(ref, "contains", frame.word), word=""), "quoted_in"))
    if frame.num is not None and kind == "number":
        made.append(Step(compared(frame, ref), "condition"))
    made += _timed(frame, ref, kind, layer)
    if frame.way and kind in {"number", "date"}:
        made.append(Step(ordered(frame, ref), "order"))
        if kind == "number":
            made.append(Step(ordered(frame, Fig("sum", *ref[:2])), "sum_ordered"))
    if frame.sort:
        return [Step(ordered(frame, ref), "order")]
    if frame.way and (frame.often or kind not in {"number", "date"}):
        open_ = frame._replace(way="", often=False)
        common = [Step(commonest_of(open_, ref, frame.way == "desc"), "commonest")]
    else:
        common = []
    if flag:
        except_ = frame.sign == "!="
        kept = "" if except_ else frame.sign
        made.append(Step(add(frame, Cond(ref, "flag", negated=except_), sign=kept), "flag"))
    if frame.neg and frame.head not in {"", ref.table} and kind in {"date", "id"}:
        # "Customers who never ordered": no order.
        made.append(Step(add(frame, Cond(ref.table, "some")), "some_named"))
    if frame.neg:
        made.append(Step(add(frame._replace(neg=False), Cond(ref, "missing")), "without"))
        if kind == "number" and not flag:
            # "Without a discount": one of nothing, or none.
            nothing = add(frame._replace(neg=False), Cond(ref, "=", 0))
            none = add(nothing._replace(join="or"), Cond(ref, "missing"))
            made.append(Step(none, "without_number"))
    if frame.way and made:
        # "The top 3 cars with a build year before 2020, by price."
        waits = frame.head and frame.num is None and frame.attr is None and not frame.neg
        return [*made, *common, *([Step(frame._replace(attr=ref), "condition")] if waits else ())]
    if frame.again:
        made += figures_steps(frame, frame.again, ref, kind, "figure_again")
    made.append(Step(showing(frame, ref), "show"))
    made.append(Step(given(frame)._replace(attr=ref), "condition"))
    return [*made, *common]


def _timed(frame: Frame, ref: Ref, kind: str, layer: SemanticLayer) -> list[Step]:
    """A date that some time passes up to ("within 3 days", "took longest to be paid"), and a column
    that another one is compared with."""
    made: list[Step] = []
    if kind == "date" and isinstance(frame.num, Quantity) and frame.num.unit in SPANS:
        made.append(Step(compared(frame, ref), "elapsed_compared"))
    if kind == "date" and frame.way:
        made.append(Step(ordered(frame, ref._replace(part=ELAPSED)), "elapsed_order"))
    attr = frame.attr
    compares = frame.sign in THAN and kind in {"number", "date"}
    if compares and isinstance(attr, Ref) and attr != ref and attr.table == ref.table:
        cond = Cond(attr, frame.sign, ref)
        made.append(Step(add(frame, cond, attr=None, sign=""), "columns_compared"))
    if compares and attr is None and (held := held_of(layer, ref)) is not None:
        # "Below the minimum stock": the stock is.
        made.append(Step(add(frame, Cond(held, frame.sign, ref), sign=""), "held_compared"))
    return made
