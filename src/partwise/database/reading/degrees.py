"""Adjectives as questions and as plain orders: "how big they are", "lightest in calories"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from partwise.database.reading.cues import Adjective, adjectives, key_of
from partwise.database.reading.text import Word

DEGREES: Mapping[str, str] = {
    **{"big": "biggest", "large": "largest", "small": "smallest", "spacious": "most spacious"},
    **{"old": "oldest", "young": "youngest", "new": "newest", "recent": "most recent"},
    **{"long": "longest", "short": "shortest", "tall": "tallest", "high": "highest"},
    **{"low": "lowest", "heavy": "heaviest", "light": "lightest", "cheap": "cheapest"},
    **{"expensive": "most expensive", "pricey": "priciest", "dear": "dearest"},
    **{"fast": "fastest", "quick": "quickest", "slow": "slowest", "deep": "deepest"},
    **{"wide": "widest", "far": "farthest", "rich": "richest", "strong": "strongest"},
    **{"powerful": "most powerful", "thick": "thickest", "hot": "hottest", "cold": "coldest"},
    **{"valuable": "most valuable", "urgent": "most urgent", "good": "best", "busy": "busiest"},
}
"""Adjectives behind "how", and the superlative that speaks of the same columns."""
LEADING = {"by", "in", "for", "on", "terms", "regarding"}
"""Words behind which the column may stand that a superlative speaks of."""


def degree_at(words: Sequence[Word], at: int) -> Adjective | None:
    """What "how big" speaks of, if such words stand there."""
    if words[at].plain != "how" or at + 1 == len(words):
        return None
    superlative = DEGREES.get(words[at + 1].plain)
    found = adjectives().get(key_of(superlative), ()) if superlative else ()
    return next((one for one in found if one.op.startswith("dir:")), None)


def ordering(words: Sequence[Word], start: int, end: int) -> tuple[int, int] | None:
    """The words that order all rows with a superlative: "cheapest first", "from cheapest to
    dearest"; None where it stands for the first row alone."""
    plain = [one.plain for one in words]
    if plain[end : end + 1] == ["first"] and plain[end + 1 : end + 2] in ([], [","], ["."], ["?"]):
        return start, end + 1
    if plain[start - 1 : start] != ["from"] or plain[end : end + 1] != ["to"]:
        return None
    for size in (1, 2, 3):
        last = tuple(one.stem for one in words[end + 1 : end + 1 + size] if one.plain != "the")
        if any(one.op.startswith("dir") for one in adjectives().get(last, ())):
            return start - 1, end + 1 + size
    return None


def column_follows(words: Sequence[Word], end: int, column: bool) -> bool:
    """Whether a column may follow that a superlative which ends here speaks of.

    Args:
        column: whether the next word is one of a column's name.
    """
    return column or any(word.plain in LEADING for word in words[end + 1 : -1])
