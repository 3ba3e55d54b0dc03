"""When the parser for databases answers: what it refuses, and how probable it is to be right."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.database.confidence import FEATURES, SUBJECT
from partwise.database.parser import DatabaseParser
from partwise.evaluation.confidence import logistic
from partwise_papers.databases.questions import AskedDatabase, AskedQuestion, other_subjects

REFUSED_RIGHT, WANTED = 0.04, 0.9
"""The share of the right answers that is refused; of the answers without doubt that are right."""
FAR = 50.0
"""No odds are further from even."""
OTHERS = 20
"""Questions of other subjects that each database is asked."""
PRIOR = np.array([0.0, 1.0, *([-0.5] * (len(SUBJECT) - 2))])
"""Weights where data say nothing; those of `FEATURES` are the first."""


class ReadCase(NamedTuple):
    """The best interpretation of a question: its features (`SUBJECT`), and whether it is right.

    Attributes:
        answerable: whether the database can tell.
    """

    features: list[float]
    right: bool
    answerable: bool


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
    """The best interpretations of questions, and of some about other subjects."""
    others = other_subjects(draw.sample(subjects_to_fit(), OTHERS))
    names = parser.names_in(database.domain)
    made = []
    for question in (*questions, *others):
        parses = parser.read(question.text, database.on(question.today), names)
        if parses.interpretations:
            right = database.judge(question, parses.interpretations[0].program)
            figures = parser.figures(parses, database.domain.layer, names)
            features = [figures[name] for name in SUBJECT]
            made.append(ReadCase(features, right, bool(question.right)))
    return made


def fit_confidence(parser: DatabaseParser, cases: Sequence[ReadCase]) -> None:
    """Fit how probable interpretations are, and when to doubt; the parser keeps it.

    Rules are made for failures on the very databases that this is fitted on, which are therefore
    easier than others. So a parser that was fitted before keeps its mean probability, and only
    learns to tell right from wrong.

    Args:
        cases: of databases that the parser was not trained on.
    """
    rows, right = _rows(cases)[:, : len(FEATURES)], _right(cases)
    before = parser.trust
    parser.trust = logistic(rows, right, PRIOR[: len(FEATURES)])
    if before:
        parser.trust[0] += _shift(rows @ parser.trust, _mean(rows @ before))
    parser.doubtful_below = doubtful_below(_probable(rows @ parser.trust), right)


def _shift(odds: NDArray[np.float64], mean: float) -> float:
    """What is added to odds for their mean probability to be a given one."""
    low, high = -FAR, FAR
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean(odds + middle) < mean else (low, middle)
    return low


def _mean(odds: NDArray[np.float64]) -> float:
    return float(_probable(odds).mean())


def _probable(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    made: NDArray[np.float64] = 1 / (1 + np.exp(-odds.clip(-FAR, FAR)))
    return made


def fit_refusals(parser: DatabaseParser, cases: Sequence[ReadCase]) -> None:
    """Fit how probable it is that a database can answer, and when to refuse; the parser keeps it.

    Questions that are right are told from those that cannot be answered. What is wrong and could be
    answered is doubtful, and no reason to refuse.

    Args:
        cases: as for `fit_confidence`.
    """
    some = [case for case in cases if case.right or not case.answerable]
    rows, right = _rows(some), _right(some)
    parser.answerable = logistic(rows, right, PRIOR)
    parser.refused_below = refusal_threshold(_probable(rows @ parser.answerable), right)


def _rows(cases: Sequence[ReadCase]) -> NDArray[np.float64]:
    return np.array([case.features for case in cases]).reshape(-1, len(SUBJECT))


def _right(cases: Sequence[ReadCase]) -> NDArray[np.bool_]:
    return np.array([case.right for case in cases], dtype=bool)


def refusal_threshold(can_tell: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Under which probability to refuse: as much as can be while `REFUSED_RIGHT` of the right
    answers are lost at most."""
    if not right.any():
        return 0.5
    kept = np.sort(can_tell[right])
    return _down(float(kept[int(REFUSED_RIGHT * len(kept))]))


def doubtful_below(probable: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Under which probability to doubt: `WANTED` of the other answers are right, if that can be."""
    if not right.any():
        return 0.5
    doubtful = 0.0
    for least in np.sort(probable):
        doubtful = float(least)
        if right[probable >= least].mean() >= WANTED:
            break
    return _down(doubtful)


def _down(threshold: float) -> float:
    """Rounded down, or the least probable of the right answers would be lost."""
    return int(1000 * threshold) / 1000
