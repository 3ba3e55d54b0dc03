"""Units: what their names are in English, and how many of one make another.

The codes are those of a column's `unit`. What has no factor, as degrees, is shown and never
converted.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import NamedTuple

MONEY = "money"
"""The unit of amounts whose currency is not known."""


class Unit(NamedTuple):
    """A unit of measurement.

    Attributes:
        quantity: what is measured; units of one quantity are converted.
        size: how many of the quantity's basic unit it is.
        one: its name, for one.
        many: its name, for more.
        words: what else it is called in a question.
        columns: words of a column's name or comment that say it.
        behind: words of a column's name behind which its code says it.
    """

    quantity: str
    size: float
    one: str
    many: str
    words: tuple[str, ...] = ()
    columns: frozenset[str] = frozenset()
    behind: frozenset[str] = frozenset()


def _read() -> Mapping[str, Unit]:
    made = {}
    text = files("partwise.database.source").joinpath("units.txt").read_text("utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            code, quantity, size, names, columns, behind = [*line.split("\t"), *[""] * 3][:6]
            one, many, *words = names.split(", ") if names else ("", "")
            said = (frozenset(columns.split()), frozenset(behind.split()))
            made[code] = Unit(quantity, float(size), one, many, tuple(words), *said)
    return made


UNITS = _read()
"""Code -> unit. Of sizes of files a kilobyte is 1,000 bytes."""
LARGE = frozenset(
    code for code, unit in UNITS.items() if unit.quantity == MONEY and unit.size >= 1000
)
"""Units of numbers that are too long to write."""
_ANY_CURRENCY = frozenset({MONEY, "cent", *LARGE})


def _words() -> Mapping[str, tuple[str, ...]]:
    made: dict[str, tuple[str, ...]] = {}
    for code, unit in UNITS.items():
        for word in dict.fromkeys(one.lower() for one in (unit.one, unit.many, *unit.words) if one):
            made[word] = (*made.get(word, ()), code)
    return made


WORDS = _words()
"""What units are called in a question, in lower case -> their codes: there are two kinds of pounds.
``in`` is no inch."""


def factor(unit: str | None, asked: str | None) -> float | None:
    """How many of a column's units one of the asked units is: 60,000 milliseconds a minute. Money
    of no known currency is what the question calls it; no currency becomes another. `unit`: of the
    column, a code. `asked`: of the question, a code. Returns what numbers of the question are
    multiplied with to compare them with the column, and the column's are divided by to show them;
    None if the one is not made of the other."""
    if unit == asked and unit is not None:
        return 1.0
    one, other = UNITS.get(unit or ""), UNITS.get(asked or "")
    if one is None or other is None or one.quantity != other.quantity:
        return None
    if one.quantity == MONEY and not _ANY_CURRENCY & {unit, asked}:
        return None
    ratio = other.size / one.size
    # What ought to be a whole number is one, in spite of 0.001 having no exact form.
    whole = round(ratio)
    return float(whole) if whole and abs(ratio - whole) < 1e-9 * whole else ratio


def asked_in(unit: str | None) -> tuple[str, ...]:
    """The codes of all units that numbers of a unit can be asked in, itself among them."""
    return tuple(code for code in UNITS if factor(unit, code) is not None)


def unit_name(unit: str, number: float | None = None) -> str:
    """A unit in words, for so many of it: ``minute`` for one."""
    if unit not in UNITS:
        return unit
    return UNITS[unit].one if number == 1 else UNITS[unit].many
