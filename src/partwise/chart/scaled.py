"""Log-partition and posteriors by products and sums of scaled weights, without a logarithm.

The weight of an item is exp(its inside log-sum - the best untyped inside score of its span), so
that no weight is above the number of its derivations and a join is one product. Weights far below
their bound vanish; where that could matter (the whole sentence has less than `FAINT`), the caller
falls back on `partwise.chart.logspace`.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from partwise.chart.estimates import best_constants, untyped_inside, untyped_root
from partwise.chart.scores import FloatArray

FAINT = 1e-150
"""Least weight of the sentence at which vanished weights are far below rounding."""


class Weights(NamedTuple):
    """Weights of items, and the log scales that they are relative to.

    Attributes:
        bare, cell, mid: ``[n+1, n+1, states]``: constants, sub-trees, middles of ternary joins.
        pre: ``[n+1, n+1, ternary pairs]``: left part with middle.
        best, best_middle, top, top_mid, top_pre: ``[n+1, n+1]`` scales of bare constants, bare
            middles, `cell`, `mid` and `pre`.
    """

    bare: FloatArray
    cell: FloatArray
    mid: FloatArray
    pre: FloatArray
    best: FloatArray
    best_middle: FloatArray
    top: FloatArray
    top_mid: FloatArray
    top_pre: FloatArray


@njit(cache=True, nogil=True)
def inside(constants, join, gap, start, pairs, middle, triples, pair_rows):
    """All `Weights`, and the log scale and weight of the untyped best sentence's states."""
    n = join.shape[0] - 1
    n_states = middle.shape[0]
    best, best_middle = best_constants(constants, start, middle)
    usable = best_middle if pair_rows.shape[0] > 0 else np.full_like(best, -np.inf)
    top, top_mid, top_pre = untyped_inside(best, usable, join, gap)
    bare = np.zeros((n + 1, n + 1, n_states))
    cell = np.zeros((n + 1, n + 1, n_states))
    mid = np.zeros((n + 1, n + 1, n_states))
    pre = np.zeros((n + 1, n + 1, pair_rows.shape[0]))
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            k = i + length
            # A span that no part can have may still hold a left part with a middle.
            label, scale = join[i, k], top[i, k]
            some = scale != -np.inf
            for c in range(start.shape[0] if some else 0):
                s = start[c]
                if s >= 0 and constants[i, k, c] != -np.inf:
                    # Middles have a scale of their own: they may be far below other constants.
                    base = best_middle[i, k] if middle[s] else best[i, k]
                    if base != -np.inf:
                        bare[i, k, s] += np.exp(constants[i, k, c] - base)
            for j in range(i + 1, k + 1 if some else 0):
                if j < k and gap[j, k] != 0:
                    continue
                extra = label if j < k else 0.0
                for s in range(n_states):
                    weight = bare[i, j, s]
                    if weight == 0.0:
                        continue
                    base = best_middle[i, j] if middle[s] else best[i, j]
                    cell[i, k, s] += weight * np.exp(base + extra - scale)
                    if middle[s] and top_mid[i, k] != -np.inf:
                        mid[i, k, s] += weight * np.exp(base + extra - top_mid[i, k])
            for a in range(i + 1, k):
                if top[a, k] == -np.inf:
                    continue
                if some and top[i, a] != -np.inf:
                    factor = np.exp(label + top[i, a] + top[a, k] - scale)
                    for x in range(pairs.shape[0]):
                        weight = cell[i, a, pairs[x, 0]] * cell[a, k, pairs[x, 1]]
                        cell[i, k, pairs[x, 2]] += weight * factor
                if some and top_pre[i, a] != -np.inf:
                    factor = np.exp(label + top_pre[i, a] + top[a, k] - scale)
                    for x in range(triples.shape[0]):
                        weight = pre[i, a, triples[x, 4]] * cell[a, k, triples[x, 2]]
                        cell[i, k, triples[x, 3]] += weight * factor
                if top[i, a] != -np.inf and top_mid[a, k] != -np.inf:
                    factor = np.exp(top[i, a] + top_mid[a, k] - top_pre[i, k])
                    for x in range(pair_rows.shape[0]):
                        weight = cell[i, a, pair_rows[x, 0]] * mid[a, k, pair_rows[x, 1]]
                        pre[i, k, x] += weight * factor
    scale = untyped_root(top, join, gap)
    return Weights(bare, cell, mid, pre, best, best_middle, top, top_mid, top_pre), scale


