"""A frame without anything that waits: what was not said is added, each addition under a name."""

from __future__ import annotations

from collections.abc import Iterator

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.amounts import MONEY, amounts_of, unsaid_number, usual_amount
from partwise.database.reading.contents import contents
from partwise.database.reading.durations import ELAPSED
from partwise.database.reading.filling import settled
from partwise.database.reading.frame import (
    NAME,
    Cond,
    Fig,
    Frame,
    FrameOrder,
    Ref,
    is_number,
    is_text,
    names_of,
)
from partwise.database.reading.links import is_unnamed, leads_to
from partwise.database.reading.things import THAN, one_of_two, row_of_two, than_average
from partwise.database.reading.totals import (
    bestsellers,
    compared_totals,
    counts_of_each,
    of_each,
    silent_totals,
    sold_below,
)

RELATED = 5
"""Tables that are tried as what is asked for, where the question names none."""


Closing = Iterator[tuple[Frame, list[str]]]
"""Frames with something added, and the names of what was added."""


def closed(frame: Frame, layer: SemanticLayer) -> Closing:
    """A frame without anything that waits; what is left over costs."""
    if _contradicts(frame):
        return
    yield from _figure_compared(_open_again(frame, layer), layer)
    for other, name in _others(frame, layer):
        for whole, further in closed(other, layer):
            yield whole, [name, *further]
    frame, shifts = _left_over(frame._replace(either=""), layer)
    for figured, more in _figured(frame, layer):
        for ranked, further in _ranked(figured, layer):
            all_shifts = [*shifts, *more, *further]
            for cut, some in _cut(ranked, layer, all_shifts):
                if cut.num is not None:
                    yield from _numbered(cut, layer, some)
                else:
                    yield cut, some


def _contradicts(frame: Frame) -> bool:
    """Whether something is said to be missing and to be there."""
    said = {(one.left, one.negated) for one in frame.conds if one.op == "missing" and not one.join}
    return any((left, not negated) in said for left, negated in said)


def _others(frame: Frame, layer: SemanticLayer) -> Iterator[tuple[Frame, str]]:
    """What a frame may mean instead, which is closed as any other, and the name of that."""
    if frame.neg and frame.head:
        for event in _events(layer, frame.head, 3):
            # "Dishes never sold": whatever happens to dishes.
            conds = (*frame.conds, Cond(event, "some", negated=True))
            yield frame._replace(neg=False, conds=conds), "silent_never"
    for each in of_each(frame, layer):
        yield each, "total_of_each"
    for counted in counts_of_each(frame, layer):
        yield counted, "count_of_each"
    yield from than_average(frame, _events(layer, frame.head) if frame.head else ())
    if frame.either:
        for chosen in [*row_of_two(frame, layer)] or one_of_two(frame):
            yield chosen, "one_of_two"


_WAITING = ("per", "neg", "text", "sign", "sort", "missing", "join", "word", "mean")
"""What costs where nothing came for it."""


def _left_over(frame: Frame, layer: SemanticLayer) -> tuple[Frame, list[str]]:
    """The frame with what waits put to use, and the names of what has none."""
    shifts: list[str] = []
    if frame.sign and frame.agg and isinstance(frame.attr, Ref):
        # "Longer than the average": of the same column.
        cond = Cond(frame.attr, frame.sign, Fig(frame.agg, *frame.attr[:2]))
        frame = frame._replace(sign="", agg="", attr=None, conds=(*frame.conds, cond))
    for name in _WAITING:
        if getattr(frame, name):
            shifts.append(f"unused_{name}")
    if frame.low is not None:
        shifts.append("unused_low")
    if NAME in frame.shown:
        frame = _named(frame, layer)
    if isinstance(frame.attr, Ref):
        shifts.append("shown_late")
        frame = frame._replace(shown=(*frame.shown, frame.attr), attr=None)
    elif isinstance(frame.attr, Fig):
        frame = frame._replace(figures=(*frame.figures, frame.attr), attr=None)
    if frame.sign and frame.num is not None:
        frame = settled(frame)
        shifts.remove("unused_sign")
    return frame, shifts


