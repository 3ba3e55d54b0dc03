"""Dates and periods in questions: a year, a month, a day, a quarter, the last three months.

Each is a period, from its first day to the day after its last one, or days that come again. They
are written ("3/14/2024", "q2", "1990s"), counted from today ("yesterday", "the last 3 months"), or
put together ("start of May").
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from partwise.database.spans.text import Word


class Period(NamedTuple):
    """Some days, one after the other.

    Attributes:
        start: the first one.
        end: the one after the last.
        year_only: whether nothing but a year was said, which may be a number as well.
    """

    start: date
    end: date
    year_only: bool = False

    @property
    def years(self) -> tuple[int, int]:
        """The first and the last year, where only years were said."""
        return self.start.year, self.end.year - 1

    @property
    def months(self) -> set[int]:
        """The months of its days, from 1, January."""
        last = self.end - timedelta(days=1)
        count = 12 * (last.year - self.start.year) + last.month - self.start.month
        return {(self.start.month - 1 + number) % 12 + 1 for number in range(min(count, 11) + 1)}

    def meets(self, other: Period) -> bool:
        """Whether a day is in both."""
        return max(self.start, other.start) < min(self.end, other.end)


class Recurring(NamedTuple):
    """Days that come again: each March, each Monday.

    Attributes:
        part: ``month`` or ``weekday``.
        number: from 1, January; from 0, Sunday.
        more: further numbers, as of a season's months.
    """

    part: str
    number: int
    more: tuple[int, ...] = ()

    @property
    def months(self) -> set[int]:
        """The months that come again; all of them if it is weekdays that do."""
        return {self.number, *self.more} if self.part == "month" else {*range(1, 13)}


class Dated(NamedTuple):
    """A period that some words say: ``words[start:end]``."""

    start: int
    end: int
    what: Period | Recurring


def year(number: int) -> Period:
    """A whole year."""
    return Period(date(number, 1, 1), date(number + 1, 1, 1), True)


def month(of_year: int, number: int) -> Period:
    """A whole month, counted on from the January of a year."""
    back, first = divmod(number - 1, 12)
    start = date(of_year + back, first + 1, 1)
    return Period(start, date(start.year + start.month // 12, start.month % 12 + 1, 1))


def quarter_of(of_year: int, number: int) -> Period:
    """A whole quarter, counted on from the first of a year."""
    first = month(of_year, 3 * number - 2)
    return Period(first.start, month(of_year, 3 * number).end)


def on(day: date) -> Period:
    """One day."""
    return Period(day, day + timedelta(days=1))


MONTHS = {
    name: number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(one.lower() for one in names)
    if name
} | {"sept": 9}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3}
_ORDINALS |= {"4th": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
_DECADES = {"twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60}
_DECADES |= {"seventies": 70, "eighties": 80, "nineties": 90}
FIRST_YEAR, LAST_YEAR = 1000, 2200
BACK = {"last", "past", "previous", "recent"}
"""Words for the period before this one."""
_SAID_YEARS = {"last": -1, "this": 0, "next": 1}


def ordinal(text: str) -> int | None:
    """A number of one or two digits, as in ``3rd`` or ``14``."""
    match = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", text)
    return None if match is None else int(match[1])


def is_year(text: str) -> bool:
    """Whether a text is the number of a year."""
    return len(text) == 4 and text.isdigit() and FIRST_YEAR <= int(text) <= LAST_YEAR


def with_year(texts: list[str], today: date) -> list[str]:
    """The same with a year in place of "last year" in the end."""
    if len(texts) > 2 and texts[-1] == "year" and texts[-2] in _SAID_YEARS:
        return [*texts[:-2], str(today.year + _SAID_YEARS[texts[-2]])]
    return texts


def last_month(number: int, today: date) -> Period:
    """The last such month that has begun."""
    return month(today.year if number <= today.month else max(1, today.year - 1), number)


def _iso(texts: list[str], today: date) -> Period | None:
    joined = "".join(texts)
    if len(texts) > 1 and "-" not in texts:
        return None
    if joined.count("-") == 2:
        return on(date.fromisoformat(joined))
    of_year, dash, number = joined.partition("-")
    if dash and is_year(of_year) and len(number) == 2 and 1 <= int(number) <= 12:
        return month(int(of_year), int(number))
    return None


def _slashed(texts: list[str], today: date) -> Period | None:
    """``3/14/2024`` or ``14.3.2024``: the month comes first where both can be."""
    joined = "".join(texts)
    for mark in "/.":
        parts = joined.split(mark)
        if len(parts) == 3 and all(one.isdigit() for one in parts) and is_year(parts[2]):
            first, second, of_year = map(int, parts)
            american = mark == "/" and first <= 12
            return on(date(of_year, *((first, second) if american else (second, first))))
    return None


def _year(texts: list[str], today: date) -> Period | None:
    return year(int(texts[0])) if len(texts) == 1 and is_year(texts[0]) else None


def _decade(texts: list[str], today: date) -> Period | None:
    """``1990s``, ``nineties``."""
    if len(texts) != 1:
        return None
    text = texts[0]
    if text.endswith("0s") and is_year(text[:-1]):
        first = int(text[:-1])
    elif len(text) == 3 and text.endswith("0s") and text[0].isdigit():
        first = (1900 if int(text[0]) > 2 else 2000) + int(text[:2])
    elif text in _DECADES:
        first = 1900 + _DECADES[text]
    else:
        return None
    return Period(date(first, 1, 1), date(first + 10, 1, 1), True)


def _month(texts: list[str], today: date) -> Period | None:
    """``march 2024``, ``march of 2024``, ``march, 2024``."""
    kept = [one for one in texts if one not in {"of", ","}]
    if len(texts) == 2 and texts[0] in BACK and texts[1] in MONTHS:
        return last_month(MONTHS[texts[1]], today)
    if len(kept) == 2 and kept[0] in MONTHS and is_year(kept[1]) and texts[-1] == kept[1]:
        return month(int(kept[1]), MONTHS[kept[0]])
    return None


def _day(texts: list[str], today: date) -> Period | None:
    """``1 march 2024``, ``march 1st, 2024``; without a year, the last such day."""
    kept = [one for one in texts if one not in {"of", ",", "the", "st", "nd", "rd", "th"}]
    months = [one for one in kept if one in MONTHS]
    years = [int(one) for one in kept if is_year(one)]
    days = [ordinal(one) for one in kept if one not in months and not is_year(one)]
    if len(months) != 1 or len(days) != 1 or days[0] is None or len(years) > 1:
        return None
    if texts[0] in {"of", ",", "the"} or texts[-1] in {"of", ",", "the"}:
        return None
    return _of_year(years, MONTHS[months[0]], days[0], today)


def _feast(texts: list[str], today: date) -> Period | None:
    """``christmas 2023``, ``new year's eve``; without a year, the last one."""
    kept = [one for one in texts if one not in {"day", "of", ","}]
    years = [int(one) for one in kept if is_year(one)]
    found = _FEASTS.get(" ".join(one for one in kept if not is_year(one)))
    ends = texts[0] in {"day", "of", ","} or texts[-1] in {"of", ","}
    return None if found is None or len(years) > 1 or ends else _of_year(years, *found, today)


