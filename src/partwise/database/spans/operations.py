"""The operations that phrases say, from the rows of ``language/lexicon.tsv``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from partwise.database.spans.text import Word, function_words, stem, stems_of, words_of
from partwise.language.lexicon import LexiconRow, read_lexicon

LONGEST = 6
"""The most words of a phrase."""
SHORTEST = 5
"""The fewest letters of a word that may be misspelt, or have an affix."""
ANY_DATE = ("*",)
"""The noun that stands for each date."""
_COMPARED = {"asc": "<", "desc": ">"}
_FIRST, _AFFIXES = "at the beginning", "affixes"
ENDS = "ends of what is due"
"""Sections of the lexicon that are no plain phrases."""


class Operation(NamedTuple):
    """What a phrase says.

    Attributes:
        name: ``count``, ``sign``, ``top``, ``ask``, ...
        argument: what goes with it: ``>``, ``desc``.
        nouns: stems of what the column is called that it speaks of, the likeliest first.
        first: whether it must begin the question.
    """

    name: str
    argument: str = ""
    nouns: tuple[tuple[str, ...], ...] = ()
    first: bool = False


class AffixOperations(NamedTuple):
    """Beginnings and ends of words, and what such words say."""

    prefixes: tuple[tuple[str, Operation], ...]
    suffixes: tuple[tuple[str, Operation], ...]


def phrase_key(phrase: str) -> tuple[str, ...]:
    """A phrase as it is looked up."""
    return tuple(word.stem for word in words_of(phrase))


@cache
def operations() -> Mapping[tuple[str, ...], tuple[Operation, ...]]:
    """Phrases -> what they may say."""
    made: dict[tuple[str, ...], list[Operation]] = defaultdict(list)
    for row in lexicon_rows():
        if row.section in {_AFFIXES, ENDS}:
            continue
        for phrase in row.phrases:
            positive, slash, comparative = phrase.partition("/")
            for meaning in row.meanings:
                said = _operation(meaning, first=row.section == _FIRST)
                if said.name != "degree":
                    made[phrase_key(phrase)].append(said)
                    continue
                made[phrase_key(positive)].append(said._replace(name="top"))
                if slash:
                    sign = said._replace(name="sign", argument=_COMPARED[said.argument])
                    made[phrase_key(comparative)].append(sign)
    return {key: tuple(dict.fromkeys(some)) for key, some in made.items()}


@cache
def affixes() -> AffixOperations:
    """The rows that are beginnings or ends of words."""
    rows = [row for row in lexicon_rows() if row.section == _AFFIXES]
    every = [(phrase, _operation(row.meaning)) for row in rows for phrase in row.phrases]
    return AffixOperations(
        tuple((phrase[:-1], said) for phrase, said in every if phrase.endswith("-")),
        tuple((phrase[1:], said) for phrase, said in every if phrase.startswith("-")),
    )


@cache
def words_of_columns(section: str) -> frozenset[str]:
    """Stems of what columns are called: of dates that end something due, `ENDS`."""
    rows = [row for row in lexicon_rows() if row.section == section]
    return frozenset(stem(word) for row in rows for word in row.phrases)


@cache
def lexicon_rows() -> tuple[LexiconRow, ...]:
    """All rows, in their order."""
    return read_lexicon("partwise.language", "lexicon.tsv")


@cache
def operation_words() -> frozenset[str]:
    """Stems of all words of phrases."""
    return frozenset(part for key in operations() for part in key)


def spelt(word: Word, known: bool) -> str:
    """The stem of a word, or of the one of an operation that it misspells. `known`: whether a name
    has the word."""
    every, said = operation_words(), word.stem
    if len(word.plain) < SHORTEST or said in every or known or said in function_words():
        return said
    return next((right for right in _long_words() if _is_slip(said, right)), said)


def said_by(words: Sequence[Word], stems: Sequence[str]) -> tuple[Operation, ...]:
    """What a phrase says; of one word with a hyphen also what its parts say."""
    found = operations().get(tuple(stems), ())
    if not found and len(words) == 1 and "-" in words[0].plain:
        found = operations().get(tuple(map(stem, words[0].plain.split("-"))), ())
    return found


def _operation(meaning: str, first: bool = False) -> Operation:
    said, _, listed = meaning.partition(":")
    name, _, argument = said.partition(" ")
    nouns = [noun.strip() for noun in listed.split(";") if noun.strip()]
    stems = tuple(ANY_DATE if noun == "*" else stems_of(noun) for noun in nouns)
    return Operation(name, argument, stems, first)


@cache
def _long_words() -> tuple[str, ...]:
    return tuple(sorted(part for part in operation_words() if len(part) >= SHORTEST))


def _is_slip(said: str, right: str) -> bool:
    """Whether one letter is missing, too many, another, or exchanged with the next."""
    return said[0] == right[0] and OSA.distance(said, right, score_cutoff=1) == 1
