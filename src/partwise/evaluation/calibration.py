"""How far probabilities can be trusted: calibration error, and accuracy where a parser may abstain.

The measures are those of Guo et al. 2017, *On Calibration of Modern Neural Networks*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

BINS = 10
TINY = 1e-12
"""Probabilities are kept this far from 0 and 1 where logarithms are taken."""


@dataclass(frozen=True)
class Judged:
    """A prediction with its probability (0 for none), and whether it was right."""

    probability: float
    right: bool


@dataclass(frozen=True)
class Bin:
    """Predictions of like probability: mean probability, share that was right, how many."""

    probability: float
    accuracy: float
    size: int


def reliability(judged: Sequence[Judged], bins: int = BINS) -> list[Bin]:
    """The predictions in bins of equal width, the least probable first; empty bins left out."""
    filled: dict[int, list[Judged]] = {}
    for one in judged:
        filled.setdefault(min(bins - 1, int(one.probability * bins)), []).append(one)
    return [
        Bin(fmean(j.probability for j in some), fmean(j.right for j in some), len(some))
        for _, some in sorted(filled.items())
    ]


def calibration_error(judged: Sequence[Judged], bins: int = BINS) -> float:
    """Expected calibration error: the mean over predictions of how far their bin is off.

    Raises:
        ValueError: for no predictions.
    """
    if not judged:
        raise ValueError("no predictions to judge")
    off = (b.size * abs(b.probability - b.accuracy) for b in reliability(judged, bins))
    return sum(off) / len(judged)


def brier(judged: Sequence[Judged]) -> float:
    """Mean squared difference of probability and truth."""
    return fmean((one.probability - one.right) ** 2 for one in judged)


def log_loss(judged: Sequence[Judged]) -> float:
    """Mean negative logarithm of the probability of what was the case."""
    return fmean(-math.log(_of_truth(one)) for one in judged)


def _of_truth(one: Judged) -> float:
    share = min(1 - TINY, max(TINY, one.probability))
    return share if one.right else 1 - share


def at_coverage(judged: Sequence[Judged], coverage: float = 0.9) -> tuple[float, float]:
    """Accuracy on the most probable share of the predictions, and the probability it begins at.

    Raises:
        ValueError: for no predictions, or a coverage that is not in (0, 1].
    """
    if not judged or not 0 < coverage <= 1:
        raise ValueError(f"{len(judged)} predictions at a coverage of {coverage}")
    ranked = sorted(judged, key=lambda one: -one.probability)
    kept = ranked[: max(1, math.floor(coverage * len(ranked) + TINY))]
    return fmean(one.right for one in kept), kept[-1].probability
