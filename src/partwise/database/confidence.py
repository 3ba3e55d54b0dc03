"""How probable it is that the best interpretation of a question is right, and that the database
can tell at all.

Both are logistic models over the named figures here; `evaluation.confidence.logistic` fits them.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from partwise.database.apart import choice_of_ways, links_passed
from partwise.database.features import SchemaQuestion
from partwise.database.interpretation import Parse, constants_of
from partwise.database.phrases import MATCH, SpanConstant
from partwise.database.spans.text import words_of
from partwise.database.spans.vectors import normal
from partwise.execution.relational.schema import Schema

CERTAIN = 6.0
"""Log odds that no figure is beyond."""
ALIKE = 0.6
"""From here on words are alike enough in meaning to a name to be taken for it without doubt."""
FEATURES = (
    *("one", "odds", "share lost", "nothing sure", "low score", "odds against"),
    *("choice of ways", "links passed"),
)
"""The figures that the probability is made of; the weight of the second is at least 0, those of the
later ones at most 0."""
SUBJECT = (*FEATURES, *("short", "far words", "far question", "unnamed", "far words passed over"))
"""The figures of how probable it is that the database can answer at all; signed as `FEATURES`."""
_FIGURE = {name: place for place, name in enumerate(MATCH)}


def passed_over(best: Parse, question: SchemaQuestion) -> list[int]:
    """Numbers of the words that gave nothing and that may matter."""
    known = [question.constants[number] for number in constants_of(best.item)]
    used = {word for constant in known for word in range(constant.start, constant.end)}
    words = enumerate(question.skips)
    return [word for word, skip in words if word not in used and skip != "skip function"]


def lost(best: Parse, question: SchemaQuestion, restated: str, plain: Container[str]) -> list[int]:
    """Numbers of the words whose meaning may be lost: those that were passed over and that the
    restated meaning does not say, and those that stand for a name which they are only distantly
    alike; without stems that are known to add nothing, `plain`."""
    known = (question.constants[number] for number in constants_of(best.item))
    distant = {n for x in known if _is_distant(x) for n in range(x.start, x.end)}
    said = {word.stem for word in words_of(restated)}
    passed = {n for n in passed_over(best, question) if question.words[n].stem not in said}
    return [
        number
        for number in sorted(passed | distant)
        if question.words[number].stem not in plain and question.skips[number] != "skip function"
    ]


def _is_distant(constant: SpanConstant) -> bool:
    """Whether words are no part of a name or of its synonyms, and not much alike in meaning."""
    named = constant.kind in ("TABLE", "COLUMN", "MEASURE") and bool(constant.match)
    if not named or _best(constant, "exact", "covered", "rank"):
        return False
    return 0 < _best(constant, "alike") < ALIKE


def figures_of(
    found: Sequence[Parse],
    question: SchemaQuestion,
    schema: Schema,
    whole: Sequence[float],
    lost: int,
    odds: Sequence[float] = (),
    temperature: float = 1.0,
) -> dict[str, float]:
    """The figures of `FEATURES`, of the first of some interpretations.

    Args:
        schema: of the database.
        whole: their scores, with those of a cross-encoder.
        lost: how many words are lost.
        odds: of the first ones, by a cross-encoder.
        temperature: as `shares` takes it.
    """
    best, size = found[0], len(question.words)
    return {
        "one": 1.0,
        "odds": log_odds_of(shares(whole, temperature)[0]),
        "share lost": lost / size,
        "nothing sure": float(not _names_something(best, question)),
        "low score": -best.score / size,
        "odds against": -odds[0] if odds else 0.0,
        "choice of ways": choice_of_ways(best.program, schema),
        "links passed": links_passed(best.program),
    }


def _names_something(best: Parse, question: SchemaQuestion) -> bool:
    """Whether some words are a value, or most of a name, as it is written."""
    used = [question.constants[number] for number in constants_of(best.item)]
    return any(
        known.kind == "VALUE"
        or (known.item is not None and known.match and _best(known, "exact", "covered") >= 0.5)
        for known in used
    )


def _best(constant: SpanConstant, *figures: str) -> float:
    return max(constant.match[_FIGURE[name]] for name in figures)


def subject_figures(
    figures: Mapping[str, float],
    best: Parse,
    question: SchemaQuestion,
    vectors: NDArray[np.float32],
    names: NDArray[np.float32],
) -> dict[str, float]:
    """The figures of `SUBJECT`.

    A question about something else has words that are near in meaning to no name of the database.

    Args:
        figures: those of `FEATURES`.
        vectors: ``[words, dim]``.
        names: ``[names, dim]`` of length 1, at least one.
    """
    said = [word for word, skip in enumerate(question.skips) if skip != "skip function"]
    near = (normal(vectors) @ names.T).max(1)
    whole = normal(vectors[said or slice(None)].mean(0)) @ names.T
    passed = passed_over(best, question)
    known = [question.constants[number] for number in constants_of(best.item)]
    named = sum(constant.end - constant.start for constant in known)
    return {
        **figures,
        "short": -math.log(len(question.words)),
        "far words": 1 - float(near[said].mean()) if said else 1.0,
        "far question": 1 - float(whole.max()),
        "unnamed": 1 - min(1.0, named / len(question.words)),
        "far words passed over": 1 - float(near[passed].mean()) if passed else 0.0,
    }


# --- probabilities ---------------------------------------------------------------------------


def shares(scores: Sequence[float], temperature: float) -> list[float]:
    """The probability of each interpretation among all that were found, the best first."""
    grown = [math.exp((score - scores[0]) / temperature) for score in scores]
    return [each / sum(grown) for each in grown]


def beside(first: float, of_all: Sequence[float]) -> list[float]:
    """The probabilities of all interpretations, where that of the first is known; they never sum to
    more than 1, and none is above the first.

    Args:
        first: the probability that the first is right.
        of_all: the share of each among all that were found, the largest first.
    """
    # The others keep their shares to each other. What is left is that none is right.
    times = min(first / of_all[0], (1 - first) / max(1 - of_all[0], 1e-9))
    return [first, *(times * share for share in of_all[1:])]


def log_odds_of(share: float) -> float:
    """The logarithm of how much likelier something is than not, at most `CERTAIN`."""
    clipped = min(max(share, 1e-6), 1 - 1e-6)
    return max(-CERTAIN, min(CERTAIN, math.log(clipped) - math.log1p(-clipped)))


def log_odds(weights: Sequence[float], figures: Mapping[str, float]) -> float:
    """The logarithm of the odds of what the weights were fitted for.

    Args:
        weights: in the order of the figures.
    """
    total = math.fsum(w * x for w, x in zip(weights, figures.values(), strict=True))
    return max(-50.0, min(50.0, total))


def probability(weights: Sequence[float], figures: Mapping[str, float]) -> float:
    """Of what the weights were fitted for."""
    return 1 / (1 + math.exp(-log_odds(weights, figures)))
