"""Periods that are counted from today: "yesterday", "the last 3 months", "next week"."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

from partwise.database.reading.period import Period, month, on, quarter_of, year
from partwise.database.reading.written_dates import BACK

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


def before(number: int, unit: str, today: date) -> Period | None:
    """The day that is so many units before another."""
    known = unit in _UNITS and (number or _UNITS[unit])
    return on(_moved(today, -number, unit)) if known else None


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
