"""What the numbers of a table count, when its rows happened, and which figure they add up to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from partwise.database.layer.model import Measure
from partwise.database.source.reading import ReadTable
from partwise.database.source.roles import Places, is_person
from partwise.database.source.word_sets import word_set
from partwise.database.source.words import words_of_name
from partwise.execution.relational.program import Arithmetic, Attribute, Field, Value

MONEY = "money"
"""The unit of amounts whose currency is not known."""
REVENUE = (
    "revenue", "sales", "turnover", "income", "earnings", "takings", "money made", "amount spent",
    "money spent", "spending", "total sales", "sales total",
)  # fmt: skip
_PRICES = (
    ("unit", "price"),
    ("price",),
    ("sale", "price"),
    ("list", "price"),
    ("price", "each"),
    ("unit", "cost"),
)
_QUANTITIES = (
    ("quantity",),
    ("quantity", "ordered"),
    ("order", "quantity"),
    ("units",),
    ("quantity", "sold"),
)
_DISCOUNTS = (("discount",), ("discount", "rate"), ("discount", "percent"))


def unit(words: tuple[str, ...], comment: str) -> str | None:
    """What the numbers of a column count, by its name or its comment; None if they do not say."""
    said = {*words, *(word for word in re.findall(r"[a-z]+", comment.lower()))}
    found = [one for some, one in _units() if some & said]
    if found:
        return found[-1]
    return MONEY if words and words[-1] in word_set("money") else None


def default_date(table: ReadTable, places: Places) -> str | None:
    """The column that says when a row happened: the only one that may, or the one called so."""
    dates = [name for name, meant in table.meant.items() if meant.kind == "date"]
    state = word_set("dates of state")
    events = [name for name in dates if not state & set(table.column_words[name])]
    for name in events:
        words = set(words_of_name(name)) - {"date", "time", "at", "on"}
        if words <= set(table.words):
            return name
    if len(events) == 1:
        return events[0]
    called = [
        name for name in events if set(table.column_words[name]) & word_set("dates of events")
    ]
    return called[0] if called else None


def measures(table: ReadTable, places: Places, units: Mapping[str, str | None]) -> list[Measure]:
    """The figures that the rows of an event add up to: what was sold, paid or spent."""
    if is_person(table) or not places.links:
        return []
    if (of := _line(table, places)) is not None:
        return [_measure(table, "revenue", of, MONEY)]
    for name, words in table.column_words.items():
        said = "-".join(words)
        total = said in word_set("totals") or "-".join(words_of_name(name)) in word_set("totals")
        happened = words != ("total",) or default_date(table, places) is not None
        number = table.meant[name].kind == "number" and not places.is_id(name)
        if number and total and happened:
            label = " ".join(words if len(words) > 1 else (*table.words, *words))
            return [_measure(table, label, Field((), name), units.get(name) or MONEY)]
    return []


def _measure(table: ReadTable, label: str, of: Attribute, counts: str) -> Measure:
    synonyms = tuple(one for one in REVENUE if one != label)
    return Measure(
        label.replace(" ", "_"), label, table.name, "sum", of, synonyms=synonyms, unit=counts
    )


def _line(table: ReadTable, places: Places) -> Attribute | None:
    """Quantity times price, less the discount."""
    numbers = {
        words: name
        for name, words in table.column_words.items()
        if table.meant[name].kind == "number" and not places.is_id(name)
    }
    price = next((numbers[one] for one in _PRICES if one in numbers), None)
    quantity = next((numbers[one] for one in _QUANTITIES if one in numbers), None)
    if price is None or quantity is None:
        return None
    of: Attribute = Arithmetic("*", Field((), quantity), Field((), price))
    discount = next((numbers[one] for one in _DISCOUNTS if one in numbers), None)
    values = [] if discount is None else [float(one) for one in table.values(discount)]
    if discount is None or not values or min(values) < 0 or max(values) > 100:
        return of
    share: Attribute = Field((), discount)
    if max(values) > 1:
        share = Arithmetic("/", share, Value(100))
    return Arithmetic("*", of, Arithmetic("-", Value(1), share))


@lru_cache(maxsize=1)
def _units() -> tuple[tuple[frozenset[str], str], ...]:
    text = files("partwise.database.source").joinpath("units.txt").read_text("utf-8")
    lines = [line.split(":") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple((frozenset(words.split()), one.strip()) for words, one in lines)
