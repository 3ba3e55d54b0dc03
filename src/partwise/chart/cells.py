"""The cells of a compiled chart, and the constants in them.

Arrays over all spans and states are left unfilled, and only entries that a list names are read:
with confident scores a few dozen items live, and clearing memory would be most of the time.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partwise.chart.algebra.base import IntArray
from partwise.chart.kernels import inlined, kernel
from partwise.chart.scores import FloatArray


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
def empty_lists(n, start, rules):
    """Empty lists of constants, alone and as middles."""
    n_states, spans = rules.middle.shape[0], n * (n + 1) // 2
    width = min(start.shape[0], n_states)
    bare = empty_items(n + 1, n, n_states, spans * width)
    return bare, empty_items(n + 1, n, n_states, spans * min(rules.middle.sum(), width))


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
