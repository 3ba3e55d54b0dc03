"""Misspelt words of a question, and the words that they were to be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz.distance import OSA

from partwise.database.spans.text import Word, stem

TYPO = 75.0
"""How alike, of 100, two stems must be for one to be a misspelling of the other."""
SHORTEST = 5
"""The fewest letters of a word that is taken to be misspelt."""


def ratio(one: str, other: str) -> float:
    """How alike two words are spelt, up to 100; two exchanged letters count as one fault."""
    longest = max(len(one), len(other), 1)
    return 100 * (1 - OSA.distance(one, other) / longest)


class Spellings:
    """Words that a question may misspell. `words`: in lower case, as they are written."""

    def __init__(self, words: Iterable[str]) -> None:
        self._stems: dict[str, dict[str, None]] = defaultdict(dict)
        self._words: dict[str, dict[str, str]] = defaultdict(dict)
        for one in words:
            if one[:1].isalpha():
                stemmed = stem(one)
                self._stems[stemmed[0]][stemmed] = None
                self._words[one[0]] |= {one: stemmed, f"{one}s": stemmed}

    def meant(self, word: Word) -> tuple[str, float]:
        """The stem of the word that one was to be, and how well that is spelt, from 0 to 1; its own
        stem and 1 if it is like none."""
        if len(word.plain) < SHORTEST:
            return word.stem, 1.0
        first = word.plain[0]
        near = [one for one in self._stems[first] if abs(len(one) - len(word.stem)) <= 2]
        score, closest = max(((ratio(word.stem, one), one) for one in near), default=(0.0, ""))
        if score >= TYPO:
            return closest, score / 100
        # The stem of a misspelt word may be far from that of the right one: "custmers".
        slips = [one for one in self._words[first] if _slipped(word.plain, one)]
        if not slips:
            return word.stem, 1.0
        return self._words[first][slips[0]], ratio(word.plain, slips[0]) / 100


def _slipped(typed: str, word: str) -> bool:
    """Whether one letter is left out or too many, or two are exchanged. Words that differ in one
    letter, as "placed" and "played", are too often two words."""
    if abs(len(typed) - len(word)) > 1 or OSA.distance(typed, word, score_cutoff=1) != 1:
        return False
    return len(typed) != len(word) or sorted(typed) == sorted(word)
