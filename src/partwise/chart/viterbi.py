"""The compiled chart for the best tree: exact, typed, pruned by untyped bounds.

The typed chart keeps only items that can still be part of a tree scoring at least `threshold`;
if it then finds a tree over the threshold, nothing better was lost, and otherwise the threshold is
lowered until there is no limit. Ternary joins take O(n³): first the best ``left + middle`` over
the first split for each pair of states, then that with the right part over the second.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit

from partwise.chart.bounds import (
    best_constants,
    untyped_inside,
    untyped_outside,
    untyped_root,
)

BARE, PADDED, BINARY, TERNARY = 0, 1, 2, 3
SLACK = 1e-9
"""Rounding of sums taken in different orders."""


@njit(cache=True, nogil=True)
def _typed(
    threshold,
    constants,
    join,
    gap,
    start,
    table,
    middle,
    degree,
    partners,
    pair_of,
    n_pairs,
    best,
    out_cell,
    out_pair,
    out_bare,
):
    """Fill the typed chart over a threshold.

    Returns ``value[i, k, s]``, ``size[i, k]`` and ``states[i, k, :size]`` (the live states), the
    back-pointers ``back[i, k, s] = (kind, a, b, l, m, r)``, and the same for middles.
    """
    n = join.shape[0] - 1
    n_states = table.shape[0]
    limit = threshold - SLACK
    shape = (n + 1, n + 1, n_states)
    value = np.full(shape, -np.inf)
    bare = np.full(shape, -np.inf)
    mid = np.full(shape, -np.inf)
    name = np.full(shape, -1, np.int32)
    back = np.empty((n + 1, n + 1, n_states, 6), np.int32)
    mid_split = np.empty(shape, np.int32)
    size = np.zeros((n + 1, n + 1), np.int32)
    bare_size = np.zeros((n + 1, n + 1), np.int32)
    mid_size = np.zeros((n + 1, n + 1), np.int32)
    states = np.empty(shape, np.int32)
    bare_states = np.empty(shape, np.int32)
    mid_states = np.empty(shape, np.int32)
    for i in range(n):
        for k in range(i + 1, n + 1):
            if best[i, k] + out_bare[i, k] < limit:
                continue
            for category in range(start.shape[0]):
                state = start[category]
                score = constants[i, k, category]
                if state < 0 or score + out_bare[i, k] < limit or score == -np.inf:
                    continue
                if bare[i, k, state] == -np.inf:
                    bare_states[i, k, bare_size[i, k]] = state
                    bare_size[i, k] += 1
                if score > bare[i, k, state]:
                    bare[i, k, state] = score
                    name[i, k, state] = category
    width = max(n_pairs, 1)
    pair_value = np.full((n + 1, width), -np.inf)
    pair_split = np.empty((n + 1, width), np.int32)
    pair_states = np.empty((n + 1, width, 3), np.int32)
    pair_size = np.zeros(n + 1, np.int32)
    touched = np.empty(n_states, np.int32)
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n + 1):
            label = join[i, k]
            count = 0
            # Constants, bare or with a gap; the middles of ternary joins are a part of them.
            for x in range(bare_size[i, k]):
                s = bare_states[i, k, x]
                v = bare[i, k, s]
                touched[count] = s
                count += 1
                value[i, k, s] = v
                back[i, k, s, 0] = BARE
                back[i, k, s, 1] = k
                if middle[s]:
                    mid[i, k, s] = v
                    mid_split[i, k, s] = k
                    mid_states[i, k, mid_size[i, k]] = s
                    mid_size[i, k] += 1
            for j in range(i + 1, k):
                if gap[j, k] != 0:
                    continue
                for x in range(bare_size[i, j]):
                    s = bare_states[i, j, x]
                    v = bare[i, j, s] + label
                    if value[i, k, s] == -np.inf and v != -np.inf:
                        touched[count] = s
                        count += 1
                    if v > value[i, k, s]:
                        value[i, k, s] = v
                        back[i, k, s, 0] = PADDED
                        back[i, k, s, 1] = j
                    if middle[s] and v != -np.inf:
                        if mid[i, k, s] == -np.inf:
                            mid_states[i, k, mid_size[i, k]] = s
                            mid_size[i, k] += 1
                        if v > mid[i, k, s]:
                            mid[i, k, s] = v
                            mid_split[i, k, s] = j
            for a in range(i + 1, k):
                right_size = size[a, k]
                if right_size == 0:
                    continue
                for x in range(size[i, a]):
                    left = states[i, a, x]
                    base = value[i, a, left] + label
                    # Walk the shorter of: live right states, states that compose with `left`.
                    by_table = right_size <= degree[left]
                    steps = right_size if by_table else degree[left]
                    for y in range(steps):
                        right = states[a, k, y] if by_table else partners[left, y]
                        s = table[left, right]
                        if s < 0:
                            continue
                        v = base + value[a, k, right]
                        if v == -np.inf:
                            continue
                        if value[i, k, s] == -np.inf:
                            touched[count] = s
                            count += 1
                        if v > value[i, k, s]:
                            value[i, k, s] = v
                            back[i, k, s, 0] = BINARY
                            back[i, k, s, 1] = a
                            back[i, k, s, 3] = left
                            back[i, k, s, 5] = right
            for b in range(i + 2, k):
                right_size = size[b, k]
                if right_size == 0:
                    continue
                for x in range(pair_size[b]):
                    left, between = pair_states[b, x, 0], pair_states[b, x, 1]
                    pair = pair_states[b, x, 2]
                    base = pair_value[b, pair] + label
                    for y in range(right_size):
                        right = states[b, k, y]
                        outer = table[left, right]
                        if outer < 0:
                            continue
                        s = table[between, outer]
                        if s < 0:
                            continue
                        v = base + value[b, k, right]
                        if v == -np.inf:
                            continue
                        if value[i, k, s] == -np.inf:
                            touched[count] = s
                            count += 1
                        if v > value[i, k, s]:
                            value[i, k, s] = v
                            back[i, k, s, 0] = TERNARY
                            back[i, k, s, 1] = pair_split[b, pair]
                            back[i, k, s, 2] = b
                            back[i, k, s, 3] = left
                            back[i, k, s, 4] = between
                            back[i, k, s, 5] = right
            for x in range(count):
                s = touched[x]
                if value[i, k, s] + out_cell[i, k] >= limit:
                    states[i, k, size[i, k]] = s
                    size[i, k] += 1
                else:
                    value[i, k, s] = -np.inf
            if n_pairs == 0:
                continue
            for a in range(i + 1, k):
                for x in range(size[i, a]):
                    left = states[i, a, x]
                    for y in range(mid_size[a, k]):
                        between = mid_states[a, k, y]
                        pair = pair_of[left, between]
                        if pair < 0:
                            continue
                        v = value[i, a, left] + mid[a, k, between]
                        if v + out_pair[i, k] < limit or v == -np.inf:
                            continue
                        if pair_value[k, pair] == -np.inf:
                            pair_states[k, pair_size[k], 0] = left
                            pair_states[k, pair_size[k], 1] = between
                            pair_states[k, pair_size[k], 2] = pair
                            pair_size[k] += 1
                        if v > pair_value[k, pair]:
                            pair_value[k, pair] = v
                            pair_split[k, pair] = a
        for k in range(i + 1, n + 1):
            for x in range(pair_size[k]):
                pair_value[k, pair_states[k, x, 2]] = -np.inf
            pair_size[k] = 0
    return value, size, states, back, name, mid, mid_split


@njit(cache=True, nogil=True)
def _root(value, size, states, join, gap, final):
    """Best complete tree: its score, the words of leading φ, its state."""
    n = join.shape[0] - 1
    top, lead, state = -np.inf, 0, -1
    for p in range(n):
        if p > 0 and gap[0, p] != 0:
            continue
        extra = join[0, n] if p > 0 else 0.0
        for x in range(size[p, n]):
            s = states[p, n, x]
            if final[s] and value[p, n, s] + extra > top:
                top, lead, state = value[p, n, s] + extra, p, s
    return top, lead, state


@njit(cache=True, nogil=True)
def search(
    constants,
    join,
    gap,
    start,
    table,
    final,
    middle,
    degree,
    partners,
    pair_of,
    n_pairs,
    margin,
):
    """The exact best tree.

    `margin` is how far under the untyped best score the first threshold lies; it grows fourfold
    until a tree is found. A margin of infinity prunes nothing.
    """
    best, best_middle = best_constants(constants, start, middle)
    if n_pairs == 0:
        best_middle[:] = -np.inf
    cell, middles, pair = untyped_inside(best, best_middle, join, gap)
    bound = untyped_root(cell, join, gap)
    out_cell, out_pair, out_bare = untyped_outside(cell, middles, pair, join, gap)
    while True:
        threshold = bound - margin if bound != -np.inf else -np.inf
        chart = _typed(
            threshold,
            constants,
            join,
            gap,
            start,
            table,
            middle,
            degree,
            partners,
            pair_of,
            n_pairs,
            best,
            out_cell,
            out_pair,
            out_bare,
        )
        top, lead, state = _root(chart[0], chart[1], chart[2], join, gap, final)
        # A tree under the threshold may have lost a better rival under it, too.
        if top >= threshold or threshold == -np.inf:
            return top, lead, state, threshold, chart
        margin = margin * 4.0 if margin < 2000.0 else np.inf
