"""Pictures of span trees: in the terminal (`terminal`) and as SVG (`svg`).

What both share is here: a tree without its unary nodes, and texts cut to fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from partwise.chart.semantics import Node
from partwise.language.tokenizer import Words

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'")
_ENTITY = re.compile(rf"\w+\(({_QUOTED.pattern})(?:, [^(),']*)*\)")


@dataclass(frozen=True)
class Part:
    """A part of the question as it is drawn.

    Unary nodes, which only add φ words, are one part with what they stand over.

    Attributes:
        node: the meaning; None for φ words.
        around: the unary nodes over `node`, the outermost first.
        children: none for a constant (whose φ words lie around `node`'s); else the parts below,
            φ included, which cover start..end without a hole.
        middle: whether this is the middle of a ternary join.
    """

    start: int
    end: int
    node: Node | None
    around: tuple[Node, ...] = ()
    children: tuple[Part, ...] = ()
    middle: bool = False

    def walk(self) -> Iterator[Part]:
        """All parts, this one first, in the order of their words."""
        yield self
        for child in self.children:
            yield from child.walk()


def parts(node: Node, middle: bool = False) -> Part:
    """A tree of nodes as it is drawn."""
    around: list[Node] = []
    inner = node
    while len(inner.children) == 1:
        around.append(inner)
        inner = inner.children[0]
    below: list[Part] = []
    at = node.start
    for i, child in enumerate(inner.children):
        below += _phi(at, child.start)
        below.append(parts(child, middle=len(inner.children) == 3 and i == 1))
        at = child.end
    if inner.children:
        below += _phi(at, node.end)
    return Part(node.start, node.end, inner, tuple(around), tuple(below), middle)


def _phi(start: int, end: int) -> list[Part]:
    return [Part(start, end, None)] if start < end else []


def phrase(words: Words, start: int, end: int) -> str:
    """The question's own text over start..end on one line, safe to show."""
    return clean(" ".join(words.span(start, end).split()))


def clean(text: str) -> str:
    """The text with a mark in place of what is not printable (control and direction codes)."""
    return "".join(c if c.isprintable() else "�" for c in text)


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


def cut(text: str, width: float, measure: Callable[[str], float] = len, dots: str = "…") -> str:
    """A text that fits, its end left out."""
    if measure(text) <= width:
        return text
    while text and measure(text + dots) > width:
        text = text[:-1]
    return text + dots


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