def _of_year(years: list[int], number: int, day: int, today: date) -> Period:
    """A day of a year; where none is said, the last such day."""
    of_year = years[0] if years else today.year
    this = date(of_year, number, day)
    return on(this if years or this <= today else this.replace(year=of_year - 1))


_FEASTS = {
    **{"christmas": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24), "boxing": (12, 26)},
    **{"new year eve": (12, 31), "new years eve": (12, 31), "new year": (1, 1)},
    **{"new years": (1, 1), "halloween": (10, 31), "valentine": (2, 14), "valentines": (2, 14)},
}


def _quarter(texts: list[str], today: date) -> Period | None:
    """``q2 2023``, ``2023 q2``, ``second quarter of 2023``, ``last quarter of last year``; of this
    year where none is said."""
    texts = with_year(texts, today)
    between = {"of", ","}
    kept = [one for one in texts if one not in {*between, "the"}]
    years = [int(one) for one in kept if is_year(one)]
    rest = [one for one in kept if not is_year(one)]
    if not rest or len(years) > 1 or texts[-1] in between or texts[0] in {*between, "the"}:
        return None
    number = _quarter_said(rest, bool(years))
    return None if number is None else quarter_of(years[0] if years else today.year, number)


def _quarter_said(words: list[str], of_year: bool) -> int | None:
    """The number of a quarter; the last one only of a year that is said."""
    match words:
        case [("q1" | "q2" | "q3" | "q4") as one]:
            return int(one[1])
        case ["last", "quarter"] if of_year:
            return 4
        case [one, "quarter"]:
            return _ORDINALS.get(one)
    return None


