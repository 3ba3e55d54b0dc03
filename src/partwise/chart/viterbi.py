"""The compiled chart for the best tree: exact, typed, pruned by untyped estimates.

The typed chart keeps only items that can still be part of a tree scoring at least `threshold`;
if it then finds a tree over the threshold, nothing better was lost, and otherwise the threshold is
lowered until there is no limit. Ternary joins take O(n³): first the best ``left + middle`` over
the first split for each pair of states, then that with the right part over the second.

Arrays over all spans and states are left unfilled, and only entries that a list names are read:
with confident scores a few dozen items live, and clearing memory would be most of the time.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partwise.chart.algebra.base import IntArray
from partwise.chart.estimates import untyped_estimates
from partwise.chart.kernels import inlined, kernel
from partwise.chart.leaves import bare_constants, middle_constants
from partwise.chart.scores import FloatArray

BARE, PADDED, BINARY, TERNARY = 0, 1, 2, 3
SLACK = 1e-9
"""Rounding of sums taken in different orders, for a threshold of up to one; relative above."""

FEW_STATES = 48
"""With so few states, as of one gold program, a full chart costs less than a second pruned one."""


class Chart(NamedTuple):
    """A typed chart; entries of states that are not live are undefined unless said otherwise.

    Attributes:
        value: ``[i, k, s]``, the best sub-tree's score.
        size: ``[i, k]``, the number of live states.
        states: ``[i, k, :size]``, the live states.
        back: ``[i, k, s]``, the best sub-tree's ``(kind, a, b, left, middle, right)``.
        name: ``[i, k, s]``, the column of the best constant with this state.
        mid: ``[i, k, s]``, 0 where a constant, with its gap, may be a middle; else ``-inf``.
        mid_split: ``[i, k, s]``, where the constant of that middle ends.
    """

    value: FloatArray
    size: IntArray
    states: IntArray
    back: IntArray
    name: IntArray
    mid: FloatArray
    mid_split: IntArray


class Pairs(NamedTuple):
    """The ``left + middle`` items that start at one word; those ending at k are listed at k."""

    first: IntArray
    size: IntArray
    left: IntArray
    between: IntArray
    split: IntArray
    number: IntArray
    score: FloatArray
    place: IntArray


@inlined
def _offer(chart, i, k, state, score, kind, a, b, left, between, right):
    """Put a derivation into a cell if it is the best of its state."""
    if score <= chart.value[i, k, state]:
        return
    if chart.value[i, k, state] == -np.inf:
        chart.states[i, k, chart.size[i, k]] = state
        chart.size[i, k] += 1
    chart.value[i, k, state] = score
    back = chart.back[i, k, state]
    back[0], back[1], back[2] = kind, a, b
    back[3], back[4], back[5] = left, between, right


@kernel
def _add_constants(chart, i, k, lowest, bare, join, gap):
    for j in range(i + 1, k + 1):
        if bare.size[i, j] == 0 or (j < k and gap[j, k] != 0):
            continue
        label, kind = (join[i, k], PADDED) if j < k else (0.0, BARE)
        for x in range(bare.first[i, j], bare.first[i, j] + bare.size[i, j]):
            score = bare.score[x] + label
            if score >= lowest:
                _offer(chart, i, k, bare.state[x], score, kind, j, 0, 0, 0, 0)


@kernel
def _add_binary(chart, i, k, lowest, label, rules, cell):
    for a in range(i + 1, k):
        count = chart.size[a, k]
        if count == 0:
            continue
        for x in range(chart.size[i, a]):
            left = chart.states[i, a, x]
            base = chart.value[i, a, left] + label
            if not base + cell[a, k] >= lowest:
                continue
            # Walk the shorter of: live right states, states that compose with `left`.
            live = count <= rules.degree[left]
            for y in range(count if live else rules.degree[left]):
                right = chart.states[a, k, y] if live else rules.partners[left, y]
                state = rules.table[left, right]
                score = base + chart.value[a, k, right]
                if state >= 0 and score >= lowest:
                    _offer(chart, i, k, state, score, BINARY, a, 0, left, 0, right)


@kernel
def _add_ternary(chart, i, k, lowest, label, rules, cell, pairs):
    for b in range(i + 2, k):
        count = chart.size[b, k]
        if count == 0:
            continue
        for x in range(pairs.first[b], pairs.first[b] + pairs.size[b]):
            left, between = pairs.left[x], pairs.between[x]
            base = pairs.score[x] + label
            if not base + cell[b, k] >= lowest:
                continue
            live = count <= rules.outer_degree[left]
            for y in range(count if live else rules.outer_degree[left]):
                right = chart.states[b, k, y] if live else rules.outer_partners[left, y]
                score = base + chart.value[b, k, right]
                outer = rules.outer[left, right]
                if outer < 0 or not score >= lowest:
                    continue
                state = rules.table[between, outer]
                if state >= 0:
                    a = pairs.split[x]
                    _offer(chart, i, k, state, score, TERNARY, a, b, left, between, right)


@kernel
def _add_pairs(chart, i, k, lowest, middles, bound, rules, pairs, used):
    pairs.first[k] = used
    for a in range(i + 1, k):
        begin, end = middles.first[a, k], middles.first[a, k] + middles.size[a, k]
        for x in range(chart.size[i, a] if middles.size[a, k] > 0 else 0):
            left = chart.states[i, a, x]
            if not chart.value[i, a, left] + bound[a, k] >= lowest:
                continue
            for y in range(begin, end):
                number = rules.pair_of[left, middles.state[y]]
                score = chart.value[i, a, left] + middles.score[y]
                if number < 0 or not score >= lowest or score == -np.inf:
                    continue
                z = pairs.place[number]
                if z < pairs.first[k]:
                    z = used
                    used += 1
                    pairs.place[number] = z
                    pairs.number[z] = number
                    pairs.left[z], pairs.between[z] = left, middles.state[y]
                elif score <= pairs.score[z]:
                    continue
                pairs.score[z], pairs.split[z] = score, a
    pairs.size[k] = used - pairs.first[k]
    return used


@kernel
def _typed(threshold, constants, join, gap, start, rules, estimates):
    """Fill the typed chart over a threshold."""
    n = join.shape[0] - 1
    n_states, n_pairs = rules.table.shape[0], rules.n_pairs
    limit = -np.inf
    if threshold > -np.inf:
        limit = threshold - SLACK * max(1.0, abs(threshold))
    shape = (n + 1, n + 1, n_states)
    chart = Chart(
        np.empty(shape),
        np.zeros((n + 1, n + 1), np.int32),
        np.empty(shape, np.int16),
        np.empty((n + 1, n + 1, n_states, 6), np.int16),
        np.empty(shape, np.int32),
        np.full(shape, np.float32(-np.inf), np.float32),
        np.empty(shape, np.int16),
    )
    bare = bare_constants(limit, constants, start, estimates, chart.name, n_states)
    middles = bare
    if n_pairs > 0:
        middles = middle_constants(
            limit, bare, join, gap, rules.middle, estimates, chart.mid, chart.mid_split
        )
    room = (n + 1) * n_pairs
    pairs = Pairs(
        np.zeros(n + 1, np.int32),
        np.zeros(n + 1, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room),
        np.full(n_pairs, -1, np.int32),
    )
    for i in range(n - 1, -1, -1):
        used = 0
        for k in range(i + 1, n + 1):
            label = join[i, k]
            lowest = limit - estimates.out_cell[i, k]
            if estimates.cell[i, k] >= lowest and estimates.cell[i, k] > -np.inf:
                chart.value[i, k] = -np.inf
                _add_constants(chart, i, k, lowest, bare, join, gap)
                _add_binary(chart, i, k, lowest, label, rules, estimates.cell)
                _add_ternary(chart, i, k, lowest, label, rules, estimates.cell, pairs)
            lowest = limit - estimates.out_pair[i, k]
            pairs.size[k] = 0
            if n_pairs > 0 and estimates.pair[i, k] >= lowest and estimates.pair[i, k] > -np.inf:
                used = _add_pairs(
                    chart, i, k, lowest, middles, estimates.middles, rules, pairs, used
                )
        for x in range(used):
            pairs.place[pairs.number[x]] = -1
    return chart


@kernel
def _root(chart, join, gap, final):
    """Best complete tree: its score, the words of leading φ, its state."""
    n = join.shape[0] - 1
    top, lead, state = -np.inf, 0, -1
    for p in range(n):
        if p > 0 and gap[0, p] != 0:
            continue
        extra = join[0, n] if p > 0 else 0.0
        for x in range(chart.size[p, n]):
            s = chart.states[p, n, x]
            if final[s] and chart.value[p, n, s] + extra > top:
                top, lead, state = chart.value[p, n, s] + extra, p, s
    return top, lead, state


@kernel
def search(constants, join, gap, start, rules, margin):
    """The exact best tree: its score, leading φ, state, the threshold in force, the `Chart`.

    `margin` is how far under the untyped best score the first threshold lies; it grows by half
    until a tree is found, or at once to infinity if there are few states. A margin of infinity
    prunes nothing.
    """
    ternary = rules.n_pairs > 0
    top_bound, estimates = untyped_estimates(constants, join, gap, start, rules.middle, ternary)
    known = -np.inf
    while True:
        # A tree that an earlier round saw is in reach, so no threshold need lie under its score.
        threshold = max(top_bound - margin, known) if top_bound != -np.inf else -np.inf
        chart = _typed(threshold, constants, join, gap, start, rules, estimates)
        top, lead, state = _root(chart, join, gap, rules.final)
        # A tree under the threshold may have lost a better rival under it, too.
        if top >= threshold or threshold == -np.inf:
            return top, lead, state, threshold, chart
        known = top
        small = rules.table.shape[0] <= FEW_STATES
        margin = np.inf if small or margin > 2000.0 else margin * 1.5
