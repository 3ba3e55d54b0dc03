"""The phrases of a domain's constants, as a matcher looks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from partwise.language.matcher import Key, NamePattern, PhraseMatcher, PhraseTable
from partwise.language.normalization import FUNCTION_WORDS, folded, is_punctuation
from partwise.language.tokenizer import split
from partwise.language.vocabulary import EntityType, Vocabulary

Table = dict[Key, tuple[int, ...]]


def matcher_of(vocabulary: Vocabulary) -> PhraseMatcher:
    """What finds the constants of a domain in questions."""
    patterns = [
        NamePattern(one.pattern, partial(vocabulary.meet, place))
        for place, one in enumerate(vocabulary.types)
        if one.pattern is not None
    ]
    return PhraseMatcher(phrases_of(vocabulary), patterns)


def phrases_of(vocabulary: Vocabulary) -> PhraseTable:
    """All phrases; an entity is not made for it."""
    exact: Table = {}
    for constant in vocabulary[: vocabulary.n_predicates]:
        for phrase in constant.phrases:
            _put(exact, split(phrase), constant.number)
    predicate_words = {word for key in exact for word in key}
    normalized: Table = {}
    spelling: Table = {}
    function_word_names: set[int] = set()
    for one in vocabulary.types:
        for number, phrase in _phrases(vocabulary, one):
            words = split(phrase)
            key = _key(words)
            _put(exact, words, number)
            if key != words:
                _put(normalized, key, number)
            if one.typos:
                _put(spelling, key, number)
        names = enumerate(one.names, one.first)
        function_word_names |= {number for number, name in names if name.lower() in FUNCTION_WORDS}
    return PhraseTable(
        exact,
        normalized,
        vocabulary.n_predicates,
        frozenset(function_word_names),
        spelling,
        frozenset(predicate_words),
    )


def _phrases(vocabulary: Vocabulary, one: EntityType) -> Iterator[tuple[int, str]]:
    for number, name in enumerate(one.names, one.first):
        yield number, name
        more: Iterable[str] = (*one.aliases.get(name, ()), *vocabulary.extra.get(number, ()))
        yield from ((number, phrase) for phrase in more)


def _key(words: Key) -> Key:
    """The words without diacritics and punctuation; with it if there is nothing else."""
    if all(word.isascii() and word.isalnum() for word in words):
        return words
    keys = tuple(folded(word) for word in words)
    return tuple(key for key in keys if not is_punctuation(key)) or keys


def _put(table: Table, words: Key, number: int) -> None:
    if not words:
        return
    known = table.get(words, ())
    if number not in known:
        table[words] = (*known, number)
