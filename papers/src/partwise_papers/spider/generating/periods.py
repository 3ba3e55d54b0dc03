"""Periods in words: a year, a month, a day."""

from __future__ import annotations

import calendar
import random
from datetime import date, timedelta
from typing import NamedTuple


class SaidPeriod(NamedTuple):
    """A period with its words: from its first day to the one after its last."""

    words: str
    start: date
    end: date


def year_of(day: date) -> SaidPeriod:
    """The year of a day."""
    return SaidPeriod(str(day.year), date(day.year, 1, 1), date(day.year + 1, 1, 1))


def month_of(day: date, rng: random.Random) -> SaidPeriod:
    """The month of a day: "march 2024"."""
    name = rng.choice((calendar.month_name, calendar.month_name, calendar.month_abbr))[day.month]
    end = date(day.year + day.month // 12, day.month % 12 + 1, 1)
    said = rng.choice((f"{name} {day.year}", f"{name} {day.year}", f"{name} of {day.year}"))
    return SaidPeriod(said, day.replace(day=1), end)


def quarter_of(day: date, rng: random.Random) -> SaidPeriod:
    """The quarter of a day: "q2 2024"."""
    number = (day.month + 2) // 3
    start = date(day.year, 3 * number - 2, 1)
    end = date(day.year + number // 4, (3 * number) % 12 + 1, 1)
    ordinal = ("first", "second", "third", "fourth")[number - 1]
    said = rng.choice((f"q{number} {day.year}", f"the {ordinal} quarter of {day.year}"))
    return SaidPeriod(said, start, end)


def day_in_words(day: date, rng: random.Random) -> SaidPeriod:
    """A day: "2024-03-01", "1 march 2024", "march 1, 2024"."""
    month = calendar.month_name[day.month]
    forms = (day.isoformat(), f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}")
    return SaidPeriod(rng.choice(forms), day, day + timedelta(days=1))


def period_of(day: date, rng: random.Random) -> SaidPeriod:
    """A year mostly; else a month or a quarter."""
    chance = rng.random()
    if chance < 0.6:
        return year_of(day)
    return month_of(day, rng) if chance < 0.92 else quarter_of(day, rng)
