"""What the numbers of a table count, and when its rows happened."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from partwise.database.source.lexicon import word_set
from partwise.database.source.reading import ReadTable
from partwise.database.source.roles import TableKeys, is_person
from partwise.database.source.words import words_of_name
from partwise.database.units import MONEY, UNITS

_LETTERS = {
    "g": {"weight", "mass"},
    "m": {"distance", "length", "height", "width", "depth", "altitude", "elevation"},
    "s": {"duration", "time", "length"},
    "h": {"duration", "time", "length"},
    "min": {"run", "running", "duration", "time", "length", "play", "delay", "wait", "lasting"},
}
"""Units that are said in a letter or a few, and words that they stand behind."""
_LARGE = {
    **dict.fromkeys(("k", "thousand", "thousands", "tsd"), "thousand"),
    **dict.fromkeys(("mio", "mn", "mln", "million", "millions"), "million"),
}
"""Words at the end of a name whose numbers are in thousands or millions."""
_VAGUE = {"length", "value", "amount", "number", "total", "quantity", "per"}
STEM, ENDING = 4, 4
"""The fewest characters that alike words begin with, and the most that one of them ends with."""
_SPELT_OUT = {"days", "hours"}
"""Units without which a name says something else: "lead days"."""


def without_unit(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words of a number without the unit at their end; all of them if none is there."""
    *first, last = words
    # "Watched" says that something was watched, "value" what any number says, and a "length" may be
    # one of time.
    telling = first and not first[-1].endswith("ed") and first[-1] not in _VAGUE
    cut = last in _unit_words() if telling else first and last in _LARGE
    return tuple(first) if cut else words


def unit(words: tuple[str, ...], comment: str) -> str | None:
    """What the numbers of a column count, by its name or its comment; None if they do not say."""
    if len(words) > 1 and words[-1] in _LARGE:
        return _LARGE[words[-1]]
    said = {*words, *(word for word in re.findall(r"[a-z]+", comment.lower()))}
    found = [code for code, unit in UNITS.items() if unit.columns & said]
    if found:
        return found[-1]
    if (measured := _LETTERS.get(words[-1] if words else "")) and measured & {*words}:
        return words[-1]
    return MONEY if words and words[-1] in word_set("money") else None


def default_date(table: ReadTable, places: TableKeys) -> str | None:
    """The column that says when a row happened: the only one that may, or the one called so."""
    dates = [name for name, meant in table.meant.items() if meant.kind == "date"]
    state = word_set("dates of state")
    if not is_person(table):
        state |= word_set("dates of endings")
    events = [name for name in dates if not state & set(table.column_words[name])]
    for name in events:
        words = set(words_of_name(name)) - {"date", "time", "at", "on"}
        if words <= set(table.words):
            return name
    if len(events) == 1:
        return events[0]
    for name in events:
        # An inspection is of the day that it was inspected on, not that its fine was paid on.
        if any(_alike(one, of) for one in table.column_words[name] for of in table.words):
            return name
    called = [
        name for name in events if set(table.column_words[name]) & word_set("dates of events")
    ]
    return called[0] if called else None


def _alike(one: str, other: str) -> bool:
    """Whether two words are the same but for their endings: "inspected", "inspection"."""
    begin = len([*takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))])
    return begin >= STEM and max(len(one), len(other)) - begin <= ENDING


@lru_cache(maxsize=1)
def _unit_words() -> frozenset[str]:
    """Words that say a unit, and nothing else, at the end of a name."""
    listed = {word for unit in UNITS.values() for word in unit.columns}
    return frozenset((listed | _LETTERS.keys() | _LARGE.keys()) - _SPELT_OUT)
