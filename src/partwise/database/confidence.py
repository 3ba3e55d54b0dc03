"""How probable it is that the best interpretation of a question is right, and that the database
can tell at all.

Both are logistic models over the named figures here; `evaluation.confidence.logistic` fits them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from torch import Tensor
from torch.nn.functional import normalize

from partwise.chart.k_best import FromFill
from partwise.database.apart import choice_of_ways, links_passed
from partwise.database.features import SchemaQuestion, derivation_of
from partwise.database.interpretation import Interpretation, constants_of, items_of
from partwise.database.meaning import TOLD
from partwise.database.phrases import MATCH, Constant
from partwise.database.scorer import HandScores
from partwise.execution.relational.schema import Schema

CERTAIN, MOST = 6.0, 4.0
FAR, MEMBERS_OF = 8.0, 12
"""Scores that are this far apart make an odd of one to thousands; interpretations whose members
are asked."""
FEATURES = (
    *("one", "odds", "words passed over", "price of words", "share passed over"),
    *("implicit steps", "price of steps", "weak names", "weak values", "nothing sure"),
    *("low score", "short", "spread", "odds against", "choice of ways", "links passed"),
    "links between parts",
)
"""The figures that the probability is made of; the weight of the second is at least 0, those of the
later ones at most 0."""
SUBJECT = (*FEATURES, "far words", "far question", "unnamed", "far words passed over")
"""The figures of how probable it is that the database can answer at all; signed as `FEATURES`."""
_FIGURE = {name: place for place, name in enumerate(MATCH)}


def passed_over(best: Interpretation, question: SchemaQuestion) -> list[int]:
    """Numbers of the words that gave nothing and that may matter."""
    known = [question.constants[number] for number in constants_of(best.item)]
    used = {word for constant in known for word in range(constant.start, constant.end)}
    words = enumerate(question.skips)
    return [word for word, skip in words if word not in used and skip != "skip function"]


def figures_of(
    found: Sequence[Interpretation],
    question: SchemaQuestion,
    scores: HandScores,
    schema: Schema,
    temperature: float = 1.0,
    odds: Sequence[float] = (),
) -> dict[str, float]:
    """The figures of `FEATURES`, of the first of some interpretations.

    Args:
        scores: of the question.
        schema: of the database.
        temperature: as `shares` takes it.
        odds: of the interpretations, by a cross-encoder.
    """
    best, size = found[0], len(question.words)
    passed = passed_over(best, question)
    steps = [step for step in best.steps if not step.startswith(("shape ", "sketch "))]
    told = shares([each.score for each in found], temperature)
    links = [part.back.links for part in items_of(best.item) if isinstance(part.back, FromFill)]
    return {
        "one": 1.0,
        "odds": _odds(told[0]),
        "words passed over": min(MOST, len(passed)),
        "price of words": -math.fsum(map(scores.skip, passed)),
        "share passed over": len(passed) / size,
        "implicit steps": min(MOST, sum(step in TOLD for step in steps)),
        "price of steps": -math.fsum(map(scores.step, steps)),
        **_exactness([question.constants[number] for number in constants_of(best.item)]),
        "low score": -best.score / size,
        "short": -math.log(size),
        "spread": _spread(found[:MEMBERS_OF], question, scores),
        "odds against": -odds[0] if odds else 0.0,
        "choice of ways": choice_of_ways(best.program, schema),
        "links passed": links_passed(best.program),
        "links between parts": float(min(MOST, sum(max(0, number - 1) for number in links))),
    }


def _exactness(used: Sequence[Constant]) -> dict[str, float]:
    """How far the words of constants are names and values as they are written."""
    named = [
        known for known in used if known.item is not None and known.match and known.kind != "VALUE"
    ]
    values = [known for known in used if known.kind == "VALUE"]
    weak = [1 - max(_best(known, "exact", "covered", "alike", "rank"), 0.0) for known in named]
    sure = bool(values) or any(_best(known, "exact", "covered") >= 0.5 for known in named)
    return {
        "weak names": min(MOST, math.fsum(max(0.0, x) for x in weak)),
        "weak values": min(MOST, math.fsum(1 - _best(known, "typed") for known in values)),
        "nothing sure": float(not sure),
    }


def _best(constant: Constant, *figures: str) -> float:
    return max(constant.match[_FIGURE[name]] for name in figures)


def subject_figures(
    figures: Mapping[str, float],
    best: Interpretation,
    question: SchemaQuestion,
    vectors: Tensor,
    names: Tensor,
) -> dict[str, float]:
    """The figures of `SUBJECT`.

    A question about something else has words that are near in meaning to no name of the database.

    Args:
        figures: those of `FEATURES`.
        vectors: ``[words, dim]``.
        names: ``[names, dim]`` of length 1, at least one.
    """
    said = [word for word, skip in enumerate(question.skips) if skip != "skip function"]
    near = (normalize(vectors, dim=1) @ names.T).amax(1)
    whole = normalize(vectors[said or slice(None)].mean(0), dim=0) @ names.T
    passed = passed_over(best, question)
    known = [question.constants[number] for number in constants_of(best.item)]
    named = sum(constant.end - constant.start for constant in known)
    return {
        **figures,
        "far words": 1 - float(near[said].mean()) if said else 1.0,
        "far question": 1 - float(whole.max()),
        "unnamed": 1 - min(1.0, named / len(question.words)),
        "far words passed over": 1 - float(near[passed].mean()) if passed else 0.0,
    }


def _spread(found: Sequence[Interpretation], question: SchemaQuestion, scores: HandScores) -> float:
    """The entropy of the interpretations that are not far from the best, where each member has one
    voice."""
    least = max(each.score for each in found) - FAR
    by_member = np.stack(
        [
            scores.members(derivation_of(each.item, each.steps, question))
            for each in found
            if each.score >= least
        ]
    )
    likely = np.exp(by_member - by_member.max(0))
    share = (likely / likely.sum(0)).mean(1)
    return float(-(share * np.log(share + 1e-12)).sum())


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


def _odds(share: float) -> float:
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
