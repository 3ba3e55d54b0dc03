"""Places in an order: "the second longest track", "third oldest"."""

from __future__ import annotations

from collections.abc import Sequence

from partwise.database.reading.cues import adjectives, cues
from partwise.database.spans.periods import rank_of
from partwise.database.spans.text import Word

WORDS = 2
"""The most words of a superlative behind an ordinal, as "most expensive" has."""
_FIRST = ("dir", "often", "agg:maximum", "agg:minimum")
"""How the operations begin of which there is a first."""
_NO_SUPERLATIVES = {"last", "next", "latter", "main", "max", "min", "top"}


def places_in(words: Sequence[Word]) -> dict[int, int]:
    """The ordinals that stand before a superlative: their words -> their numbers, from 2 on."""
    found = {}
    for at, word in enumerate(words[:-1]):
        place = rank_of(word.plain)
        if place is not None and place > 1 and not word.plain.isdigit():
            ends = range(at + 2, min(at + 1 + WORDS, len(words)) + 1)
            if any(_is_superlative(words[at + 1 : end]) for end in ends):
                found[at] = place
    return found


def _is_superlative(words: Sequence[Word]) -> bool:
    key = tuple(one.stem for one in words)
    said = [*cues().get(key, ()), *(one.op for one in adjectives().get(key, ()))]
    return words[0].plain not in _NO_SUPERLATIVES and any(one.startswith(_FIRST) for one in said)
