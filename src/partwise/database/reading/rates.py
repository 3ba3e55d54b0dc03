"""Units that say what a price is for, other than how many: "the price of a kilo", "paid an hour"."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.reading.text import Word, stem

PRICES = frozenset(
    map(
        stem,
        [
            "price",
            "cost",
            "pay",
            "rate",
            "rent",
            "wage",
            "salary",
            "charge",
            "fee",
            "fare",
            "tariff",
            "earn",
            "make",
            "sell",
            "yield",
            "speed",
            "produce",
            "use",
            "consume",
            "get",
            "buy",
        ],
    )
)
"""Stems of words that prices, wages and other rates are asked by."""
ARTICLES = {"a", "an", "per", "each", "every", "one", "the"}
COMPARED = {"than", "over", "under", "above", "below", "least", "most", "within", "exactly", "half"}
"""Words behind which a unit is a number: "shorter than an hour"."""


def is_rate(words: Sequence[Word], at: int) -> bool:
    """Whether "a" at a place, and the unit behind it, say what a price is for."""
    if words[at].plain not in ARTICLES or (at and words[at - 1].plain in COMPARED):
        return False
    return any(word.stem in PRICES for word in words)
