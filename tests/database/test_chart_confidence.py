"""The figures that tell how probable it is that an interpretation is right."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lakes import CALLED, PRICES, SCHEMA, TEXTS, ToyAlgebra, question, vectors

from partwise.chart.k_best import Beam, FromSkip, k_best
from partwise.database.confidence import (
    FEATURES,
    SUBJECT,
    beside,
    figures_of,
    lost,
    passed_over,
    probability,
    shares,
    subject_figures,
)
from partwise.database.interpretation import Parse, constants_of, items_of
from partwise.database.scorer import HandScores
from partwise.execution.relational.program import Aggregate, Figure, Rows

PROGRAM = Figure(Rows("lake"), Aggregate("count"))


def _found(seed: int) -> tuple[list[Parse], HandScores]:
    asked = question(TEXTS[0], random.Random(seed))
    scores = HandScores(asked, PRICES)
    items = k_best(asked.constants, scores, ToyAlgebra(), Beam())
    steps = ("silent name", "shape shown 1")
    return [Parse(PROGRAM, item, steps, item.score) for item in items], scores


@pytest.mark.parametrize("seed", range(6))
def test_figures_have_their_names_in_order(seed: int) -> None:
    found, scores = _found(seed)
    asked = scores.question
    figures = figures_of(found, asked, SCHEMA, [each.score for each in found], 1, [0.5])
    assert tuple(figures) == FEATURES
    assert figures["odds against"] == -0.5
    words, names = vectors(len(asked.words), 2).numpy(), vectors(len(CALLED), 1).numpy()
    subject = subject_figures(figures, found[0], asked, words, names)
    assert tuple(subject) == SUBJECT
    weights = [0.1] * len(SUBJECT)
    assert 0 < probability(weights, subject) < 1


@pytest.mark.parametrize("seed", range(6))
def test_each_word_of_the_chart_is_used_or_skipped(seed: int) -> None:
    found, scores = _found(seed)
    known = scores.question.constants
    every = {word for each in known for word in range(each.start, each.end)}
    for each in found:
        used = [known[number] for number in constants_of(each.item)]
        words = [word for constant in used for word in range(constant.start, constant.end)]
        backs = [part.back for part in items_of(each.item)]
        skipped = [back.word for back in backs if isinstance(back, FromSkip)]
        assert sorted([*words, *skipped]) == sorted(every)
        passed = passed_over(each, scores.question)
        assert not set(words) & set(passed)
        stems = [scores.question.words[number].stem for number in passed]
        assert lost(each, scores.question, "", ()) == passed
        assert lost(each, scores.question, "", stems) == []
        assert lost(each, scores.question, " ".join(stems), ()) == []


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=6), st.floats(0.01, 0.99))
def test_probabilities_sum_to_at_most_one(scores: list[float], first: float) -> None:
    some = shares(sorted(scores, reverse=True), 1.0)
    assert sum(some) == pytest.approx(1.0)
    made = beside(first, some)
    assert made[0] == first
    assert sum(made) <= 1 + 1e-6
    assert max(made) <= first + 1e-9
