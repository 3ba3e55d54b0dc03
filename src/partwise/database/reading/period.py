"""Periods of the calendar: days one after the other, and days that come again."""

from __future__ import annotations

import calendar
from datetime import date, timedelta
from typing import NamedTuple


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


def in_year(day: date, of_year: int) -> date:
    """The same day of another year; 29 February becomes the last of the month."""
    last = calendar.monthrange(of_year, day.month)[1]
    return day.replace(year=of_year, day=min(day.day, last))


def quarter_of(of_year: int, number: int) -> Period:
    """A whole quarter, counted on from the first of a year."""
    first = month(of_year, 3 * number - 2)
    return Period(first.start, month(of_year, 3 * number).end)


def on(day: date) -> Period:
    """One day."""
    return Period(day, day + timedelta(days=1))
