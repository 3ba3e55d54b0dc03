"""The compiled search for the best trees: exact, typed, pruned by untyped estimates.

The typed chart keeps only items that can still be part of a tree scoring at least `threshold`;
if it then finds a tree over the threshold, nothing better was lost, and otherwise the threshold is
lowered until there is no limit. All joins are ``left item + right part``, in O(n³): the left item
of a ternary join is the best ``left part + middle`` over its first split, for each pair of states.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partwise.chart.algebra import IntArray
from partwise.chart.inside import untyped_inside, untyped_outside
from partwise.chart.kernels import inlined, kernel
from partwise.chart.scores import FloatArray

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Chart(NamedTuple):
    """A typed chart; entries of states that are not live are undefined unless said otherwise.

    Attributes:
        value: ``[i, k, s]``, the best sub-tree's score.
        size: ``[i, k]``, the number of live states.
        states: ``[i, k, :size]``, the live states.
        back: ``[i, k, s]``, the best sub-tree's ``(a, b, left, middle, right)``: the left part
            ends at a and the right one begins at b, the same for a binary join; of a constant
            the end, and -1 for the rest.
        name: ``[i, k, s]``, the column of the best constant with this state.
        split: ``[i, k, s]``, where a constant ends that may, with its gap, be a middle, else 0.
        middle: ``[i, k, s]``, the score of that middle.
    """

    value: FloatArray
    size: IntArray
    states: IntArray
    back: IntArray
    name: IntArray
    split: IntArray
    middle: FloatArray


class Items(NamedTuple):
    """Lists of items by row and end: those of ``(r, k)`` are ``first[r, k]`` and `size` following.

    Attributes:
        place: where the item of each key, as its state, was last listed.
        state, score: of each item, or of the left part of a left part with a middle.
        middle, split: the state of that middle, -1 for none, and where the left part ends.
    """

    first: IntArray
    size: IntArray
    place: IntArray
    state: IntArray
    middle: IntArray
    split: IntArray
    score: FloatArray


@inlined
def empty_chart(n, n_states):
    shape = (n + 1, n + 1, n_states)
    return Chart(
        np.empty(shape),
        np.zeros((n + 1, n + 1), np.int32),
        np.empty(shape, np.int16),
        np.empty((n + 1, n + 1, n_states, 5), np.int16),
        np.empty(shape, np.int32),
        np.zeros(shape, np.int16),
        np.empty(shape),
    )


@inlined
def empty_items(rows, n, keys, room):
    return Items(
        np.empty((rows, n + 1), np.int32),
        np.zeros((rows, n + 1), np.int32),
        np.full(keys, -1, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room),
    )


@inlined
def listed(items, key, first, used, score):
    """Where to list an item, -1 if its list, which begins at `first`, has it with this score."""
    x = items.place[key]
    # Items are numbered upwards, so a lower number is another list's.
    if x >= first:
        return x if score > items.score[x] else -1
    items.place[key] = used
    return used


@inlined
def offer(chart, i, k, state, score, a, b, left, middle, right):
    """Put a derivation into a cell if it is the best of its state."""
    if score <= chart.value[i, k, state]:
        return
    if chart.value[i, k, state] == -np.inf:
        chart.states[i, k, chart.size[i, k]] = state
        chart.size[i, k] += 1
    chart.value[i, k, state] = score
    back = chart.back[i, k, state]
    back[0], back[1], back[2], back[3], back[4] = a, b, left, middle, right


@kernel
def list_bare(chart, bare, i, k, lowest, constants, start, used):
    """The constants of a span, the best one of each state."""
    bare.first[i, k] = used
    for column in range(start.shape[0]):
        state, score = start[column], constants[i, k, column]
        if state < 0 or not score >= lowest or score == -np.inf:
            continue
        x = listed(bare, state, bare.first[i, k], used, score)
        if x >= 0:
            used = max(used, x + 1)
            bare.state[x], bare.score[x] = state, score
            chart.name[i, k, state] = column
    bare.size[i, k] = used - bare.first[i, k]
    return used


@kernel
def add_constants(chart, bare, middles, i, k, lowest, label, gap, middle, used):
    """Constants with or without a gap, as sub-trees and as middles over their `lowest` scores."""
    middles.first[i, k] = used
    for j in range(i + 1, k + 1):
        if bare.size[i, j] == 0 or (j < k and gap[j, k] != 0):
            continue
        extra = label if j < k else 0.0
        for x in range(bare.first[i, j], bare.first[i, j] + bare.size[i, j]):
            state, score = bare.state[x], bare.score[x] + extra
            if score >= lowest[0]:
                offer(chart, i, k, state, score, j, -1, -1, -1, -1)
            if middle[state] and score >= lowest[1] and score > -np.inf:
                z = listed(middles, state, middles.first[i, k], used, score)
                if z >= 0:
                    used = max(used, z + 1)
                    middles.state[z], middles.score[z] = state, score
                    chart.split[i, k, state], chart.middle[i, k, state] = j, score
    middles.size[i, k] = used - middles.first[i, k]
    return used


SLACK = 1e-9
"""Rounding of sums taken in different orders, for a threshold of up to one; relative above."""

FEW_STATES = 48
"""With so few states, as of one gold program, nothing is pruned a second time."""

PRUNED = 8
"""How many joins of sums, by lists of rules, take as long as one of this chart."""


@inlined
def _lowest(limit, inside, outside):
    """The least score of an item that matters, infinite if no item of the span can have it."""
    lowest = limit - outside
    return lowest if inside >= lowest and inside > -np.inf else np.inf


@kernel
def _add_joins(chart, lefts, i, k, lowest, label, rules, cell, work):
    """Binary joins, then ternary ones, of the left items from i with the right parts up to k."""
    for kind in range(2):
        for b in range(i + 1, k):
            count = chart.size[b, k]
            if count == 0:
                continue
            for x in range(lefts.first[kind, b], lefts.first[kind, b] + lefts.size[kind, b]):
                base = lefts.score[x] + label
                if not base + cell[b, k] >= lowest:
                    continue
                left, middle = lefts.state[x], lefts.middle[x]
                # Walk the shorter of: live right states, states that compose with `left`.
                live = count <= rules.degree[kind, left]
                some = count if live else rules.degree[kind, left]
                work[0] += PRUNED * some
                for y in range(some):
                    right = chart.states[b, k, y] if live else rules.partners[kind, left, y]
                    state = rules.table[kind, left, right]
                    score = base + chart.value[b, k, right]
                    if state < 0 or not score >= lowest:
                        continue
                    if kind == 1:
                        state = rules.table[0, middle, state]
                        if state < 0:
                            continue
                    offer(chart, i, k, state, score, lefts.split[x], b, left, middle, right)


@kernel
def _list_parts(chart, lefts, i, k, used):
    """The sub-trees over a span as left items."""
    lefts.first[0, k], lefts.size[0, k] = used, chart.size[i, k]
    for x in range(chart.size[i, k]):
        state = chart.states[i, k, x]
        lefts.state[used], lefts.score[used] = state, chart.value[i, k, state]
        lefts.middle[used], lefts.split[used] = -1, k
        used += 1
    return used


@kernel
def _list_pairs(lefts, middles, i, k, lowest, bound, pair_of, used, work):
    """The left parts from i with a middle up to k, the best ones of each pair of states."""
    lefts.first[1, k] = used
    for a in range(i + 1, k):
        begin, end = middles.first[a, k], middles.first[a, k] + middles.size[a, k]
        parts = lefts.size[0, a] if middles.size[a, k] > 0 else 0
        for x in range(lefts.first[0, a], lefts.first[0, a] + parts):
            left, base = lefts.state[x], lefts.score[x]
            if not base + bound[a, k] >= lowest:
                continue
            work[0] += PRUNED * (end - begin)
            for y in range(begin, end):
                number = pair_of[left, middles.state[y]]
                score = base + middles.score[y]
                if number < 0 or not score >= lowest or score == -np.inf:
                    continue
                z = listed(lefts, number, lefts.first[1, k], used, score)
                if z >= 0:
                    used = max(used, z + 1)
                    lefts.state[z], lefts.score[z] = left, score
                    lefts.middle[z], lefts.split[z] = middles.state[y], a
    lefts.size[1, k] = used - lefts.first[1, k]
    return used


@kernel
def _pruned(threshold, constants, join, gap, start, rules, inside, outside, work):
    """Fill the typed chart over a threshold; ends early where the work allowed is done."""
    n, n_states = join.shape[0] - 1, rules.middle.shape[0]
    limit = threshold - SLACK * max(1.0, abs(threshold))
    chart = empty_chart(n, n_states)
    # The constants of each span, alone and as middles.
    spans, width = n * (n + 1) // 2, min(start.shape[0], n_states)
    bare = empty_items(n + 1, n, n_states, spans * width)
    middles = empty_items(n + 1, n, n_states, spans * min(rules.middle.sum(), width))
    # Left items that start at one word: sub-trees in row 0, left parts with a middle in row 1.
    lefts = empty_items(2, n, rules.n_pairs, (n + 1) * (n_states + rules.n_pairs))
    used_bare, used_middles = 0, 0
    for i in range(n - 1, -1, -1):
        used = 0
        for k in range(i + 1, n + 1):
            if work[0] > work[1]:
                return chart
            lowest = _lowest(limit, inside.bare[0, i, k], outside.bare[i, k])
            if lowest < np.inf:
                used_bare = list_bare(chart, bare, i, k, lowest, constants, start, used_bare)
            lowest = _lowest(limit, inside.cell[i, k], outside.cell[i, k])
            lowest_middle = _lowest(limit, inside.middle[i, k], outside.middle[i, k])
            if lowest < np.inf:
                chart.value[i, k] = -np.inf
            if lowest < np.inf or lowest_middle < np.inf:
                used_middles = add_constants(
                    chart, bare, middles, i, k, (lowest, lowest_middle), join[i, k], gap,
                    rules.middle, used_middles,
                )  # fmt: skip
            if lowest < np.inf:
                _add_joins(chart, lefts, i, k, lowest, join[i, k], rules, inside.cell, work)
            used = _list_parts(chart, lefts, i, k, used)
            lefts.size[1, k] = 0
            lowest = _lowest(limit, inside.pair[i, k], outside.pair[i, k])
            if lowest < np.inf:
                used = _list_pairs(
                    lefts, middles, i, k, lowest, inside.middle, rules.pair_of, used, work
                )
        for x in range(used):
            if lefts.middle[x] >= 0:
                lefts.place[rules.pair_of[lefts.state[x], lefts.middle[x]]] = -1
    return chart


@kernel
def _root(chart, join, gap, root):
    """Best complete tree: its score, the words of leading φ, its state."""
    n = join.shape[0] - 1
    top, lead, state = -np.inf, 0, -1
    for p in range(n):
        if p > 0 and gap[0, p] != 0:
            continue
        extra = join[0, n] if p > 0 else 0.0
        for x in range(chart.size[p, n]):
            s = chart.states[p, n, x]
            score = chart.value[p, n, s] + extra + root[s]
            if score > top:
                top, lead, state = score, p, s
    return top, lead, state


@kernel
def search(constants, join, gap, start, rules, margin, work):
    """The exact best tree: its score, leading φ, state, and the `Chart`.

    `margin` is how far under the untyped best score the first threshold lies; it is doubled until a
    tree is found, or at once infinite if there are few states. That prunes nothing.

    `work` is ``[done, allowed]``, joins of sums; with more done than allowed there is no result.
    """
    inside = untyped_inside(constants, join, gap, start, rules.middle, rules.n_pairs > 0)
    outside = untyped_outside(inside, join, gap)
    known = -np.inf
    while True:
        # A tree that an earlier round saw is in reach, so no threshold need lie under its score.
        threshold = max(inside.root - margin, known) if inside.root != -np.inf else -np.inf
        chart = _pruned(threshold, constants, join, gap, start, rules, inside, outside, work)
        top, lead, state = _root(chart, join, gap, rules.root)
        # A tree under the threshold may have lost a better rival under it, too.
        if top >= threshold or threshold == -np.inf or work[0] > work[1]:
            return top, lead, state, chart
        known = top
        small = rules.middle.shape[0] <= FEW_STATES
        margin = np.inf if small or margin > 2000.0 else margin * 2.0