WRITTEN = (_iso, _slashed, _year, _decade, _month, _day, _feast, _quarter)
"""Readers of words, given today; each gives nothing for other words."""


_UNITS = {"day": 1, "week": 7, "month": 0, "quarter": 0, "year": 0}
"""Days of a unit; none of those that are counted in months."""
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def relative(texts: list[str], today: date) -> Period | None:
    """``today``, ``last month``, ``this year``, ``the last 3 months``."""
    if texts == ["today"]:
        return on(today)
    if texts == ["yesterday"]:
        return on(today - timedelta(days=1))
    if len(texts) == 3 and texts[0] in BACK and texts[1].isdigit():
        return _back(int(texts[1]), texts[2].rstrip("s"), today)
    if len(texts) == 2 and texts[1] in _UNITS and texts[0] in BACK | {"this", "current"}:
        return _whole(texts[1], 0 if texts[0] in {"this", "current"} else 1, today)
    return None


def ahead(texts: list[str], today: date) -> Period | None:
    """``tomorrow``, ``next month``, ``the next 30 days``."""
    if texts == ["tomorrow"]:
        return on(today + timedelta(days=1))
    if texts[0] not in {"next", "coming", "following"}:
        return None
    if len(texts) == 2 and texts[1] in _UNITS:
        return _whole(texts[1], -1, today)
    if len(texts) != 3 or not texts[1].isdigit() or texts[2].rstrip("s") not in _UNITS:
        return None
    number, unit = int(texts[1]), texts[2].rstrip("s")
    if not number:
        return None
    return Period(today, _moved(today, number, unit) + timedelta(days=1))


def _back(number: int, unit: str, today: date) -> Period | None:
    """So many units up to today."""
    if unit not in _UNITS or not number:
        return None
    # A week up to today begins six days ago, a month on the same day of the one before.
    begin = _moved(today, -number, unit) + timedelta(days=bool(_UNITS[unit]))
    return Period(begin, today + timedelta(days=1))


def _moved(today: date, number: int, unit: str) -> date:
    """The day that is so many units later; of a shorter month, the last one."""
    if _UNITS[unit]:
        return today + timedelta(days=number * _UNITS[unit])
    first = month(today.year, today.month + number * _MONTHS[unit]).start
    last = calendar.monthrange(first.year, first.month)[1]
    return first.replace(day=min(today.day, last))


def _whole(unit: str, back: int, today: date) -> Period:
    """This unit of the calendar, or the one before."""
    match unit:
        case "year":
            one = year(today.year - back)
            return Period(one.start, one.end)
        case "quarter":
            return quarter_of(today.year, (today.month + 2) // 3 - back)
        case "month":
            return month(today.year, today.month - back)
        case "week":
            monday = today - timedelta(days=today.weekday() + 7 * back)
            return Period(monday, monday + timedelta(days=7))
        case _:
            return on(today - timedelta(days=back))


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
