"""Texts made safe to show and cut to fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from partwise.language.tokenizer import Words

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'")
_ENTITY = re.compile(rf"\w+\(({_QUOTED.pattern})(?:, [^(),']*)*\)")


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
    program = _ENTITY.sub(r"\1", program)
    deepest = max((depth for depth, _ in _by_depth(program)), default=0)
    for limit in range(deepest, -1, -1):
        short = _to_depth(program, limit, dots)
        if measure(short) <= width:
            return short
    return cut(_to_depth(program, 0, dots), width, measure, dots)


def _to_depth(program: str, limit: int, dots: str) -> str:
    kept: list[str] = []
    for depth, token in _by_depth(program):
        if depth <= limit:
            kept.append(token)
        elif kept[-1] != dots:
            kept.append(dots)
    return "".join(kept)


def _by_depth(program: str) -> Iterator[tuple[int, str]]:
    """The characters of a program (quoted names whole) with the number of brackets around each."""
    depth, at = 0, 0
    while at < len(program):
        quoted = _QUOTED.match(program, at)
        token = quoted.group() if quoted else program[at]
        depth -= token == ")"
        yield depth, token
        depth += token == "("
        at += len(token)
