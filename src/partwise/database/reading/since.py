"""How long something has been so by today: "here for more than 20 years", "open for over 100 days".

Where a table keeps the date of a beginning, such words say that it lies before a day, or after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from datetime import date

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.cues import signs_before
from partwise.database.reading.frame import Cond, Ref
from partwise.database.reading.label import WEAK, Label
from partwise.database.reading.names import Thing
from partwise.database.reading.numbers import numbers_in
from partwise.database.reading.relative_dates import before
from partwise.database.reading.text import Word, stem

LONGEST = 400
"""The most days, weeks, months or years that are said."""
OPPOSITE = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
"""What has lasted longer began earlier."""
_UNITS = {"day": "day", "week": "week", "month": "month", "year": "year", "yr": "year"}
_YEARS = {stem("since"), stem("year")}
_LASTING = {"been", "worked", "served", "lived", "stayed", "licensed", "employed", "hired"}
"""Words of how long something has lasted."""
_BEGINS = frozenset(
    map(
        stem,
        (
            *("joined", "hired", "hire", "registered", "registration", "member", "since", "opened"),
            *("open", "opening", "start", "started", "begun", "begin", "began", "employed"),
            *("employment", "signup", "signed", "created", "licensed", "listed", "founded"),
            *("built", "bought", "purchased", "acquired", "appointed", "moved", "enrolled"),
            *("admitted", "contract", "entry"),
        ),
    )
)


def beginnings(layer: SemanticLayer, years: bool = False) -> list[Ref]:
    """The dates at which something of a database began; with the years, if these do."""
    return [
        Ref(table.name, column.name)
        for table in layer.tables
        for column in table.columns
        if not (table.private or column.private)
        if _BEGINS & (said := {stem(one) for one in column.label.lower().split()})
        if column.kind == "date" or (years and column.kind == "number" and said & _YEARS)
    ]


class Beginnings:
    """How long something has lasted, where a database has the date of its beginning."""

    def __init__(self, layer: SemanticLayer) -> None:
        self._dates = beginnings(layer)

    def find(self, words: Sequence[Word], today: date) -> Iterator[Label]:
        """What the words of a question say of how long something has lasted by today."""
        for one in numbers_in(words) if self._dates else ():
            unit = _UNITS.get(stem(words[one.end].plain)) if one.end < len(words) else None
            whole = isinstance(one.value, int) and 0 < one.value < LONGEST
            when = before(int(one.value), unit, today) if unit and whole else None
            if when is None:
                continue
            for start, sign in _signs(words, one.start):
                start -= start > 0 and words[start - 1].plain == "for"
                for ref in self._dates:
                    thing, cond = Thing("column", *ref[:2]), Cond(ref, OPPOSITE[sign], when)
                    yield Label(start, one.end + 1, "state", thing, "since", (cond,), WEAK)


def longest_since(words: Sequence[Word], begins: Sequence[tuple[Ref, Set[str]]]) -> Iterator[Label]:
    """Who "has been here the longest", or "is licensed longest": since the earliest date.

    Args:
        begins: dates at which something began, with the stems of their names.
    """
    plain, stems = [one.plain for one in words], {one.stem for one in words}
    for at in range(1, len(words)):
        if plain[at] != "longest" or not _LASTING & {*plain}:
            continue
        end = at + 1 + (plain[at + 1 : at + 2] == ["time"])
        start = at - (plain[at - 1] == "the")
        start -= start > 0 and plain[start - 1] == "for"
        for ref, called in begins:
            match = (0.0, 0.0, 0.0, 1.0, 0.0, 1.0 if called & stems else 0.8, 0.0)
            yield Label(start, end, "op", Thing("column", *ref[:2]), "dir:asc", match=match)


def _signs(words: Sequence[Word], end: int) -> Iterator[tuple[int, str]]:
    """The comparisons that stand in front of a number, with their first word."""
    yield from (one for one in signs_before(words, end) if one[1] in OPPOSITE)
    if end and words[end - 1].plain == "for":
        yield end, ">="
