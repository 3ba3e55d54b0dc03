"""The compiled sums: untyped estimates, log-partition and posteriors.

*Estimates* are those of a chart with a single state, in O(n³). Any typed tree is also a tree of
this chart, so no typed score is above the untyped one: an item whose inside score plus untyped
outside score lies under a threshold is in no tree that reaches the threshold.

*Sums* are products and sums of scaled weights, without a logarithm. The weight of an item is
exp(its inside log-sum - the best untyped inside score of its span), so that no weight is above the
number of its derivations and a join is one product. Weights far below their bound vanish; where
that could matter (the whole sentence has less than `FAINT`), the caller falls back on
`partwise.chart.batched`, which sums in log space.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from partwise.chart.kernels import inlined, kernel
from partwise.chart.scores import LARGEST, FloatArray

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class InsideEstimates(NamedTuple):
    """The best untyped scores, ``[n+1, n+1]`` unless said otherwise.

    Attributes:
        bare: ``[2, n+1, n+1]``, a usable constant alone, and one that may be a middle.
        cell: a sub-tree.
        middle: a constant, with or without its gap, as the middle of a ternary join.
        pair: a left part with a middle.
        root: of the whole sentence.
    """

    bare: FloatArray
    cell: FloatArray
    middle: FloatArray
    pair: FloatArray
    root: float


class OutsideEstimates(NamedTuple):
    """The best untyped scores around the same items; `bare` as a part or as a middle."""

    bare: FloatArray
    cell: FloatArray
    middle: FloatArray
    pair: FloatArray


@kernel
def _best_constants(constants, join, start, middle):
    """``[2, n+1, n+1]``: the best usable constant of each span, and the best middle one. Raises
    ValueError for scores that no chart can sum; `check_scores` says which."""
    n = constants.shape[0] - 1
    best = np.full((2, n + 1, n + 1), -np.inf)
    for i in range(n):
        for k in range(i + 1, n + 1):
            top, top_middle = -np.inf, -np.inf
            sound = join[i, k] <= LARGEST
            for column in range(start.shape[0]):
                score = constants[i, k, column]
                sound = sound and score <= LARGEST
                if score > top_middle and start[column] >= 0:
                    top = max(top, score)
                    if middle[start[column]]:
                        top_middle = score
            best[0, i, k], best[1, i, k] = top, top_middle
            if not sound:
                raise ValueError("a score is NaN or too large")
    return best


@kernel
def untyped_inside(constants, join, gap, start, middle, ternary):
    """All `InsideEstimates`; without `ternary` joins, middles and pairs are ``-inf``."""
    n = join.shape[0] - 1
    best = _best_constants(constants, join, start, middle)
    cell = np.full((n + 1, n + 1), -np.inf)
    middles, pair = cell.copy(), cell.copy()
    usable = best[1] if ternary else pair
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            k = i + length
            label = join[i, k]
            top, top_middle, top_pair = best[0, i, k], usable[i, k], -np.inf
            for a in range(i + 1, k):
                if gap[a, k] == 0:
                    top = max(top, label + best[0, i, a])
                    top_middle = max(top_middle, label + usable[i, a])
                top = max(top, label + cell[i, a] + cell[a, k])
                top = max(top, label + pair[i, a] + cell[a, k])
                top_pair = max(top_pair, cell[i, a] + middles[a, k])
            cell[i, k], middles[i, k], pair[i, k] = top, top_middle, top_pair
    root = cell[0, n]
    for p in range(1, n):
        if gap[0, p] == 0:
            root = max(root, join[0, n] + cell[p, n])
    return InsideEstimates(best, cell, middles, pair, root)


@kernel
def untyped_outside(inside, join, gap):
    """All `OutsideEstimates`."""
    n = join.shape[0] - 1
    cell, middles, pair = inside.cell, inside.middle, inside.pair
    out_cell = np.full((n + 1, n + 1), -np.inf)
    out_bare, out_middle, out_pair = out_cell.copy(), out_cell.copy(), out_cell.copy()
    out_cell[0, n] = 0.0
    for p in range(1, n):
        if gap[0, p] == 0:
            out_cell[p, n] = join[0, n]
    for length in range(n, 0, -1):
        for i in range(n - length + 1):
            k = i + length
            label = join[i, k]
            whole, before = out_cell[i, k], out_pair[i, k]
            constant = max(whole, out_middle[i, k])
            out_bare[i, k] = max(out_bare[i, k], constant)
            for a in range(i + 1, k):
                if gap[a, k] == 0:
                    out_bare[i, a] = max(out_bare[i, a], constant + label)
                outer = whole + label + cell[a, k]
                out_cell[i, a] = max(out_cell[i, a], outer, before + middles[a, k])
                out_pair[i, a] = max(out_pair[i, a], outer)
                inner = whole + label + max(cell[i, a], pair[i, a])
                out_cell[a, k] = max(out_cell[a, k], inner)
                out_middle[a, k] = max(out_middle[a, k], before + cell[i, a])
    return OutsideEstimates(out_bare, out_cell, out_middle, out_pair)


FAINT = 1e-150
"""Least weight of the sentence at which vanished weights are far below rounding."""


class Weights(NamedTuple):
    """Weights of items relative to the `InsideEstimates`, or their shares of the posterior.

    Attributes:
        bare, cell, mid: ``[n+1, n+1, states]``: constants, sub-trees, middles of ternary joins.
        pre: ``[n+1, n+1, ternary pairs]``: left part with middle.
    """

    bare: FloatArray
    cell: FloatArray
    mid: FloatArray
    pre: FloatArray


@inlined
def _nothing(n, rules):
    shape = (n + 1, n + 1, rules.middle.shape[0])
    pre = np.zeros((n + 1, n + 1, rules.pair_rules.shape[0]))
    return Weights(np.zeros(shape), np.zeros(shape), np.zeros(shape), pre)


@inlined
def _root_factor(tops, p, join, gap):
    """What the weights of the words from `p` count as whole sentences; 0 if they are none."""
    n = join.shape[0] - 1
    if tops.root == -np.inf or tops.cell[p, n] == -np.inf or (p > 0 and gap[0, p] != 0):
        return 0.0
    return exp(tops.cell[p, n] + (join[0, n] if p > 0 else 0.0) - tops.root)


@inlined
def _compose(made, rules, left, right, factor):
    """Add what two adjacent items make together."""
    for x in range(rules.shape[0]):
        weight = left[rules[x, 0]] * right[rules[x, 1]]
        made[rules[x, 2]] += weight * factor


@inlined
def _add_constants(weights, tops, i, k, constants, label, gap, start, middle):
    """The constants of a span, bare and then with a gap; as parts and as middles."""
    bare, top, top_middle = weights.bare, tops.cell[i, k], tops.middle[i, k]
    for c in range(start.shape[0]):
        s = start[c]
        if s >= 0 and constants[i, k, c] != -np.inf:
            base = tops.bare[int(middle[s]), i, k]
            if base != -np.inf:
                bare[i, k, s] += exp(constants[i, k, c] - base)
    for j in range(i + 1, k + 1):
        if j < k and gap[j, k] != 0:
            continue
        extra = label if j < k else 0.0
        for s in range(middle.shape[0]):
            weight = bare[i, j, s]
            if weight == 0.0:
                continue
            base = tops.bare[int(middle[s]), i, j]
            score = base + extra
            weights.cell[i, k, s] += weight * exp(score - top)
            if middle[s] and top_middle != -np.inf:
                weights.mid[i, k, s] += weight * exp(score - top_middle)


@kernel
def _inside(constants, join, gap, start, rules):
    """All `Weights`, the `InsideEstimates`, and the weight of the whole sentence."""
    n = join.shape[0] - 1
    tops = untyped_inside(constants, join, gap, start, rules.middle, rules.pair_rules.shape[0] > 0)
    weights = _nothing(n, rules)
    cell, mid, pre = weights.cell, weights.mid, weights.pre
    top, top_mid, top_pre = tops.cell, tops.middle, tops.pair
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            k = i + length
            # A span that no part can have may still hold a left part with a middle.
            label, scale = join[i, k], top[i, k]
            some = scale != -np.inf
            if some:
                _add_constants(weights, tops, i, k, constants, label, gap, start, rules.middle)
            for a in range(i + 1, k):
                if top[a, k] == -np.inf:
                    continue
                if some and top[i, a] != -np.inf:
                    factor = exp(label + top[i, a] + top[a, k] - scale)
                    _compose(cell[i, k], rules.pairs, cell[i, a], cell[a, k], factor)
                if some and top_pre[i, a] != -np.inf:
                    factor = exp(label + top_pre[i, a] + top[a, k] - scale)
                    _compose(cell[i, k], rules.triples, pre[i, a], cell[a, k], factor)
                if top[i, a] != -np.inf and top_mid[a, k] != -np.inf:
                    factor = exp(top[i, a] + top_mid[a, k] - top_pre[i, k])
                    _compose(pre[i, k], rules.pair_rules, cell[i, a], mid[a, k], factor)
    total, asked = 0.0, np.exp(rules.root)
    for p in range(n):
        factor = _root_factor(tops, p, join, gap)
        for s in range(asked.shape[0]):
            total += cell[p, n, s] * asked[s] * factor
    return weights, tops, total


@kernel
def total_weight(constants, join, gap, start, rules):
    """Log scale and weight of the whole sentence."""
    _, tops, total = _inside(constants, join, gap, start, rules)
    return tops.root, total


@inlined
def _share_pairs(weights, masses, tops, i, k, pair_rules):
    """Pass on what left parts with middles have got."""
    for x in range(pair_rules.shape[0]):
        if masses.pre[i, k, x] == 0.0:
            continue
        left, between = pair_rules[x, 0], pair_rules[x, 1]
        unit = masses.pre[i, k, x] / weights.pre[i, k, x]
        for a in range(i + 1, k):
            weight = weights.cell[i, a, left] * weights.mid[a, k, between]
            if weight != 0.0:
                share = unit * weight * exp(tops.cell[i, a] + tops.middle[a, k] - tops.pair[i, k])
                masses.cell[i, a, left] += share
                masses.mid[a, k, between] += share


@inlined
def _share_constants(weights, masses, tops, joined, ratio, i, k, join, gap, middle):
    """Pass on what a span's states have got as constants; fills `ratio`, True if any is."""
    bare, alive = weights.bare, False
    for s in range(middle.shape[0]):
        mass, mass_mid = masses.cell[i, k, s], masses.mid[i, k, s]
        ratio[s] = mass / weights.cell[i, k, s] if mass != 0.0 else 0.0
        alive = alive or ratio[s] != 0.0
        unit_mid = mass_mid / weights.mid[i, k, s] if mass_mid != 0.0 else 0.0
        if ratio[s] == 0.0 and unit_mid == 0.0:
            continue
        for j in range(i + 1, k + 1):
            if bare[i, j, s] == 0.0 or (j < k and gap[j, k] != 0):
                continue
            base = tops.bare[int(middle[s]), i, j] + (join[i, k] if j < k else 0.0)
            share = ratio[s] * exp(base - tops.cell[i, k])
            if unit_mid != 0.0:
                share += unit_mid * exp(base - tops.middle[i, k])
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
def _share_bare(weights, masses, tops, constants, start, middle, named):
    """The posteriors of constants of the same state by their scores."""
    n = constants.shape[0] - 1
    for i in range(n):
        for k in range(i + 1, n + 1):
            for c in range(start.shape[0]):
                s = start[c]
                if s >= 0 and masses.bare[i, k, s] != 0.0:
                    base = tops.bare[int(middle[s]), i, k]
                    share = exp(constants[i, k, c] - base) / weights.bare[i, k, s]
                    named[i, k, c] = masses.bare[i, k, s] * share


