"""Connected components of small graphs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

N = TypeVar("N")


def components(nodes: Iterable[N], edges: Iterable[tuple[N, N]]) -> list[set[N]]:
    """Which nodes hang together by edges, in the order of the first node of each component.

    Edges of other nodes do not count.
    """
    parts = [{node} for node in dict.fromkeys(nodes)]
    for edge in edges:
        joined = [part for part in parts if not part.isdisjoint(edge)]
        for part in joined[1:]:
            joined[0] |= part
            parts.remove(part)
    return parts