def _open_again(frame: Frame, layer: SemanticLayer) -> Frame:
    """A frame whose number waits once more, where its rows have none: "orders over 100 in May"."""
    for one in frame.conds:
        number = one.left is None and isinstance(one.value, int | float) and one.op in THAN
        if number and frame.head and not frame.sign and unsaid_number(layer, frame.head) is None:
            rest = tuple(other for other in frame.conds if other is not one)
            return frame._replace(sign=one.op, num=one.value, neg=one.negated, conds=rest)
    return frame


def _figure_compared(frame: Frame, layer: SemanticLayer) -> Closing:
    """A figure of what belongs to rows, where a number is compared with none: "students with an
    average below 55", "tags used more than 10 times"."""
    if not (frame.head and frame.sign and isinstance(frame.num, int | float)) or frame.attr:
        return
    if frame.figures or frame.keys or frame.agg == "count":
        return
    figs = _figs_of_events(frame, layer)
    figs += [one for one in compared_totals(frame, layer) if one not in figs]
    for fig in figs:
        cond = Cond(fig, frame.sign, frame.num, frame.neg)
        done = frame._replace(agg="", sign="", num=None, neg=False, conds=(*frame.conds, cond))
        # An order without an amount of its own is worth what its lines are.
        worth = fig.measure and "spent" in layer.measure(fig.measure).names
        worth = worth and is_unnamed(layer, frame.head)
        own = worth and usual_amount(layer, frame.head) is None
        for whole, shifts in closed(done, layer):
            yield whole, ["silent_worth" if own else "silent_figure_compared", *shifts]


def _figs_of_events(frame: Frame, layer: SemanticLayer) -> list[Fig]:
    """Counts of what belongs to rows; where a function was said, that of its amounts."""
    if frame.agg == "sum":
        # "Buyers who brought in over 120,000 in total".
        return [one for one in _defaults(layer, frame.head, "sum") if one.table != frame.head]
    events = _events(layer, frame.head)
    if not frame.agg:
        return [Fig("count", event) for event in events]
    return [
        Fig(frame.agg, event, one.name) for event in events for one in amounts_of(layer, event)[:1]
    ]


def _cut(frame: Frame, layer: SemanticLayer, shifts: list[str]) -> Closing:
    """A superlative asks for one; "biggest first" orders by the figure that is shown, and "in
    alphabetical order" by what is."""
    if frame.sort and frame.order is None:
        yield from _sorted(frame, layer, shifts)
    elif frame.order is not None and (not frame.order.all or frame.limit):
        by = frame.order.by
        text = isinstance(by, Ref) and is_text(layer, by)
        if text and (frame.order.descending or not frame.order.all):
            # "The top five countries" are not the last ones of the alphabet.
            return
        yield frame._replace(limit=frame.place or frame.limit or 1), shifts
    else:
        yield frame, shifts


def _sorted(frame: Frame, layer: SemanticLayer, shifts: list[str]) -> Closing:
    used = [one for one in shifts if one != "unused_sort"]
    down = frame.sort == "desc"
    if frame.figures:
        order = FrameOrder(frame.figures[-1], down, True)
        yield frame._replace(sort="", order=order), [*used, "figure_sorted"]
    else:
        yield frame, shifts
    shown = [one for one in (*frame.keys, *frame.shown) if isinstance(one, Ref)]
    table = next(tables_of(frame), "")
    names = layer.table(table).display if table else ()
    if not shown and names and not frame.keys:
        shown = [Ref(table, names[0])]
    if shown:
        order = FrameOrder(shown[0], down, True)
        yield frame._replace(sort="", order=order), [*used, "shown_sorted"]


def _named(frame: Frame, layer: SemanticLayer) -> Frame:
    """The columns that name a row in place of "name"."""
    table = frame.head or next((one for one in tables_of(frame) if one), "")
    if not table:
        return frame
    shown: list[Ref] = []
    for one in frame.shown:
        names = names_of(layer, table)
        shown += [ref for ref in (names if one == NAME else [one]) if ref not in shown]
    return frame._replace(shown=tuple(shown))


