"""Dates and periods in questions: a year, a month, a day, a quarter, the last three months.

Each is a period: from its first day to the day after its last one.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from datetime import date, timedelta

from partwise.database.reading.period import Dated, Period, Recurring, month, on
from partwise.database.reading.relative_dates import ahead, relative
from partwise.database.reading.text import Word
from partwise.database.reading.written_dates import (
    BACK,
    MONTHS,
    WRITTEN,
    is_year,
    last_month,
    ordinal,
    with_year,
)

_DAYS = {
    name: number
    for names in (calendar.day_name, calendar.day_abbr)
    for number, name in enumerate(one.lower() for one in names)
}
LONGEST = 6
"""The most words of a period."""
_BEFORE_MAY = {"in", "since", "before", "after", "until", "till", "by", "during", "from"}
"""Words behind which "may" is the month."""

PARTS = {
    **{"year": "year", "years": "year", "yearly": "year", "annual": "year", "annually": "year"},
    **{"month": "month", "months": "month", "monthly": "month", "quarter": "quarter"},
    **{"quarters": "quarter", "quarterly": "quarter", "weekday": "weekday", "day": "date"},
    **{"weekdays": "weekday", "daily": "date"},
}
"""Words -> parts of dates."""


def periods_in(words: Sequence[Word], today: date) -> list[Dated]:
    """All periods that stand in a question, the longest at each word first."""
    result = []
    for start in range(len(words)):
        for length in range(min(LONGEST, len(words) - start), 0, -1):
            texts = [one.plain for one in words[start : start + length]]
            what = _period(texts, today)
            if texts == ["may"] and start and words[start - 1].plain in _BEFORE_MAY:
                what = Recurring("month", MONTHS["may"])
            if what is not None:
                result.append(Dated(start, start + length, what))
                if isinstance(what, Recurring) and what.part == "month" and not what.more:
                    result.append(Dated(start, start + length, last_month(what.number, today)))
    return result


def is_amount(words: Sequence[Word], said: Dated) -> bool:
    """Whether what may be a year is sooner an amount: "gifts over 2000"."""
    before = tuple(one.plain for one in words[max(0, said.start - 2) : said.start])
    year_ = isinstance(said.what, Period) and said.what.year_only and said.end == said.start + 1
    digits = words[said.start].plain.isdigit()
    return year_ and digits and (before[-1:] in _AMOUNTS or before in _AMOUNTS)


_AMOUNTS = {
    *(("over",), ("above",), ("under",), ("below",), ("exceeding",), ("more", "than")),
    *(("less", "than"), ("fewer", "than"), ("at", "least"), ("at", "most"), ("up", "to")),
}


def _period(texts: list[str], today: date) -> Period | Recurring | None:
    for read in _READERS:
        try:
            if (what := read(texts, today)) is not None:
                return what
        except (ValueError, OverflowError):
            continue
    return None


def season(name: str) -> tuple[int, ...]:
    """The months of a season of the north; none if it is not one."""
    first = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}.get(name)
    return () if first is None else tuple((first + more - 1) % 12 + 1 for more in range(3))


def _season(texts: list[str], today: date) -> Period | None:
    """``summer 2024``, ``last winter``, ``this autumn``."""
    kept = [one for one in texts if one not in {"of", "the"}]
    if len(kept) != 2 or texts[0] in {"of", "the"} or texts[-1] in {"of", "the"}:
        return None
    months = season(kept[1]) or season(kept[0])
    if not months:
        return None
    if season(kept[0]):
        if not is_year(kept[1]):
            return None
        of_year = int(kept[1])
    else:
        begun = today.year if today >= date(today.year, months[0], 1) else today.year - 1
        over = month(begun, months[0] + 2).end <= today
        ways = {"this": today.year, "current": today.year, "next": begun + 1}
        of_year = ways.get(kept[0], begun if over else begun - 1)
        if kept[0] not in ways and kept[0] not in BACK:
            return None
    return Period(month(of_year, months[0]).start, month(of_year, months[0] + 2).end)


_HALVES = {"first": 0, "1st": 0, "second": 6, "2nd": 6}


_EDGES = {"start", "beginning", "end"}


def _edge(texts: list[str], today: date) -> Period | None:
    """``start of may``, ``end of 2024``, ``mid may 2025``: its first day, its last, the 15th."""
    if texts[0] == "mid" and texts[1:2] and texts[1] in MONTHS:
        whole = _certain(texts[1:], today)
        return None if whole is None else on(whole.start.replace(day=15))
    if texts[0] not in _EDGES or texts[1:2] != ["of"]:
        return None
    rest = texts[3:] if texts[2:3] == ["the"] else texts[2:]
    whole = _certain(["this", "year"] if rest == ["year"] else rest, today) if rest else None
    if whole is None:
        return None
    return on(whole.end - timedelta(days=1) if texts[0] == "end" else whole.start)


def _certain(texts: list[str], today: date) -> Period | None:
    """A period; of a month without a year, the last one."""
    if len(texts) == 1 and texts[0] in MONTHS:
        return last_month(MONTHS[texts[0]], today)
    what = _period(texts, today)
    return None if isinstance(what, Recurring) else what


def _half(texts: list[str], today: date) -> Period | None:
    """``first half of 2024``, ``h2 2023``, ``2nd half of last year``."""
    texts = with_year(texts, today)
    kept = [one for one in texts if one not in {"of", "the"}]
    if texts[0] in {"of", "the"} or len(kept) < 2 or not is_year(kept[-1]) or texts[-1] == "of":
        return None
    rest = tuple(kept[:-1])
    if len(rest) != 1 and (len(rest) != 2 or rest[1] != "half"):
        return None
    said = {"h1": 0, "h2": 6} if len(rest) == 1 else _HALVES
    half = said.get(rest[0])
    if half is None:
        return None
    of_year = int(kept[-1])
    return Period(month(of_year, half + 1).start, month(of_year, half + 6).end)


def _century(texts: list[str], today: date) -> Period | None:
    """``19th century``."""
    if len(texts) != 2 or texts[1] not in {"century", "centuries", "c"}:
        return None
    number = ordinal(texts[0])
    if number is None or texts[0].isdigit() or not 10 <= number <= 22:
        return None
    return Period(date(100 * number - 99, 1, 1), date(100 * number + 1, 1, 1), True)


def _years(texts: list[str], today: date) -> Period | None:
    """``1914-18``, ``1914 - 1918``."""
    if len(texts) != 3 or texts[1] not in {"-", "–"} or not is_year(texts[0]):
        return None
    last = texts[0][: 4 - len(texts[2])] + texts[2] if texts[2].isdigit() else ""
    if len(texts[2]) not in {2, 4} or not is_year(last) or int(last) <= int(texts[0]):
        return None
    return Period(date(int(texts[0]), 1, 1), date(int(last) + 1, 1, 1), True)


def _recurring(texts: list[str], today: date) -> Recurring | None:
    if len(texts) == 3 and texts[1] in {"to", "-", "until", "through"}:
        first, last = MONTHS.get(texts[0], 0), MONTHS.get(texts[2], 0)
        if 0 < first < last:
            return Recurring("month", first, tuple(range(first + 1, last + 1)))
    if len(texts) != 1:
        return None
    word = texts[0]
    if months := season(word):
        return Recurring("month", months[0], months[1:])
    if word in MONTHS and word != "may":
        return Recurring("month", MONTHS[word])
    for name in (word, word.rstrip("s")):
        if name in _DAYS and len(name) > 3:
            return Recurring("weekday", (_DAYS[name] + 1) % 7)
    return None


_READERS = (*WRITTEN, relative, _season, _edge, _half, _century, _years, ahead, _recurring)
"""Readers of words, given today; the first that gives something is right."""
