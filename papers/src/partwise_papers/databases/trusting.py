"""When the parser for databases answers: how probable it is that it is right, and from where on."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.database.parser import DatabaseParser
from partwise.database.reading.trust import FEATURES, figures_of, probability
from partwise.evaluation.honest_fit import logistic
from partwise_papers.databases.questions import AskedDatabase, AskedQuestion, other_subjects

REFUSED_RIGHT, WANTED = 0.1, 0.9
"""The share of the right answers that is refused; of the answers without doubt that are right."""
OTHERS = 10
"""Questions of other subjects that each database is asked."""
PRIOR = np.array([0.0, 1.0, *([-0.5] * (len(FEATURES) - 2))])
"""Weights where data say nothing."""


class ReadCase(NamedTuple):
    """The best reading of a question: its figures of trust, and whether it is right."""

    figures: list[float]
    right: bool


def subjects_to_fit() -> list[str]:
    """The questions of other subjects that are for fitting, never for a test."""
    text = files("partwise_papers.databases").joinpath("other_subjects.txt").read_text("utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def cases_of(
    parser: DatabaseParser,
    database: AskedDatabase,
    questions: Iterable[AskedQuestion],
    draw: random.Random,
) -> list[ReadCase]:
    """The best readings of questions and of some about other subjects; of few there is none."""
    names = parser.names_in(database.domain)
    others = other_subjects(draw.sample(subjects_to_fit(), OTHERS))
    made = []
    for question in (*questions, *others):
        read = parser.read(question.text, database.on(question.today), names)
        if read.readings:
            right = database.judge(question, read.readings[0].program)
            figures = figures_of(read.readings, read.scores, read.words, parser.temperature)
            made.append(ReadCase(figures, right))
    return made


def fit_trust(parser: DatabaseParser, cases: Sequence[ReadCase]) -> None:
    """Fit weights and thresholds; the parser keeps them.

    Args:
        cases: of databases that the parser was not trained on.
    """
    rows = np.array([one.figures for one in cases]).reshape(-1, len(FEATURES))
    right = np.array([one.right for one in cases], dtype=bool)
    parser.trust = logistic(rows, right, PRIOR)
    probable = np.array([probability(parser.trust, one.figures) for one in cases])
    parser.refused_below, parser.doubtful_below = thresholds_of(probable, right)


def thresholds_of(probable: NDArray[np.float64], right: NDArray[np.bool_]) -> tuple[float, float]:
    """Under which probabilities to refuse and to doubt.

    As much as can be is refused while `REFUSED_RIGHT` of the right answers are lost at most; what
    is then doubted makes `WANTED` of the other answers right, where that can be had.
    """
    if not right.any():
        return 0.5, 0.5
    kept = np.sort(probable[right])
    refused = float(kept[int(REFUSED_RIGHT * len(kept))])
    doubtful = refused
    for least in np.sort(probable[probable >= refused]):
        doubtful = float(least)
        if right[probable >= least].mean() >= WANTED:
            break
    # Rounded down, or the least probable of the right answers would be lost.
    return int(1000 * refused) / 1000, int(1000 * doubtful) / 1000
