"""Outside estimates for exact pruning: the chart with a single state, in O(n³).

Any typed tree is also a tree of this untyped chart, so no typed score is above the untyped one. An
item whose inside score plus untyped outside score lies under a threshold is in no tree that
reaches the threshold.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from partwise.chart.kernels import kernel
from partwise.chart.scores import LARGEST, FloatArray


class OutsideEstimates(NamedTuple):
    """Untyped best scores, all ``[n+1, n+1]``: inside, and outside (``out_``) of a span's item.

    Attributes:
        best: the best usable constant alone.
        cell, out_cell: a sub-tree.
        middles, out_middle: a constant, with or without its gap, as the middle of a ternary join.
        pair, out_pair: a left part with a middle.
        out_bare: a constant alone, as a part or as a middle.
    """

    best: FloatArray
    cell: FloatArray
    middles: FloatArray
    pair: FloatArray
    out_cell: FloatArray
    out_middle: FloatArray
    out_pair: FloatArray
    out_bare: FloatArray


@kernel
def best_constants(constants, join, start, middle):
    """``[n+1, n+1]`` twice: the best usable constant of each span, and the best middle one.

    Raises:
        ValueError: for scores that no chart can sum; `check_scores` says which.
    """
    n = constants.shape[0] - 1
    best = np.full((n + 1, n + 1), -np.inf)
    best_middle = np.full((n + 1, n + 1), -np.inf)
    for i in range(n):
        for k in range(i + 1, n + 1):
            top, top_middle = -np.inf, -np.inf
            sound = join[i, k] <= LARGEST
            for category in range(start.shape[0]):
                score = constants[i, k, category]
                sound = sound and score <= LARGEST
                if score > top_middle and start[category] >= 0:
                    top = max(top, score)
                    if middle[start[category]]:
                        top_middle = score
            best[i, k], best_middle[i, k] = top, top_middle
            if not sound:
                raise ValueError("a score is NaN or too large")
    return best, best_middle


@kernel
def untyped_inside(best, best_middle, join, gap):
    """Best untyped sub-tree ``cell``, best constant middle, best ``left + middle`` pair."""
    n = join.shape[0] - 1
    cell = np.full((n + 1, n + 1), -np.inf)
    middles = np.full((n + 1, n + 1), -np.inf)
    pair = np.full((n + 1, n + 1), -np.inf)
    for length in range(1, n + 1):
        for i in range(n - length + 1):
            k = i + length
            label = join[i, k]
            top, top_middle, top_pair = best[i, k], best_middle[i, k], -np.inf
            for a in range(i + 1, k):
                if gap[a, k] == 0:
                    top = max(top, label + best[i, a])
                    top_middle = max(top_middle, label + best_middle[i, a])
                top = max(top, label + cell[i, a] + cell[a, k])
                top = max(top, label + pair[i, a] + cell[a, k])
                top_pair = max(top_pair, cell[i, a] + middles[a, k])
            cell[i, k], middles[i, k], pair[i, k] = top, top_middle, top_pair
    return cell, middles, pair


@kernel
def untyped_root(cell, join, gap):
    """Best untyped score of the whole sentence."""
    n = join.shape[0] - 1
    top = cell[0, n]
    for p in range(1, n):
        if gap[0, p] == 0:
            top = max(top, join[0, n] + cell[p, n])
    return top


@kernel
def untyped_outside(cell, middles, pair, join, gap):
    """Outside estimates of sub-trees, middles, pairs, and bare constants (as part or as middle)."""
    n = join.shape[0] - 1
    out_cell = np.full((n + 1, n + 1), -np.inf)
    out_middle = np.full((n + 1, n + 1), -np.inf)
    out_pair = np.full((n + 1, n + 1), -np.inf)
    out_bare = np.full((n + 1, n + 1), -np.inf)
    out_cell[0, n] = 0.0
    for p in range(1, n):
        if gap[0, p] == 0:
            out_cell[p, n] = join[0, n]
    for length in range(n, 0, -1):
        for i in range(n - length + 1):
            k = i + length
            label = join[i, k]
            whole, between, before = out_cell[i, k], out_middle[i, k], out_pair[i, k]
            constant = max(whole, between)
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
    return out_cell, out_middle, out_pair, out_bare


@kernel
def untyped_estimates(constants, join, gap, start, middle, ternary):
    """The best untyped score of the whole sentence, and all `OutsideEstimates`."""
    best, best_middle = best_constants(constants, join, start, middle)
    if not ternary:
        best_middle[:] = -np.inf
    cell, middles, pair = untyped_inside(best, best_middle, join, gap)
    out_cell, out_middle, out_pair, out_bare = untyped_outside(cell, middles, pair, join, gap)
    estimates = OutsideEstimates(
        best, cell, middles, pair, out_cell, out_middle, out_pair, out_bare
    )
    return untyped_root(cell, join, gap), estimates
