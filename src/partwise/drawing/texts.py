"""Texts made safe to show and cut to fit."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby
from operator import itemgetter

from partwise.language.text import Words

_QUOTED = r"'(?:[^'\\]|\\.)*'"
_ENTITY = re.compile(rf"\w+\(({_QUOTED})(?:, [^(),']*)*\)")
_TOKEN = re.compile(rf"{_QUOTED}|.", re.DOTALL)


def clean(text: str) -> str:
    """The text with a mark in place of what is not printable (control and direction codes)."""
    return "".join(c if c.isprintable() else "�" for c in text)


def phrase(words: Words, start: int, end: int) -> str:
    """The question's own text over start..end on one line, safe to show."""
    return clean(" ".join(words.span(start, end).split()))


def cut(text: str, width: float, measure: Callable[[str], float] = len, dots: str = "…") -> str:
    """A text that fits, its end left out."""
    if measure(text) <= width:
        return text
    while text and measure(text + dots) > width:
        text = text[:-1]
    return text + dots


def shorten(
    program: str, width: float, measure: Callable[[str], float] = len, dots: str = "…"
) -> str:
    """A program that fits: entities by name alone, then without its innermost arguments.

    ``river(traverse_2('texas'))``, or ``river(traverse_2(…))``, or ``river(…)``.
    """
    if measure(program) <= width:
        return program
    tokens = _TOKEN.findall(_ENTITY.sub(r"\1", program))
    depths, depth = [], 0
    for token in tokens:
        depth -= token == ")"
        depths.append(depth)
        depth += token == "("
    for most in range(max(depths), -1, -1):
        runs = groupby(zip(tokens, (d > most for d in depths), strict=True), itemgetter(1))
        program = "".join(dots if deep else "".join(t for t, _ in run) for deep, run in runs)
        if measure(program) <= width:
            return program
    return cut(program, width, measure, dots)
