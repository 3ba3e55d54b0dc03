"""The parts of a program, whatever classes they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

Node = TypeVar("Node")


def parts(node: Any) -> Iterator[Any]:
    """What a node is made of: nodes, and plain values such as names."""
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node) and not isinstance(node, type):
        yield from (getattr(node, one.name) for one in fields(node))


def walk(node: Any) -> Iterator[Any]:
    """A node, and all that it is made of."""
    yield node
    for part in parts(node):
        yield from walk(part)


def rebuilt(node: Node, change: Callable[[Any], Any]) -> Node:
    """A node whose parts, and then itself, are changed."""
    if isinstance(node, tuple):
        return type(node)(rebuilt(one, change) for one in node)
    if is_dataclass(node) and not isinstance(node, type):
        made = {one.name: rebuilt(getattr(node, one.name), change) for one in fields(node)}
        return change(replace(node, **made))  # type: ignore[no-any-return]
    return node