def _figured(frame: Frame, layer: SemanticLayer) -> Closing:
    """A figure of what the question is about, where none was named."""
    if not frame.agg:
        yield frame, []
        if not (frame.head or frame.figures or frame.shown or frame.order or frame.keys):
            yield from _headed(frame, layer)
        yield from contents(frame, layer)
        if frame.head and not (frame.figures or frame.shown or frame.order or frame.yesno):
            for fig in _defaults(layer, frame.head, "sum")[:1]:
                yield frame._replace(head="", figures=(fig,)), ["silent_total_of"]
        return
    yield from _late(frame, layer)
    if table := next(tables_of(frame), ""):
        made = _rows_counted if frame.agg == "count" else _computed
        yield from made(frame, layer, table)


def _rows_counted(frame: Frame, layer: SemanticLayer, table: str) -> Closing:
    """How many rows of a table there are, what happened to them, or how many of them were sold."""
    done = frame._replace(agg="")
    yield done._replace(figures=(*frame.figures, Fig("count", table))), ["silent_count"]
    for event in _events(layer, table):
        figures = (*frame.figures, Fig("count", event))
        yield done._replace(figures=figures), ["silent_count", "silent_event"]
    for sold in sold_below(layer, table):
        yield done._replace(figures=(*frame.figures, sold)), ["silent_count", "silent_sold"]


def _computed(frame: Frame, layer: SemanticLayer, table: str) -> Closing:
    """A function, other than a count, of an amount of a table's rows."""
    done, name = frame._replace(agg=""), f"silent_{frame.agg}"
    for fig in silent_totals(frame, layer, table):
        yield done._replace(figures=(*frame.figures, fig)), [name, "total_of_each"]
    if frame.agg == "sum" and frame.head and not frame.figures:
        # "Absences in total": how many.
        yield done._replace(figures=(Fig("count", frame.head),)), ["silent_total_count"]
    for fig in _defaults(layer, table, frame.agg.split("+")[0]):
        yield done._replace(figures=(*frame.figures, fig)), [name]


def _late(frame: Frame, layer: SemanticLayer) -> Closing:
    """A function that is said behind what it is of: "what do they earn on average", "in total"."""
    function = frame.agg
    if function not in {"sum", "average", "median", "maximum", "minimum"}:
        return
    done = frame._replace(agg="")
    last = frame.figures[-1] if frame.figures else None
    by = frame.ordered
    if function == "sum" and isinstance(by, Ref) and is_number(layer, by):
        order = frame.order._replace(by=Fig("sum", *by[:2]))  # type: ignore[union-attr]
        yield done._replace(order=order), ["figure_late"]
    elif function == "sum" and (last or isinstance(by, Fig)):
        yield done, ["figure_again"]
    elif last is not None and last.function == "sum" and last.column:
        figures = (*frame.figures[:-1], last._replace(function=function))
        yield done._replace(figures=figures), ["figure_late"]
    elif last is None and frame.shown and _averaged(layer, frame.shown[-1], function):
        shown = frame.shown[-1]
        fig = Fig(function, *shown[:2], part=shown.part)
        yield done._replace(shown=frame.shown[:-1], figures=(fig,)), ["figure_late"]


def _averaged(layer: SemanticLayer, shown: Ref, function: str) -> bool:
    """Whether what is shown can have a figure: a number, or a time, which is not added up."""
    return function != "sum" if shown.part == ELAPSED else is_number(layer, shown)


def _headed(frame: Frame, layer: SemanticLayer) -> Closing:
    """Rows of what is linked with the things that were named: "what did Ann buy", "did Ann ever
    stay here"."""
    table = next(tables_of(frame), "")
    if not table:
        return
    near = []
    for one in layer.tables:
        relation = layer.schema.relation(table, one.name)
        if (
            relation is not None
            and not one.private
            and (frame.yesno or not is_unnamed(layer, one.name))
        ):
            near.append((sum(map(len, (relation.outer, relation.end, relation.inner))), one.name))
    for _, name in sorted(near)[:RELATED]:
        yield frame._replace(head=name), ["silent_related"]


