"""Connected components of small graphs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

N = TypeVar("N")


def components(nodes: Iterable[N], edges: Iterable[tuple[N, N]]) -> list[set[N]]:
    """Which nodes hang together by edges, in the order of the first node of each component.

    Edges of other nodes do not count.
    """
    near: dict[N, set[N]] = defaultdict(set)
    for one, other in edges:
        near[one].add(other)
        near[other].add(one)
    left = dict.fromkeys(nodes)
    parts: list[set[N]] = []
    while left:
        part: set[N] = set()
        waiting = [next(iter(left))]
        while waiting:
            node = waiting.pop()
            if node in left:
                del left[node]
                part.add(node)
                waiting += near[node]
        parts.append(part)
    return parts
