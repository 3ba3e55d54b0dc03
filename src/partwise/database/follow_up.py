"""Questions that go on from the last one: which of the edits of its program is meant, and how
probable that is. A log-linear model over named features, and a logistic one for the best edit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from partwise.database.confidence import log_odds_of, shares
from partwise.database.domain import used
from partwise.database.edits import Edit, Edits, parts
from partwise.database.layer.model import SemanticLayer
from partwise.database.spans.numbers import numbers_in
from partwise.database.spans.text import words_of
from partwise.errors import PartwiseError
from partwise.execution.relational.program import Program
from partwise.interface.prediction import Turn

ALONE = 5
"""Interpretations of the new question alone that edits are made of."""
WORDS = ("word ", "first ")
"""What the names of features of single words begin with."""
FIGURES = ("odds", "share lost", "nothing sure", "low score", "choice of ways", "links passed")
"""Those of the new question alone that tell something of its edits, too."""


class Asked(NamedTuple):
    """A question by itself.

    Attributes:
        found: what it may mean, the best first, with the `scores` of each.
        lost: the share of the words that each loses.
        content: how many words are no function words.
        places: in an order that it says, as 2 for "second".
        figures: of how probable the best one is right, as `confidence.FEATURES` names them; empty
            if there is none.
    """

    question: str
    found: Sequence[Program]
    scores: Sequence[float]
    lost: Sequence[float]
    content: int
    places: Sequence[int]
    figures: Mapping[str, float]


class FollowUp(NamedTuple):
    """An edit with its features, by name."""

    edit: Edit
    features: Mapping[str, float]


def follow_ups(asked: Asked, last: Program, layer: SemanticLayer) -> list[FollowUp]:
    """What a question may mean after the last one, whose program is `last`."""
    words = words_of(asked.question)
    numbers = [mention.value for mention in numbers_in(words)]
    common = {
        **{f"word {word.stem}": 1.0 for word in words},
        **{f"first {word.stem}": 1.0 for word in words[:1]},
        "content": math.log1p(asked.content),
        "short": 1 / (1 + len(words)),
        "unknown": float(not asked.found),
        "named": 1.0 - asked.figures.get("nothing sure", 1.0),
    }
    return [
        FollowUp(edit, dict(_features(edit, asked, last, layer, common)))
        for edit in Edits(layer).all(last, asked.found[:ALONE], numbers, asked.places)
    ]


def _features(
    edit: Edit, asked: Asked, last: Program, layer: SemanticLayer, common: Mapping[str, float]
) -> Iterator[tuple[str, float]]:
    program, group = edit.program, edit.group
    yield f"kind {edit.kind}", 1.0
    yield "kept", edit.kept
    yield "replaced", edit.replaced
    for name, value in common.items():
        yield f"{name} {group}", value
    here, before = (set(used(some, "", layer.schema)) for some in (program, last))
    yield f"new tables {group}", sum(column is None for _, column in here - before)
    yield f"new columns {group}", sum(column is not None for _, column in here - before)
    yield f"old columns {group}", sum(column is not None for _, column in here & before)
    yield f"again {group}", float(program == last)
    yield f"form {type(last).__name__} {type(program).__name__}", 1.0
    yield "each once", float(getattr(program, "distinct", False))
    yield (
        "each once again",
        float(getattr(program, "distinct", False) and getattr(last, "distinct", False)),
    )
    rows, known = (getattr(some, "rows", None) for some in (program, last))
    if rows is not None and known is not None:
        yield "conditions", len(parts(rows))
        yield f"same table {group}", float(rows.table == known.table)
        yield f"free {group}", float(bool(parts(known)) and not parts(rows))
    if asked.found and edit.takes:
        yield "gap", asked.scores[edit.rank] - asked.scores[0]
        yield "best", float(edit.rank == 0)
        yield f"lost {group}", asked.lost[edit.rank]


def score(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The weighted sum of features; those without a weight do not count."""
    return math.fsum(weights.get(name, 0.0) * value for name, value in features.items())


def ranked_programs(
    made: Sequence[FollowUp], weights: Mapping[str, float]
) -> list[tuple[FollowUp, float]]:
    """Each program with the best of the edits that give it, and a score of all of these; the best
    first."""
    best: dict[Program, tuple[FollowUp, float]] = {}
    for number, each in sorted(
        ((score(each.features, weights), each) for each in made), key=lambda pair: -pair[0]
    ):
        program = each.edit.program
        known, before = best.get(program, (each, -math.inf))
        more = max(before, number) + math.log1p(math.exp(-abs(before - number)))
        best[program] = (known, more)
    return sorted(best.values(), key=lambda pair: -pair[1])


class FollowUpModel(NamedTuple):
    """What is learned of conversations.

    Attributes:
        weights: of the features of edits.
        trust: of the features of how probable it is that the best one is right.
        doubtful_below: the probability under which its answer is doubtful.
    """

    weights: Mapping[str, float]
    trust: Mapping[str, float]
    doubtful_below: float

    @classmethod
    def of_saved(cls, saved: Mapping[str, Any]) -> FollowUpModel:
        """From config.json. Raises PartwiseError if a part is missing."""
        if set(saved) != set(cls._fields):
            raise PartwiseError(f"its follow-ups lack one of {', '.join(cls._fields)}")
        weights, trust = (
            {str(name): float(weight) for name, weight in saved[part].items()}
            for part in ("weights", "trust")
        )
        return cls(weights, trust, float(saved["doubtful_below"]))

    def rank(self, asked: Asked, last: Turn, layer: SemanticLayer) -> list[tuple[FollowUp, float]]:
        """What a question may mean after the last one, with a score each, the best first."""
        return ranked_programs(follow_ups(asked, last.meaning, layer), self.weights)

    def probability(self, ranked: Sequence[tuple[FollowUp, float]], asked: Asked) -> float:
        """That the first of what a question may mean is right."""
        return 1 / (1 + math.exp(-score(trust_features(ranked, asked), self.trust)))


def trust_features(ranked: Sequence[tuple[FollowUp, float]], asked: Asked) -> dict[str, float]:
    """What tells whether the first of what a question may mean is right."""
    best, scores = ranked[0][0], [number for _, number in ranked]
    features = best.features.items()
    return {
        "one": 1.0,
        "odds": log_odds_of(shares(scores, 1.0)[0]),
        **{name: value for name, value in features if not name.startswith(WORDS)},
        **{f"{name} of new": asked.figures.get(name, 0.0) for name in FIGURES},
    }
