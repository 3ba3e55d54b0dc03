"""The parts of a program, whatever classes they are of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

Node = TypeVar("Node")


_KNOWN: dict[type, tuple[str, ...]] = {}


def _names(node: Any) -> tuple[str, ...]:
    """The names of a node's fields, looked up once for each class; none of plain values."""
    kind = type(node)
    if kind not in _KNOWN:
        _KNOWN[kind] = tuple(one.name for one in fields(kind)) if is_dataclass(kind) else ()
    return _KNOWN[kind]


def is_node(node: Any) -> bool:
    """Whether something has parts: it is no name, number or the like."""
    return isinstance(node, tuple) or bool(_names(node))


def parts(node: Any) -> Iterator[Any]:
    """What a node is made of: nodes, and plain values such as names."""
    if isinstance(node, tuple):
        yield from node
    else:
        yield from (getattr(node, name) for name in _names(node))


def walk(node: Any) -> Iterator[Any]:
    """A node, and all that it is made of."""
    yield node
    for part in parts(node):
        yield from walk(part)


def rebuilt(node: Node, change: Callable[[Any], Any]) -> Node:
    """A node whose parts, and then itself, are changed."""
    if isinstance(node, tuple):
        return type(node)(rebuilt(one, change) for one in node)
    if names := _names(node):
        made = {name: rebuilt(getattr(node, name), change) for name in names}
        return change(replace(node, **made))  # type: ignore[no-any-return, type-var]
    return node
