"""A question and the names that it may speak of, seen together.

Attention runs over the words of a question and the names of tables, columns and measures that some
of its words may stand for. How two of these are related (a word is a name, or a value of a column;
a column is of a table, or links to it) is added to their attention, as in Wang et al., *RAT-SQL*
(2020), section 4. So what a word says may depend on what the database has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.database.spans.names import SchemaItem
from partwise.database.spans.types import TYPES
from partwise.execution.relational.schema import Schema

SIZE, HEADS, LAYERS = 128, 4, 2
"""Size of a vector, and number of heads and of layers of attention."""
NEAR = 3
"""Words farther apart than this are all the same."""
OF_WORDS = ("value", "alike", "part", "name", "adjective")
"""How a word and a name are related, the weakest first."""
OF_NAMES = ("same", "same table", "its table", "its column", "links to", "linked from", "linked")
_NONE = 2 * NEAR + 1
_WORDS = {name: _NONE + 1 + number for number, name in enumerate(OF_WORDS)}
_NAMES = {name: _NONE + 1 + 2 * len(OF_WORDS) + number for number, name in enumerate(OF_NAMES)}
RELATIONS = _NONE + 1 + 2 * len(OF_WORDS) + len(OF_NAMES)
"""Relations with a score of their own: distances of words, none, and those above, of words and
names in both directions."""


class Mention(NamedTuple):
    """Words that may stand for something in a database.

    Attributes:
        relation: one of `OF_WORDS`.
    """

    start: int
    end: int
    thing: SchemaItem
    relation: str


def nearness(match: Sequence[float]) -> str:
    """How words are related to what they may name. `match`: whether they are just its name, which
    share of it they are, ...; nothing for what speaks of it without its name."""
    if not match:
        return "adjective"
    exact, covered = match[:2]
    return "name" if exact else "part" if covered >= 0.5 else "alike"


class Context(NamedTuple):
    """The names that some words of a question may stand for, and what is related.

    Attributes:
        rows: of the names, among all of the database.
        types: of each name, a number of `types.TYPES`.
        words: ``(word, name, relation)``, where a name is a place in `rows`.
        names: ``(name, name, relation)``.
    """

    rows: tuple[int, ...]
    types: tuple[int, ...]
    words: tuple[tuple[int, int, int], ...]
    names: tuple[tuple[int, int, int], ...]

    def places(self, things: Mapping[SchemaItem, Sequence[int]]) -> dict[SchemaItem, list[int]]:
        """Where the names of each thing are in `rows`."""
        place = {row: number for number, row in enumerate(self.rows)}
        made = {
            thing: [place[row] for row in rows if row in place] for thing, rows in things.items()
        }
        return {thing: some for thing, some in made.items() if some}


def context_of(
    mentions: Iterable[Mention],
    things: Mapping[SchemaItem, Sequence[int]],
    types: Mapping[SchemaItem, str],
    schema: Schema,
) -> Context:
    """What a question may speak of. `mentions`: what its words may stand for. `things`: which names
    are of which thing. `types`: what each thing is."""
    every = [each for each in mentions if each.thing in things]
    said = dict.fromkeys(each.thing for each in every)
    said |= dict.fromkeys(SchemaItem("table", item.table) for item in said if item.kind == "column")
    known = [item for item in said if item in things]
    listed = [(row, thing) for thing in known for row in things[thing]]
    best = _relations(every, [thing for _, thing in listed])
    return Context(
        tuple(row for row, _ in listed),
        tuple(TYPES.index(types[thing]) for _, thing in listed),
        tuple((*pair, _WORDS[relation]) for pair, relation in best.items()),
        _related([thing for _, thing in listed], schema),
    )


def _relations(
    mentions: Sequence[Mention], listed: Sequence[SchemaItem]
) -> dict[tuple[int, int], str]:
    """A word and the place of a thing -> the closest that the word comes to being its name."""
    places: dict[SchemaItem, list[int]] = {}
    for place, thing in enumerate(listed):
        places.setdefault(thing, []).append(place)
    best: dict[tuple[int, int], str] = {}
    for start, end, thing, relation in mentions:
        for place in places[thing]:
            for word in range(start, end):
                known_as = best.get((word, place), OF_WORDS[0])
                best[word, place] = max(relation, known_as, key=OF_WORDS.index)
    return best


def _related(things: Sequence[SchemaItem], schema: Schema) -> tuple[tuple[int, int, int], ...]:
    """Which two of some names are of things that are related; a thing may have several names."""
    links = {(link.table, link.column, link.target) for link in schema.links}
    pairs = {(table, target) for table, _, target in links}
    place = {thing: number for number, thing in enumerate(dict.fromkeys(things))}
    told = [
        _NAMES.get(_relation_of(left, right, links, pairs), 0) for left in place for right in place
    ]
    which = [place[thing] for thing in things]
    every = np.array(told, dtype=np.int64).reshape(len(place), len(place))[np.ix_(which, which)]
    left, right = every.nonzero()
    return tuple(zip(*(some.tolist() for some in (left, right, every[left, right])), strict=True))


def _relation_of(
    left: SchemaItem,
    right: SchemaItem,
    links: set[tuple[str, str, str]],
    pairs: set[tuple[str, str]],
) -> str:
    if left == right:
        return "same"
    if left.table == right.table:
        kinds = left.kind == "table", right.kind == "table"
        return {(True, False): "its column", (False, True): "its table"}.get(kinds, "same table")
    if right.kind == "table" and (left.table, left.column, right.table) in links:
        return "links to"
    if left.kind == "table" and (right.table, right.column, left.table) in links:
        return "linked from"
    tables = left.kind == right.kind == "table"
    return (
        "linked"
        if tables and {(left.table, right.table), (right.table, left.table)} & pairs
        else ""
    )


def relations_of(context: Context, words: int) -> NDArray[np.int64]:
    """``[words + names, words + names]``: the relation of each two."""
    size = words + len(context.rows)
    made = np.full((size, size), _NONE, dtype=np.int64)
    at = np.arange(words)
    made[:words, :words] = (at[None] - at[:, None]).clip(-NEAR, NEAR) + NEAR
    if context.words:
        word, name, relation = np.array(context.words).T
        made[word, words + name] = relation
        made[words + name, word] = relation + len(OF_WORDS)
    if context.names:
        left, right, relation = np.array(context.names).T
        made[words + left, words + right] = relation
    return made
