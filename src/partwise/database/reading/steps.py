"""A frame is filled by labels from left to right.

What a label does depends on what is open before it: after "average" a column is averaged, after
"per" it is what groups are made by. Where several things are possible, each gives a frame of its
own, under the name of its role; which one is meant is for scores to say.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.ages import TURNED
from partwise.database.reading.beside import meets, shown_beside, unnamed
from partwise.database.reading.durations import ELAPSED, SPANS
from partwise.database.reading.filling import (
    Step,
    add,
    commonest_of,
    compared,
    figure_steps,
    figures_steps,
    given,
    ordered,
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
    names_of,
)
from partwise.database.reading.grouping import linked_key, of_both_values
from partwise.database.reading.kinds import head_of_kind, is_kind, key_of_kind, within_groups
from partwise.database.reading.label import Label, Quantity
from partwise.database.reading.led import family_steps
from partwise.database.reading.operations import operation
from partwise.database.reading.parties import parties
from partwise.database.reading.periods import Period, Recurring, in_year
from partwise.database.reading.rated import figure_of_rows, mean_ordered, ranks_others
from partwise.database.reading.saying import denied_beside, stated
from partwise.database.reading.saying import unnamed as unnamed_rows
from partwise.database.reading.things import THAN, happened, more_than, than_a_thing
from partwise.database.reading.totals import averaged

FURTHEST = 2
"""How many words may stand between a column and what it is compared with, if that is not stored."""
BETWEEN = 3
"""The most words between two columns that rows are ordered by, as in "town, and then name"."""


def steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """All that a label can do to a frame; none where it does not fit."""
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
            made = _value(frame, label, layer)
        case "number":
            made = _number(frame, label, layer)
        case "period":
            made = _period(frame, label)
        case "age":
            made = _age(frame, label)
        case "state":
            made = stated(frame, label)
        case "unit":
            made = [] if frame.unit else [Step(frame._replace(unit=label.value), "unit")]
        case "part":
            made = _part(frame, label)
        case "name":
            waits = frame.agg or frame.way or frame.sign or frame.per
            made = (
                [] if waits else [*unnamed_rows(frame, layer), Step(showing(frame, NAME), "name")]
            )
        case "text":
            made = _text(frame, label)
        case "op" if label.op == "who_what":
            made = parties(frame, layer)
        case _:
            made = operation(frame, label)
    near = label.thing.table if label.kind == "table" and label.thing is not None else ""
    return [Step(_passed(frame, one, label.end, near), role) for one, role in made]


def _passed(before: Frame, frame: Frame, end: int, near: str) -> Frame:
    """The frame behind a label."""
    order = frame.order
    said = (frame.order, frame.then) != (before.order, before.then)
    going = order is not None and order.all and said
    return frame._replace(last=end, near=near, ordering=end if going else -1)


def _part(frame: Frame, label: Label) -> list[Step]:
    """Years, months and the like make groups."""
    ref = Ref("", "", None, label.value)
    if frame.per or label.op == "adverb":
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
        beside = _named_beside(frame, table, layer) if label.beside else []
        return beside if frame.head else [Step(frame._replace(head=table), "who")]
    if label.op == "what":
        return _named_beside(frame, table, layer) if frame.head else []
    count = Fig("count", table)
    key = Step(frame._replace(per=False, keys=(*frame.keys, table)), "key")
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
    if unnamed(layer, frame.head) and not made.shown:
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
    if label.op in {"phrase", "lasted"}:
        return _asked(frame, ref, label, layer)
    made = _used(frame, ref, kind, is_flag(layer, ref)) + linked_key(frame, ref, layer)
    if label.beside or label.op == "degree":
        made += shown_beside(frame, ref, layer)
    if frame.head and not _waits(frame) and _one_of_several(layer, ref, frame.head):
        # "Students who have secretary votes": the link that is meant of several.
        made.append(Step(add(given(frame), Cond(ref, "linked")), "linked"))
    if not (_waits(frame) or frame.sign or frame.way or frame.sort or frame.neg):
        made += _linked_names(frame, ref, layer)
    return [*_repeated(frame, ref, label.start), *made]


def _asked(frame: Frame, ref: Ref, label: Label, layer: SemanticLayer) -> list[Step]:
    """What a phrase asks for: a column, the name that a link leads to, or a time."""
    if frame.agg not in {"", "count", "sum"} or frame.way or frame.sign or frame.per:
        return []
    open_ = frame._replace(agg="")
    if label.op == "lasted":
        # Days go without saying.
        unit = frame.unit if label.value in {"", "day"} else label.value
        return [Step(showing(open_, ref._replace(part=ELAPSED))._replace(unit=unit), "lasted")]
    linked = _linked_names(open_, ref, layer)
    return linked or [Step(showing(open_, ref), "show")]


def _linked_names(frame: Frame, ref: Ref, layer: SemanticLayer) -> list[Step]:
    """What a link leads to, by its name: "Tim's boss", "the captain of flight 7"."""
    link = next(
        (one for one in layer.schema.links if (one.table, one.column) == ref[:2]),
        None,
    )
    if link is None or layer.table(link.target).private:
        return []
    for name in layer.table(link.target).display:
        frame = showing(frame, Ref(link.target, name, ref[:2]))
    shown = bool(layer.table(link.target).display)
    return [Step(frame, "linked_names")] if shown else []


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


def _used(frame: Frame, ref: Ref, kind: str, flag: bool) -> list[Step]:
    if frame.per and frame.agg not in {"", "count"} and (frame.way or frame.sort):
        # "The top three by average price."
        return _averaged(frame, ref, kind)
    if frame.per:
        made = [Step(frame._replace(per=False, keys=(*frame.keys, ref)), "key")]
        if frame.way and kind in {"number", "date"}:
            # "The top three by price."
            made.append(Step(ordered(frame._replace(per=False), ref), "order_by"))
        return made
    if frame.agg:
        return _averaged(frame, ref, kind)
    if frame.missing:
        cond = Cond(ref, "missing", negated=frame.missing == "present")
        return [Step(add(frame, cond, missing=""), "condition")]
    return _described(frame, ref, kind, flag)


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


def _described(frame: Frame, ref: Ref, kind: str, flag: bool) -> list[Step]:
    """A column that is compared, ordered by, or shown."""
    made: list[Step] = []
    if frame.num is not None and kind == "number":
        made.append(Step(compared(frame, ref), "condition"))
    made += _timed(frame, ref, kind)
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
    if frame.way and made:
        return [*made, *common]
    if frame.again:
        made += figures_steps(frame, frame.again, ref, kind, "figure_again")
    made.append(Step(showing(frame, ref), "show"))
    made.append(Step(given(frame)._replace(attr=ref), "condition"))
    return [*made, *common]


def _timed(frame: Frame, ref: Ref, kind: str) -> list[Step]:
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
    return made


def _value(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    assert label.thing is not None
    ref = Ref(label.thing.table, label.thing.column, label.via)
    if frame.sign in THAN and frame.num is None and not frame.way and not frame.per:
        return than_a_thing(frame, label, ref, layer)
    if frame.per:
        return [*key_of_kind(frame, label, layer), *within_groups(frame, label, layer)]
    more = tuple(zip(label.columns[1:], label.values[1:], strict=True))
    first = label.values[0] if label.values else label.value
    # "The lightest desserts": a kind stands where the rows could.
    ranks = frame.way and not frame.either and not is_kind(label, layer)
    if frame.sign not in {"", "!=", "="} or frame.num is not None:
        return []
    if ranks:
        # "Which town bought the most rye bread."
        far = label.type == "name" and frame.head not in {"", ref.table} and frame.attr is None
        named = add(frame, Cond(ref, "=", first, more=more))
        return [Step(named, "value_ranked")] if far else []
    said = frame.attr
    role = "value" if label.via is None else "value_linked"
    if isinstance(said, Ref):
        if said[:2] == ref[:2]:
            role = "value_said"
        elif _leads(layer, said, ref.table):
            # "Reports to Ann": the row that the link leads to is called so.
            ref, role = ref._replace(via=said[:2]), "value_linked"
        else:
            frame = given(frame)
    elif said is not None:
        return []
    negated = frame.sign == "!="
    op = frame.text or "="
    cond = Cond(ref, op, first, negated, more=more)
    last = frame.conds[-1] if frame.conds else None
    others: list[Step] = []
    if last is not None and (apart := denied_beside(frame, last, cond)) is not None:
        frame, cond = apart
    elif last is not None and last[:2] == cond[:2] and not frame.join:
        # "French, Spanish or German": of one row only one can be; "both French and German": one of
        # each.
        if last.join != "both" and frame.head and frame.head != ref.table:
            # "Patients allergic to penicillin and latex": one row for each.
            each = add(frame._replace(join="both"), cond, attr=None, sign="", text="")
            others.append(Step(each, f"{role}_both"))
        if (groups := of_both_values(frame, cond)) is not None:
            parted = add(groups._replace(join="same"), cond, attr=None, sign="", text="")
            others.append(Step(parted, f"{role}_groups"))
        frame = frame._replace(join="both" if last.join == "both" else "same")
    step = Step(add(frame, cond, attr=None, sign="", text=""), role)
    return [step, *others, *head_of_kind(step, label, layer)]


def _leads(layer: SemanticLayer, said: Ref, table: str) -> bool:
    """Whether a column is a link to a table."""
    links = layer.schema.links
    return any((one.table, one.column, one.target) == (*said[:2], table) for one in links)


def _one_of_several(layer: SemanticLayer, said: Ref, table: str) -> bool:
    """Whether a column is one of several links from its table to another."""
    links = [one for one in layer.schema.links if (one.table, one.target) == (said.table, table)]
    return len(links) > 1 and any(one.column == said.column for one in links)


def _number(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    value = label.value
    if frame.num is not None:
        return []
    if isinstance(frame.low, Period):
        return []
    if isinstance(frame.low, Recurring):
        return []
    if frame.text and isinstance(value, int) and not isinstance(frame.attr, Fig):
        # "Post codes starting with 4".
        cond = Cond(frame.attr, frame.text, str(value))
        return [Step(add(frame, cond, attr=None, text=""), "text_part")]
    if frame.low is not None:
        return [
            Step(add(frame, Cond(frame.attr, "between", low), attr=None, low=None, sign=""), role)
            for low, role in _bounds(frame.low, value)
        ]
    if frame.sign == "between":
        return [Step(frame._replace(low=value), "number_low")]
    if frame.attr is not None:
        cond = Cond(frame.attr, frame.sign or "=", value)
        return [Step(add(frame, cond, attr=None, sign=""), "number_compared")]
    made = []
    if frame.near and frame.last == label.start and not frame.sign:
        key = layer.schema.table(frame.near).key
        if key is not None:
            made.append(Step(add(frame, Cond(Ref(frame.near, key), "=", value)), "number_key"))
    whole = isinstance(value, int) and value > 0
    if whole and frame.limit is None and not frame.sign:
        made.append(Step(frame._replace(limit=value), "limit"))
    if not frame.way:
        made.append(Step(frame._replace(num=value), "number"))
    return made


def _bounds(low: Any, high: Any) -> list[tuple[tuple[Any, Any], str]]:
    """Two numbers as they are, and with what was said of the second alone: "60 to 80 thousand"."""
    made: list[tuple[tuple[Any, Any], str]] = [((low, high), "number_high")]
    if isinstance(low, int | float) and isinstance(high, int | float) and 0 < low < 1000:
        scale = 1_000_000 if high % 1_000_000 == 0 else 1000 if high % 1000 == 0 else 1
        if scale > 1 and low * scale < high:
            made.append(((low * scale, high), "number_high_scaled"))
    return made


def _period(frame: Frame, label: Label) -> list[Step]:
    attr = frame.attr
    ranks = frame.way and not frame.either
    if frame.num is not None or ranks or isinstance(attr, Fig):
        return []
    if frame.sign == "between":
        if frame.low is None:
            return [Step(frame._replace(low=label.value), "period_low")]
        if (start := _first_day(frame.low, label.value)) is None:
            return []
        cond = Cond(attr, "in", Period(start, label.value.end))
        return [Step(add(frame, cond, attr=None, low=None, sign=""), "period_high")]
    cond = Cond(attr, frame.sign or "in", label.value)
    return [Step(add(frame, cond, attr=None, sign=""), "period")]


def _age(frame: Frame, label: Label) -> list[Step]:
    """An age, as when somebody was born: "drivers over 55", "older than 60", "20 years old"."""
    assert label.thing is not None
    ref = Ref(label.thing.table, label.thing.column)
    if frame.num is not None or frame.way or frame.agg or frame.low is not None:
        return []
    if frame.attr is None and frame.sign in TURNED:
        # "Over 55": born before.
        cond = Cond(ref, TURNED[frame.sign], label.value)
    elif frame.attr == ref and frame.sign in TURNED:
        cond = Cond(ref, frame.sign, label.value)
    elif label.op and not frame.sign and frame.attr in {None, ref}:
        cond = Cond(ref, "in", label.value)
    else:
        return []
    return [Step(add(frame, cond, attr=None, sign=""), "age")]


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


def _text(frame: Frame, label: Label) -> list[Step]:
    bare = label.op == "bare"
    if label.thing is not None:
        ref = Ref(label.thing.table, label.thing.column)
        return [Step(add(frame, Cond(ref, "contains", label.value)), "text_of_column")]
    if label.op == "said":
        return _said(frame, label)
    if frame.text and not isinstance(frame.attr, Fig):
        cond = Cond(frame.attr, frame.text, label.value)
        return [Step(add(frame, cond, attr=None, text=""), "text_part")]
    made: list[Step] = []
    if not frame.word and not isinstance(frame.attr, Fig) and not frame.sign:
        made.append(Step(frame._replace(word=label.value), "text_early"))
    if isinstance(frame.attr, Ref) and not bare and frame.sign in {"", "=", "!="}:
        cond = Cond(frame.attr, "=", label.value, frame.sign == "!=")
        made.append(Step(add(frame, cond, attr=None, sign=""), "text"))
    return made