def _ranked(frame: Frame, layer: SemanticLayer) -> Closing:
    """Most of what goes without saying: the figure that is shown, a measure, or how often."""
    if not frame.way:
        yield frame, []
        yield from _counted(frame, layer)
        return
    done = frame._replace(way="")
    down = frame.way == "desc"
    if frame.figures:
        order = FrameOrder(frame.figures[-1], down)
        yield done._replace(order=order), ["figure_ranked"]
        return
    table = next(tables_of(frame), "")
    if not table:
        for best in bestsellers(frame, layer):
            for ranked, shifts in _ranked(best, layer):
                yield ranked, ["silent_related", *shifts]
        return
    for fig in _defaults(layer, table, "sum"):
        yield done._replace(order=FrameOrder(fig, down)), ["silent_order"]
    for event in [*(one for one in frame.mentioned), *_events(layer, table, 4)]:
        order = FrameOrder(Fig("count", event), down)
        yield done._replace(order=order), ["silent_event"]


def _counted(frame: Frame, layer: SemanticLayer) -> Closing:
    """What is most common among rows of the head, where it is a column of another table."""
    order, key = frame.order, frame.keys[0] if frame.keys else None
    if order is None or not isinstance(key, Ref) or order.by != Fig("count", key.table):
        return
    if frame.head and frame.head != key.table and layer.schema.path(frame.head, key.table):
        by = FrameOrder(Fig("count", frame.head), order.descending, order.all)
        yield frame._replace(order=by), ["count_of_head"]


def _events(layer: SemanticLayer, table: str, most: int = 2) -> list[str]:
    """Tables with a date whose rows belong to rows of a table: what happens to them, the nearest
    first."""
    near = []
    for one in layer.tables:
        if one.name == table or one.private or leads_to(layer, table, one.name):
            continue
        path = layer.schema.path(one.name, table)
        if path:
            near.append((not one.date, len(path), one.name))
    return [name for _, _, name in sorted(near)[:most]]


def _defaults(layer: SemanticLayer, table: str, function: str) -> list[Fig]:
    """What "how much" may be of a table: its measures, its money, or its only number."""
    info = layer.table(table)
    some: list[Fig] = []
    if function == "sum":
        near = [one for one in layer.measures if layer.schema.path(one.table, table) is not None]
        near.sort(key=lambda one: (one.name != info.measure, one.table != table))
        some += [Fig("", one.table, measure=one.name) for one in near[:2]]
    numbers = amounts_of(layer, table)
    money = [one for one in numbers if one.unit in MONEY]
    some += [Fig(function, table, one.name) for one in money or numbers][:2]
    for event in _events(layer, table):
        amounts = [one for one in layer.table(event).columns if one.unit in MONEY]
        some += [Fig(function, event, one.name) for one in amounts if not one.private][:1]
    return some


def _numbered(frame: Frame, layer: SemanticLayer, shifts: list[str]) -> Closing:
    """A number on its own: a key, or a column that is not said."""
    table = frame.head or next(iter(tables_of(frame)), "")
    if not table:
        return
    key = layer.schema.table(table).key
    if key is not None:
        cond = Cond(Ref(table, key), "=", frame.num, frame.neg)
        yield frame._replace(num=None, conds=(*frame.conds, cond)), [*shifts, "number_key"]
    cond = Cond(None, "=", frame.num, frame.neg)
    yield frame._replace(num=None, conds=(*frame.conds, cond)), [*shifts, "number_alone"]


def tables_of(frame: Frame) -> Iterator[str]:
    """The tables of a frame, the likeliest head first."""
    if frame.head:
        yield frame.head
    yield from (fig.table for fig in frame.figures)
    yield from (one.via[0] if one.via else one.table for one in frame.shown if one.table)
    keyed = (one if isinstance(one, str) else one.table for one in frame.keys)
    yield from (one for one in keyed if one)
    if frame.order is not None and frame.order.by is not None:
        yield frame.order.by.table
    for cond in frame.conds:
        if isinstance(cond.left, str):
            yield cond.left
        elif cond.left is not None:
            via = cond.left.via if isinstance(cond.left, Ref) else None
            yield via[0] if via else cond.left.table
    yield from frame.mentioned
