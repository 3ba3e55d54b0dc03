"""Other forms of a word: "rings" and "ring", "repaired" and "repair"."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

_ENDINGS = (("ies", "y"), ("ys", "ies"), ("ves", "f"), ("es", ""), ("s", ""))
"""Of plurals, and what is there in place of them in the singular, or where it is spelt well."""
_DONE = (("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))
"""Of what is, or was, done."""
_PLAYED = tuple(("ist", instead) for instead in ("", "o", "a", "e", "y"))
"""Of who plays, rides or knows something: violinist, cellist, trombonist."""
LEAST = 3
"""The fewest letters that are left of a word."""


@lru_cache(maxsize=2**12)
def inflected(word: str) -> tuple[str, ...]:
    """Other forms that a word may have: as singular, plural, and what is done."""
    return tuple(dict.fromkeys(one for one in _forms(word) if one != word))


def _forms(word: str) -> Iterator[str]:
    if not word.isalpha() or len(word) < LEAST:
        return
    yield from _without(word, _ENDINGS)
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
