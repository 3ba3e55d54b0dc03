"""Span trees as they are drawn: without their unary nodes, and with the words between their parts.

Unary nodes only add words without meaning (φ) to the node below.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from partwise.chart.semantics import Node


@dataclass(frozen=True)
class TreePart:
    """A part of the question as it is drawn.

    Attributes:
        node: the meaning; None for φ words.
        around: the unary nodes over `node`, the outermost first.
        children: none for a constant (whose φ words lie around `node`'s); else the parts below,
            φ included, which cover start..end without a hole.
        infix: whether this is the middle of a ternary join, an infix operator.
    """

    start: int
    end: int
    node: Node | None
    around: tuple[Node, ...] = ()
    children: tuple[TreePart, ...] = ()
    infix: bool = False

    def walk(self) -> Iterator[TreePart]:
        """All parts, this one first, in the order of their words."""
        yield self
        for child in self.children:
            yield from child.walk()

    @property
    def named(self) -> tuple[int, int]:
        """The words of a constant without the φ words around it; none of φ words."""
        return (self.end, self.end) if self.node is None else (self.node.start, self.node.end)


def parts(node: Node, infix: bool = False) -> TreePart:
    """A tree of nodes as it is drawn."""
    around: list[Node] = []
    inner = node
    while len(inner.children) == 1:
        around.append(inner)
        inner = inner.children[0]
    below: list[TreePart] = []
    at = node.start
    for i, child in enumerate(inner.children):
        below += _phi(at, child.start)
        below.append(parts(child, infix=len(inner.children) == 3 and i == 1))
        at = child.end
    if inner.children:
        below += _phi(at, node.end)
    return TreePart(node.start, node.end, inner, tuple(around), tuple(below), infix)


def _phi(start: int, end: int) -> list[TreePart]:
    return [TreePart(start, end, None)] if start < end else []
