"""Compounds of rule graphs, compiled: small connected subgraphs, and how much each says by itself.

A subgraph is a set of nodes with all edges between them (induced), so that one number with a bit
for each node stands for it. Wanted are the connected ones of at most `size` nodes in which no
node has more than `branching` children, and the longer chains of at most `chain` nodes. Both
properties hold of every connected part of such a subgraph, so the search may stop where one fails.

Keysers et al. (2020, section 2.1) weigh a compound G in an example R by

    w(G, R) = max over occurrences g of G in R of (1 - max over larger g' around g of P(G' | G)),

where P(G' | G) is the share, over the full pool, of G's occurrences that lie in one of G'. A
compound that is always part of the same larger one weighs nothing.
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
def _push(found: Any, count: Any, item: Any) -> Any:
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
        found, count = _add_connected(
            found, count, stack, start, children, parents, smallest, size, branching
        )
        found, count = _chains(found, count, stack, start, children, parents, size, chain)
    return found[:count].copy()


@njit(cache=True, nogil=True)
def _add_connected(
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
            found = _push(found, count, inside)
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
            found = _push(found, count, inside)
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


MULTIPLIER, SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(20)
EMPTY = -1


@njit(cache=True, nogil=True, inline="always")
def _slot(table: Any, item: Any) -> Any:
    """Where `item` stands in a table with open addressing, or would stand."""
    last = len(table) - 1
    place = np.int64((np.uint64(item) * MULTIPLIER) >> SHIFT) & last
    while table[place] != EMPTY and table[place] != item:
        place = (place + 1) & last
    return place


@njit(cache=True, nogil=True)
def _grow(table: Any, counts: Any) -> Any:
    """A table of twice the size with the same entries."""
    larger = np.full(2 * len(table), EMPTY, np.int64)
    moved = np.zeros(len(larger), np.int64)
    for place in range(len(table)):
        if table[place] != EMPTY:
            to = _slot(larger, table[place])
            larger[to], moved[to] = table[place], counts[place]
    return larger, moved


@njit(cache=True, nogil=True)
def _parts(whole: Any, children: Any, parents: Any, size: Any, out: Any) -> int:
    """Write the node sets that may be strict connected parts of a subgraph to `out`.

    Of at most `size` nodes all subsets are taken, of longer chains all shorter runs.

    Returns:
        Their number.
    """
    count = 0
    if bit_count(whole) <= size:
        part = (whole - ONE) & whole
        while part:
            out[count] = part
            count += 1
            part = (part - ONE) & whole
        return count
    first = whole
    while parents[lowest(first)] & whole:
        first &= first - ONE
    start = ONE << lowest(first)
    while start:
        run, end = ZERO, start
        while end:
            run |= end
            if run != whole:
                out[count] = run
                count += 1
            end = children[lowest(end)] & whole
        start = children[lowest(start)] & whole
    return count


@njit(cache=True, nogil=True)
def _around(sets: Any, ids: Any, children: Any, parents: Any, size: Any, seen: Any) -> Any:
    """For each subgraph of one graph the compounds of the larger ones around it, each once.

    Args:
        sets, ids: (subgraphs,) node sets and compounds.
        seen: (compounds,) all `EMPTY`, and left so.

    Returns:
        (subgraphs + 1,) where each one's start, and the compounds.
    """
    have = len(sets)
    room = 1
    while room < 2 * have + 1:
        room *= 2
    table, place = np.full(room, EMPTY, np.int64), np.empty(room, np.int64)
    most = 0
    for x in range(have):
        slot = _slot(table, sets[x])
        table[slot], place[slot] = sets[x], x
        nodes = bit_count(sets[x])
        most += (1 << nodes) if nodes <= size else nodes * nodes
    inner, outer = np.empty(most, np.int64), np.empty(most, np.int64)
    buffer = np.empty(max(1 << size, len(children) ** 2), np.int64)
    starts, pairs = np.zeros(have + 1, np.int64), 0
    for x in range(have):
        for y in range(_parts(sets[x], children, parents, size, buffer)):
            slot = _slot(table, buffer[y])
            if table[slot] != EMPTY:
                inner[pairs], outer[pairs] = place[slot], ids[x]
                starts[place[slot] + 1] += 1
                pairs += 1
    starts = np.cumsum(starts)
    ordered, filled = np.empty(pairs, np.int64), starts.copy()
    for x in range(pairs):
        ordered[filled[inner[x]]] = outer[x]
        filled[inner[x]] += 1
    return _once(starts, ordered, seen)


@njit(cache=True, nogil=True)
def _once(starts: Any, ordered: Any, seen: Any) -> Any:
    """The same rows without what stands in them again."""
    fresh, count = np.zeros(len(starts), np.int64), 0
    for x in range(len(starts) - 1):
        for y in range(starts[x], starts[x + 1]):
            item = ordered[y]
            if seen[item] != x:
                seen[item] = x
                ordered[count] = item
                count += 1
        fresh[x + 1] = count
    for x in range(count):
        seen[ordered[x]] = EMPTY
    return fresh, ordered[:count]


@njit(cache=True, nogil=True)
def _of_graph(g: Any, pool: Any, size: Any, seen: Any) -> Any:
    """The compounds of one graph's subgraphs, and for each the larger ones around it."""
    nodes, children, parents, firsts, sets, ids = pool
    a, b, x, y = nodes[g], nodes[g + 1], firsts[g], firsts[g + 1]
    starts, around = _around(sets[x:y], ids[x:y], children[a:b], parents[a:b], size, seen)
    return ids[x:y], starts, around


