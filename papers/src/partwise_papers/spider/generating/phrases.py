"""Phrases whose words know which part of the program they give."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class SaidWords(NamedTuple):
    """Some words.

    Attributes:
        part: what they give: ``table:T``, ``column:T.C``, ``value:T.C``, ``number``, ``period``, or
            an operation as ``count``; empty for words that give nothing.
    """

    text: str
    part: str = ""


Phrase = tuple[SaidWords, ...]
_TOKEN = re.compile(r"\[([^|\]]*)\|([^\]]*)\]|\{(\w+)\}|([^\[{]+)")
_JOINED = (",", "'s", "?", ".")
"""What stands without a blank before it."""


class PartWords(NamedTuple):
    """A part of a program, and the characters of the question that give it."""

    start: int
    end: int
    part: str


def word(text: str, part: str = "") -> Phrase:
    """A phrase of one piece; none of an empty text."""
    return (SaidWords(text, part),) if text else ()


def say(pattern: str, **slots: Phrase) -> Phrase:
    """A pattern with its slots filled.

    ``[count|how many] {heads} are there``: the words behind a bar give the part before it.
    """
    made: list[SaidWords] = []
    for part, said, slot, plain in _TOKEN.findall(pattern):
        if slot:
            made += slots[slot]
        elif said:
            made.append(SaidWords(said, part))
        elif plain.strip():
            made.append(SaidWords(plain.strip()))
    return tuple(made)


def spoken(pieces: Iterable[SaidWords]) -> tuple[str, tuple[PartWords, ...]]:
    """The text of a phrase, and where its parts are."""
    text, parts = "", []
    for one in pieces:
        said = one.text.strip()
        if not said:
            continue
        if (text == "a" or text.endswith(" a")) and said[0].lower() in "aeio":
            text += "n"
        if text and not said.startswith(_JOINED):
            text += " "
        if one.part:
            parts.append(PartWords(len(text), len(text) + len(said), one.part))
        text += said
    return text, tuple(parts)


@cache
def patterns() -> dict[str, tuple[str, ...]]:
    """Kind -> its patterns, as in ``patterns.txt``."""
    made: dict[str, list[str]] = {}
    for line in lines_of("patterns.txt"):
        kind, _, pattern = line.partition(": ")
        made.setdefault(kind, []).append(pattern.strip())
    return {kind: tuple(some) for kind, some in made.items()}


def lines_of(name: str) -> list[str]:
    """The lines of a file beside this one that are not empty and no comments."""
    text = (files(__package__) / name).read_text("utf-8")
    return [one for one in text.splitlines() if one.strip() and not one.startswith("#")]
