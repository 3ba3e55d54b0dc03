"""How probable it is that the best reading of a question is right, and that there is an answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from torch import Tensor
from torch.nn.functional import normalize

from partwise.database.apart import choice_of_ways, links_passed
from partwise.database.reading.cues import cue_words, single_cues
from partwise.database.reading.readings import Reading, ReadingScores
from partwise.database.spans.text import Word
from partwise.execution.relational.schema import Schema

CERTAIN, MOST = 6.0, 4
FAR = 8.0
"""Scores that are this far apart make an odd of one to thousands."""
FEATURES = (
    *("one", "odds", "words left over", "weak names", "weak values", "additions", "unused"),
    *("nothing sure", "low score", "short", "cost of additions", "spread", "share left over"),
    *("odds against", "choice of ways", "links passed"),
)
"""The figures that the probability is made of; the weight of the second is at least 0, those of the
later ones at most 0."""
SUBJECT = (*FEATURES, "far words", "far question", "unnamed", "far words left over")
"""The figures of how probable it is that the database can answer at all; signed as `FEATURES`."""
ODD = (
    "silent_event",
    "silent_order",
    "number_alone",
    "number_key",
    "pair",
    "silent_total",
    "silent_related",
)
"""Additions without a word that are often wrong."""


def shares(readings: Sequence[Reading], temperature: float) -> list[float]:
    """The probability of each reading among all that were found."""
    if not readings:
        return []
    best = readings[0].score
    grown = [math.exp((one.score - best) / temperature) for one in readings]
    return [one / sum(grown) for one in grown]


def beside(first: float, of_all: Sequence[float]) -> list[float]:
    """The probabilities of all readings, where that of the first is known; they never sum to more
    than 1, and none is above the first.

    Args:
        first: the probability that the first is right.
        of_all: the share of each among all that were found, the largest first.
    """
    share = of_all[0]
    # The others keep their shares to each other. What is left is that none is right.
    times = min(first / share, (1 - first) / max(1 - share, 1e-9))
    return [first, *(times * one for one in of_all[1:])]


def left_over(reading: Reading, words: Sequence[Word]) -> list[int]:
    """Numbers of the words that gave nothing and that matter."""
    little = cue_words()
    return [
        number
        for number in reading.skipped
        if words[number].plain[:1].isalnum()
        and (words[number].stem not in little or words[number].stem in _MATTER)
    ]


_MATTER = single_cues() & frozenset(
    {"averag", "not", "never", "without", "total", "sum", "maximum"}
)


def figures_of(
    readings: Sequence[Reading],
    scores: ReadingScores,
    words: Sequence[Word],
    temperature: float,
    schema: Schema,
    odds: Sequence[float] = (),
) -> list[float]:
    """The figures of `FEATURES`, of the first of some readings.

    Args:
        scores: that the readings have.
        temperature: as `shares` takes it.
        schema: of the database.
        odds: of the readings, by a cross-encoder.
    """
    best = readings[0]
    left = len(left_over(best, words))
    named = [one.label for one in best.used if one.label.match and one.label.kind != "value"]
    weak = [1 - max(one.match[0], one.match[1], one.match[4], one.match[5]) for one in named]
    values = [one.label for one in best.used if one.label.kind == "value"]
    sure = values or any(one.match[0] or one.match[1] >= 0.5 for one in named)
    return [
        1.0,
        _odds(shares(readings, temperature)[0]),
        float(min(MOST, left)),
        min(float(MOST), sum(weak)),
        min(float(MOST), sum(1 - one.match[3] for one in values)),
        float(min(MOST, sum(best.shifts.count(name) for name in ODD))),
        float(min(MOST, sum(name.startswith("unused") for name in best.shifts))),
        float(not sure),
        -best.score / len(words),
        -math.log(len(words)),
        -sum(map(scores.shift, best.shifts)),
        _spread(readings, scores),
        left / len(words),
        -odds[0] if odds else 0.0,
        choice_of_ways(best.program, schema),
        links_passed(best.program),
    ]


def subject_figures(
    figures: Sequence[float], best: Reading, words: Sequence[Word], vectors: Tensor, names: Tensor
) -> list[float]:
    """The figures of `SUBJECT`.

    A question about something else has words that are near in meaning to no name of the database.

    Args:
        figures: those of `FEATURES`.
        vectors: ``[words, dim]``.
        names: ``[names, dim]`` of length 1, at least one.
    """
    little = cue_words()
    said = [n for n, one in enumerate(words) if one.plain[:1].isalnum() and one.stem not in little]
    near = (normalize(vectors, dim=1) @ names.T).amax(1)
    whole = normalize(vectors[said or slice(None)].mean(0), dim=0) @ names.T
    left = left_over(best, words)
    named = sum(one.label.end - one.label.start for one in best.used)
    return [
        *figures,
        1 - float(near[said].mean()) if said else 1.0,
        1 - float(whole.max()),
        1 - min(1.0, named / len(words)),
        1 - float(near[left].mean()) if left else 0.0,
    ]


def _spread(readings: Sequence[Reading], scores: ReadingScores) -> float:
    """The entropy of the readings that are not far from the best, where each member has one
    voice."""
    least = max(one.score for one in readings) - FAR
    by_member = np.stack([scores.members(one) for one in readings if one.score >= least])
    likely = np.exp(by_member - by_member.max(0))
    share = (likely / likely.sum(0)).mean(1)
    return float(-(share * np.log(share + 1e-12)).sum())


def _odds(share: float) -> float:
    """The logarithm of how much likelier something is than not, at most `CERTAIN`."""
    clipped = min(max(share, 1e-6), 1 - 1e-6)
    return max(-CERTAIN, min(CERTAIN, math.log(clipped) - math.log1p(-clipped)))


def probability(weights: Sequence[float], figures: Sequence[float]) -> float:
    """Of what the weights were fitted for."""
    return 1 / (1 + math.exp(-log_odds(weights, figures)))


def log_odds(weights: Sequence[float], figures: Sequence[float]) -> float:
    """The logarithm of the odds of what the weights were fitted for."""
    total = sum(weight * figure for weight, figure in zip(weights, figures, strict=True))
    return max(-50.0, min(50.0, total))