@njit(cache=True, nogil=True)
def weights(pool: Any, examples: Any, compounds: Any, size: Any) -> Any:
    """w(G, R) of all compounds of all graphs, where it is above zero.

    Args:
        pool: (graphs + 1,) where each graph's nodes start; (nodes,) their children and parents;
            (graphs + 1,) where each graph's subgraphs start; (subgraphs,) their node sets and
            compounds.
        examples: (graphs,) how many examples have each graph.
        compounds: their number.

    Returns:
        (graphs + 1,) where each graph's entries start; the entries' compounds, int32, and
        weights, float64, above 0 to 1.
    """
    occurrences, table, counts = _count(pool, examples, compounds, size)
    graphs, most_entries = len(examples), len(pool[-1])
    seen, place = np.full(compounds, EMPTY, np.int64), np.full(compounds, EMPTY, np.int64)
    rows, count = np.zeros(graphs + 1, np.int64), 0
    columns, values = np.empty(most_entries, np.int32), np.empty(most_entries, np.float64)
    for g in range(graphs):
        ids, starts, around = _of_graph(g, pool, size, seen)
        for one in range(len(ids)):
            compound = np.int64(ids[one])
            most = 0
            for z in range(starts[one], starts[one + 1]):
                most = max(most, counts[_slot(table, compound * compounds + around[z])])
            if most < occurrences[compound]:
                weight = 1.0 - most / occurrences[compound]
                if place[compound] < rows[g]:
                    place[compound] = count
                    columns[count], values[count] = compound, weight
                    count += 1
                else:
                    at = place[compound]
                    values[at] = max(values[at], weight)
        rows[g + 1] = count
    return rows, columns[:count].copy(), values[:count].copy()


@njit(cache=True, nogil=True)
def _count(pool: Any, examples: Any, compounds: Any, size: Any) -> Any:
    """How often each compound occurs, and how often in one of each larger compound.

    Returns:
        (compounds,) occurrences; a table of pairs, ``compound * compounds + larger``, and how often
        each occurs.
    """
    seen, occurrences = np.full(compounds, EMPTY, np.int64), np.zeros(compounds, np.int64)
    table, counts, used = np.full(1024, EMPTY, np.int64), np.zeros(1024, np.int64), 0
    for g in range(len(examples)):
        ids, starts, around = _of_graph(g, pool, size, seen)
        for one in range(len(ids)):
            compound = np.int64(ids[one])
            occurrences[compound] += examples[g]
            for z in range(starts[one], starts[one + 1]):
                item = compound * compounds + around[z]
                slot = _slot(table, item)
                if table[slot] == EMPTY:
                    if 2 * (used + 1) > len(table):
                        table, counts = _grow(table, counts)
                        slot = _slot(table, item)
                    table[slot] = item
                    used += 1
                counts[slot] += examples[g]
    return occurrences, table, counts
