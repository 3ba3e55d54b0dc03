"""Which of several links between two tables a question means: flights from one city to another, the
home games of a team."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.text import Word, stem, stems_of

BEFORE = 4
"""How many words before a name may say which link is meant."""
ORIGIN = frozenset({"from", "leaving", "departing", "left", "departed"})
TOWARDS = frozenset({"to", "into", "towards", "reaching", "bound"})
_LITTLE = frozenset({"by", "of", "id", "in", "on", "for", "with"})
"""Words of links that say nothing by themselves, as the one behind "decided"."""
_STARTS = frozenset(
    map(stem, ("origin", "original", "orig", "source", "from", "departure", "start", "sender"))
)
_ENDS = frozenset(
    map(stem, ("destination", "dest", "to", "arrival", "end", "target", "receiver", "recipient"))
)


class Ways:
    """The links of a database that are one of several between two tables, in whatever direction:
    a department leads to its head, and employees lead to their department."""

    def __init__(self, layer: SemanticLayer) -> None:
        self._of: dict[str, list[tuple[tuple[str, str], frozenset[str]]]] = {}
        links = layer.schema.links
        for one in links:
            beside = [two for two in links if (two.table, two.target) == (one.table, one.target)]
            back = one.table != one.target and layer.schema.mutual(one.table, one.target)
            if len(beside) < 2 and not back:
                continue
            names = {
                two.column: set(stems_of(layer.column(two.table, two.column).label))
                for two in beside
            }
            shared = set.intersection(*names.values()) if len(beside) > 1 else set[str]()
            if back:
                shared |= {
                    part for name in layer.table(one.target).names for part in stems_of(name)
                }
            own = frozenset(names[one.column] - shared - _LITTLE)
            self._of.setdefault(one.target, []).append(((one.table, one.column), own))

    def said(self, words: Sequence[Word], start: int, table: str) -> list[tuple[str, str]]:
        """The links to a table that the words before a name of a row of it say."""
        if table not in self._of or not start:
            return []
        near = words[max(0, start - BEFORE) : start]
        stems = {one.stem for one in near}
        # Of "from Lisbon to New York" the nearer word counts.
        way = next((one.plain for one in near[::-1] if one.plain in ORIGIN | TOWARDS), "")
        ends = _STARTS if way in ORIGIN else _ENDS if way in TOWARDS else frozenset()
        return [link for link, own in self._of[table] if own & (stems | ends)]
