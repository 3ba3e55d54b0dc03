"""Log-partition and posteriors by products and sums of scaled weights, without a logarithm.

The weight of an item is exp(its inside log-sum - the best untyped inside score of its span), so
that no weight is above the number of its derivations and a join is one product. Weights far below
their bound vanish; where that could matter (the whole sentence has less than `FAINT`), the caller
falls back on `partwise.chart.batched`, which sums in log space.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partwise.chart.estimates import best_constants, untyped_inside, untyped_root
from partwise.chart.kernels import inlined, kernel
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


class Masses(NamedTuple):
    """What the items of `Weights` get of the posterior, in the same places."""

    bare: FloatArray
    cell: FloatArray
    mid: FloatArray
    pre: FloatArray


@inlined
def _compose(made, rules, left, right, factor):
    """Add what two adjacent items make together."""
    for x in range(rules.shape[0]):
        weight = left[rules[x, 0]] * right[rules[x, 1]]
        made[rules[x, 2]] += weight * factor


@inlined
def _add_constants(weights, i, k, constants, join, gap, start, middle):
    """The constants of a span, bare and then with a gap; as parts and as middles."""
    bare, scale, scale_mid = weights.bare, weights.top[i, k], weights.top_mid[i, k]
    for c in range(start.shape[0]):
        s = start[c]
        if s >= 0 and constants[i, k, c] != -np.inf:
            # Middles have a scale of their own: they may be far below other constants.
            base = weights.best_middle[i, k] if middle[s] else weights.best[i, k]
            if base != -np.inf:
                bare[i, k, s] += np.exp(constants[i, k, c] - base)
    for j in range(i + 1, k + 1):
        if j < k and gap[j, k] != 0:
            continue
        extra = join[i, k] if j < k else 0.0
        for s in range(middle.shape[0]):
            weight = bare[i, j, s]
            if weight == 0.0:
                continue
            base = weights.best_middle[i, j] if middle[s] else weights.best[i, j]
            weights.cell[i, k, s] += weight * np.exp(base + extra - scale)
            if middle[s] and scale_mid != -np.inf:
                weights.mid[i, k, s] += weight * np.exp(base + extra - scale_mid)


@inlined
def _empty_weights(constants, join, gap, start, rules):
    n = join.shape[0] - 1
    best, best_middle = best_constants(constants, join, start, rules.middle)
    usable = best_middle if rules.pair_rules.shape[0] > 0 else np.full_like(best, -np.inf)
    top, top_mid, top_pre = untyped_inside(best, usable, join, gap)
    bare = np.zeros((n + 1, n + 1, rules.middle.shape[0]))
    pre = np.zeros((n + 1, n + 1, rules.pair_rules.shape[0]))
    cell, mid = np.zeros_like(bare), np.zeros_like(bare)
    return Weights(bare, cell, mid, pre, best, best_middle, top, top_mid, top_pre)


@inlined
def _root_weight(weights, scale, join, gap, final):
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


@kernel
def inside(constants, join, gap, start, rules):
    """All `Weights`, and the log scale and the weight of the whole sentence."""
    n = join.shape[0] - 1
    weights = _empty_weights(constants, join, gap, start, rules)
    cell, pre, top, top_pre = weights.cell, weights.pre, weights.top, weights.top_pre
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            k = i + length
            # A span that no part can have may still hold a left part with a middle.
            label, scale = join[i, k], top[i, k]
            some = scale != -np.inf
            if some:
                _add_constants(weights, i, k, constants, join, gap, start, rules.middle)
            for a in range(i + 1, k):
                if top[a, k] == -np.inf:
                    continue
                if some and top[i, a] != -np.inf:
                    factor = np.exp(label + top[i, a] + top[a, k] - scale)
                    _compose(cell[i, k], rules.pairs, cell[i, a], cell[a, k], factor)
                if some and top_pre[i, a] != -np.inf:
                    factor = np.exp(label + top_pre[i, a] + top[a, k] - scale)
                    _compose(cell[i, k], rules.triples, pre[i, a], cell[a, k], factor)
                if top[i, a] != -np.inf and weights.top_mid[a, k] != -np.inf:
                    factor = np.exp(top[i, a] + weights.top_mid[a, k] - top_pre[i, k])
                    _compose(pre[i, k], rules.pair_rules, cell[i, a], weights.mid[a, k], factor)
    scale = untyped_root(top, join, gap)
    return weights, scale, _root_weight(weights, scale, join, gap, rules.final)


@inlined
def _share_root(weights, masses, joined, scale, total, join, gap, final):
    """Give each state of the whole sentence its share."""
    n = join.shape[0] - 1
    for p in range(n):
        if (p > 0 and gap[0, p] != 0) or weights.top[p, n] == -np.inf:
            continue
        factor = np.exp(weights.top[p, n] + (join[0, n] if p > 0 else 0.0) - scale) / total
        for s in range(final.shape[0]):
            if final[s]:
                share = weights.cell[p, n, s] * factor
                masses.cell[p, n, s] += share
                if p > 0:
                    joined[0, n] += share


@inlined
def _share_pairs(weights, masses, i, k, pair_rules):
    """Pass on what left parts with middles have got."""
    cell, mid, top = weights.cell, weights.mid, weights.top
    for x in range(pair_rules.shape[0]):
        if masses.pre[i, k, x] == 0.0:
            continue
        left, between = pair_rules[x, 0], pair_rules[x, 1]
        unit = masses.pre[i, k, x] / weights.pre[i, k, x]
        for a in range(i + 1, k):
            weight = cell[i, a, left] * mid[a, k, between]
            if weight != 0.0:
                scale = top[i, a] + weights.top_mid[a, k] - weights.top_pre[i, k]
                share = unit * weight * np.exp(scale)
                masses.cell[i, a, left] += share
                masses.mid[a, k, between] += share


@inlined
def _share_constants(weights, masses, joined, ratio, i, k, join, gap, middle):
    """Pass on what a span's states have got as constants; fills `ratio`, True if any is."""
    mass, mass_mid, bare = masses.cell, masses.mid, weights.bare
    top, top_mid = weights.top[i, k], weights.top_mid[i, k]
    alive = False
    for s in range(middle.shape[0]):
        ratio[s] = mass[i, k, s] / weights.cell[i, k, s] if mass[i, k, s] != 0.0 else 0.0
        alive = alive or ratio[s] != 0.0
        unit_mid = mass_mid[i, k, s] / weights.mid[i, k, s] if mass_mid[i, k, s] != 0.0 else 0.0
        if ratio[s] == 0.0 and unit_mid == 0.0:
            continue
        for j in range(i + 1, k + 1):
            if bare[i, j, s] == 0.0 or (j < k and gap[j, k] != 0):
                continue
            base = weights.best_middle[i, j] if middle[s] else weights.best[i, j]
            base += join[i, k] if j < k else 0.0
            share = ratio[s] * np.exp(base - top)
            if unit_mid != 0.0:
                share += unit_mid * np.exp(base - top_mid)
            share *= bare[i, j, s]
            masses.bare[i, j, s] += share
            if j < k:
                joined[i, k] += share
    return alive


