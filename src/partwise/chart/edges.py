"""The best ways to make one item of a filled chart, as the k best trees ask for them."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from partwise.chart.kernels import inlined, kernel


@inlined
def _insert(totals, joins, used, total, a, b, left, middle, right):
    """Put a join among the best, behind those that are as good; how many there are then."""
    most = totals.shape[0]
    if total == -np.inf or (used == most and total <= totals[most - 1]):
        return used
    place = min(used, most - 1)
    while place > 0 and totals[place - 1] < total:
        totals[place], joins[place] = totals[place - 1], joins[place - 1]
        place -= 1
    totals[place], join = total, joins[place]
    join[0], join[1], join[2], join[3], join[4] = a, b, left, middle, right
    return min(used + 1, most)


@kernel
def best_joins(chart, i, k, state, label, rules, most, work):
    """The `most` best joins that make a state over a span, by the best trees of their parts.

    Returns:
        Their scores, and ``(a, b, left, middle, right)`` of each, as in `Chart.back`.
    """
    totals, joins, used = np.empty(most), np.empty((most, 5), np.int32), 0
    value, size, first = chart.value, chart.size, rules.first
    for a in range(i + 1, k):
        if size[i, a] == 0:
            continue
        if size[a, k] > 0:
            work[0] += first[0, state + 1] - first[0, state]
            for x in range(first[0, state], first[0, state + 1]):
                left, _, right = rules.making[x]
                total = label + value[i, a, left] + value[a, k, right]
                used = _insert(totals, joins, used, total, a, a, left, -1, right)
    for a in range(i + 1, k):
        if size[i, a] == 0:
            continue
        for b in range(a + 1, k):
            if size[b, k] == 0:
                continue
            work[0] += first[1, state + 1] - first[1, state]
            for x in range(first[1, state], first[1, state + 1]):
                left, middle, right = rules.making[x]
                if chart.split[a, b, middle] > 0:
                    total = label + value[i, a, left] + value[b, k, right]
                    total += chart.middle[a, b, middle]
                    used = _insert(totals, joins, used, total, a, b, left, middle, right)
    return totals[:used], joins[:used]
