"""Who did something, where the people of several tables could have: "who sold it" asks for sellers,
"who bought it" for buyers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.cues import Key, key_of, lines_of
from partwise.database.reading.text import Word

FURTHEST = 4
"""How many words behind "who" say what was done, at most."""


class Doing:
    """The people of a database, by what they do.

    Tables of people are found by their names, and by those of the links that lead to them.
    """

    def __init__(self, layer: SemanticLayer) -> None:
        # By whole words: a purchaser is no purchase.
        self._called: dict[str, list[str]] = {}
        for table in layer.tables:
            called = [*table.names, table.label.rpartition(" ")[2]]
            for link in (one for one in layer.schema.links if one.target == table.name):
                label = layer.column(link.table, link.column).label
                role = label.removesuffix(" id")
                called += [*layer.links.get(link, ()), role, role.rpartition(" ")[2]]
            for name in () if table.private else dict.fromkeys(called):
                self._called.setdefault(name, []).append(table.name)

    def tables(self, words: Sequence[Word], who: int) -> list[str]:
        """The tables of those who do what is said behind "who"; none where that says nothing.

        Args:
            who: the number of that word.
        """
        if words[who].plain == "whose":
            return []
        for start in range(who + 1, min(len(words), who + 1 + FURTHEST)):
            for end in (start + 2, start + 1):
                roles = _doers().get(tuple(one.stem for one in words[start:end]), ())
                some = dict.fromkeys(name for one in roles for name in self._called.get(one, ()))
                if some:
                    return list(some)
        return []


@cache
def _doers() -> Mapping[Key, tuple[str, ...]]:
    """What is done -> what those are called who do it."""
    made: dict[Key, tuple[str, ...]] = {}
    for line in lines_of("doers.txt"):
        done, _, roles = line.partition(": ")
        for one in done.split(", "):
            made[key_of(one)] = tuple(roles.split(", "))
    return made
