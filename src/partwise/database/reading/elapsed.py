"""Times between two dates that a question names: "days from order to delivery", "shipped more than
3 days after the order", "booked at least a month before arrival"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from partwise.database.layer.model import ColumnInfo, SemanticLayer, TableInfo
from partwise.database.reading.cues import signs_before
from partwise.database.reading.durations import between, spans_of
from partwise.database.reading.frame import Cond, Ref
from partwise.database.reading.label import EXACT, Label, Quantity
from partwise.database.reading.names import Thing
from partwise.database.reading.numbers import numbers_in
from partwise.database.reading.text import Word

COVERED = 0.5
"""The least share of a date's name that is said."""
FILLED = 3
"""The most words between a preposition and the date behind it."""
_TIMES = {"time", "times", "duration", "gap", "delay", "interval"}
_TAKING = {
    *("does", "did", "do", "it", "they", "we", "takes", "take", "took", "taken", "elapsed", "go"),
    *("passed", "pass", "went", "by", "there", "are", "were", "was", "is"),
}
_SMALL = {
    *("the", "its", "their", "his", "her", "a", "an", "it", "they", "we", "was", "were", "is"),
    *("are", "being", "having", "date", "of", "on"),
}
_ENDS = {"to", "until", "till", "and"}
_AFTER, _BEFORE = {"after", "following", "of", "from", "since"}, {"before", "prior", "ahead"}
_SIGNS = {">", ">=", "<", "<=", "="}


class _Date(NamedTuple):
    start: int
    end: int
    ref: Ref
    covered: float


class ElapsedTimes:
    """Times between dates of a database.

    Args:
        columns: those that may be shown.
    """

    def __init__(
        self, layer: SemanticLayer, columns: Sequence[tuple[TableInfo, ColumnInfo]]
    ) -> None:
        self.layer = layer
        self._dates = {(table.name, one.name) for table, one in columns if one.kind == "date"}

    def find(self, words: Sequence[Word], named: Sequence[Label]) -> Iterator[Label]:
        """The times, and conditions on them.

        Args:
            named: what the words name.
        """
        dates = [
            _Date(one.start, one.end, Ref(*one.thing[1:]), one.match[1])
            for one in named
            if one.kind == "column" and one.thing is not None and one.thing[1:] in self._dates
            if one.match and one.match[1] >= COVERED
        ]
        # Of dates that begin at one word, the longest and best named ones.
        dates.sort(key=lambda one: (-one.covered, one.start - one.end))
        if len({one.ref for one in dates}) > 1:
            yield from self._asked(words, dates)
            yield from self._compared(words, dates)

    def _asked(self, words: Sequence[Word], dates: Sequence[_Date]) -> Iterator[Label]:
        """ "How many days between order and delivery", "average time from order to delivery"."""
        for at, word in enumerate(words):
            codes = spans_of(word.plain)
            codes += [""] if word.plain in _TIMES else []
            asks = word.plain == "long" and at > 0 and words[at - 1].plain == "how"
            codes += [""] if asks else []
            if not codes:
                continue
            how = at - 1 if asks else at
            if at > 1 and words[at - 1].plain == "many" and words[at - 2].plain == "how":
                how = at - 2
            behind = _behind(words, at + 1, _TAKING, {"from", "between"})
            for first, last in self._pairs(words, dates, behind) if behind else ():
                yield self._label(how, first, last, codes[0])

    def _pairs(
        self, words: Sequence[Word], dates: Sequence[_Date], at: int
    ) -> Iterator[tuple[_Date, _Date]]:
        """Two dates, one behind the other, with "to" or "and" between them."""
        best = 0.0
        for first in dates:
            if not at <= first.start <= at + FILLED or not _all(words[at : first.start], _SMALL):
                continue
            then = _behind(words, first.end, _SMALL, _ENDS)
            for last in dates if then else ():
                near = then <= last.start <= then + FILLED
                fits = last.ref != first.ref and last.ref.table == first.ref.table
                well = first.covered + last.covered
                if near and fits and well >= best and _all(words[then : last.start], _SMALL):
                    best = well
                    yield first, last

    def _label(self, start: int, first: _Date, last: _Date, code: str) -> Label:
        thing, via = Thing("column", *last.ref[:2]), first.ref[:2]
        return Label(start, last.end, "column", thing, "lasted", code, EXACT, via=via)

    def _compared(self, words: Sequence[Word], dates: Sequence[_Date]) -> Iterator[Label]:
        """ "Shipped more than 3 days after the order"."""
        for start, end, number in _numbers(words):
            unit = next(iter(spans_of(words[end].plain)), None)
            rest = words[end + 1].plain if end + 1 < len(words) else ""
            later = rest in _AFTER
            if unit is None or not (later or rest in _BEFORE):
                continue
            begin, sign = _sign(words, start)
            for other in dates:
                if not end + 1 < other.start <= end + 2 + FILLED:
                    continue
                if not _all(words[end + 2 : other.start], _SMALL | {"to", "of"}):
                    continue
                for mine in dates:
                    if mine.end > begin or mine.ref == other.ref:
                        continue
                    if self.layer.schema.path(mine.ref.table, other.ref.table) is None:
                        continue
                    first, last = (other.ref, mine.ref) if later else (mine.ref, other.ref)
                    cond = Cond(last._replace(part=between(first)), sign, Quantity(number, unit))
                    near = _all(words[mine.end : begin], _SMALL)
                    at = mine.start if near else begin
                    thing = Thing("column", *last[:2])
                    yield Label(at, other.end, "state", thing, "elapsed", (cond,), EXACT)


def _numbers(words: Sequence[Word]) -> Iterator[tuple[int, int, int | float]]:
    """Numbers with a word behind them; "a week" is one."""
    for one in numbers_in(words):
        if one.end < len(words):
            yield one.start, one.end, one.value
    for at, word in enumerate(words[:-1]):
        if word.plain in {"a", "an"}:
            yield at, at + 1, 1


def _sign(words: Sequence[Word], end: int) -> tuple[int, str]:
    """The comparison before a number, and where it begins."""
    said = (one for one in signs_before(words, end) if one[1] in _SIGNS)
    return next(said, (end, "="))


def _behind(words: Sequence[Word], at: int, filling: set[str], wanted: set[str]) -> int:
    """Behind the first of some words that only others stand before; 0 if there is none."""
    while at < len(words) and words[at].plain in filling and words[at].plain not in wanted:
        at += 1
    return at + 1 if at < len(words) and words[at].plain in wanted else 0


def _all(words: Sequence[Word], some: set[str]) -> bool:
    return all(one.plain in some for one in words)
