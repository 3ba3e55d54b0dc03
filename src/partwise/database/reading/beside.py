"""What is shown beside the names of rows: keys of rows that have no name, what they are ordered by,
and columns that were said with "and" or "with"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.filling import Step
from partwise.database.reading.frame import NAME, Frame, Ref
from partwise.database.reading.links import is_unnamed
from partwise.database.spans.text import Word
from partwise.execution.relational.program import (
    Aggregate,
    Attribute,
    Belonging,
    Field,
    Listing,
)

NUMBERS = {"no", "nr", "num", "number", "code"}
"""Words of keys that people know rows by."""
JOINERS = {"and", "with", "w", "plus", "including", "incl", "&", "+", "alongside", "showing"}
"""Words that put one thing beside another."""
LITTLE = {"their", "its", "his", "her", "the", "on", "in", "what", "which", "also", "of"}
"""Words that may stand between such a word and a name."""


def besides(words: Sequence[Word]) -> frozenset[int]:
    """Where words stand that may name something to show beside: "venues with their capacity"."""
    found = set()
    for at, word in enumerate(words):
        if word.plain in JOINERS and at:
            end = at + 1
            while end < len(words) and words[end].plain in LITTLE and end < at + 3:
                found.add(end)
                end += 1
            found.add(end)
    return frozenset(found)


def ends_there(words: Sequence[Word], at: int) -> bool:
    """Whether a word is the last, and not the first: "who bought what"."""
    return at > 0 and not any(one.plain[:1].isalnum() for one in words[at + 1 :])


def shown_beside(frame: Frame, refs: Sequence[Ref], layer: SemanticLayer) -> list[Step]:
    """Columns beside what names the rows, or beside their key."""
    if not frame.head or frame.shown or frame.attr is not None or frame.figures or frame.keys:
        return []
    if frame.agg or frame.way or frame.sign or frame.per or frame.missing or frame.sort:
        return []
    made = [Step(frame._replace(shown=(NAME, *refs)), "show_beside")]
    key = layer.schema.table(frame.head).key
    if key is not None and is_unnamed(layer, frame.head):
        keyed = (Ref(frame.head, key), *(one for one in refs if one.column != key))
        made.append(Step(frame._replace(shown=keyed), "show_beside_key"))
    return made


def also_shown(
    layer: SemanticLayer, frame: Frame, listed: Listing
) -> Iterator[tuple[str, Listing]]:
    """The same rows with more shown than their names, where nothing was said; each way with its
    name."""
    if frame.shown or frame.figures or frame.everything or listed.distinct:
        return
    ranked = _ranked_by(frame, listed)
    if (key := _key_of(layer, listed)) is None:
        if ranked is not None and ranked not in listed.shown:
            yield "order_shown", replace(listed, shown=(*listed.shown, ranked))
        return
    info = layer.table(listed.rows.table)
    if key not in listed.shown:
        yield "number_beside", replace(listed, shown=(key, *listed.shown))
    if not is_unnamed(layer, info.name):
        return
    if listed.shown != (key,):
        yield "key_shown", replace(listed, shown=(key,))
    beside: Attribute | None = ranked or (Field((), info.date) if info.date else None)
    if beside is not None:
        yield "key_beside", replace(listed, shown=(key, beside))


def _ranked_by(frame: Frame, listed: Listing) -> Attribute | None:
    """What the first rows are chosen by, where it may be of interest itself."""
    first = listed.order[0].by if listed.order and frame.limit else None
    # The latest of what belongs to a row is seldom of interest.
    latest = isinstance(first, Belonging) and isinstance(frame.ordered, Ref)
    return None if latest or isinstance(first, Aggregate) else first


def _key_of(layer: SemanticLayer, listed: Listing) -> Field | None:
    """The key of a row, where people call the row by it: that of a ticket, or of what has no name
    at all."""
    table = listed.rows.table
    key = layer.schema.table(table).key
    if key is None or layer.table(table).person:
        return None
    words = {*key.lower().split("_"), *layer.column(table, key).label.split()}
    return Field((), key) if words & NUMBERS or is_unnamed(layer, table) else None
