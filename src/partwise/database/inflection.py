"""Forms of English words, by rule: a noun for one and for several, and what was or is done.

What the rules get wrong stands in `source/word_sets.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from partwise.database.source.lexicon import word_set

_ONE = (
    (re.compile(r"(?<=\w[^aeiou])ies$"), "y"),
    (re.compile(r"(?<=ss|sh|ch)es$|(?<=x)es$"), ""),
    (re.compile(r"(?<![sui])s$"), ""),
)
_MORE = (
    (re.compile(r"(?<=[^aeo]us)es$|(?<=\w\w[^aeiouhn]o)es$"), ""),
    (re.compile(r"(?<=[^aiou])men$|(?<=wo)men$"), "man"),
    (re.compile(r"(?<=\w)people$"), "person"),
)
"""Endings that only an import knows: what a file leaves out follows from the others alone."""
_SEVERAL = (
    (re.compile(r"(?<=[^aeiou])y$"), "ies"),
    (re.compile(r"(?<=\w)person$"), "people"),
    (re.compile(r"(?<=\w\w)is$"), "es"),
    (re.compile(r"(?<=[sxz])$|(?<=[cs]h)$"), "es"),
    (re.compile(r"(?<=[^u]m)an$|(?<=wom)an$"), "en"),
    (re.compile(r"$"), "s"),
)
_HEAD = re.compile(rf"(.+?)( (?:{'|'.join(sorted(word_set('prepositions')))}) .+)")
"""A noun, and what stands behind it."""
_LESS = (("ies", "y"), ("ys", "ies"), ("ves", "f"), ("es", ""), ("s", ""))
"""Endings of plurals, and what is there in place of them in the singular, or spelt well."""
_DONE = (("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))
"""Of what is, or was, done."""
_PLAYED = tuple(("ist", instead) for instead in ("", "o", "a", "e", "y"))
"""Of who plays, rides or knows something: violinist, cellist, trombonist."""
LEAST = 3
"""The fewest letters that are left of a word."""


def regular_singular(noun: str) -> str:
    """A noun for one by the rules of a layer's file, which never change: what such a file leaves
    out follows from them."""
    return _replaced(noun, _ONE) if len(noun) > LEAST else noun


@lru_cache(maxsize=4096)
def singular(noun: str) -> str:
    """A noun for one; the same for what has no other form."""
    if noun in word_set("nouns of one form"):
        return noun
    made = _irregular()[1].get(noun) or _replaced(noun, _MORE)
    return regular_singular(noun) if made == noun else made


@lru_cache(maxsize=4096)
def plural(label: str) -> str:
    """A label for several: ``order items``, ``dates of birth``; the same for what has no other
    form, or is one for several."""
    head = _HEAD.fullmatch(label)
    *first, noun = (head[1] if head else label).split(" ")
    several = _irregular()[0].get(noun)
    if several is None:
        short = len(noun) <= LEAST and noun.endswith("s")
        same = not noun or short or noun in word_set("nouns of one form") or singular(noun) != noun
        several = noun if same else _replaced(noun, _SEVERAL)
    return " ".join([*first, several]) + (head[2] if head else "")


@lru_cache(maxsize=4096)
def inflected(word: str) -> tuple[str, ...]:
    """Other forms that a word may have: as singular, plural, and what is done."""
    return tuple(dict.fromkeys(one for one in _forms(word) if one != word))


def _forms(word: str) -> Iterator[str]:
    if not word.isalpha() or len(word) < LEAST:
        return
    yield from _without(word, _LESS)
    yield from done_to(word)
    yield from _without(word.removesuffix("s"), _PLAYED)
    if not word.endswith("s"):
        yield f"{word}s"
        if word.endswith("y"):
            yield f"{word[:-1]}ies"
        if word.endswith(("ch", "sh", "x", "z", "o")):
            yield f"{word}es"


def done_to(word: str) -> tuple[str, ...]:
    """What is done, of a word for what was done or is being done: "repaired" is "repair"."""
    return tuple(_without(word, _DONE))


def _without(word: str, endings: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for ending, instead in endings:
        if word.endswith(ending) and len(word) >= len(ending) + LEAST:
            yield word.removesuffix(ending) + instead


def _replaced(word: str, rules: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    """A word with the first of some endings replaced."""
    return next((end.sub(instead, word, 1) for end, instead in rules if end.search(word)), word)


@lru_cache(maxsize=1)
def _irregular() -> tuple[dict[str, str], dict[str, str]]:
    """Nouns for one -> for several, where no rule says it, and the other way round."""
    several = dict(pair.split(":", 1) for pair in word_set("irregular nouns"))
    return several, {many: one for one, many in several.items()}