@inlined
def _share_joins(ratio, rules, left, right, mass_left, mass_right, factor, joined):
    """Pass on what joins have got; returns `joined` and all that was passed."""
    for x in range(rules.shape[0]):
        unit = ratio[rules[x, 2]]
        if unit != 0.0:
            one, other = rules[x, 0], rules[x, 1]
            share = unit * factor * left[one] * right[other]
            mass_left[one] += share
            mass_right[other] += share
            joined += share
    return joined


@inlined
def _share_bare(weights, masses, constants, start, middle):
    """``[n+1, n+1, columns]``: the posteriors of constants of the same state by their scores."""
    n = constants.shape[0] - 1
    named = np.zeros_like(constants)
    for i in range(n):
        for k in range(i + 1, n + 1):
            for c in range(start.shape[0]):
                s = start[c]
                if s >= 0 and masses.bare[i, k, s] != 0.0:
                    base = weights.best_middle[i, k] if middle[s] else weights.best[i, k]
                    share = np.exp(constants[i, k, c] - base) / weights.bare[i, k, s]
                    named[i, k, c] = masses.bare[i, k, s] * share
    return named


@kernel
def marginals(constants, join, gap, start, rules):
    """Log scale and weight of the sentence, and posteriors of all labels if it is over `FAINT`."""
    weights, scale, total = inside(constants, join, gap, start, rules)
    if total < FAINT:
        return scale, total, np.zeros_like(constants), np.zeros_like(join)
    named, joined = _outside(weights, scale, total, constants, join, gap, start, rules)
    return scale, total, named, joined


@kernel
def _outside(weights, scale, total, constants, join, gap, start, rules):
    """Posteriors of constants ``[n+1, n+1, columns]`` and of `join` ``[n+1, n+1]``.

    ``mass / weight`` of an item is what each unit of its weight's parts passes down.
    """
    n = join.shape[0] - 1
    cell, pre, top, top_pre = weights.cell, weights.pre, weights.top, weights.top_pre
    masses = Masses(
        np.zeros_like(cell), np.zeros_like(cell), np.zeros_like(cell), np.zeros_like(pre)
    )
    joined = np.zeros_like(join)
    ratio = np.zeros(rules.middle.shape[0])
    _share_root(weights, masses, joined, scale, total, join, gap, rules.final)
    for length in range(n, 0, -1):
        for i in range(n - length + 1):
            k = i + length
            _share_pairs(weights, masses, i, k, rules.pair_rules)
            if not _share_constants(weights, masses, joined, ratio, i, k, join, gap, rules.middle):
                continue
            for a in range(i + 1, k):
                if top[a, k] == -np.inf:
                    continue
                right, mass = cell[a, k], masses.cell
                if top[i, a] != -np.inf:
                    factor = np.exp(join[i, k] + top[i, a] + top[a, k] - top[i, k])
                    joined[i, k] = _share_joins(
                        ratio, rules.pairs, cell[i, a], right, mass[i, a], mass[a, k], factor,
                        joined[i, k],
                    )  # fmt: skip
                if top_pre[i, a] != -np.inf:
                    factor = np.exp(join[i, k] + top_pre[i, a] + top[a, k] - top[i, k])
                    joined[i, k] = _share_joins(
                        ratio, rules.triples, pre[i, a], right, masses.pre[i, a], mass[a, k],
                        factor, joined[i, k],
                    )  # fmt: skip
    return _share_bare(weights, masses, constants, start, rules.middle), joined
