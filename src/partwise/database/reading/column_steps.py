"""What a column does to a frame, by what is open in it."""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.beside import shown_beside
from partwise.database.reading.durations import ELAPSED, SPANS
from partwise.database.reading.filling import (
    Step,
    add,
    commonest_of,
    compared,
    figure_steps,
    figures_steps,
    given,
    key_step,
    ordered,
    showing,
)
from partwise.database.reading.frame import Cond, Fig, Frame, FrameOrder, Ref, linked_names
from partwise.database.reading.grouping import goes_on, linked_key
from partwise.database.reading.label import Label, Quantity, Quoted
from partwise.database.reading.links import one_of_several
from partwise.database.reading.things import THAN, held_of, than_own
from partwise.database.spans.types import is_flag

BETWEEN = 3
"""The most words between two columns that rows are ordered by, as in "town, and then name"."""


def column_steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """A column: it is shown, compared, ordered by, or makes groups."""
    assert label.thing is not None
    ref = Ref(label.thing.table, label.thing.column)
    if label.op == "where":
        return [Step(showing(frame, ref), label.op)]
    if label.beside and goes_on(frame):
        return [key_step(frame, ref)]
    names = _names_meant(label, ref, layer)
    left_out = {"show", "key"} if names else set()
    if _ranks_rows(frame, label) and layer.column(*ref[:2]).kind == "date":
        # "The most ordered service" is not the one that was ordered last.
        left_out.add("order")
    made = [one for one in _used(frame, ref, layer) if one.role not in left_out]
    made += linked_key(frame, ref, layer)
    if label.beside:
        made += (both := shown_beside(frame, names or (ref,), layer))
        if names and both:
            return made
    made += _by_link(frame, ref, layer)
    return [*_repeated(frame, ref, label.start), *than_own(frame, ref, layer), *made]


def _names_meant(label: Label, ref: Ref, layer: SemanticLayer) -> tuple[Ref, ...]:
    """The name that a link leads to, where it is not spelt out: "the support rep" is a person, and
    no number."""
    return () if label.match and label.match[0] else linked_names(layer, ref)


def _ranks_rows(frame: Frame, label: Label) -> bool:
    """Whether a column stands right behind a superlative, with a word for the rows."""
    behind = bool(frame.way) and frame.last == label.start and label.end > label.start + 1
    return behind and not frame.sort


def _by_link(frame: Frame, ref: Ref, layer: SemanticLayer) -> list[Step]:
    """What a link says: which of several is meant, or the name that it leads to."""
    if _waits(frame):
        return []
    made = []
    if frame.head and one_of_several(layer.schema, *ref[:2], frame.head):
        # "Students who have secretary votes": the link that is meant of several.
        made.append(Step(add(given(frame), Cond(ref, "linked")), "linked"))
    if not (frame.sign or frame.way or frame.sort or frame.neg):
        made += _linked_names(frame, ref, layer)
    return made


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
        then = FrameOrder(ref, frame.order.descending, True)
        made.append(Step(frame._replace(per=False, then=(*frame.then, then)), "order_then"))
    last = frame.conds[-1] if frame.conds else None
    behind = last is not None and frame.last == start and last.op == "="
    if behind and last is not None and isinstance(last.left, Ref) and last.left[:2] == ref[:2]:
        made.append(Step(frame, "value_column"))
    return made


def _used(frame: Frame, ref: Ref, layer: SemanticLayer) -> list[Step]:
    """A column by what is open: a group, a figure, what is missing, or nothing."""
    kind = layer.column(*ref[:2]).kind
    if frame.per and frame.agg not in {"", "count"} and (frame.way or frame.sort):
        # "The top three by average price."
        return _averaged(frame, ref, kind)
    if frame.per:
        made = [key_step(frame, ref)]
        if frame.way and kind in {"number", "date"}:
            # "The top three by price."
            made.append(Step(ordered(frame._replace(per=False), ref), "order_by"))
        return made
    if frame.agg:
        # "How many active drivers": those that are so are counted.
        so = is_flag(layer.column(ref.table, ref.column)) and not frame.neg
        some = [Step(add(frame, Cond(ref, "flag")), "flag")] if so else []
        return [*some, *_averaged(frame, ref, kind)]
    if frame.missing:
        cond = Cond(ref, "missing", negated=frame.missing == "present")
        return [Step(add(frame, cond, missing=""), "condition")]
    return _described(frame, ref, layer)


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


def _described(frame: Frame, ref: Ref, layer: SemanticLayer) -> list[Step]:
    """A column that is compared, ordered by, or shown."""
    if frame.sort:
        return [Step(ordered(frame, ref), "order")]
    kind = layer.column(*ref[:2]).kind
    flag = is_flag(layer.column(ref.table, ref.column))
    made = [
        *_compared(frame, ref, kind),
        *_timed(frame, ref, kind, layer),
        *_ranked(frame, ref, kind),
        *(_flagged(frame, ref) if flag else ()),
        *(_denied(frame, ref, kind, flag) if frame.neg else ()),
    ]
    common: list[Step] = []
    if frame.way and (frame.often or kind not in {"number", "date"}):
        open_ = frame._replace(way="", often=False)
        common = [Step(commonest_of(open_, ref, frame.way == "desc"), "commonest")]
    if frame.way and made:
        # "The top 3 cars with a build year before 2020, by price."
        waits = frame.head and frame.num is None and frame.attr is None and not frame.neg
        return [*made, *common, *([Step(frame._replace(attr=ref), "condition")] if waits else ())]
    if frame.again:
        made += figures_steps(frame, frame.again, ref, kind, "figure_again")
    made.append(Step(showing(frame, ref), "show"))
    made.append(Step(given(frame)._replace(attr=ref), "condition"))
    return [*made, *common]


def _compared(frame: Frame, ref: Ref, kind: str) -> list[Step]:
    """A column behind what it is compared with."""
    made: list[Step] = []
    if isinstance(frame.word, Quoted) and kind == "text":
        # "With 'live' in the title": the text stands before its column.
        made.append(Step(add(frame, Cond(ref, "contains", frame.word), word=""), "quoted_in"))
    if frame.num is not None and kind == "number":
        made.append(Step(compared(frame, ref), "condition"))
    return made


def _ranked(frame: Frame, ref: Ref, kind: str) -> list[Step]:
    """A column behind "highest"."""
    if not frame.way or kind not in {"number", "date"}:
        return []
    made = [Step(ordered(frame, ref), "order")]
    if kind == "number":
        made.append(Step(ordered(frame, Fig("sum", *ref[:2])), "sum_ordered"))
    return made


def _flagged(frame: Frame, ref: Ref) -> list[Step]:
    """A yes or no: rows are so."""
    except_ = frame.sign == "!="
    kept = "" if except_ else frame.sign
    return [Step(add(frame, Cond(ref, "flag", negated=except_), sign=kept), "flag")]


def _denied(frame: Frame, ref: Ref, kind: str, flag: bool) -> list[Step]:
    """A column behind "without" or "never"."""
    made = []
    if frame.head not in {"", ref.table} and kind in {"date", "id"}:
        # "Customers who never ordered": no order.
        made.append(Step(add(frame, Cond(ref.table, "some")), "some_named"))
    made.append(Step(add(frame._replace(neg=False), Cond(ref, "missing")), "without"))
    if kind == "number" and not flag:
        # "Without a discount": one of nothing, or none.
        nothing = add(frame._replace(neg=False), Cond(ref, "=", 0))
        none = add(nothing._replace(join="or"), Cond(ref, "missing"))
        made.append(Step(none, "without_number"))
    return made


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
