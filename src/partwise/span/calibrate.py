"""The temperature at which a span parser's probabilities are right about as often as they say."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from partwise.evaluation.calibration import Judged, at_coverage, calibration_error, log_loss
from partwise.evaluation.metrics import score
from partwise.interface.data import Example
from partwise.language.program import Term
from partwise.span.parser import Confidence, SpanParser

MOST = 200
"""Questions that are looked at, at most."""
LOWEST, HIGHEST = 0.2, 20.0
STEPS = 18
_GOLDEN = (math.sqrt(5) - 1) / 2


def fit_temperature(
    parser: SpanParser, examples: Sequence[Example[Term]], most: int = MOST
) -> float:
    """The temperature that makes the outcome on the examples likeliest; the parser keeps it.

    One number is fitted, by golden-section search, to whether the best program of each question
    is the gold program. Its logarithm has a standard normal prior, without which a parser that
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
        found = [Judged(c.at(math.exp(log_temperature)), right) for c, right in judged]
        return len(found) * log_loss(found) + log_temperature**2 / 2

    if judged:
        parser.temperature = math.exp(minimum(cost, math.log(LOWEST), math.log(HIGHEST), STEPS))
    return parser.temperature


def judge(parser: SpanParser, examples: Sequence[Example[Term]]) -> list[tuple[Confidence, bool]]:
    """The confidence in the best program of each question, and whether it is the gold program.

    Questions without a parse are left out.
    """
    canonical = parser.domain.canonical
    found = parser.confidences([example.question for example in examples])
    return [
        (one, canonical(one.program) == canonical(example.meaning))
        for one, example in zip(found, examples, strict=True)
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

    A question without a parse counts as wrong, with a probability of 0.

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


def trust_of(parser: SpanParser, examples: Sequence[Example[Term]]) -> Trust:
    """Measure the probabilities of a parser's best programs.

    Raises:
        DataError: if a gold program fails to run.
        ValueError: for no examples.
    """
    found = parser.confidences([example.question for example in examples])
    outcomes = score(
        parser.domain, examples, [None if one is None else one.program for one in found]
    ).outcomes
    raw, tempered, answers = [], [], []
    for one, outcome in zip(found, outcomes, strict=True):
        share = 0.0 if one is None else one.at(parser.temperature)
        raw.append(Judged(0.0 if one is None else one.at(1.0), outcome.exact_match))
        tempered.append(Judged(share, outcome.exact_match))
        answers.append(Judged(share, outcome.denotation))
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
