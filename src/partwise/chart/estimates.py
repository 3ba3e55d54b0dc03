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
    """``[2, n+1, n+1]``: the best usable constant of each span, and the best middle one.

    Raises:
        ValueError: for scores that no chart can sum; `check_scores` says which.
    """
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