@njit(cache=True, nogil=True)
def root_weight(weights, scale, join, gap, final):
    """Weight of the whole sentence relative to `scale`; 0 if there is no tree."""
    n = join.shape[0] - 1
    total = 0.0
    if scale == -np.inf:
        return total
    for p in range(n):
        if (p > 0 and gap[0, p] != 0) or weights.top[p, n] == -np.inf:
            continue
        factor = np.exp(weights.top[p, n] + (join[0, n] if p > 0 else 0.0) - scale)
        for s in range(final.shape[0]):
            if final[s]:
                total += weights.cell[p, n, s] * factor
    return total


@njit(cache=True, nogil=True)
def outside(
    weights, scale, total, constants, join, gap, start, pairs, final, middle, triples, pair_rows
):
    """Posteriors of constants ``[n+1, n+1, columns]`` and of `join` ``[n+1, n+1]``.

    ``mass / weight`` of an item is what each unit of its weight's parts passes down.
    """
    n = join.shape[0] - 1
    n_states = final.shape[0]
    cell, mid, pre, bare, top = weights.cell, weights.mid, weights.pre, weights.bare, weights.top
    top_pre, top_mid = weights.top_pre, weights.top_mid
    mass = np.zeros_like(cell)
    mass_mid = np.zeros_like(cell)
    mass_pre = np.zeros_like(pre)
    mass_bare = np.zeros_like(cell)
    joined = np.zeros_like(join)
    ratio = np.zeros(n_states)
    for p in range(n):
        if (p > 0 and gap[0, p] != 0) or top[p, n] == -np.inf:
            continue
        factor = np.exp(top[p, n] + (join[0, n] if p > 0 else 0.0) - scale) / total
        for s in range(n_states):
            if final[s]:
                share = cell[p, n, s] * factor
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
                unit = mass_pre[i, k, x] / pre[i, k, x]
                for a in range(i + 1, k):
                    weight = cell[i, a, left] * mid[a, k, between]
                    if weight != 0.0:
                        share = unit * weight * np.exp(top[i, a] + top_mid[a, k] - top_pre[i, k])
                        mass[i, a, left] += share
                        mass_mid[a, k, between] += share
            alive = False
            for s in range(n_states):
                ratio[s] = mass[i, k, s] / cell[i, k, s] if mass[i, k, s] != 0.0 else 0.0
                alive = alive or ratio[s] != 0.0
                unit_mid = mass_mid[i, k, s] / mid[i, k, s] if mass_mid[i, k, s] != 0.0 else 0.0
                if ratio[s] == 0.0 and unit_mid == 0.0:
                    continue
                for j in range(i + 1, k + 1):
                    if bare[i, j, s] == 0.0 or (j < k and gap[j, k] != 0):
                        continue
                    base = weights.best_middle[i, j] if middle[s] else weights.best[i, j]
                    base += label if j < k else 0.0
                    share = ratio[s] * np.exp(base - top[i, k])
                    if unit_mid != 0.0:
                        share += unit_mid * np.exp(base - top_mid[i, k])
                    share *= bare[i, j, s]
                    mass_bare[i, j, s] += share
                    if j < k:
                        joined[i, k] += share
            if not alive:
                continue
            for a in range(i + 1, k):
                if top[a, k] == -np.inf:
                    continue
                if top[i, a] != -np.inf:
                    factor = np.exp(label + top[i, a] + top[a, k] - top[i, k])
                    for x in range(pairs.shape[0]):
                        unit = ratio[pairs[x, 2]]
                        if unit != 0.0:
                            left, right = pairs[x, 0], pairs[x, 1]
                            share = unit * factor * cell[i, a, left] * cell[a, k, right]
                            mass[i, a, left] += share
                            mass[a, k, right] += share
                            joined[i, k] += share
                if top_pre[i, a] != -np.inf:
                    factor = np.exp(label + top_pre[i, a] + top[a, k] - top[i, k])
                    for x in range(triples.shape[0]):
                        unit = ratio[triples[x, 3]]
                        if unit != 0.0:
                            number, right = triples[x, 4], triples[x, 2]
                            share = unit * factor * pre[i, a, number] * cell[a, k, right]
                            mass_pre[i, a, number] += share
                            mass[a, k, right] += share
                            joined[i, k] += share
    named = np.zeros_like(constants)
    for i in range(n):
        for k in range(i + 1, n + 1):
            for c in range(start.shape[0]):
                s = start[c]
                if s >= 0 and mass_bare[i, k, s] != 0.0:
                    base = weights.best_middle[i, k] if middle[s] else weights.best[i, k]
                    share = np.exp(constants[i, k, c] - base) / bare[i, k, s]
                    named[i, k, c] = mass_bare[i, k, s] * share
    return named, joined
