"""The first pass of the compiled chart: the constants, bare and as middles, that can matter.

An item is kept if its score and its untyped outside estimate reach the limit; see `estimates`.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partwise.chart.algebra.base import IntArray
from partwise.chart.kernels import kernel
from partwise.chart.scores import FloatArray


class Items(NamedTuple):
    """Lists of items by span: those of ``(i, k)`` are ``first[i, k]`` and `size` following."""

    first: IntArray
    size: IntArray
    state: IntArray
    score: FloatArray


@kernel
def _items(n, width):
    spans = (n + 1, n + 1)
    room = n * (n + 1) // 2 * width
    first = np.empty(spans, np.int32)
    size = np.zeros(spans, np.int32)
    return Items(first, size, np.empty(room, np.int32), np.empty(room))


@kernel
def bare_constants(limit, constants, start, estimates, name, n_states):
    """The constants that can be in a tree over the limit, the best one of each state."""
    n = constants.shape[0] - 1
    found = _items(n, min(constants.shape[2], n_states))
    place = np.full(n_states, -1, np.int32)
    used = 0
    for i in range(n):
        for k in range(i + 1, n + 1):
            lowest = limit - estimates.out_bare[i, k]
            if not estimates.best[i, k] >= lowest or estimates.best[i, k] == -np.inf:
                continue
            found.first[i, k] = used
            for column in range(start.shape[0]):
                state = start[column]
                score = constants[i, k, column]
                if state < 0 or not score >= lowest or score == -np.inf:
                    continue
                x = place[state]
                # Items are numbered upwards, so a lower number is another span's.
                if x < found.first[i, k]:
                    x = used
                    used += 1
                    place[state] = x
                    found.state[x] = state
                elif score <= found.score[x]:
                    continue
                found.score[x] = score
                name[i, k, state] = column
            found.size[i, k] = used - found.first[i, k]
    return found


@kernel
def middle_constants(limit, bare, join, gap, middle, estimates, live, split):
    """The constants, with or without a gap, that can be middles in a tree over the limit."""
    n = join.shape[0] - 1
    found = _items(n, max(1, min(middle.sum(), bare.state.shape[0])))
    place = np.full(middle.shape[0], -1, np.int32)
    used = 0
    for i in range(n):
        for k in range(i + 1, n + 1):
            lowest = limit - estimates.out_middle[i, k]
            if not estimates.middles[i, k] >= lowest or estimates.middles[i, k] == -np.inf:
                continue
            found.first[i, k] = used
            for j in range(i + 1, k + 1):
                if bare.size[i, j] == 0 or (j < k and gap[j, k] != 0):
                    continue
                label = join[i, k] if j < k else 0.0
                for y in range(bare.first[i, j], bare.first[i, j] + bare.size[i, j]):
                    state = bare.state[y]
                    score = bare.score[y] + label
                    if not middle[state] or not score >= lowest or score == -np.inf:
                        continue
                    x = place[state]
                    if x < found.first[i, k]:
                        x = used
                        used += 1
                        place[state] = x
                        found.state[x] = state
                        live[i, k, state] = 0.0
                    elif score <= found.score[x]:
                        continue
                    found.score[x] = score
                    split[i, k, state] = j
            found.size[i, k] = used - found.first[i, k]
    return found
