"""How long something has been so by today: "here for more than 20 years", "open for over 100 days".

Where a table keeps the date of a beginning, such words say that it lies before a day, or after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.cues import cues
from partwise.database.reading.frame import Cond, Ref
from partwise.database.reading.numbers import numbers_in
from partwise.database.reading.periods import before
from partwise.database.reading.text import Word, stem

MOST_SIGN = 3
"""The most words of "more than" and the like."""
LONGEST = 400
"""The most days, weeks, months or years that are said."""
OPPOSITE = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
"""What has lasted longer began earlier."""
_UNITS = {"day": "day", "week": "week", "month": "month", "year": "year", "yr": "year"}
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


class Since(NamedTuple):
    """Words that say how long something has lasted."""

    start: int
    end: int
    ref: Ref
    cond: Cond


def beginnings(layer: SemanticLayer) -> list[Ref]:
    """The dates at which something of a database began."""
    return [
        Ref(table.name, column.name)
        for table in layer.tables
        for column in table.columns
        if column.kind == "date" and not (table.private or column.private)
        if _BEGINS & {stem(one) for one in column.label.lower().split()}
    ]


class Beginnings:
    """How long something has lasted, where a database has the date of its beginning."""

    def __init__(self, layer: SemanticLayer) -> None:
        self._dates = beginnings(layer)

    def find(self, words: Sequence[Word], today: date) -> Iterator[Since]:
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
                    yield Since(start, one.end + 1, ref, Cond(ref, OPPOSITE[sign], when))


def _signs(words: Sequence[Word], end: int) -> Iterator[tuple[int, str]]:
    """The comparisons that stand in front of a number, with their first word."""
    for start in range(max(0, end - MOST_SIGN), end):
        for op in cues().get(tuple(one.stem for one in words[start:end]), ()):
            sign = op.removeprefix("sign:")
            if sign in OPPOSITE:
                yield start, sign
    if end and words[end - 1].plain == "for":
        yield end, ">="
