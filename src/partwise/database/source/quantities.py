"""Which columns say how many a row is of, and what one of them costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from partwise.database.source.lexicon import names_of, word_set
from partwise.database.source.reading import ReadTable
from partwise.database.source.roles import TableKeys
from partwise.database.source.words import singular
from partwise.execution.relational.program import Arithmetic, Attribute, Field, Value
from partwise.execution.relational.schema import Link

_TIMES = {
    "hour": {"hour", "hourly"},
    "night": {"night", "nightly"},
    "day": {"day", "daily"},
    "week": {"week", "weekly"},
    "month": {"month", "monthly"},
}
"""What is paid by the time: the words of its rates."""
PRICES = names_of("prices")
_AMOUNTS = {"price", "cost", "rate", "fee", "charge", "fare", "value"}
HELD = {"stock", "hand"}
"""Words for what is kept in stock."""


def quantities(
    table: ReadTable, places: TableKeys, stock: bool = False
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Columns that say how many a row is of, those of what is kept in stock last."""
    none, counts = word_set("no quantities"), word_set("quantities")
    numbers = numbers_of(table, places)
    known = {words: name for words, name in numbers.items() if not none & set(words)}
    held = [words for words in known if not HELD.isdisjoint(words)]
    for words, name in known.items():
        # What something weighs is no quantity, unless it has a price for each.
        counted = words[-1] in counts or words[0] == "quantity"
        if counted and words not in held and "weight" not in words:
            yield words, name
    for words, name in known.items():
        # "Kegs", with a price per keg.
        if words not in held and _has_price(numbers, singular(words)[-1]):
            yield words, name
    for words in held if stock else ():
        if words[-1] in HELD | counts or _has_price(numbers, words[-1]):
            yield words, known[words]


def _has_price(numbers: Iterable[tuple[str, ...]], word: str) -> bool:
    """Whether there is a price for each of what a word says."""
    return any(_per(one, word) for one in numbers)


def priced(
    counts: list[tuple[tuple[str, ...], str]],
    numbers: Mapping[tuple[str, ...], str],
    path: tuple[Link, ...],
) -> tuple[str, Field] | None:
    """The first quantity with a price that fits it: a price for each of what it counts first."""
    for words, name in counts:
        unit = singular(words)[-1]
        for said, price in numbers.items():
            held = not HELD.isdisjoint(words)
            if _is_price_of(said, unit) or (held and _per(said, unit)):
                return name, Field(path, price)
    for words, name in counts:
        if not is_timed(words):
            plain = [numbers[one] for one in PRICES if one in numbers and one != ("rate",)]
        else:
            plain = [numbers[one] for one in (("rate",),) if one in numbers]
        if plain and plain[0] != name:
            return name, Field(path, plain[0])
    return None


def _is_price_of(said: tuple[str, ...], unit: str) -> bool:
    """Whether a column is the price of one: "price per tonne", "hourly rate", "ticket price"."""
    if not {"price", "rate", "fee", "charge", "fare"} & set(said) or set(said) & word_set(
        "no prices"
    ):
        return False
    if unit in _TIMES:
        return bool(_TIMES[unit] & set(said))
    last = singular(said)[-1]
    return ("per" in said and last == unit) or (said[-1] == "price" and said[:-1] == (unit,))


def _per(said: tuple[str, ...], unit: str) -> bool:
    """Whether a column is an amount of money for one of a unit: "price per keg", "cost per kg"."""
    return len(said) > 2 and said[-2:] == ("per", unit) and bool(_AMOUNTS & set(said))


def discounted(table: ReadTable, places: TableKeys, of: Attribute) -> Attribute:
    """A price less the discount of the row, if it has one."""
    numbers = numbers_of(table, places)
    discount = next((numbers[one] for one in names_of("discounts") if one in numbers), None)
    values = [] if discount is None else [float(one) for one in table.values(discount)]
    if discount is None or not values or min(values) < 0 or max(values) > 100:
        return of
    share: Attribute = Field((), discount)
    if max(values) > 1:
        share = Arithmetic("/", share, Value(100))
    return Arithmetic("*", of, Arithmetic("-", Value(1), share))


def numbers_of(table: ReadTable, places: TableKeys | None) -> dict[tuple[str, ...], str]:
    """Words of a column -> its name, of those with numbers that are no ids."""
    return {
        words: name
        for name, words in table.column_words.items()
        if table.meant[name].kind == "number" and not (places is not None and places.is_id(name))
    }


def is_timed(words: tuple[str, ...]) -> bool:
    """Whether a quantity is of time."""
    return singular(words)[-1] in _TIMES
