"""Which words say which operation, and which column an adjective speaks of."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from partwise.database.spans.spelling import Spellings
from partwise.database.spans.text import function_words, lines_of, stems_of, words_of

Key = tuple[str, ...]
"""Words in lower case, without their inflection."""


class Adjective(NamedTuple):
    """What an adjective says of a column.

    Attributes:
        op: ``dir:desc``, ``dir:asc``, ``sign:>``, ``sign:<``, ``difference:more`` or
            ``difference:less``.
        names: stems of what the column may be called, the likeliest first.
    """

    op: str
    names: tuple[Key, ...]


def key_of(phrase: str) -> Key:
    """A phrase as it is looked up."""
    return tuple(one.stem for one in words_of(phrase))


@cache
def cues() -> dict[Key, tuple[str, ...]]:
    """Phrases -> the operations that they may say."""
    result: dict[Key, list[str]] = {}
    for line in lines_of("cues.txt", __package__):
        # An operation has a colon of its own.
        op, _, phrases = line.partition(": ")
        for phrase in phrases.split(", "):
            result.setdefault(key_of(phrase), []).append(op)
    return {key: tuple(dict.fromkeys(ops)) for key, ops in result.items()}


@cache
def adjectives() -> dict[Key, tuple[Adjective, ...]]:
    """Superlatives and comparatives -> what they may say of which columns."""
    result: dict[Key, list[Adjective]] = {}
    for line in lines_of("adjectives.txt", __package__):
        words, _, meanings = line.partition(": ")
        superlative, _, comparative = words.partition("/")
        for meaning in meanings.split(" | "):
            way, _, listed = meaning.partition(": ")
            names = tuple(_stems(name) for name in listed.split(", "))
            result.setdefault(key_of(superlative), []).append(Adjective(f"dir:{way}", names))
            if comparative:
                sign = "sign:>" if way == "desc" else "sign:<"
                for said in (comparative, f"{comparative} than"):
                    result.setdefault(key_of(said), []).append(Adjective(sign, names))
                more = f"difference:{'more' if way == 'desc' else 'less'}"
                asked = f"how much {comparative}"
                result.setdefault(key_of(asked), []).append(Adjective(more, names))
    return {key: tuple(some) for key, some in result.items()}


@cache
def cue_words() -> frozenset[str]:
    """Stems of function words, and of all words that are part of a cue."""
    return function_words() | {one for key in [*cues(), *adjectives()] for one in key}


@cache
def single_cues() -> frozenset[str]:
    """Stems that are a cue on their own."""
    return frozenset(key[0] for key in [*cues(), *adjectives()] if len(key) == 1)


@cache
def cue_spellings() -> Spellings:
    """The words of cues and adjectives as they are written, but for short ones; function
    words are among them."""
    phrases = (line.partition(": ")[2] for line in lines_of("cues.txt", __package__))
    said = (
        line.partition(": ")[0].replace("/", " ")
        for line in lines_of("adjectives.txt", __package__)
    )
    words = (
        one.plain
        for text in (*phrases, *said, *lines_of("function_words.txt"))
        for one in words_of(text)
    )
    return Spellings(one for one in dict.fromkeys(words) if len(one) > 3)


@cache
def longest_cue() -> int:
    """The most words of a phrase."""
    return max(map(len, [*cues(), *adjectives()]))


def _stems(name: str) -> Key:
    # A kind of column, as "@mass", has no stems.
    return (name,) if name.startswith("@") else stems_of(name) or (name,)
