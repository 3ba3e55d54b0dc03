"""Ages, where a table keeps dates of birth: "drivers over 55", "players aged 20", "how old"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.label import EXACT, Label
from partwise.database.reading.names import Thing
from partwise.database.reading.numbers import numbers_in
from partwise.database.reading.period import Period, in_year
from partwise.database.reading.text import Word
from partwise.database.units import WORDS as UNITS

Place = tuple[int, int]
OLDEST = 120
TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
"""Who is older was born earlier."""
_AGE = {"age", "ages"}
_OTHER_AGES = {"group", "groups", "rating", "ratings", "limit", "limits", "restriction", "range"}
_BEFORE_WHOM = {"of", "the", "our", "my", "all", "a", "an", "are", "is", "were", "was", "each"}
_YEARS = {"year", "years", "yr", "yrs"}


def birth_dates(layer: SemanticLayer) -> list[tuple[str, str]]:
    """Tables and columns of dates of birth."""
    return [
        (table.name, column.name)
        for table in layer.tables
        for column in table.columns
        if column.birth and not column.private
        if not table.private
    ]


def ages_in(
    births: Sequence[tuple[str, str]], words: Sequence[Word], today: date
) -> Iterator[Label]:
    """The ages in a question, for each date of birth; `aged` where it is no bare number."""
    if not births:
        return
    for one in numbers_in(words):
        if not isinstance(one.value, int) or not 0 < one.value <= OLDEST:
            continue
        if _counts_else(words, one.start, one.end):
            continue
        end, said = _end(words, one.end)
        said = said or (one.start > 0 and words[one.start - 1].plain in {"aged", "age"})
        for table, column in births:
            thing, op = Thing("column", table, column), "aged" if said else ""
            yield Label(one.start, end, "age", thing, op, born(one.value, today))


def ages_asked(words: Sequence[Word]) -> list[Place]:
    """Where an age is asked for, and no group or rating by age."""
    pairs = pairwise([*(one.plain for one in words), ""])
    made = []
    for at, (word, behind) in enumerate(pairs):
        if word in _AGE and behind not in _OTHER_AGES:
            made.append((at, at + 1))
        if (word, behind) == ("how", "old"):
            made.append((at, at + 2))
    return made


def old_in(
    words: Sequence[Word],
    places: Iterable[Place],
    births: Sequence[tuple[str, str]],
    named: Sequence[Label],
    today: date,
) -> Iterator[Label]:
    """How old something is today, for each date of birth; not for "the age of the owners" where
    only their dogs have one."""
    known = {table for table, _ in births}
    for start, end in places:
        at = end
        while at < len(words) and words[at].plain in _BEFORE_WHOM:
            at += 1
        exact = [one for one in named if one.kind == "table" and one.start == at and one.match[0]]
        if exact and not known & {one.thing.table for one in exact if one.thing is not None}:
            continue
        for table, column in births:
            thing = Thing("column", table, column)
            yield Label(start, end, "column", thing, "old", today, match=EXACT)


def but_births(
    labels: Iterable[Label], births: Sequence[tuple[str, str]], places: Sequence[Place]
) -> Iterator[Label]:
    """Labels without the dates of birth for words that ask for an age."""
    for one in labels:
        birth = one.thing is not None and one.thing[1:] in births
        if not (birth and (one.start, one.end) in places):
            yield one


def _counts_else(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether a unit tells that a number is no age: "$45", "60 minutes"."""
    before, after = words[start - 1 : start], words[end : end + 1]
    money = any(one.plain in UNITS and not one.plain.isalpha() for one in before)
    return money or any(one.plain in UNITS and one.plain not in _YEARS for one in after)


def _end(words: Sequence[Word], at: int) -> tuple[int, bool]:
    """Where an age ends: behind "years", and "old" or "of age"."""
    plain = [one.plain for one in words[at : at + 3]]
    if not plain or plain[0] not in _YEARS:
        return at, False
    if plain[1:2] == ["old"]:
        return at + 2, True
    return (at + 3, True) if plain[1:] == ["of", "age"] else (at + 1, False)


def born(age: int, today: date) -> Period:
    """The birthdays of those who are of an age today."""
    after = in_year(today, max(1, today.year - age - 1)) + timedelta(days=1)
    return Period(after, in_year(today, max(1, today.year - age)) + timedelta(days=1))
