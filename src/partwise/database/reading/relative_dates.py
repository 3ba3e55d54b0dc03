"""Periods that are counted from today: "yesterday", "the last 3 months", "next week"."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

from partwise.database.reading.period import Period, month, on, quarter_of, year
from partwise.database.reading.written_dates import BACK

_UNITS = {"day": 1, "week": 7, "month": 0, "quarter": 0, "year": 0}


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
    if _UNITS[unit]:
        return Period(today, today + timedelta(days=number * _UNITS[unit] + 1))
    months = number * {"month": 1, "quarter": 3, "year": 12}[unit]
    first = month(today.year, today.month + months).start
    last = calendar.monthrange(first.year, first.month)[1]
    return Period(today, first.replace(day=min(today.day, last)) + timedelta(days=1))


def _back(number: int, unit: str, today: date) -> Period | None:
    """So many units up to today."""
    if unit not in _UNITS or not number:
        return None
    end = today + timedelta(days=1)
    if _UNITS[unit]:
        return Period(end - timedelta(days=number * _UNITS[unit]), end)
    months = number * {"month": 1, "quarter": 3, "year": 12}[unit]
    first = month(today.year, today.month - months).start
    last = calendar.monthrange(first.year, first.month)[1]
    return Period(first.replace(day=min(today.day, last)), end)


def before(number: int, unit: str, today: date) -> Period | None:
    """The day that is so many units before another."""
    if _UNITS.get(unit):
        return on(today - timedelta(days=number * _UNITS[unit]))
    made = _back(number, unit, today)
    return None if made is None else on(made.start)


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
