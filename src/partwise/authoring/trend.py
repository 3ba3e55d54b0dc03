"""What a learning curve says about more data: a power law of the error, and how sure it is.

The share of wrong answers is taken to fall as a power of the number of training questions, as it
does for most learners and tasks (Hestness et al. 2017, "Deep Learning Scaling is Predictable,
Empirically"). Intervals come from resampling the test questions for each size (the bootstrap);
whether the law holds beyond the sizes that were tried, they do not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DRAWS = 2000
SIZES, QUESTIONS = 3, 20
"""Sizes and test questions that are needed to say anything."""
LITTLE, SURE, WIDE = 0.02, 0.01, 0.25
"""A gain that is as good as none; one that is surely more; an interval that says nothing."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Trend:
    """What is expected with all examples, and with twice as many; shares from 0 to 1.

    Attributes:
        verdict: ``helps``, ``little`` or ``cannot tell``.
        why: the verdict in words.
        now, twice, gain: the expected share of correct answers with `n` examples and with twice
            as many, and their difference; None where nothing can be told.
        low, high: 90 % interval of the gain.
    """

    n: int
    verdict: str
    why: str
    now: float | None = None
    twice: float | None = None
    gain: float | None = None
    low: float | None = None
    high: float | None = None


def trend(correct: Mapping[int, FloatArray], n: int, seed: int = 0) -> Trend:
    """Fit the power law and look ahead to twice as many examples.

    Args:
        correct: for each number of training questions ``[questions]``, the share (from 0 to 1) in
            which each test question, the same ones in the same order, was answered correctly.
        n: how many examples there are in all.

    Raises:
        ValueError: if the arrays differ in length or there are none.
    """
    sizes = np.array(sorted(correct), float)
    if not len(sizes) or len({len(answers) for answers in correct.values()}) != 1:
        raise ValueError("the same test questions are needed for every size")
    table = np.stack([correct[size] for size in sorted(correct)])
    questions = table.shape[1]
    if len(sizes) < SIZES or questions < QUESTIONS:
        why = f"{len(sizes)} sizes and {questions} test questions are too few"
        return Trend(n, "cannot tell", why)
    if table[-1].min() == 1.0:
        why = "every test question is correct; give harder ones to see what is missing"
        return Trend(n, "cannot tell", why)
    now, twice = ahead(sizes, table, n)
    draw = np.random.default_rng(seed)
    gains = []
    for _ in range(DRAWS):
        # Each size apart: what one training gets right by luck another one may not.
        picked = draw.integers(0, questions, table.shape)
        early, late = ahead(sizes, np.take_along_axis(table, picked, axis=1), n)
        gains.append(late - early)
    low, high = (float(edge) for edge in np.percentile(gains, (5, 95)))
    verdict, why = _verdict(twice - now, low, high)
    return Trend(n, verdict, why, now, twice, twice - now, low, high)


def ahead(sizes: FloatArray, correct: FloatArray, n: int) -> tuple[float, float]:
    """The expected share of correct answers with `n` examples and with twice as many.

    Args:
        sizes: ``[sizes]``; `correct` is ``[sizes, questions]``.
    """
    slope, start = fit(sizes, correct)
    early, late = (float(np.exp(start + slope * np.log(size))) for size in (n, 2 * n))
    return 1 - min(1.0, early), 1 - min(1.0, late)


def fit(sizes: FloatArray, correct: FloatArray) -> tuple[float, float]:
    """Slope (not above zero) and start of the line of log error over log size.

    Errors are smoothed by half a question, so that none is zero, and weighted by how well so many
    questions tell them. Large sizes count more, as the square: with a few examples nothing is
    learned yet, and the law holds only from where something is.
    """
    questions = correct.shape[1]
    error = (questions - correct.sum(1) + 0.5) / (questions + 1)
    weight = questions * error / (1 - error) * sizes**2
    x, y = np.log(sizes), np.log(error)
    mean_x, mean_y = np.average(x, weights=weight), np.average(y, weights=weight)
    spread = float((weight * (x - mean_x) ** 2).sum())
    slope = min(0.0, float((weight * (x - mean_x) * (y - mean_y)).sum()) / spread)
    return slope, float(mean_y - slope * mean_x)


def _verdict(gain: float, low: float, high: float) -> tuple[str, str]:
    shown = f"{100 * gain:.0f} points ({100 * low:.0f} to {100 * high:.0f})"
    if high < LITTLE:
        return "little", f"twice as many pairs of this kind would bring {shown}: next to nothing"
    if low < SURE or high - low > WIDE:
        return "cannot tell", f"twice as many pairs would bring {shown}: too unsure to say"
    return "helps", f"twice as many pairs would bring {shown}, if errors go on falling as here"
