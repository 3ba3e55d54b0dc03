"""Shortened words in stored names: ``cls`` for class, ``knd`` for kind, ``strt`` for start.

What has no vowel, and is in no list of abbreviations, is written out as the usual word that has its
letters in their order.
"""

from __future__ import annotations

from functools import lru_cache

from partwise.database.source.lexicon import label_words, word_set

VOWELS = frozenset("aeiouy")
SHORTEST, LONGEST = 3, 6
"""The fewest and the most letters of a shortened word; of two, too many words have them."""
TIMES = 3
"""The most letters that a word has for each of a shortened one."""


@lru_cache(maxsize=4096)
def written_out(short: str) -> str:
    """The usual word that a shortened one stands for; itself where there is none."""
    fits = SHORTEST <= len(short) <= LONGEST and short.isalpha() and not VOWELS & set(short)
    if not fits or short in word_set("acronyms"):
        return short
    scored = [(_score(short, word), -rank, word) for rank, word in enumerate(_usual())]
    score, _, word = max(scored)
    return word if score else short


@lru_cache(maxsize=4096)
def is_short_for(short: str, word: str) -> bool:
    """Whether some letters stand for a certain word: how it begins, or its consonants."""
    if not 2 <= len(short) < len(word):
        return False
    return word.startswith(short) or bool(_score(short, word))


def _score(short: str, word: str) -> float:
    """How well letters without vowels stand for a word; 0 if they do not."""
    if short[0] != word[0] or len(short) >= len(word) or len(word) > TIMES * len(short):
        return 0.0
    letters = iter(word)
    if not all(one in letters for one in short):
        return 0.0
    whole = short in (_bare(word), _bare(word, twice=True))
    if VOWELS & set(short[1:]):
        return 0.0
    return 1.0 + 0.5 * whole + 0.3 * (short[-1] == word[-1]) + 0.5 * len(short) / len(word)


def _bare(word: str, twice: bool = False) -> str:
    """A word without its vowels, but for the first letter.

    Args:
        twice: whether doubled letters stay.
    """
    kept = word[:1]
    for one in word[1:]:
        if one not in VOWELS and (twice or one != kept[-1]):
            kept += one
    return kept


@lru_cache(maxsize=1)
def _usual() -> tuple[str, ...]:
    """Words that may be shortened."""
    listed = word_set("usual") | word_set("shortened") | label_words()
    return tuple(sorted(one for one in listed if len(one) > 3))
