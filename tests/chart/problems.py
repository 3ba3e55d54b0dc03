"""Random algebras and scores, few enough in trees to be listed; Hypothesis draws the knobs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from brute import Enumerator, TooMany
from hypothesis import strategies as st

from partwise.chart.algebra import NONE, Algebra
from partwise.chart.scores import SpanScores, SpanTree


@dataclass(frozen=True, eq=False)
class Problem:
    """Scores, an algebra, and all trees."""

    scores: SpanScores
    algebra: Algebra
    trees: list[SpanTree]

    def __repr__(self) -> str:
        return (
            f"Problem(n={self.scores.n}, trees={len(self.trees)}, start={self.algebra.start}, "
            f"table={self.algebra.table.tolist()}, columns={self.scores.columns})"
        )


def algebra_of(rng: np.random.Generator, categories: int, states: int, density: float) -> Algebra:
    """A random automaton; about `density` of all pairs compose."""
    table, outer = (
        np.where(
            rng.random((states, states)) > density,
            NONE,
            rng.integers(0, states, (states, states)),
        ).astype(np.int32)
        for _ in range(2)
    )
    start = rng.integers(0, states, categories).astype(np.int32)
    start[rng.random(categories) < 0.15] = NONE
    final, middle = rng.random(states) < 0.7, rng.random(states) < 0.6
    return Algebra(start, table, final, middle, outer if rng.random() < 0.5 else None)


def scores_of(
    rng: np.random.Generator, n: int, columns: np.ndarray, whole: bool, spread: float
) -> SpanScores:
    """Random scores with barriers; whole numbers give ties."""
    shape = (n + 1, n + 1)
    constants = rng.normal(0, spread, (*shape, len(columns)))
    join = rng.normal(0, spread, shape)
    gap = np.where(rng.random(shape) < rng.choice([0.0, 0.0, 0.3, 0.8]), -np.inf, 0.0)
    if whole:
        constants, join = np.round(constants / spread), np.round(join / spread)
    constants[rng.random(constants.shape) < rng.choice([0.0, 0.3])] = -np.inf
    join[rng.random(shape) < rng.choice([0.0, 0.0, 0.2])] = -np.inf
    return SpanScores.of(constants, join, gap, columns)


@st.composite
def problems(draw: st.DrawFn, longest: int = 7, limit: int = 1500) -> Problem:
    """A random problem with at most `limit` sub-trees over each span."""
    # Knobs of the size shrink; the rest hangs on the seed, so that no example is a trivial one.
    n = draw(st.sampled_from((1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 7)))
    rng = np.random.default_rng([draw(st.integers(0, 2**32 - 1)), n])
    n = min(n, longest)
    categories = int(rng.integers(1, 6))
    algebra = algebra_of(rng, categories, int(rng.integers(1, 7)), rng.choice([0.15, 0.4, 0.7, 1]))
    columns = rng.permutation(categories)[: rng.integers(1, categories + 1)]
    scores = scores_of(rng, n, columns, rng.random() < 0.3, rng.choice([0.1, 1.0, 10.0]))
    while True:
        try:
            return Problem(scores, algebra, Enumerator(scores, algebra, limit).complete())
        except TooMany:
            # Forbid more constants until the trees can be counted.
            scores.constants[rng.random(scores.constants.shape) < 0.3] = -np.inf
