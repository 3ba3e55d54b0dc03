"""What a table does to a frame: its rows are asked for, counted, or belong to others."""

from __future__ import annotations

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.filling import (
    Step,
    add,
    compared,
    figure_steps,
    given,
    key_step,
    ordered,
)
from partwise.database.reading.frame import NAME, Cond, Fig, Frame, names_of
from partwise.database.reading.grouping import goes_on
from partwise.database.reading.label import Label
from partwise.database.reading.links import is_unnamed, meets
from partwise.database.reading.rated import amount_ordered, mean_ordered, ranks_others
from partwise.database.reading.things import happened, more_than


def table_steps(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """A table, or people by a word that is not their table's name."""
    assert label.thing is not None
    table = label.thing.table
    match label.op:
        case "headcount":
            return [] if frame.agg else figure_steps(frame, Fig("count", table), "headcount")
        case "who":
            return _who(frame, label, layer)
        case "what":
            return _named_beside(frame, table, layer) if frame.head else []
    if label.beside and goes_on(frame) and table not in frame.keys:
        # "By genre and media type".
        return [key_step(frame, table)]
    if frame.per or frame.agg in {"count", "sum"}:
        return _counted(frame, table)
    count = Fig("count", table)
    if frame.num is not None and frame.sign:
        return [Step(compared(frame, count), "count_compared"), *happened(frame, table, layer)]
    made = more_than(frame, count)
    if frame.way:
        made += _ranking(frame, table)
        made += amount_ordered(frame, table, layer)
        made += mean_ordered(frame, table, layer)
    if frame.num is not None:
        made.append(Step(compared(frame, count), "count_compared"))
    if frame.neg:
        return [*made, Step(add(frame, Cond(table, "some")), "some")]
    return [*made, *_rows(frame, table, layer)]


def _who(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """ "Who", of one of the tables of people."""
    assert label.thing is not None
    table = label.thing.table
    if frame.agg == "count" and not frame.head:
        # "How many people".
        return figure_steps(frame, Fig("count", table), "count")
    if not frame.head:
        return [Step(frame._replace(head=table), "who")]
    return _named_beside(frame, table, layer) if label.beside else []


def _counted(frame: Frame, table: str) -> list[Step]:
    """A table behind "how many" or "per"."""
    key = key_step(frame, table)
    if frame.agg in {"count", "sum"}:
        counted = figure_steps(frame, Fig("count", table), "count")
        return [*counted, *([key] if frame.per else [])]
    return [key, *_ranking(frame._replace(per=False), table, "_by")] if frame.way else [key]


def _ranking(frame: Frame, table: str, role: str = "") -> list[Step]:
    """What "most" ranks by: how many rows there are, or their amount."""
    return [
        Step(ordered(frame, Fig("count", table)), f"count_ordered{role}"),
        Step(ordered(frame, Fig("total", table)), f"total_ordered{role}"),
    ]


def _rows(frame: Frame, table: str, layer: SemanticLayer) -> list[Step]:
    """Rows that are asked for, or that belong to those that are."""
    if not frame.head:
        asked = Step(frame._replace(head=table), "head")
        return [] if ranks_others(frame, table, layer) else [asked]
    mention = Step(frame._replace(mentioned=(*frame.mentioned, table)), "mention")
    if frame.head == table:
        return [mention]
    some = Step(add(frame, Cond(table, "some")), "some")
    return [mention, some, *_named_beside(frame, table, layer)]


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
