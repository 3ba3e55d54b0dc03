"""All small connected subgraphs of rule graphs, compiled.

A subgraph is a set of nodes with all edges between them (induced), so that one number with a bit
for each node stands for it. Wanted are the connected ones of at most `size` nodes in which no
node has more than `branching` children, and the longer chains of at most `chain` nodes. Both
properties hold of every connected part of such a subgraph, so the search may stop where one fails.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

ONE, ZERO = np.int64(1), np.int64(0)
DOWN, UP, ALL = (np.uint64(x) for x in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9))
S30, S27, S31 = np.uint64(30), np.uint64(27), np.uint64(31)
M1, M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@njit(cache=True, nogil=True, inline="always")
def mix(x: Any) -> Any:
    """A well spread number for a number (the finaliser of splitmix64)."""
    x = (x ^ (x >> S30)) * M1
    x = (x ^ (x >> S27)) * M2
    return x ^ (x >> S31)


@njit(cache=True, nogil=True, inline="always")
def bit_count(x: Any) -> Any:
    """The number of bits that are set."""
    count = 0
    while x:
        x &= x - ONE
        count += 1
    return count


@njit(cache=True, nogil=True, inline="always")
def lowest(x: Any) -> Any:
    """The place of the lowest bit that is set."""
    return bit_count((x & -x) - ONE)


@njit(cache=True, nogil=True)
def _fits(inside: Any, new: Any, children: Any, parents: Any, branching: Any) -> bool:
    """Whether a set of nodes with `new` among them keeps to the branching."""
    if bit_count(children[new] & inside) > branching:
        return False
    above = parents[new] & inside
    while above:
        if bit_count(children[lowest(above)] & inside) > branching:
            return False
        above &= above - ONE
    return True


@njit(cache=True, nogil=True)
def _pushed(found: Any, count: Any, item: Any) -> Any:
    """`found` with `item` at place `count`, in a larger array if need be."""
    if count == len(found):
        larger = np.empty(2 * count, np.int64)
        larger[:count] = found
        found = larger
    found[count] = item
    return found


@njit(cache=True, nogil=True)
def subgraphs(
    children: Any, parents: Any, smallest: Any, size: Any, branching: Any, chain: Any
) -> Any:
    """The wanted subgraphs of one graph, each once.

    Args:
        children, parents: (nodes,) int64, the bits of each node's.
        smallest: nodes of the smallest subgraphs wanted.

    Returns:
        Their node sets, int64.
    """
    n = len(children)
    found, count = np.empty(256, np.int64), 0
    stack = np.empty((n * (max(size, chain) + 1) + 1, 3), np.int64)
    for start in range(n):
        found, count = _connected(
            found, count, stack, start, children, parents, smallest, size, branching
        )
        found, count = _chains(found, count, stack, start, children, parents, size, chain)
    return found[:count].copy()


@njit(cache=True, nogil=True)
def _connected(
    found: Any,
    count: Any,
    stack: Any,
    start: Any,
    children: Any,
    parents: Any,
    smallest: Any,
    size: Any,
    branching: Any,
) -> Any:
    """Add the small sets of which `start` is the lowest node: Wernicke (2006), algorithm ESU."""
    later = -(ONE << (start + 1))
    near = children[start] | parents[start]
    stack[0] = ONE << start, near & later, near | (ONE << start)
    top = 1
    while top:
        top -= 1
        inside, border, seen = stack[top]
        have = bit_count(inside)
        if have >= smallest:
            found = _pushed(found, count, inside)
            count += 1
        while border and have < size:
            new = lowest(border)
            border &= border - ONE
            if _fits(inside | (ONE << new), new, children, parents, branching):
                near = children[new] | parents[new]
                stack[top, 0] = inside | (ONE << new)
                stack[top, 1] = border | (near & ~seen & later)
                stack[top, 2] = seen | near
                top += 1
    return found, count


@njit(cache=True, nogil=True)
def _chains(
    found: Any,
    count: Any,
    stack: Any,
    start: Any,
    children: Any,
    parents: Any,
    size: Any,
    chain: Any,
) -> Any:
    """Add the chains of more than `size` nodes from `start` down.

    The next node has no parent in the chain but the last one.
    """
    stack[0] = ONE << start, start, ONE
    top = 1
    while top:
        top -= 1
        inside, last, have = stack[top]
        if have > size:
            found = _pushed(found, count, inside)
            count += 1
        below = children[last] if have < chain else ZERO
        while below:
            new = lowest(below)
            below &= below - ONE
            if parents[new] & inside == ONE << last:
                stack[top] = inside | (ONE << new), new, have + 1
                top += 1
    return found, count


@njit(cache=True, nogil=True)
def key(inside: Any, rules: Any, children: Any) -> Any:
    """A number that isomorphic subgraphs share, and that others as good as never do.

    Colour refinement: each node's colour takes in those of its children and parents, as often as
    there are nodes. It tells all different subgraphs of up to five nodes, and all trees, apart;
    what remains is that two 64-bit numbers fall together by chance.

    Args:
        inside: the node set.
        rules: (nodes,) uint64, a number for each node's rule.
    """
    have = bit_count(inside)
    nodes = np.empty(have, np.int64)
    colours, fresh = np.empty(have, np.uint64), np.empty(have, np.uint64)
    rest = inside
    for x in range(have):
        nodes[x] = lowest(rest)
        rest &= rest - ONE
        colours[x] = mix(rules[nodes[x]])
    for _ in range(have - 1):
        for x in range(have):
            fresh[x] = mix(colours[x])
        for x in range(have):
            for y in range(have):
                if (children[nodes[x]] >> nodes[y]) & ONE:
                    fresh[x] += mix(colours[y] ^ DOWN)
                    fresh[y] += mix(colours[x] ^ UP)
        for x in range(have):
            colours[x] = mix(fresh[x])
    total = np.uint64(have)
    for x in range(have):
        total += mix(colours[x] ^ ALL)
    return total


@njit(cache=True, nogil=True)
def pool_subgraphs(
    starts: Any,
    rules: Any,
    children: Any,
    parents: Any,
    smallest: Any,
    size: Any,
    branching: Any,
    chain: Any,
) -> Any:
    """The subgraphs of all graphs of a pool.

    Args:
        starts: (graphs + 1,) where each graph's nodes start in the arrays of all nodes.

    Returns:
        (graphs + 1,) where each graph's subgraphs start, their node sets, and their keys.
    """
    graphs = len(starts) - 1
    firsts = np.zeros(graphs + 1, np.int64)
    sets, count = np.empty(1024, np.int64), 0
    for g in range(graphs):
        a, b = starts[g], starts[g + 1]
        found = subgraphs(children[a:b], parents[a:b], smallest, size, branching, chain)
        if count + len(found) > len(sets):
            larger = np.empty(2 * (count + len(found)), np.int64)
            larger[:count] = sets[:count]
            sets = larger
        sets[count : count + len(found)] = found
        count += len(found)
        firsts[g + 1] = count
    keys = np.empty(count, np.uint64)
    for g in range(graphs):
        a, b = starts[g], starts[g + 1]
        for x in range(firsts[g], firsts[g + 1]):
            keys[x] = key(sets[x], rules[a:b], children[a:b])
    return firsts, sets[:count].copy(), keys
