"""The whole typed chart: no item is spared, and each join takes far less time than a pruned one."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numpy as np

from partwise.chart.cells import add_constants, empty_chart, empty_lists, list_bare, offer
from partwise.chart.kernels import inlined, kernel


@inlined
def joins_of(n, rules):
    """How many joins fill a chart by lists of rules."""
    return n * (n * n - 1) // 6 * (len(rules.pairs) + len(rules.pair_rules) + len(rules.triples))


@kernel
def full_chart(constants, join, gap, start, rules):
    """Fill the chart."""
    n = join.shape[0] - 1
    chart = empty_chart(n, rules.middle.shape[0])
    chart.value[:] = -np.inf
    bare, middles = empty_lists(n, start, rules)
    pairs, splits = np.empty((n + 1, rules.n_pairs)), np.empty((n + 1, rules.n_pairs), np.int16)
    used_bare, used_middles = 0, 0
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n + 1):
            used_bare = list_bare(chart, bare, i, k, -np.inf, constants, start, used_bare)
            used_middles = add_constants(
                chart, bare, middles, i, k, (-np.inf, -np.inf), join[i, k], gap, rules.middle,
                used_middles,
            )  # fmt: skip
            _add_all_joins(chart, pairs, splits, i, k, join[i, k], rules.sums)
            _add_all_pairs(chart, middles, pairs, splits, i, k, rules.sums.pair_rules)
    return chart


@kernel
def _add_all_joins(chart, pairs, splits, i, k, label, rules):
    """All joins over a span; `pairs` has the best left parts with a middle."""
    value = chart.value
    for b in range(i + 1, k):
        if chart.size[i, b] == 0 or chart.size[b, k] == 0:
            continue
        for x in range(rules.pairs.shape[0]):
            left, right, state = rules.pairs[x]
            score = value[i, b, left] + label + value[b, k, right]
            if score > value[i, k, state]:
                offer(chart, i, k, state, score, b, b, left, -1, right)
    for b in range(i + 1, k):
        if chart.size[b, k] == 0:
            continue
        for x in range(rules.triples.shape[0]):
            pair, right, state = rules.triples[x]
            score = pairs[b, pair] + label + value[b, k, right]
            if score > value[i, k, state]:
                left, middle = rules.pair_rules[pair, 0], rules.pair_rules[pair, 1]
                offer(chart, i, k, state, score, splits[b, pair], b, left, middle, right)


@kernel
def _add_all_pairs(chart, middles, pairs, splits, i, k, pair_rules):
    """The best left parts with a middle; the left parts end at `splits`."""
    pairs[k] = -np.inf
    for a in range(i + 1, k):
        if chart.size[i, a] == 0 or middles.size[a, k] == 0:
            continue
        for x in range(pair_rules.shape[0]):
            left, middle = pair_rules[x, 0], pair_rules[x, 1]
            if chart.split[a, k, middle] > 0:
                score = chart.value[i, a, left] + chart.middle[a, k, middle]
                if score > pairs[k, x]:
                    pairs[k, x], splits[k, x] = score, a
