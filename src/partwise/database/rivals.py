"""Other meanings of single words that fit as well as those of the best interpretation.

Two tables may keep a column of one name, and one table columns of near names. Whoever trained on
other databases prefers one of them, but nothing in the question does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from partwise.database.features import SchemaQuestion
from partwise.database.interpretation import Parse, constants_of
from partwise.database.meaning import Meanings
from partwise.database.phrases import MATCH, SpanConstant
from partwise.database.scorer import HandScores
from partwise.database.spans.names import SchemaItem
from partwise.execution.relational.schema import Schema

NEAR = 0.1
"""How far two names may be apart in how well words fit them."""
SWAPPED = ("COLUMN", "VALUE", "ORDER", "COLUMN_SIGN", "CONDITION")
"""Kinds whose words may stand for another column."""
_FIGURES = tuple(MATCH.index(name) for name in ("exact", "covered", "typed", "alike"))


class Rival(NamedTuple):
    """Another interpretation.

    Attributes:
        parse: its score counts the other constant alone.
        belongs: whether the other column is that of a row which the best one's belongs to, or the
            other way round, so that it costs a link.
    """

    parse: Parse
    belongs: bool


def rivals_of(
    best: Parse, asked: SchemaQuestion, scores: HandScores, meanings: Meanings
) -> Iterator[Rival]:
    """The best interpretation with another column in place of one, where its words fit that as well
    and no other words speak of the table of one of the two alone; but a row and the one that it
    belongs to may both be meant by what both keep."""
    used = constants_of(best.item)
    for number in used:
        mine, others = asked.constants[number], (asked.constants[x] for x in used if x != number)
        tables = {other.item.table for other in others if other.item is not None}
        for place, other in enumerate(asked.constants):
            if not _fits(mine, other) or mine.item is None or other.item is None:
                continue
            belongs = (mine.item.table in tables) != (other.item.table in tables)
            if belongs and not _belong(mine.item, other.item, meanings.schema):
                continue
            frame = _swapped(best.item.meaning, mine.meaning, other.meaning)
            made = next(meanings.programs(frame), None)
            if made is not None and made[0] != best.program:
                score = best.score - scores.constant(number) + scores.constant(place)
                parse = Parse(made[0], best.item._replace(meaning=frame), best.steps, score)
                yield Rival(parse, belongs)


def _fits(mine: SpanConstant, other: SpanConstant) -> bool:
    alike = (mine.start, mine.end, mine.kind, mine.role) == (
        other.start,
        other.end,
        other.kind,
        other.role,
    )
    if not alike or mine.kind not in SWAPPED or mine.item == other.item or not other.match:
        return False
    return all(other.match[place] >= mine.match[place] - NEAR for place in _FIGURES)


def _belong(mine: SchemaItem, other: SchemaItem, schema: Schema) -> bool:
    """Whether rows and those that they belong to keep a column of one name: "orders by country"."""
    here, there, column = mine.table, other.table, mine.column
    if column != other.column or schema.column(here, column).kind == "id":
        return False
    return bool(schema.path(here, there) or schema.path(there, here))


def _swapped(part: Any, old: Any, new: Any) -> Any:
    """A meaning with one part in place of another."""
    if part == old:
        return new
    if not isinstance(part, tuple):
        return part
    made = [_swapped(each, old, new) for each in part]
    return type(part)(*made) if hasattr(part, "_fields") else tuple(made)
