"""How much each subgraph says by itself, beside the larger ones that it is part of, compiled.

Keysers et al. (2020, section 2.1) weigh a compound G in an example R by

    w(G, R) = max over occurrences g of G in R of (1 - max over larger g' around g of P(G' | G)),

where P(G' | G) is the share, over the full pool, of G's occurrences that lie in one of G'. A
compound that is always part of the same larger one weighs nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from partwise_papers.splits.subgraphs import ONE, ZERO, bit_count, lowest

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
def _grown(table: Any, counts: Any) -> Any:
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
    occurrences, table, counts = _counted(pool, examples, compounds, size)
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
def _counted(pool: Any, examples: Any, compounds: Any, size: Any) -> Any:
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
                        table, counts = _grown(table, counts)
                        slot = _slot(table, item)
                    table[slot] = item
                    used += 1
                counts[slot] += examples[g]
    return occurrences, table, counts
