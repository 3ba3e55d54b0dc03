"""What a learning curve says about more data: a power law of the error, and how sure it is.

The share of wrong answers is taken to fall as a power of the number of training questions
(Hestness et al. 2017, "Deep Learning Scaling is Predictable, Empirically"). The interval comes from
resampling the test questions of each size (the bootstrap); whether the law holds beyond the sizes
that were tried, it does not know.
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
    if len({len(answers) for answers in correct.values()}) != 1:
        raise ValueError("the same test questions are needed for every size")
    sizes = np.array(sorted(correct), float)
    table = np.stack([correct[size] for size in sorted(correct)])
    questions = table.shape[1]
    if len(sizes) < SIZES or questions < QUESTIONS:
        why = f"{len(sizes)} sizes and {questions} test questions are too few"
        return Trend(n, "cannot tell", why)
    if table[-1].min() == 1.0:
        why = "every test question is correct; give harder ones to see what is missing"
        return Trend(n, "cannot tell", why)
    draw = np.random.default_rng(seed)
    # Each size apart: what one training gets right by luck another one may not.
    resampled = [
        np.take_along_axis(table, draw.integers(0, questions, table.shape), axis=1).mean(1)
        for _ in range(DRAWS)
    ]
    shares = np.stack([table.mean(1), *resampled])
    now, twice = ahead(sizes, shares, questions, n)
    gains = twice - now
    low, high = (float(edge) for edge in np.percentile(gains[1:], (5, 95)))
    verdict, why = _verdict(gains[0], low, high)
    return Trend(n, verdict, why, float(now[0]), float(twice[0]), float(gains[0]), low, high)


def ahead(
    sizes: FloatArray, shares: FloatArray, questions: int, n: int
) -> tuple[FloatArray, FloatArray]:
    """The expected shares of correct answers with `n` examples and with twice as many.

    Arguments are as for `fit`; one share for each of its curves.
    """
    slope, start = fit(sizes, shares, questions)
    now, twice = (1 - np.minimum(1.0, np.exp(start + slope * np.log(m))) for m in (n, 2 * n))
    return now, twice


def fit(sizes: FloatArray, shares: FloatArray, questions: int) -> tuple[FloatArray, FloatArray]:
    """Slope (not above zero) and start of the line of log error over log size.

    Errors are smoothed by half a question, so that none is zero, and weighted by how well so many
    questions tell them. Large sizes count more, as the square: with a few examples nothing is
    learned yet, and the law holds only from where something is.

    Args:
        sizes: ``[sizes]``.
        shares: of correct answers, ``[..., sizes]``, for one or many curves.
        questions: how many test questions the shares are of.
    """
    error = (questions * (1 - shares) + 0.5) / (questions + 1)
    weight = error / (1 - error) * sizes**2
    weight /= weight.sum(-1, keepdims=True)
    x, y = np.log(sizes), np.log(error)
    mean_x, mean_y = (weight * x).sum(-1), (weight * y).sum(-1)
    away = x - mean_x[..., None]
    slope = np.minimum(0.0, (weight * away * y).sum(-1) / (weight * away**2).sum(-1))
    return slope, mean_y - slope * mean_x


def _verdict(gain: float, low: float, high: float) -> tuple[str, str]:
    shown = f"{100 * gain:.0f} points ({100 * low:.0f} to {100 * high:.0f})"
    if high < LITTLE:
        return "little", f"twice as many pairs of this kind would bring {shown}: next to nothing"
    if low < SURE or high - low > WIDE:
        return "cannot tell", f"twice as many pairs would bring {shown}: too unsure to say"
    return "helps", f"twice as many pairs would bring {shown}, if errors go on falling as here"
