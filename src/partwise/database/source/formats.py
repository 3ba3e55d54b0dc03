"""How numbers and dates are written that are stored as texts, by their values; see
`partwise.execution.relational.formats`. Nearly all values must read so; the rest is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from partwise.database.source.lexicon import word_set

NEARLY, MARKED = 0.9, 0.5
"""The least share of values that read so, beside any others, and beside signs of missing ones."""
_SPACES = " \u00a0\u202f'\u2019"
_WRITTEN = re.compile(
    r"\s*\(?[-+]?(?P<before>[^\w\s.,+()-]?)\s?[-+]?"
    rf"(?P<number>[\d.,](?:[\d.,{_SPACES}]*\d)?(?:[eE][-+]?\d)?)"
    r"(?P<behind>\s?(?:[^\W\d_]{1,3}|[^\w\s.,+()-])?)\)?\s*"
)
_NUMBERS = {
    sign: re.compile(
        rf"(?:\d+|\d{{1,3}}(?:[{other}{_SPACES}]\d{{3}})+)?(?:[{sign}]\d+)?(?:[eE][-+]?\d)?"
    )
    for sign, other in (".,", ",.")
}
_TIME = r"(?:[ T]\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?(?P<zone>Z|[-+]\d\d:?\d\d)?)?"
_DAY = re.compile(rf"\s*(\d{{4}}|\d{{1,2}})([-./])(\d{{1,2}})\2(\d{{4}}|\d{{1,2}}){_TIME}\s*")
ISO = "yyyy-mm-dd"
_ORDERS = (("yyyy", "mm", "dd"), ("dd", "mm", "yyyy"), ("mm", "dd", "yyyy"))
_EPOCHS = {"seconds": 1, "milliseconds": 1000}
_FROM, _TO = 631_152_000, 2_524_608_000
"""Seconds of the years 1990 and 2050."""


class Written(NamedTuple):
    """How the values of a column are written.

    Attributes:
        others: values that do not read so.
        unsure: another format that fits as well.
    """

    format: str
    others: tuple[str, ...] = ()
    unsure: str = ""


def _enough(read: int, others: Sequence[str]) -> bool:
    known = all(one.strip().lower() in word_set("missing values") for one in others)
    return read > 0 and read >= (MARKED if known else NEARLY) * (read + len(others))


def number_format(values: Iterable[str], comma: bool = False) -> Written | None:
    """How texts are written of which nearly all are numbers; None for others. `comma`: whether
    "1.234" is more than a thousand, as columns beside it show."""
    texts = [one for one in values if one.strip()]
    found = {one: match for one in texts if (match := _WRITTEN.fullmatch(one))}
    comma = comma and any(sign in one["number"] for one in found.values() for sign in ",.")
    signs = ",." if comma else ".,"
    made = [one for sign in signs if (one := _numbers(texts, found, sign)) is not None]
    return min(made, key=lambda one: len(one.others), default=None)


def _numbers(texts: Sequence[str], found: Mapping[str, re.Match[str]], sign: str) -> Written | None:
    """How texts are written if a sign stands before fractions; None if too few are numbers."""
    read = [one for one in texts if one in found and _NUMBERS[sign].fullmatch(found[one]["number"])]
    others = tuple(one for one in texts if one not in {*read})
    around = _around([found[one] for one in read])
    if around is None or not _enough(len(read), others):
        return None
    inner = {letter for one in read for letter in found[one]["number"]}
    first, *more = sorted(inner - {*"0123456789eE+-", sign}) or [""]
    return Written(f"{around[0]}{''.join(more)}1{first}234{sign}5{around[1]}", others)


def _around(found: Sequence[re.Match[str]]) -> tuple[str, str] | None:
    """The signs before and behind numbers; None if they are several, or some lack letters."""
    before, behind = ({one[name].strip() for one in found} for name in ("before", "behind"))
    letters = any(one.isalpha() for one in behind)
    if len(before - {""}) > 1 or len(behind - {""}) > 1 or (letters and "" in behind):
        return None
    brackets = "".join(one for one in "()" if any(one in match.group() for match in found))
    number = (match.group().replace(match["number"], "") for match in found)
    spaces = "".join(sorted({letter for one in number for letter in one if letter.isspace()}))
    return brackets + "".join(before) + spaces, "".join(behind)


def date_format(values: Iterable[str]) -> Written | None:
    """How texts are written of which nearly all are dates; None for others."""
    texts = [one for one in values if one.strip()]
    found = [(one, match) for one in texts if (match := _DAY.fullmatch(one))]
    zones = {match["zone"] for _, match in found}
    signs = {match[2] for _, match in found}
    orders = [(sign, order) for order in _ORDERS for sign in signs]
    made = [one for some in orders if (one := _dates(texts, found, *some)) is not None]
    # Of 3/4/2024, day and month are either; with slashes alone, the month is as often the first.
    made.sort(key=lambda one: (len(one.others), one.format[:3] != "mm/"))
    if not made:
        return None
    best = made[0]
    if best.format == ISO and len(zones) > 1 and not best.others:
        return Written("zoned")
    alike = [one.format for one in made[1:] if one.others == best.others and "/" in one.format]
    return best._replace(unsure=alike[0] if alike else "")


def _dates(
    texts: Sequence[str],
    found: Sequence[tuple[str, re.Match[str]]],
    sign: str,
    order: Sequence[str],
) -> Written | None:
    read = {one for one, match in found if match[2] == sign and _is_day(match, order)}
    others = tuple(one for one in texts if one not in read)
    enough = _enough(len(texts) - len(others), others)
    return Written(sign.join(order), others) if enough else None


def _is_day(match: re.Match[str], order: Sequence[str]) -> bool:
    part = dict(zip(order, (match[1], match[3], match[4]), strict=True))
    if len(part["yyyy"]) != 4 or len(part["dd"]) > 2:
        return False
    try:
        date(int(part["yyyy"]), int(part["mm"]), int(part["dd"]))
    except ValueError:
        return False
    return True


def epoch(name: Sequence[str], values: Iterable[object]) -> str | None:
    """The unit of whole numbers since 1970, by the words of a column and its values; None for
    others."""
    dates = word_set("dates of events") | word_set("dates of state") | word_set("times")
    if dates.isdisjoint(name) or name[-1] not in dates:
        return None
    for unit, size in _EPOCHS.items():
        if all(isinstance(one, int) and _FROM * size <= one < _TO * size for one in values):
            return unit
    return None
