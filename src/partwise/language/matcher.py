"""PhraseMatcher: where the phrases of a domain stand in a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from partwise.language.constants import EntityType, Vocabulary
from partwise.language.text import (
    FUNCTION_WORDS,
    QUOTES,
    SHORTEST,
    Words,
    content,
    fold,
    is_punctuation,
    spelt_like,
    split,
)

Key = tuple[str, ...]
Table = dict[Key, tuple[int, ...]]
GAP = "..."
"""In a phrase of a predicate, words that belong to something else."""
GUESSES = 4
"""How many words a misspelt one is taken for at most."""
NAME = 3
"""How many words a name has at most that is part of what a pattern guesses."""
MISSPELT = 6
"""In how many words of a question errors are looked for at most."""


class Match(NamedTuple):
    """A phrase over the words ``start..end`` (end excluded), and the number of its constant. A
    `guess` forgives an error of spelling."""

    start: int
    end: int
    number: int
    guess: bool = False


class PhraseMatcher:
    """Finds the phrases of a domain's constants, the names of a hundred thousand among them. Time
    grows with the words of the question times those of the longest phrase, except for words that
    nothing knows where errors are forgiven. `phrases`: number of a predicate -> its phrases, in
    place of its own; `exact`: words of a phrase -> numbers of the constants that it may name, as
    written."""

    def __init__(
        self, vocabulary: Vocabulary, phrases: Mapping[int, Sequence[str]] | None = None
    ) -> None:
        self.exact: Table = {}
        # Phrases with words of others between their parts, and their constants.
        self._gapped: list[tuple[tuple[Key, ...], int]] = []
        # Names without diacritics and punctuation, where these change them.
        self._normalized: Table = {}
        # Names in whose words errors of spelling are forgiven.
        self._spelling: Table = {}
        # Names that are function words (a film called "Her"), and their entities; they count only
        # where they are written as names, unless they are given as aliases, too.
        self._function_words: set[tuple[str, int]] = set()
        self._first_entity = vocabulary.n_predicates
        for constant in vocabulary.predicates:
            self._add_phrases(
                (phrases or {}).get(constant.number, constant.phrases), constant.number
            )
        predicate_words = {word for key in self.exact for word in key}
        predicate_words |= {word for parts, _ in self._gapped for key in parts for word in key}
        self._patterns = []
        for place, entity_type in enumerate(vocabulary.types):
            self._add_names(entity_type)
            if entity_type.pattern is not None:
                self._patterns.append(
                    (entity_type, entity_type.pattern, partial(vocabulary.meet, place))
                )
        self._longest = max(map(len, (*self.exact, *self._normalized)), default=1)
        words = {word for key in self._spelling for word in key if len(word) >= SHORTEST}
        self._by_letter: dict[str, list[str]] = {}
        for word in sorted(words):
            self._by_letter.setdefault(word[0], []).append(word)
        self._known = words | predicate_words | FUNCTION_WORDS

    def _add_phrases(self, phrases: Sequence[str], number: int) -> None:
        for phrase in phrases:
            parts = tuple(map(split, phrase.split(GAP)))
            if len(parts) > 1 and all(parts):
                self._gapped.append((parts, number))
            else:
                _put(self.exact, split(phrase), number)

    def _add_names(self, entity_type: EntityType) -> None:
        for number, name in enumerate(entity_type.names, entity_type.first):
            if name.lower() in FUNCTION_WORDS and name not in entity_type.aliases.get(name, ()):
                self._function_words.add((name.lower(), number))
            for phrase in entity_type.phrases(name):
                self._add_name(split(phrase), number, entity_type.typos)

    def _add_name(self, words: Key, number: int, typos: bool) -> None:
        plain = all(word.isascii() and word.isalnum() for word in words)
        key = words if plain else content(tuple(map(fold, words)))
        _put(self.exact, words, number)
        if key != words:
            _put(self._normalized, key, number)
        if typos:
            _put(self._spelling, key, number)

    def find(self, words: Words) -> list[Match]:
        folds = [fold(word) for word in words.words]
        places = [place for place, word in enumerate(folds) if not is_punctuation(word)]
        keys = tuple(folds[place] for place in places)
        named = {*self._exact(words), *self._loose(words, places, keys)}
        matches = {match for match in named if not self._is_language(words, match)}
        matches.update(self._by_pattern(words))
        if self._by_letter:
            covered = {i for match in matches for i in range(match.start, match.end)}
            certain = {match[:3] for match in matches}
            guesses = self._misspelt(places, keys, covered)
            matches |= {match for match in guesses if match[:3] not in certain}
        return sorted(matches)

    def _spans(self, count: int) -> Iterator[tuple[int, int]]:
        for start in range(count):
            for end in range(start + 1, min(count, start + self._longest) + 1):
                yield start, end

    def _exact(self, words: Words) -> Iterator[Match]:
        for start, end in self._spans(len(words)):
            for number in self.exact.get(words.words[start:end], ()):
                yield Match(start, end, number)
        for parts, number in self._gapped:
            yield from self._apart(words.words, parts, number)

    def _apart(self, words: Key, parts: Sequence[Key], number: int) -> Iterator[Match]:
        """Where the last part of a phrase stands, all others before it and words between them."""
        ahead = 0
        for place, part in enumerate(parts):
            starts = range(ahead, len(words) - len(part) + 1)
            here = [start for start in starts if words[start : start + len(part)] == part]
            if not here:
                return
            if place < len(parts) - 1:
                ahead = here[0] + len(part) + 1
        for start in here:
            yield Match(start, start + len(parts[-1]), number)

    def _loose(self, words: Words, places: Sequence[int], keys: Key) -> Iterator[Match]:
        """Names that differ in diacritics or punctuation, in the domain or in the question."""
        for a, b in self._spans(len(places)):
            key, start, end = keys[a:b], places[a], places[b - 1] + 1
            plain = () if key == words.words[start:end] else self.exact.get(key, ())
            names = (number for number in plain if number >= self._first_entity)
            for number in (*self._normalized.get(key, ()), *names):
                yield Match(start, end, number)

    def _is_language(self, words: Words, match: Match) -> bool:
        """Whether a name is rather a function word that stands there. A name is in quotes, or has a
        capital where other words have none."""
        place, text = match.start, words.text
        if (words.words[place], match.number) not in self._function_words:
            return False
        if match.end - match.start > 1:
            return False
        capital = text[words.offsets[place][0]].isupper() and not text.isupper()
        return not (place and (words.words[place - 1] in QUOTES or capital))

    def _by_pattern(self, words: Words) -> Iterator[Match]:
        """What the patterns give, where it begins and ends with a word; where they only guess, each
        part of it, too."""
        starts = {start: i for i, (start, _) in enumerate(words.offsets)}
        ends = {end: i + 1 for i, (_, end) in enumerate(words.offsets)}
        for entity_type, pattern, number in self._patterns:
            for match in pattern.finditer(words.text):
                if match.start() not in starts or match.end() not in ends or not match.group():
                    continue
                start, end = starts[match.start()], ends[match.end()]
                for a, b in _parts(start, end) if entity_type.guess else ((start, end),):
                    text = words.text[words.offsets[a][0] : words.offsets[b - 1][1]]
                    name = entity_type.find_name(text) if pattern.fullmatch(text) else None
                    if name is not None:
                        yield Match(a, b, number(name))

    def _misspelt(self, places: Sequence[int], keys: Key, covered: set[int]) -> Iterator[Match]:
        unknown = [a for a, place in enumerate(places) if place not in covered]
        strange = [a for a in unknown if keys[a].isalpha() and keys[a] not in self._known]
        long = [a for a in strange if len(keys[a]) >= SHORTEST]
        options = {a: self._near(keys[a]) for a in long[:MISSPELT]}
        for a, b in self._spans(len(places)):
            wrong = {c: options[c] for c in range(a, b) if options.get(c)}
            if 1 <= len(wrong) <= 2:
                for number in self._spelt(keys[a:b], a, wrong):
                    yield Match(places[a], places[b - 1] + 1, number, True)

    def _spelt(self, key: Key, first: int, options: Mapping[int, Sequence[str]]) -> Iterator[int]:
        for choice in product(*options.values()):
            changed = list(key)
            for place, word in zip(options, choice, strict=True):
                changed[place - first] = word
            yield from self._spelling.get(tuple(changed), ())

    def _near(self, word: str) -> list[str]:
        """Words that an error turns into this one, the likeliest first; they begin alike."""
        alike = self._by_letter.get(word[0], [])
        return [known for _, known in spelt_like(word, alike, GUESSES)]


def _parts(start: int, end: int) -> Iterator[tuple[int, int]]:
    for a in range(start, end):
        for b in range(a + 1, min(end, a + NAME) + 1):
            yield a, b
    if end - start > NAME:
        yield start, end


def _put(table: Table, words: Key, number: int) -> None:
    known = table.get(words, ())
    if words and number not in known:
        table[words] = (*known, number)
