"""Rule graphs checked, put into one form, and counted: the units that a split may not part."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.errors import DataError
from partwise.interface.data import RuleGraph

MAX_RULES = 62
"""Rules of one graph; a set of them is the bits of a signed 64-bit number."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Units(NamedTuple):
    """The different rule graphs of a pool.

    Attributes:
        of: (examples,) the unit of each example.
        graphs: the units in normal form, in the order in which they first occur.
        counts: (units,) how many examples have each.
    """

    of: Ints
    graphs: list[RuleGraph]
    counts: Ints


def units_of(rule_graphs: Sequence[RuleGraph]) -> Units:
    """Equal rule graphs found together.

    Raises:
        DataError: for an empty pool, and for a graph that `normal_form` refuses.
    """
    if not rule_graphs:
        raise DataError("there are no rule graphs; give at least one")
    known: dict[RuleGraph, int] = {}
    found = np.empty(len(rule_graphs), np.int64)
    for place, graph in enumerate(rule_graphs):
        try:
            found[place] = known.setdefault(normal_form(graph), len(known))
        except DataError as error:
            raise DataError(f"rule graph {place}: {error}") from None
    return Units(found, list(known), np.bincount(found, minlength=len(known)))


def normal_form(graph: RuleGraph) -> RuleGraph:
    """The graph with its nodes in an order that does not depend on how they were numbered.

    Children are unordered: each node's are put in an order by what is below and above them, then
    the nodes are numbered from the roots down, depth first. Equal forms are always isomorphic
    graphs, and isomorphic trees always have equal forms. So have graphs with shared nodes, unless
    different nodes have the same rules below and above them but are shared differently.

    Raises:
        DataError: for a graph without rules or with more than `MAX_RULES`, and for edges that
            lead nowhere or around a circle.
    """
    children, parents = _neighbours(graph)
    order = _leaves_first(children, parents)
    shape = [rule.encode() for rule in graph.rules]
    for nodes, near in ((order, children), (order[::-1], parents)):
        for node in nodes:
            shape[node] = _digest(b"\0".join([shape[node], *sorted(shape[x] for x in near[node])]))
    number: dict[int, int] = {}
    roots = [node for node, above in enumerate(parents) if not above]
    todo = sorted(roots, key=shape.__getitem__, reverse=True)
    while todo:
        node = todo.pop()
        if node not in number:
            number[node] = len(number)
            todo += sorted(children[node], key=shape.__getitem__, reverse=True)
    edges = {(number[one], number[other]) for one, other in graph.edges}
    return RuleGraph(tuple(graph.rules[node] for node in number), tuple(sorted(edges)))


def rule_key(rule: str) -> int:
    """A number that stands for a rule in the same way everywhere, 0 to 2^64 - 1."""
    return int.from_bytes(_digest(rule.encode()), "little")


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=8).digest()


def _neighbours(graph: RuleGraph) -> tuple[list[set[int]], list[set[int]]]:
    """The children and the parents of each node."""
    size = len(graph.rules)
    if not 1 <= size <= MAX_RULES:
        raise DataError(
            f"it has {size} rules, where 1 to {MAX_RULES} can be compared; leave the example out"
        )
    children: list[set[int]] = [set() for _ in range(size)]
    parents: list[set[int]] = [set() for _ in range(size)]
    for parent, child in graph.edges:
        if not (0 <= parent < size and 0 <= child < size):
            raise DataError(
                f"its edge {parent} -> {child} leads outside of its {size} rules, which count "
                "from 0; mend the edge"
            )
        children[parent].add(child)
        parents[child].add(parent)
    return children, parents


def _leaves_first(children: Sequence[set[int]], parents: Sequence[set[int]]) -> list[int]:
    """All nodes, each after its children."""
    left = [len(below) for below in children]
    order = [node for node, count in enumerate(left) if not count]
    for node in order:
        for parent in parents[node]:
            left[parent] -= 1
            if not left[parent]:
                order.append(parent)
    if len(order) < len(children):
        raise DataError("its edges lead around a circle; a rule cannot depend on its own outcome")
    return order
