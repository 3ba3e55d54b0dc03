"""The date that "when" asks for: "when did Ann last order", "what day did we pay invoice 7".

A question that names an event wants the date of this event, and no other date that the same rows or
their people have. "First" and "last" choose by this date, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from partwise.database.layer.model import ColumnInfo, TableInfo
from partwise.database.reading.cues import function_words
from partwise.database.reading.label import EXACT, WEAK, Label
from partwise.database.reading.names import Thing
from partwise.database.reading.text import Word, stem, stems_of

_PASTS = {
    **{"buy": "bought", "pay": "paid", "sell": "sold", "leave": "left", "send": "sent"},
    **{"hold": "held", "take": "taken", "give": "given", "make": "made", "write": "written"},
    **{"begin": "begun", "build": "built", "see": "seen", "meet": "met", "break": "broken"},
    **{"lend": "lent", "get": "got", "lose": "lost", "find": "found"},
    **{"bring": "brought", "catch": "caught", "choose": "chosen", "fly": "flown"},
}
"""Verbs whose past has another stem, in columns as "bought on"."""
_BEHIND = {"in", "out", "up", "off", "on"}
_FIRST = {("first",), ("earliest",), ("first", "time"), ("earliest", "time")}
_LAST = {
    *(("last",), ("latest",), ("last", "time"), ("latest", "time"), ("most", "recently")),
    *(("most", "recent"), ("recently",), ("last", "ever")),
}
_DAYS = {"date", "day", "dates", "days"}
_NO_EVENTS = frozenset(stems_of("date time day year month on at start first last number id since"))
"""Stems of labels of dates that tell no event."""


class Occasions:
    """The dates of a database that "when" may ask for.

    Args:
        columns: those that may be shown.
    """

    def __init__(self, columns: Sequence[tuple[TableInfo, ColumnInfo]]) -> None:
        self._dates = [
            (table, column, _events(table, column))
            for table, column in columns
            if column.kind == "date" or "year" in column.label.split()
        ]

    def find(self, words: Sequence[Word]) -> Iterator[Label]:
        """The dates, and which of several events is meant."""
        asked = _asked(words)
        if asked is None:
            return
        start, end = asked
        said = {*_said(words)}
        for table, column, events in self._dates:
            # Who was born is said.
            if column.birth and not said & {"born", "birth", "birthday"}:
                continue
            match = EXACT if said & events else WEAK
            thing = Thing("column", table.name, column.name)
            if column.kind == "date" or end == start + 1:
                yield Label(start, end, "column", thing, "when", match=match)
        for span, way in placed(words):
            yield Label(*span, "op", op=f"asked:{way}")
            for table, column, _ in self._dates:
                # The last login is the last one by itself.
                if column.label.split()[:1] == [words[span[0]].plain]:
                    thing = Thing("column", table.name, column.name)
                    yield Label(*span, "op", thing, f"asked:{way}", match=EXACT)


def _said(words: Sequence[Word]) -> Iterator[str]:
    """Stems that may tell an event: those of the words, of the past of verbs, and of a verb with
    the word behind it, as in "logged in"."""
    for at, word in enumerate(words):
        yield word.stem
        if word.plain in _PASTS:
            yield stem(_PASTS[word.plain])
        if at and word.plain in _BEHIND:
            yield words[at - 1].stem + word.plain


def placed(words: Sequence[Word]) -> Iterator[tuple[tuple[int, int], str]]:
    """Where "first" and "last" choose by the date that is asked for, and the order that they say;
    of the words that begin at a place, the longest."""
    asked = _asked(words)
    if asked is None:
        return
    plain = [one.plain for one in words]
    for start in range(asked[1], len(words)):
        for end in range(min(start + 2, len(words)), start, -1):
            said = tuple(plain[start:end])
            if said in _FIRST | _LAST and plain[end : end + 1] not in (["name"], ["names"]):
                yield (start, end), "asc" if said in _FIRST else "desc"
                break


def but_placed(words: Sequence[Word], labels: Iterable[Label]) -> Iterator[Label]:
    """Labels without those of "first" and "last" that are about another date."""
    spans = {span for span, _ in placed(words)}
    for one in labels:
        if not (one.thing and one.op.startswith("dir") and (one.start, one.end) in spans):
            yield one


def _asked(words: Sequence[Word]) -> tuple[int, int] | None:
    """Where a question says that it asks for a date."""
    for start, word in enumerate(words):
        if word.plain == "when":
            return start, start + 1
        before = words[start - 1].plain if start else ""
        if word.plain in _DAYS and before in {"which", "what"}:
            return start - 1, start + 1
    return None


def _events(table: TableInfo, column: ColumnInfo) -> frozenset[str]:
    """Stems that tell of what a date is."""
    said = {one for name in column.names for one in stems_of(name)}
    # "Last order" is of an order's date.
    if column.label in {"date", "time", "day", f"{table.label} date"}:
        said |= {stems_of(name)[-1] for name in table.names if stems_of(name)}
    return frozenset(said - _NO_EVENTS - function_words())
