"""What is in something that has no name of its own: the products of an order, not its number."""

from __future__ import annotations

from collections.abc import Iterator

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.frame import Frame, names_of
from partwise.database.reading.links import is_unnamed

MOST = 3
"""Things that are tried as what somebody asks for with "what"."""


def contents(frame: Frame, layer: SemanticLayer) -> Iterator[tuple[Frame, list[str]]]:
    """The names of what rows lead to, or of what their lines do, in place of the rows: "what was in
    order 7", "what did we sell in June"."""
    if not frame.head or not (frame.conds or frame.num is not None):
        return
    said = (frame.limit, frame.shown, frame.figures, frame.keys, frame.order, frame.agg)
    waits = (frame.way, frame.yesno, frame.everything, frame.neg, frame.per)
    if any(said) or any(waits):
        return
    for target in list(dict.fromkeys(_inside(layer, frame.head)))[:MOST]:
        yield frame._replace(shown=names_of(layer, target)), ["silent_contents"]


def _inside(layer: SemanticLayer, table: str) -> Iterator[str]:
    """What rows of a table without names are about, the nearest first: neither people nor what has
    no name."""
    if not is_unnamed(layer, table):
        return
    yield from _named(layer, table)
    for line in layer.schema.links:
        if line.target == table and line.table != table and not layer.table(line.table).private:
            yield from (one for one in _named(layer, line.table) if one != table)


def _named(layer: SemanticLayer, table: str) -> Iterator[str]:
    for link in layer.schema.leaving(table):
        target = layer.table(link.target)
        if target.private or target.person or link.target == table or not target.display:
            continue
        if set(target.display) != {layer.schema.table(link.target).key}:
            yield link.target