@kernel
def posteriors(constants, join, gap, start, rules):
    """Log scale and weight of the sentence, and posteriors of all labels if it is over `FAINT`.
    Posteriors of constants are ``[n+1, n+1, columns]``, of `join` ``[n+1, n+1]``, and of the whole
    question's state ``[states]``. What each unit of an item's parts passes down is its share
    (`masses`) by its weight."""
    n = join.shape[0] - 1
    weights, tops, total = _inside(constants, join, gap, start, rules)
    named, joined = np.zeros_like(constants), np.zeros_like(join)
    whole, asked = np.zeros_like(rules.root), np.exp(rules.root)
    if total < FAINT:
        return tops.root, total, named, joined, whole
    masses = _nothing(n, rules)
    for p in range(n):
        factor = _root_factor(tops, p, join, gap) / total
        for s in range(asked.shape[0]):
            mass = weights.cell[p, n, s] * asked[s] * factor
            masses.cell[p, n, s] += mass
            whole[s] += mass
            if p > 0:
                joined[0, n] += mass
    _outside(weights, masses, tops, joined, join, gap, rules)
    _share_bare(weights, masses, tops, constants, start, rules.middle, named)
    return tops.root, total, named, joined, whole


@kernel
def _outside(weights, masses, tops, joined, join, gap, rules):
    n = join.shape[0] - 1
    cell, pre, top, top_pre, mass = weights.cell, weights.pre, tops.cell, tops.pair, masses.cell
    ratio = np.zeros(rules.middle.shape[0])
    for length in range(n, 0, -1):
        for i in range(n - length + 1):
            k = i + length
            _share_pairs(weights, masses, tops, i, k, rules.pair_rules)
            if not _share_constants(
                weights, masses, tops, joined, ratio, i, k, join, gap, rules.middle
            ):
                continue
            for a in range(i + 1, k):
                if top[a, k] == -np.inf:
                    continue
                if top[i, a] != -np.inf:
                    factor = exp(join[i, k] + top[i, a] + top[a, k] - top[i, k])
                    joined[i, k] = _share_joins(
                        ratio, rules.pairs, cell[i, a], cell[a, k], mass[i, a], mass[a, k], factor,
                        joined[i, k],
                    )  # fmt: skip
                if top_pre[i, a] != -np.inf:
                    factor = exp(join[i, k] + top_pre[i, a] + top[a, k] - top[i, k])
                    joined[i, k] = _share_joins(
                        ratio, rules.triples, pre[i, a], cell[a, k], masses.pre[i, a], mass[a, k],
                        factor, joined[i, k],
                    )  # fmt: skip
