"""Affixes that are words of their own: "and" before a verb in Hebrew, a case after a noun.

In many languages what is a word in English is bound to the word beside it. Then each word stands in
two or more forms, of which the training questions show only some. An affix that many words take,
and that also occur without it, is read as a word.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from partwise.language.text import Words

FEWEST = 10
"""So often a word must be seen, and so many words must take an affix."""
SHARE = 0.15
"""So many of all words take an affix. Endings of verbs alone, as "-ed", are taken by fewer: they
stay parts of their words."""
LONGEST = 3
"""Characters of the longest affix."""
DEEPEST = 4
"""Affixes of one word; without a bound a long made-up word takes endless work."""
SHORTEST = 2
"""Characters of the shortest word that takes one."""


@dataclass(frozen=True)
class Affixes:
    """Affixes that are read as words.

    Attributes:
        prefixes: as they stand before words.
        suffixes: as they stand after them.
        stems: words that may take them.
    """

    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(self.stems)

    def parts(self, word: str, most: int = DEEPEST) -> tuple[str, ...]:
        """A word as its prefixes, what is left, and its suffixes, if what is left takes them.

        Args:
            most: how many affixes are looked for.
        """
        for prefix in self.prefixes if most else ():
            rest = word.removeprefix(prefix)
            if rest != word and (parts := self._whole(rest, most - 1)):
                return (prefix, *parts)
        for suffix in self.suffixes if most else ():
            rest = word.removesuffix(suffix)
            if rest != word and (parts := self._whole(rest, most - 1)):
                return (*parts, suffix)
        return (word,)

    def split(self, words: Words) -> Words:
        """The words with affixes apart. A hyphen after a prefix belongs to it, as in "ו-M1"."""
        texts: list[str] = []
        offsets: list[tuple[int, int]] = []
        for word, (start, end) in zip(words.words, words.offsets, strict=True):
            if word == "-" and texts and texts[-1] in self.prefixes and offsets[-1][1] == start:
                offsets[-1] = (offsets[-1][0], end)
                continue
            parts = self.parts(word)
            ends = accumulate(map(len, parts), initial=start)
            texts += parts
            offsets += pairwise(ends) if len(parts) > 1 else [(start, end)]
        return Words(words.text, tuple(texts), tuple(offsets))

    def _whole(self, rest: str, most: int) -> tuple[str, ...]:
        """The parts of what is left of a word; none if it is no word."""
        parts = self.parts(rest, most)
        return parts if len(parts) > 1 or rest in self._stems else ()


def learn_affixes(lines: Sequence[Sequence[str]]) -> Affixes:
    """The affixes of the words of training questions."""
    times = Counter(word for line in lines for word in line if word.isalpha() or not word.isascii())
    words = {word for word, n in times.items() if n >= FEWEST and len(word) >= SHORTEST}
    prefixes = _common(words, str.startswith, lambda word, size: (word[:size], word[size:]))
    # "and paint" and "and painted" are no second reason for "-ed".
    bare = {word for word in words if len(Affixes(prefixes, (), tuple(words)).parts(word)) == 1}
    suffixes = _common(bare, str.endswith, lambda word, size: (word[-size:], word[:-size]))
    return Affixes(prefixes, suffixes, tuple(sorted(words))) if prefixes or suffixes else Affixes()


def _common(
    words: set[str],
    bears: Callable[[str, str], bool],
    cut: Callable[[str, int], tuple[str, str]],
) -> tuple[str, ...]:
    """The affixes that many words take, the longest first.

    Args:
        bears: whether a word has an affix.
        cut: an affix of so many characters, and the rest of the word.
    """
    taken: dict[str, set[str]] = defaultdict(set)
    for word in words:
        for size in range(1, min(LONGEST, len(word) - SHORTEST) + 1):
            affix, rest = cut(word, size)
            if rest in words:
                taken[affix].add(rest)
    common = [
        affix
        for affix, stems in taken.items()
        if len(stems) >= max(FEWEST, SHARE * sum(not bears(word, affix) for word in words))
    ]
    return tuple(sorted(common, key=lambda affix: (-len(affix), affix)))
