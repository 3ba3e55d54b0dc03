"""Which of several links between two tables a question means: flights from one city to another, the
home games of a team."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.text import Word, stem, stems_of

BEFORE = 4
"""How many words before a name may say which link is meant."""
ORIGIN = frozenset({"from", "leaving", "departing", "left", "departed"})
TOWARDS = frozenset({"to", "into", "towards", "reaching", "bound"})
_STARTS = frozenset(
    map(stem, ("origin", "original", "orig", "source", "from", "departure", "start", "sender"))
)
_ENDS = frozenset(
    map(stem, ("destination", "dest", "to", "arrival", "end", "target", "receiver", "recipient"))
)
_BOSSES = (
    *("boss", "manager", "superior", "supervisor", "line manager", "report to", "answer to"),
    *("work under", "work for", "under", "manage by", "lead by", "supervise by"),
)
_TEAMS = ("team", "subordinate", "direct report", "underling", "people under")
_LEADS = {"manager", "supervisor", "boss", "reports", "superior", "lead", "leader", "head"}
BOSS = {tuple(map(stem, one.split())): "boss" for one in _BOSSES} | {
    tuple(map(stem, one.split())): "team" for one in _TEAMS
}
"""What people call the row that a person's row leads to in the same table, and those it leads."""


class Ways:
    """The links of a database that are one of several between two tables, and those that lead from
    a person to another."""

    def __init__(self, layer: SemanticLayer) -> None:
        self._bosses = [
            (one.table, one.column)
            for one in layer.schema.links
            if one.table == one.target
            and (
                layer.table(one.table).person
                or _LEADS & {*layer.column(one.table, one.column).label.split()}
            )
        ]
        self._of: dict[str, list[tuple[tuple[str, str], frozenset[str]]]] = {}
        links = layer.schema.links
        for one in links:
            beside = [two for two in links if (two.table, two.target) == (one.table, one.target)]
            if len(beside) < 2:
                continue
            names = {
                two.column: set(stems_of(layer.column(two.table, two.column).label))
                for two in beside
            }
            shared = set.intersection(*names.values())
            own = frozenset(names[one.column] - shared)
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

    def bosses(self, words: Sequence[Word]) -> Iterator[tuple[int, int, str, str, str]]:
        """Words for who reports to whom: where they stand, which of the two, and the link."""
        if not self._bosses:
            return
        for start in range(len(words)):
            for end in (start + 1, start + 2):
                said = BOSS.get(tuple(one.stem for one in words[start:end]))
                if said is not None and end <= len(words):
                    for table, column in self._bosses:
                        yield start, end, said, table, column
