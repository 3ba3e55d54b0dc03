"""What a price is for, other than how many: "the price of a kilo", "what is paid an hour"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partwise.database.layer.model import ColumnInfo
from partwise.database.reading.text import Word, stem
from partwise.database.units import WORDS as UNIT_WORDS

_PRICES = (
    *("price", "cost", "pay", "rate", "rent", "wage", "salary", "charge", "fee", "fare"),
    *("tariff", "earn", "make", "yield", "get", "buy", "produce", "use", "consume"),
)
PRICES = frozenset(map(stem, _PRICES))
"""Stems of words that prices, wages and other rates are asked by."""
ARTICLES = {"a", "an", "per", "each", "every", "one", "the"}
COMPARED = {"than", "over", "under", "above", "below", "least", "most", "within", "exactly", "half"}
"""Words behind which a unit is a number: "shorter than an hour"."""
ADVERBS: Mapping[str, str] = {
    **{"hour": "hourly", "day": "daily", "night": "nightly", "week": "weekly"},
    **{"month": "monthly", "year": "yearly annual annually", "quarter": "quarterly"},
}
"""Times, and how columns that hold something for each are called."""
ANY = {"unit", "piece", "item", "each"}
"""What a column is called after "per" whose unit is another one for each row."""
OTHERS = {"person", "head", "guest", "seat", "night", "month", "year", "piece", "item", "unit"}
"""What prices are for, beside units."""


def is_rate(words: Sequence[Word], at: int) -> bool:
    """Whether "a" at a place, and the unit behind it, say what a price is for."""
    if words[at].plain not in ARTICLES or (at and words[at - 1].plain in COMPARED):
        return False
    return any(word.stem in PRICES for word in words)


def rate_at(words: Sequence[Word], at: int) -> str:
    """The word behind "a" or "per" at a place that says what a price is for; "" if none does."""
    if at + 1 >= len(words) or words[at].plain not in ARTICLES or not is_rate(words, at):
        return ""
    said = words[at + 1].plain
    return said if said in UNIT_WORDS or said in OTHERS or said in ADVERBS else ""


def is_of_rate(column: ColumnInfo, said: str) -> bool:
    """Whether a column is a price for each of what was said: "hourly wage", "cost per ha"."""
    words = column.label.split()
    if set(ADVERBS.get(said, "").split()) & set(words):
        return True
    if column.kind != "number" or "per" not in words[:-1]:
        return False
    last = words[words.index("per") + 1]
    codes = set(UNIT_WORDS.get(said, ()))
    return last == said or last in ANY or bool(codes & set(UNIT_WORDS.get(last, ())))
