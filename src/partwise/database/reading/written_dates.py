"""Days, months, quarters, years and decades as they are written: "3/14/2024", "q2", "1990s"."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date

from partwise.database.reading.period import Period, month, on, quarter_of, year

MONTHS = {
    name: number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(one.lower() for one in names)
    if name
} | {"sept": 9}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3}
_ORDINALS |= {"4th": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
_DECADES = {
    "twenties": 20,
    "thirties": 30,
    "forties": 40,
    "fifties": 50,
    "sixties": 60,
    "seventies": 70,
    "eighties": 80,
    "nineties": 90,
}
FIRST_YEAR, LAST_YEAR = 1000, 2200
BACK = {"last", "past", "previous", "recent"}
"""Words for the period before this one."""
_SAID_YEARS = {"last": -1, "this": 0, "next": 1}


def rank_of(text: str) -> int | None:
    """The number that an ordinal says, in letters or as ``3rd``."""
    return _ORDINALS.get(text) or (None if text.isdigit() else ordinal(text))


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
    years = [one for one in kept if is_year(one)]
    days = [ordinal(one) for one in kept if one not in months and one not in years]
    if len(months) != 1 or len(days) != 1 or days[0] is None or len(years) > 1:
        return None
    if texts[0] in {"of", ",", "the"} or texts[-1] in {"of", ",", "the"}:
        return None
    if years:
        return on(date(int(years[0]), MONTHS[months[0]], days[0]))
    this = date(today.year, MONTHS[months[0]], days[0])
    return on(this if this <= today else this.replace(year=today.year - 1))


def is_whole_day(texts: Sequence[str]) -> bool:
    """Whether three words are a day, a month and a year: ``1 march 2024``, ``march 1 2024``."""
    if len(texts) != 3 or not is_year(texts[2]) or sum(one in MONTHS for one in texts) != 1:
        return False
    (day,) = [ordinal(one) for one in texts[:2] if one not in MONTHS] or [None]
    return day is not None


def _feast(texts: list[str], today: date) -> Period | None:
    """``christmas 2023``, ``new year's eve``; without a year, the last one."""
    kept = [one for one in texts if one not in {"day", "of", ","}]
    years = [int(one) for one in kept if is_year(one)]
    found = _FEASTS.get(" ".join(one for one in kept if not is_year(one)))
    if (
        found is None
        or len(years) > 1
        or texts[0] in {"day", "of", ","}
        or texts[-1] in {"of", ","}
    ):
        return None
    if years:
        return on(date(years[0], *found))
    this = date(today.year, *found)
    return on(this if this <= today else this.replace(year=today.year - 1))


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
