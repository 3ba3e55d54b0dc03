"""Times of day: "after 10 pm", "before 9:30", "noon or later", "between 8 and 10 in the evening".

They are compared with texts that all are times ("21:30"), and with the time of dates that have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from partwise.database.layer.model import ColumnInfo, SemanticLayer
from partwise.database.reading.comparing import sign_of
from partwise.database.reading.frame import Cond, Ref
from partwise.database.reading.label import WEAK, Label
from partwise.database.reading.names import Thing
from partwise.database.reading.numbers import number_of
from partwise.database.reading.text import Word
from partwise.execution.relational.program import (
    Attribute,
    Between,
    Compare,
    Condition,
    DatePart,
    Value,
)

_STORED = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d(?P<seconds>:[0-5]\d)?")
_NAMED = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_HALVES = {"am": "am", "a.m.": "am", "pm": "pm", "p.m.": "pm"}
_DAYTIMES = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm"}
_SIGNS: dict[tuple[str, ...], str] = {
    **{("after",): ">", ("past",): ">", ("later", "than"): ">", ("from",): ">=", ("since",): ">="},
    **{("starting", "at"): ">=", ("starting", "from"): ">=", ("before",): "<", ("by",): "<="},
    **{("earlier", "than"): "<", ("until",): "<=", ("till",): "<=", ("at",): "=", ("is",): "="},
}
_OPEN: dict[tuple[str, ...], str] = {
    **{("or", "later"): ">=", ("or", "after"): ">=", ("onwards",): ">=", ("onward",): ">="},
    **{("or", "earlier"): "<=", ("or", "before"): "<=", ("and", "later"): ">="},
}
_MOMENTS = {"time", "timestamp", "datetime", "at", "ts"}
"""Words in the names of dates that have a time."""


class Clock(NamedTuple):
    """A time of day as it is stored, or two that others lie between."""

    low: str
    high: str = ""


class _Time(NamedTuple):
    start: int
    end: int
    text: str
    sure: bool


class Clocks:
    """Finds times of day, for a database that has some."""

    def __init__(self, layer: SemanticLayer) -> None:
        self._columns = [
            (Ref(table.name, column.name), seconds)
            for table in layer.tables
            for column in table.columns
            if not (table.private or column.private)
            if (seconds := _has_times(column)) is not None
        ]

    def find(self, words: Sequence[Word]) -> Iterator[Label]:
        """What the words of a question say of times of day."""
        for start, end, sign, times in _said(words) if self._columns else ():
            for ref, seconds in self._columns:
                clock = Clock(*(f"{one}:00" if seconds else one for one in times))
                thing, cond = Thing("column", *ref[:2]), Cond(ref, sign, clock)
                yield Label(start, end, "state", thing, "clock", (cond,), WEAK)


def on_clock(of: Attribute, cond: Cond, kind: str) -> Condition:
    """The condition that something is at a time of day.

    Args:
        of: the column, a text or a date.
        kind: its kind.
    """
    time = DatePart("time", of) if kind == "date" else of
    if cond.value.high:
        return Between(time, Value(cond.value.low), Value(cond.value.high))
    return Compare(time, sign_of(cond.op), Value(cond.value.low))


def _has_times(column: ColumnInfo) -> bool | None:
    """Whether the times of a column have seconds; None if it has no times."""
    if column.kind == "date":
        return False if _MOMENTS & set(column.label.split()) else None
    stored = [_STORED.fullmatch(one) for one in column.values if column.kind == "text"]
    if not stored or not all(stored):
        return None
    return any(one is not None and one["seconds"] for one in stored)


def _said(words: Sequence[Word]) -> Iterator[tuple[int, int, str, tuple[str, ...]]]:
    """The first word, the word behind the last, the sign and the times of what is said."""
    plain = [one.plain for one in words]
    skip = 0
    for at in range(len(words)):
        one = _time_at(plain, at) if at >= skip else None
        if one is None:
            continue
        joined = plain[at - 1 : at] if at else []
        other = _time_at(plain, one.end + 1) if plain[one.end : one.end + 1] in _TO else None
        if joined in (["between"], ["from"]) and other is not None and other.sure:
            skip = other.end
            yield at - 1, other.end, "between", (_like(one, other), other.text)
        elif one.sure:
            skip = one.end
            yield *_signed(plain, one), (one.text,)


_TO = (["and"], ["to"], ["until"], ["till"], ["-"])


def _like(one: _Time, other: _Time) -> str:
    """The first of two times, in the half of the day of the second: "between 8 and 10 pm"."""
    hour, _, rest = one.text.partition(":")
    later = one.text if one.sure or int(hour) >= 12 else f"{int(hour) + 12:02}:{rest}"
    return later if one.text < other.text and later < other.text else one.text


def _signed(plain: Sequence[str], one: _Time) -> tuple[int, int, str]:
    for size in (2, 1):
        if sign := _OPEN.get(tuple(plain[one.end : one.end + size])):
            start = one.start - (plain[one.start - 1 : one.start] in (["at"], ["from"]))
            return start, one.end + size, sign
    for size in (2, 1):
        sign = _SIGNS.get(tuple(plain[max(0, one.start - size) : one.start]))
        if sign:
            return one.start - size, one.end, sign
    return one.start, one.end, "="


def _time_at(plain: Sequence[str], at: int) -> _Time | None:
    """The time that begins at a word; a bare number is one only beside another."""
    if at >= len(plain):
        return None
    if plain[at] in _NAMED:
        return _Time(at, at + 1, _NAMED[plain[at]], True)
    number = number_of(plain[at])
    if number is None or not (0 <= number < 24 and float(number).is_integer()):
        return None
    hour, (minutes, end) = int(number), _minutes_at(plain, at + 1)
    half, end, said = _half_at(plain, end)
    if half and not 0 < hour <= 12:
        return None
    if half:
        hour = hour % 12 + 12 * (half == "pm")
    return _Time(at, end, f"{hour:02}:{minutes or '00'}", bool(minutes) or said)


def _minutes_at(plain: Sequence[str], at: int) -> tuple[str, int]:
    """The minutes of ``:30`` or ``:30:00``, and the word behind them; "" without any."""
    colon, minutes = (*plain[at : at + 2], "", "")[:2]
    if colon != ":" or len(minutes) != 2 or not minutes.isdigit() or int(minutes) >= 60:
        return "", at
    return minutes, at + (4 if list(plain[at + 2 : at + 4]) == [":", "00"] else 2)


def _half_at(plain: Sequence[str], end: int) -> tuple[str, int, bool]:
    """Which half of the day is said, the word behind it, and whether words say that it is a
    time."""
    said = plain[end : end + 1] == ["o'clock"]
    end += said
    if plain[end : end + 1] and plain[end] in _HALVES:
        return _HALVES[plain[end]], end + 1, True
    behind = list(plain[end : end + 3])
    if behind[:2] == ["in", "the"] and behind[-1] in _DAYTIMES and len(behind) == 3:
        return _DAYTIMES[behind[-1]], end + 3, True
    if behind[:2] == ["at", "night"]:
        return "pm", end + 2, True
    return "", end, said
