"""How far probabilities can be trusted, and the temperature that makes them so.

The measures are those of Guo et al. 2017, *On Calibration of Modern Neural Networks*.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from partwise.evaluation.metrics import score
from partwise.interface.data import Example
from partwise.interface.domain import Domain

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)

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


def chance_error(judged: Sequence[Judged], bins: int = BINS, draws: int = 200) -> float:
    """The mean calibration error that these probabilities would have if they were all true.

    It is above 0, since few predictions are in each bin: an error near it says nothing against the
    probabilities.

    Raises:
        ValueError: for no predictions.
    """
    chance = random.Random(0)
    probable = [one.probability for one in judged]
    drawn = ([Judged(one, chance.random() < one) for one in probable] for _ in range(draws))
    return fmean(calibration_error(some, bins) for some in drawn)


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


class Confidence(Protocol[M_co]):
    """The best meaning of a question, and what its probability follows from."""

    @property
    def meaning(self) -> M_co:
        """The meaning."""
        ...

    def at(self, temperature: float) -> float:
        """Its probability at a temperature."""
        ...


@dataclass(frozen=True)
class ScoredMeaning(Generic[M]):
    """A meaning, and the log probabilities of the outputs that mean it."""

    meaning: M
    scores: tuple[float, ...]

    def at(self, temperature: float) -> float:
        """See `Confidence`; a temperature divides log probabilities."""
        total = math.fsum(math.exp(score / temperature) for score in self.scores)
        # In this order, what is not known stays no number.
        return min(total, 1.0)


@runtime_checkable
class Calibrated(Protocol[M]):
    """A parser whose probabilities a temperature makes more or less certain."""

    temperature: float

    @property
    def domain(self) -> Domain[M]:
        """The language."""
        ...

    def confidences(self, questions: Sequence[str]) -> Sequence[Confidence[M] | None]:
        """The best meaning of each question with its confidence; None for none."""
        ...


MOST = 200
"""Questions that a temperature is fitted on, at most."""
LOWEST, HIGHEST = 0.2, 20.0
STEPS = 18
_GOLDEN = (math.sqrt(5) - 1) / 2


def fit_temperature(
    parser: Calibrated[M], examples: Sequence[Example[M]], most: int = MOST
) -> float:
    """The temperature that makes the outcome on the examples likeliest; the parser keeps it.

    One number is fitted, by golden-section search, to whether the best meaning of each question
    is the gold meaning. Its logarithm has a standard normal prior, without which a parser that
    makes no mistake on a few questions would be certain of everything.

    Args:
        most: of more examples, this many are drawn.
    """
    some = list(examples)
    if len(some) > most:
        some = random.Random(0).sample(some, most)
    parser.temperature = 1.0
    judged = judge(parser, some)

    def cost(log_temperature: float) -> float:
        at = [Judged(one.at(math.exp(log_temperature)), right) for one, right in judged]
        return len(at) * log_loss(at) + log_temperature**2 / 2

    if judged:
        parser.temperature = math.exp(minimum(cost, math.log(LOWEST), math.log(HIGHEST), STEPS))
    return parser.temperature


def judge(
    parser: Calibrated[M], examples: Sequence[Example[M]]
) -> list[tuple[Confidence[M], bool]]:
    """The confidence in the best meaning of each question, and whether it is the gold meaning.

    Questions without a prediction are left out.
    """
    canonical = parser.domain.canonical
    confidences = parser.confidences([example.question for example in examples])
    return [
        (one, canonical(one.meaning) == canonical(example.meaning))
        for one, example in zip(confidences, examples, strict=True)
        if one is not None
    ]


def minimum(cost: Callable[[float], float], low: float, high: float, steps: int) -> float:
    """Where a function with one valley is least between two bounds, by golden-section search."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = cost(left), cost(right)
    for _ in range(steps):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = cost(right)
    return (low + high) / 2


@dataclass(frozen=True)
class Trust:
    """How far a parser's probabilities can be trusted on some questions.

    A question without a prediction counts as wrong, with a probability of 0.

    Attributes:
        before, after: calibration error of exact match at temperature one, and at the parser's.
        log_loss_before, log_loss_after: the same of the mean log loss.
        accuracy: denotation accuracy on all questions.
        at_90: denotation accuracy where the least probable tenth of the questions is not answered.
        threshold: the least probability among the others.
    """

    temperature: float
    before: float
    after: float
    log_loss_before: float
    log_loss_after: float
    accuracy: float
    at_90: float
    threshold: float
    questions: int


def trust_of(parser: Calibrated[Any], examples: Sequence[Example[Any]]) -> Trust:
    """Measure the probabilities of a parser's best meanings.

    Where the domain cannot run meanings, exact match stands for denotation accuracy.

    Raises:
        DataError: if a gold meaning fails to run.
        ValueError: for no examples.
    """
    confidences = parser.confidences([example.question for example in examples])
    meanings = [None if one is None else one.meaning for one in confidences]
    raw, tempered, answers = [], [], []
    outcomes = score(parser.domain, examples, meanings).outcomes
    for one, outcome in zip(confidences, outcomes, strict=True):
        share = 0.0 if one is None else one.at(parser.temperature)
        right = outcome.exact_match if outcome.denotation is None else outcome.denotation
        raw.append(Judged(0.0 if one is None else one.at(1.0), outcome.exact_match))
        tempered.append(Judged(share, outcome.exact_match))
        answers.append(Judged(share, right))
    at_90, threshold = at_coverage(answers, 0.9)
    return Trust(
        parser.temperature,
        calibration_error(raw),
        calibration_error(tempered),
        log_loss(raw),
        log_loss(tempered),
        at_coverage(answers, 1.0)[0],
        at_90,
        threshold,
        len(examples),
    )
