"""PhraseMatcher: where the phrases of a domain stand in a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from partwise.language.normalization import FUNCTION_WORDS, QUOTES, folded, is_punctuation
from partwise.language.tokenizer import Words

Key = tuple[str, ...]
SHORTEST, LONG = 4, 8
"""Letters that a word needs for one error of spelling to be forgiven, and for two."""
GUESSES = 4
"""How many words a misspelt one is taken for at most."""
MISSPELT = 6
"""In how many words of a question errors are looked for at most."""


class Match(NamedTuple):
    """A phrase over the words ``start..end`` (end excluded).

    Attributes:
        number: of the constant that it names.
        guess: whether an error of spelling is forgiven.
    """

    start: int
    end: int
    number: int
    guess: bool = False


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """The phrases to look for.

    Attributes:
        exact: words -> numbers of the constants that they may name, as written.
        normalized: the same without diacritics and punctuation, for names that these change.
        first_entity: the first number that is an entity's.
        function_word_names: entities whose name is a function word (a film called "Her"), which
            counts only where it is written as a name.
        spelling: words of names in which errors of spelling are forgiven.
        predicate_words: words of the predicates' phrases.
    """

    exact: Mapping[Key, Sequence[int]]
    normalized: Mapping[Key, Sequence[int]]
    first_entity: int = 0
    function_word_names: frozenset[int] = frozenset()
    spelling: Mapping[Key, Sequence[int]] = field(default_factory=dict)
    predicate_words: frozenset[str] = frozenset()


class NamePattern(NamedTuple):
    """What names look like that are not listed.

    Attributes:
        number: the number of the constant that a text names.
    """

    regex: re.Pattern[str]
    number: Callable[[str], int]


class PhraseMatcher:
    """Finds phrases, the names of a hundred thousand entities among them, word by word.

    Time grows with the words of the question times those of the longest phrase, not with the
    number of names, except for words that nothing knows where errors are forgiven.

    Args:
        patterns: what names that are not listed look like -> the number for a text.
    """

    def __init__(self, phrases: PhraseTable, patterns: Sequence[NamePattern] = ()) -> None:
        self.phrases, self.patterns = phrases, tuple(patterns)
        lengths = map(len, (*phrases.exact, *phrases.normalized))
        self.longest = max(lengths, default=1)
        self._words: dict[str, list[str]] = {}
        words = {word for key in phrases.spelling for word in key if len(word) >= SHORTEST}
        for word in sorted(words):
            self._words.setdefault(word[0], []).append(word)
        self._known = words | phrases.predicate_words | FUNCTION_WORDS

    def find(self, words: Words) -> list[Match]:
        """All phrases of a question, each at each place once, in order."""
        matches = {*self._exact(words), *self._normalized(words), *self._patterns(words)}
        if self._words:
            covered = {i for match in matches for i in range(match.start, match.end)}
            certain = {match[:3] for match in matches}
            matches |= {m for m in self._misspelt(words, covered) if m[:3] not in certain}
        return sorted(matches)

    def _exact(self, words: Words) -> Iterator[Match]:
        n = len(words)
        for i in range(n):
            for k in range(i + 1, min(n, i + self.longest) + 1):
                for number in self.phrases.exact.get(words.words[i:k], ()):
                    if not self._is_language(words, i, k, number):
                        yield Match(i, k, number)

    def _normalized(self, words: Words) -> Iterator[Match]:
        """Names that differ in diacritics or punctuation, in the domain or in the question."""
        places, keys = _content(words)
        known, first = self.phrases, self.phrases.first_entity
        for a in range(len(places)):
            for b in range(a + 1, min(len(places), a + self.longest) + 1):
                key, start, end = keys[a:b], places[a], places[b - 1] + 1
                plain = () if key == words.words[start:end] else known.exact.get(key, ())
                for number in (*known.normalized.get(key, ()), *(n for n in plain if n >= first)):
                    if not self._is_language(words, start, end, number):
                        yield Match(start, end, number)

    def _is_language(self, words: Words, start: int, end: int, number: int) -> bool:
        """Whether a name is rather a function word that stands there."""
        plain = end - start == 1 and words.words[start] in FUNCTION_WORDS
        return plain and number in self.phrases.function_word_names and not _as_name(words, start)

    def _patterns(self, words: Words) -> Iterator[Match]:
        """What the patterns give, where it begins and ends with a word."""
        starts = {start: i for i, (start, _) in enumerate(words.offsets)}
        ends = {end: i + 1 for i, (_, end) in enumerate(words.offsets)}
        for pattern in self.patterns:
            for match in pattern.regex.finditer(words.text):
                if match.start() in starts and match.end() in ends and match.group():
                    number = pattern.number(match.group())
                    yield Match(starts[match.start()], ends[match.end()], number)

    def _misspelt(self, words: Words, covered: set[int]) -> Iterator[Match]:
        places, keys = _content(words)
        unknown = [
            a
            for a, place in enumerate(places)
            if place not in covered and self._may_be_misspelt(keys[a])
        ]
        options = {a: self._near(keys[a]) for a in unknown[:MISSPELT]}
        for a in range(len(places)):
            for b in range(a + 1, min(len(places), a + self.longest) + 1):
                wrong = [c for c in range(a, b) if options.get(c)]
                if wrong and len(wrong) <= 2:
                    for number in self._spelt(keys[a:b], a, {c: options[c] for c in wrong}):
                        yield Match(places[a], places[b - 1] + 1, number, True)

    def _may_be_misspelt(self, word: str) -> bool:
        return len(word) >= SHORTEST and word.isalpha() and word not in self._known

    def _spelt(self, key: Key, first: int, options: Mapping[int, Sequence[str]]) -> Iterator[int]:
        for choice in product(*options.values()):
            changed = list(key)
            for place, word in zip(options, choice, strict=True):
                changed[place - first] = word
            yield from self.phrases.spelling.get(tuple(changed), ())

    def _near(self, word: str) -> list[str]:
        """Words that an error turns into this one, the likeliest first; they begin alike."""
        allowed = 2 if len(word) >= LONG else 1
        alike = self._words.get(word[0], [])
        near = extract(word, alike, scorer=OSA.distance, score_cutoff=allowed, limit=GUESSES)
        return [known for known, _, _ in near]


def _content(words: Words) -> tuple[list[int], Key]:
    """The places of the words that are no punctuation, and these without case and diacritics."""
    keys = [folded(word) for word in words.words]
    places = [place for place, key in enumerate(keys) if not is_punctuation(key)]
    return places, tuple(keys[place] for place in places)


def _as_name(words: Words, place: int) -> bool:
    """Whether a word is in quotes, or has a capital where other words have none."""
    text, (start, _) = words.text, words.offsets[place]
    if place and words.words[place - 1] in QUOTES:
        return True
    return place > 0 and text[start].isupper() and not text.isupper()
