"""Units: what their names are in English, and how many of one make another.

The codes are those of a column's `unit`. What has no factor, as degrees, is shown and never
converted.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """

    quantity: str
    size: float
    one: str
    many: str
    words: tuple[str, ...] = ()


UNITS: Mapping[str, Unit] = {
    "us": Unit("time", 1e-6, "microsecond", "microseconds", ("µs",)),
    "ms": Unit("time", 1e-3, "millisecond", "milliseconds", ("ms", "msec", "msecs")),
    "s": Unit("time", 1, "second", "seconds", ("s", "sec", "secs")),
    "min": Unit("time", 60, "minute", "minutes", ("min", "mins")),
    "h": Unit("time", 3600, "hour", "hours", ("h", "hr", "hrs")),
    "day": Unit("time", 86_400, "day", "days", ("night", "nights")),
    "week": Unit("time", 604_800, "week", "weeks"),
    "byte": Unit("data", 1, "byte", "bytes"),
    "kb": Unit("data", 1e3, "kilobyte", "kilobytes", ("kb", "kbyte", "kbytes")),
    "mb": Unit("data", 1e6, "megabyte", "megabytes", ("mb", "meg", "megs", "mbyte", "mbytes")),
    "gb": Unit("data", 1e9, "gigabyte", "gigabytes", ("gb", "gig", "gigs", "gbyte", "gbytes")),
    "tb": Unit("data", 1e12, "terabyte", "terabytes", ("tb",)),
    "mg": Unit("mass", 1e-6, "milligram", "milligrams", ("mg",)),
    "g": Unit("mass", 1e-3, "gram", "grams", ("g", "gramme", "grammes")),
    "kg": Unit("mass", 1, "kilogram", "kilograms", ("kg", "kgs", "kilo", "kilos")),
    "t": Unit("mass", 1e3, "tonne", "tonnes", ("ton", "tons")),
    "lb": Unit("mass", 0.453_592_37, "pound", "pounds", ("lb", "lbs")),
    "oz": Unit("mass", 0.028_349_523_125, "ounce", "ounces", ("oz",)),
    "mm": Unit("length", 1e-3, "millimetre", "millimetres", ("mm", "millimeter", "millimeters")),
    "cm": Unit("length", 1e-2, "centimetre", "centimetres", ("cm", "centimeter", "centimeters")),
    "m": Unit("length", 1, "metre", "metres", ("m", "meter", "meters")),
    "km": Unit("length", 1e3, "kilometre", "kilometres", ("km", "kms", "kilometer", "kilometers")),
    "in": Unit("length", 0.0254, "inch", "inches"),
    "ft": Unit("length", 0.3048, "foot", "feet", ("ft",)),
    "mile": Unit("length", 1609.344, "mile", "miles", ("mi",)),
    "m2": Unit("area", 1, "square metre", "square metres", ("m2", "m²", "sqm")),
    "acre": Unit("area", 4046.856_422_4, "acre", "acres"),
    "ha": Unit("area", 1e4, "hectare", "hectares", ("ha",)),
    "km2": Unit("area", 1e6, "square kilometre", "square kilometres", ("km2", "km²", "sqkm")),
    "ml": Unit("volume", 1e-3, "millilitre", "millilitres", ("ml", "milliliter", "milliliters")),
    "l": Unit("volume", 1, "litre", "litres", ("l", "liter", "liters")),
    "gallon": Unit("volume", 3.785_411_784, "gallon", "gallons"),
    "kn": Unit("speed", 1.852, "knot", "knots", ("kn",)),
    "kmh": Unit("speed", 1, "kilometre per hour", "kilometres per hour", ("kmh", "kph", "km/h")),
    "mph": Unit("speed", 1.609_344, "mile per hour", "miles per hour", ("mph",)),
    "w": Unit("power", 1, "watt", "watts", ("w",)),
    "kw": Unit("power", 1e3, "kilowatt", "kilowatts", ("kw",)),
    "wh": Unit("energy", 1e-3, "watt-hour", "watt-hours", ("wh",)),
    "kwh": Unit("energy", 1, "kilowatt-hour", "kilowatt-hours", ("kwh",)),
    "mwh": Unit("energy", 1e3, "megawatt-hour", "megawatt-hours", ("mwh",)),
    "%": Unit("percent", 1, "percent", "percent", ("%", "percentage")),
    "°C": Unit("celsius", 1, "degree Celsius", "degrees Celsius", ("°c", "celsius")),
    "°F": Unit("fahrenheit", 1, "degree Fahrenheit", "degrees Fahrenheit", ("°f", "fahrenheit")),
    "cent": Unit("money", 1e-2, "cent", "cents", ("¢",)),
    "thousand": Unit("money", 1e3, "thousand", "thousand", ("thousands",)),
    "million": Unit("money", 1e6, "million", "million", ("millions",)),
    MONEY: Unit("money", 1, "", ""),
    "usd": Unit("money", 1, "dollar", "dollars", ("$", "usd", "buck", "bucks")),
    "eur": Unit("money", 1, "euro", "euros", ("€", "eur")),
    "gbp": Unit(
        "money", 1, "pound sterling", "pounds sterling", ("£", "gbp", "quid", "pound", "pounds")
    ),
    "jpy": Unit("money", 1, "yen", "yen", ("¥", "jpy")),
    "cny": Unit("money", 1, "yuan", "yuan", ("cny", "rmb")),
    "inr": Unit("money", 1, "rupee", "rupees", ("₹", "inr")),
    "chf": Unit("money", 1, "Swiss franc", "Swiss francs", ("chf", "franc", "francs")),
}
"""Code -> unit. Of sizes of files a kilobyte is 1,000 bytes."""
LARGE = frozenset({"thousand", "million"})
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
    """How many of a column's units one of the asked units is: 60,000 milliseconds a minute.

    Money of no known currency is what the question calls it; no currency becomes another.

    Args:
        unit: of the column, a code.
        asked: of the question, a code.

    Returns:
        what numbers of the question are multiplied with to compare them with the column, and the
        column's are divided by to show them; None if the one is not made of the other.
    """
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


def in_column(number: float, unit: str | None) -> float:
    """A number without a unit as a column has it that counts in thousands or millions: nobody says
    10,000,000 of millions."""
    size = UNITS[unit].size if unit in LARGE else 1.0
    return number / size if size > 1 and abs(number) >= max(1000.0, size / 10) else number


def unit_name(unit: str, number: float | None = None) -> str:
    """A unit in words, for so many of it: ``minute`` for one."""
    if unit not in UNITS:
        return unit
    return UNITS[unit].one if number == 1 else UNITS[unit].many
