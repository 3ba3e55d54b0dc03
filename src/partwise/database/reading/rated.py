"""Figures of the number that rows of a table are about: "by average mark", "the worst ratings"."""

from __future__ import annotations

from partwise.database.layer.model import ColumnInfo, SemanticLayer
from partwise.database.reading.amounts import amounts_of
from partwise.database.reading.filling import Step, figures_steps, ordered
from partwise.database.reading.frame import Fig, Frame, Ref
from partwise.database.reading.label import Label
from partwise.database.reading.links import is_unnamed
from partwise.database.spans.types import is_flag
from partwise.database.units import MONEY, UNITS

RATED = {"rating", "score", "stars", "mark", "grade", "points", "percent", "result"}
"""Words of numbers that are averaged, not added up."""


def main_amounts(layer: SemanticLayer, table: str) -> list[ColumnInfo]:
    """The numbers that a figure of a table's rows may be of: its rating, its money, or the only
    one."""
    some = [one for one in amounts_of(layer, table) if not is_flag(one)]
    rated = [one for one in some if RATED & set(one.label.split())]
    money = [one for one in some if _is_money(one)]
    return (rated or money)[:2] or (some if len(some) == 1 else [])


def ranks_others(frame: Frame, head: str, layer: SemanticLayer) -> bool:
    """Whether a superlative speaks of rows that only share something with those of a table: workers
    of the farm that a sale is of."""
    by = frame.ordered
    if not isinstance(by, Ref) or not by.table or by.table == head:
        return False
    if layer.schema.path(head, by.table) is not None:
        return False
    relation = layer.schema.relation(head, by.table)
    return relation is None or bool(relation.outer)


def figure_of_rows(frame: Frame, label: Label, layer: SemanticLayer) -> list[Step]:
    """A table behind "average" or "highest": the figure is of what its rows are about."""
    if frame.agg in {"", "count", "sum"} or label.op or label.thing is None:
        return []
    table = label.thing.table
    return [
        step
        for one in main_amounts(layer, table)
        for step in figures_steps(frame, frame.agg, Ref(table, one.name), "number", "rows_figure")
    ]


def amount_ordered(frame: Frame, table: str, layer: SemanticLayer) -> list[Step]:
    """Rows without a name behind "highest" or "top": by their money, as of invoices."""
    if frame.head or frame.either or frame.often or not is_unnamed(layer, table):
        return []
    money = [one for one in main_amounts(layer, table) if _is_money(one)]
    opened = frame._replace(head=table)
    return [Step(ordered(opened, Ref(table, one.name)), "amount_ordered") for one in money[:1]]


def _is_money(column: ColumnInfo) -> bool:
    unit = UNITS.get(column.unit or "")
    return unit is not None and unit.quantity == MONEY


def mean_ordered(frame: Frame, table: str, layer: SemanticLayer) -> list[Step]:
    """A table of ratings behind "best" or "worst": what has the best on average."""
    some = [one for one in main_amounts(layer, table) if RATED & set(one.label.split())]
    if not frame.way or not some:
        return []
    return [Step(ordered(frame, Fig("average", table, some[0].name)), "mean_ordered")]
