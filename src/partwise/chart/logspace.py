"""The compiled chart in log space: log-partition and label posteriors by inside-outside."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def _logadd(one, two):
    if one < two:
        one, two = two, one
    if two == -np.inf:
        return one
    return one + np.log1p(np.exp(two - one))


@njit(cache=True, nogil=True)
def _bare(constants, start, n_states):
    """``[n+1, n+1, states]``: log-sum of the constants that start in a state."""
    n = constants.shape[0] - 1
    bare = np.full((n + 1, n + 1, n_states), -np.inf)
    for i in range(n):
        for k in range(i + 1, n + 1):
            for category in range(start.shape[0]):
                s = start[category]
                if s >= 0 and constants[i, k, category] != -np.inf:
                    bare[i, k, s] = _logadd(bare[i, k, s], constants[i, k, category])
    return bare


@njit(cache=True, nogil=True)
def inside(constants, join, gap, start, pairs, middle, triples, pair_rows):
    """Inside log-sums: ``cell`` and ``mid`` ``[n+1, n+1, states]``, ``pre`` over state pairs.

    `triples` rows are ``(left, middle, right, result, pair)``; ``pair_rows[pair]`` is
    ``(left, middle)``.
    """
    n = join.shape[0] - 1
    n_states = middle.shape[0]
    bare = _bare(constants, start, n_states)
    cell = np.full((n + 1, n + 1, n_states), -np.inf)
    mid = np.full((n + 1, n + 1, n_states), -np.inf)
    pre = np.full((n + 1, n + 1, pair_rows.shape[0]), -np.inf)
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            k = i + length
            label = join[i, k]
            for s in range(n_states):
                total = bare[i, k, s]
                for j in range(i + 1, k):
                    if gap[j, k] == 0:
                        total = _logadd(total, bare[i, j, s] + label)
                cell[i, k, s] = total
                if middle[s]:
                    mid[i, k, s] = total
            for a in range(i + 1, k):
                for x in range(pairs.shape[0]):
                    left, right, s = pairs[x, 0], pairs[x, 1], pairs[x, 2]
                    v = cell[i, a, left] + cell[a, k, right]
                    if v != -np.inf:
                        cell[i, k, s] = _logadd(cell[i, k, s], v + label)
                for x in range(triples.shape[0]):
                    v = pre[i, a, triples[x, 4]] + cell[a, k, triples[x, 2]]
                    if v != -np.inf:
                        s = triples[x, 3]
                        cell[i, k, s] = _logadd(cell[i, k, s], v + label)
                for x in range(pair_rows.shape[0]):
                    v = cell[i, a, pair_rows[x, 0]] + mid[a, k, pair_rows[x, 1]]
                    if v != -np.inf:
                        pre[i, k, x] = _logadd(pre[i, k, x], v)
    return bare, cell, mid, pre


@njit(cache=True, nogil=True)
def log_partition(cell, join, gap, final):
    """Log of the sum of exp(score) over complete trees."""
    n = join.shape[0] - 1
    total = -np.inf
    for p in range(n):
        if p > 0 and gap[0, p] != 0:
            continue
        for s in range(final.shape[0]):
            if final[s]:
                extra = join[0, n] if p > 0 else 0.0
                total = _logadd(total, cell[p, n, s] + extra)
    return total


@njit(cache=True, nogil=True)
def outside(
    total,
    bare,
    cell,
    mid,
    pre,
    constants,
    join,
    gap,
    start,
    pairs,
    final,
    triples,
    pair_rows,
):
    """Posteriors of constants ``[n+1, n+1, categories]`` and of `join` ``[n+1, n+1]``.

    The posterior mass of each item is passed down to its parts in proportion to their share.
    """
    n = join.shape[0] - 1
    mass = np.zeros_like(cell)
    mass_mid = np.zeros_like(cell)
    mass_pre = np.zeros_like(pre)
    mass_bare = np.zeros_like(cell)
    joined = np.zeros_like(join)
    n_states = final.shape[0]
    for p in range(n):
        if p > 0 and gap[0, p] != 0:
            continue
        extra = join[0, n] if p > 0 else 0.0
        for s in range(n_states):
            if final[s] and cell[p, n, s] != -np.inf:
                share = np.exp(cell[p, n, s] + extra - total)
                mass[p, n, s] += share
                if p > 0:
                    joined[0, n] += share
    for length in range(n, 0, -1):
        for i in range(n - length + 1):
            k = i + length
            label = join[i, k]
            for x in range(pair_rows.shape[0]):
                if mass_pre[i, k, x] == 0.0:
                    continue
                left, between = pair_rows[x, 0], pair_rows[x, 1]
                for a in range(i + 1, k):
                    v = cell[i, a, left] + mid[a, k, between]
                    if v != -np.inf:
                        share = mass_pre[i, k, x] * np.exp(v - pre[i, k, x])
                        mass[i, a, left] += share
                        mass_mid[a, k, between] += share
            for s in range(n_states):
                if mass[i, k, s] == 0.0 and mass_mid[i, k, s] == 0.0:
                    continue
                if bare[i, k, s] != -np.inf:
                    mass_bare[i, k, s] += _weight(mass, mass_mid, cell, mid, i, k, s, bare[i, k, s])
                for j in range(i + 1, k):
                    if gap[j, k] == 0 and bare[i, j, s] != -np.inf:
                        v = bare[i, j, s] + label
                        share = _weight(mass, mass_mid, cell, mid, i, k, s, v)
                        mass_bare[i, j, s] += share
                        joined[i, k] += share
            for a in range(i + 1, k):
                for x in range(pairs.shape[0]):
                    left, right, s = pairs[x, 0], pairs[x, 1], pairs[x, 2]
                    if mass[i, k, s] == 0.0:
                        continue
                    v = cell[i, a, left] + cell[a, k, right]
                    if v != -np.inf:
                        share = mass[i, k, s] * np.exp(v + label - cell[i, k, s])
                        mass[i, a, left] += share
                        mass[a, k, right] += share
                        joined[i, k] += share
                for x in range(triples.shape[0]):
                    s = triples[x, 3]
                    if mass[i, k, s] == 0.0:
                        continue
                    v = pre[i, a, triples[x, 4]] + cell[a, k, triples[x, 2]]
                    if v != -np.inf:
                        share = mass[i, k, s] * np.exp(v + label - cell[i, k, s])
                        mass_pre[i, a, triples[x, 4]] += share
                        mass[a, k, triples[x, 2]] += share
                        joined[i, k] += share
    named = np.zeros_like(constants)
    for i in range(n):
        for k in range(i + 1, n + 1):
            for category in range(start.shape[0]):
                s = start[category]
                if s >= 0 and mass_bare[i, k, s] != 0.0:
                    share = np.exp(constants[i, k, category] - bare[i, k, s])
                    named[i, k, category] = mass_bare[i, k, s] * share
    return named, joined


@njit(cache=True, nogil=True, inline="always")
def _weight(mass, mass_mid, cell, mid, i, k, s, v):
    """Mass that a constant derivation of score `v` gets, as a part and as a middle."""
    share = 0.0
    if mass[i, k, s] != 0.0:
        share += mass[i, k, s] * np.exp(v - cell[i, k, s])
    if mass_mid[i, k, s] != 0.0:
        share += mass_mid[i, k, s] * np.exp(v - mid[i, k, s])
    return share
