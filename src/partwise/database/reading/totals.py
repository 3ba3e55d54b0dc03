"""Totals of what belongs to each row: what an order came to, what a customer has spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partwise.database.layer.model import Measure, SemanticLayer
from partwise.database.reading.frame import Fig, Frame
from partwise.database.spans.text import Word, stem

OF_EACH = {"average", "maximum", "minimum", "median"}
"""Functions of the totals that rows have."""
SOLD = "number sold"
"""A name of measures that say how many were sold."""
SELLING = {"sold", "sell", "sells", "selling", "buy", "bought", "ordered"}
"""Words for what happens to what is counted."""
MOST_THINGS = 3
"""Kinds of things that are tried where "bestsellers" says nothing of them."""


def totals_below(layer: SemanticLayer, table: str, most: int = 2) -> list[Measure]:
    """Measures over what belongs to rows of a table, the nearest first."""
    near = []
    for place, one in enumerate(layer.measures):
        path = layer.schema.path(one.table, table)
        if path and not layer.table(one.table).private:
            near.append((len(path), place, one))
    return [one for _, _, one in sorted(near, key=lambda each: each[:2])[:most]]


def sold_below(layer: SemanticLayer, table: str) -> list[Fig]:
    """How many were sold of what a table holds."""
    return [
        Fig("", one.table, measure=one.name)
        for one in layer.measures
        if SOLD in one.names and layer.schema.path(one.table, table)
    ]


def sold_in(layer: SemanticLayer, words: Sequence[Word]) -> Iterator[tuple[int, str]]:
    """Where words are what is counted by rows with a quantity, and the measure that adds these up:
    "tickets sold" are not the rows of ticket sales."""
    if not SELLING & {word.plain for word in words}:
        return
    for measure in layer.measures:
        if SOLD not in measure.names:
            continue
        first, *rest = layer.table(measure.table).label.split()
        said = {stem(first)} if rest else set()
        if {"number", "many"} & {word.plain for word in words}:
            # "How many tracks were sold": what each row of the sales is of.
            sold = (layer.table(one.target) for one in layer.schema.leaving(measure.table))
            said |= {stem(one.label) for one in sold if one.display and not one.person}
        for at, word in enumerate(words):
            if word.stem in said and word.plain.endswith("s"):
                yield at, measure.name


def silent_totals(frame: Frame, layer: SemanticLayer, table: str) -> list[Fig]:
    """The average total of rows, where no number was said: "average order value"."""
    if frame.agg not in OF_EACH:
        return []
    return [Fig(frame.agg, table, measure=one.name) for one in totals_below(layer, table)]


def averaged(frame: Frame, measure: Measure) -> Fig | None:
    """A measure behind "average": of its rows, until what it is for each of was said."""
    if frame.agg not in OF_EACH or measure.of is None or measure.function != "sum":
        return None
    return Fig(frame.agg, measure.table, measure=measure.name)


def compared_totals(frame: Frame, layer: SemanticLayer) -> list[Fig]:
    """What rows come to, where a number is compared with none: "orders over 500"."""
    if frame.agg not in {"", "sum"}:
        return []
    return [Fig("", one.table, measure=one.name) for one in totals_below(layer, frame.head)]


def of_each(frame: Frame, layer: SemanticLayer) -> Iterator[Frame]:
    """The average of what rows come to: "average revenue per order", "what does a customer spend on
    average"."""
    fig = frame.figures[0] if len(frame.figures) == 1 else None
    if fig is None or not fig.measure or frame.order is not None:
        return
    measure = layer.measure(fig.measure)
    late = frame.agg in OF_EACH and not fig.function
    function = frame.agg if late else fig.function
    key = frame.keys[-1] if frame.keys else frame.head
    if function not in OF_EACH or not isinstance(key, str) or measure.table == key:
        return
    if fig.table == measure.table and layer.schema.path(measure.table, key):
        made = fig._replace(function=function, table=key)
        head = "" if frame.head in {key, measure.table} else frame.head
        yield frame._replace(agg="", head=head, keys=frame.keys[:-1], figures=(made,))


def counts_of_each(frame: Frame, layer: SemanticLayer) -> Iterator[Frame]:
    """The average of how many rows belong to each of others: "the average number of tracks per
    album", "how many comments does a ticket get on average"."""
    late = frame.agg if frame.agg in OF_EACH else ""
    function = frame.mean or late
    if len(frame.figures) != 1 or not function:
        return
    fig = frame.figures[0]
    if fig.function == "sum" and fig.column and frame.mean:
        # "On average, how many minutes does a visit take": of the minutes.
        yield frame._replace(mean="", figures=(fig._replace(function=function),))
    if fig.function != "count" or fig.column or (frame.mean and late):
        return
    if frame.order is None and not frame.shown:
        yield from _function_of_counts(frame, fig, function, layer)


def _function_of_counts(
    frame: Frame, count: Fig, function: str, layer: SemanticLayer
) -> Iterator[Frame]:
    """A function of how many rows belong to each row of the last key, or of the head."""
    key = frame.keys[-1] if frame.keys else frame.head
    if isinstance(key, str) and layer.schema.path(count.table, key):
        made = Fig(function, key, each=count.table)
        head = "" if frame.head in {key, count.table} else frame.head
        yield frame._replace(agg="", mean="", head=head, keys=frame.keys[:-1], figures=(made,))


def bestsellers(frame: Frame, layer: SemanticLayer) -> Iterator[Frame]:
    """What most was sold of, where nothing else was said: "bestsellers"."""
    said = frame.shown or frame.keys or frame.figures
    if said or any(one.left is not None for one in frame.conds):
        return
    for measure in layer.measures:
        if SOLD not in measure.names:
            continue
        targets = [layer.table(link.target) for link in layer.schema.leaving(measure.table)]
        things = [one for one in targets if one.display and not (one.person or one.date)]
        for one in things[:MOST_THINGS]:
            yield frame._replace(head=one.name)
