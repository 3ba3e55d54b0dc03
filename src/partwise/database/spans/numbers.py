"""Numbers in questions, as digits and as words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from partwise.database.spans.text import Word

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {name: value for value, name in enumerate(_SMALL)}
_WORDS |= {name: 10 * (value + 2) for value, name in enumerate(_TENS)}
_WORDS |= {"dozen": 12, "once": 1, "twice": 2, "single": 1, "couple": 2, "tenner": 10, "fiver": 5}
_TIMES = {"hundred": 100, "thousand": 1000, "k": 1000, "million": 10**6, "m": 10**6}
_TIMES |= {"billion": 10**9, "mio": 10**6, "mn": 10**6, "bn": 10**9, "grand": 1000}
_LARGE = {"hundred", "thousand", "million", "billion"}


class NumberMention(NamedTuple):
    """A number that ``words[start:end]`` say."""

    start: int
    end: int
    value: int | float


def numbers_in(words: Sequence[Word]) -> list[NumberMention]:
    """All numbers of a question; ``2 million`` is one."""
    result = []
    for start, word in enumerate(words):
        value = number_of(word.plain)
        if value is None and word.plain in {"a", "an"}:
            # "Over a million".
            behind = words[start + 1].plain if start + 1 < len(words) else ""
            value = 1 if behind in _LARGE else None
        if value is None:
            continue
        end = start + 1
        if [one.plain for one in words[end : end + 3]] == ["and", "a", "half"]:
            value, end = value + 0.5, end + 3
        if end < len(words) and words[end].plain in _TIMES:
            if words[end].plain == "m":
                # Metres, too.
                result.append(NumberMention(start, end, _whole(value)))
            value *= _TIMES[words[end].plain]
            end += 1
        result.append(NumberMention(start, end, _whole(value)))
    return result


def number_of(text: str) -> int | float | None:
    """The number that one word says; None if it says none."""
    if text in _WORDS:
        return _WORDS[text]
    tens, dash, ones = text.partition("-")
    if dash and tens in _TENS and ones in _SMALL[1:10]:
        return _WORDS[tens] + _WORDS[ones]
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?", text) and len(text) < 20:
        return float(text.replace(",", ""))
    return None


def _whole(value: int | float) -> int | float:
    return int(value) if float(value).is_integer() else value
