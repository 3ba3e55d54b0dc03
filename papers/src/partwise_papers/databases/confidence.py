"""When the parser for databases answers: what it refuses, and how probable it is to be right."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from partwise.database.confidence import FEATURES, SUBJECT
from partwise.database.parser import DatabaseParser
from partwise.evaluation.confidence import logistic
from partwise_papers.databases.questions import AskedDatabase, AskedQuestion, other_subjects
from partwise_papers.databases.training_questions import Source

REFUSED_RIGHT, DOUBTED_RIGHT = 0.04, 0.4
"""The share of the right answers that is refused, and that is doubtful."""
FAR = 50.0
"""No odds are further from even."""
OTHERS = 20
"""Questions of other subjects that each database is asked."""
PLAIN, PLAIN_SHARE = 3, 0.25
"""In how many databases right interpretations pass over a word that adds nothing; the least share
of those whose questions have it."""
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


def plain_words(parser: DatabaseParser, sources: Iterable[Source]) -> frozenset[str]:
    """Stems of words that add nothing to a question: the best interpretations lose them and are
    right, in many of the databases whose questions have them."""
    asked, lost = Counter[str](), Counter[str]()
    for source in sources:
        here, lost_here = set[str](), set[str]()
        with closing(source.open()) as database:
            names = parser.names_in(database.domain)
            for question in source.asked(database):
                parses = parser.read(question.text, database.on(question.today), names)
                here.update(word.stem for word in parses.asked.words)
                found = parses.interpretations[:1]
                if found and database.judge(question, found[0].program):
                    gone = parser.lost(parses, database.domain.layer, plain=())
                    lost_here.update(parses.asked.words[number].stem for number in gone)
        asked.update(here)
        lost.update(filter(str.isalpha, lost_here))
    enough = (stem for stem, count in lost.items() if count >= PLAIN)
    return frozenset(stem for stem in enough if lost[stem] >= PLAIN_SHARE * asked[stem])


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
    # An answer that loses a word is doubtful anyway.
    sure = rows[:, FEATURES.index("share lost")] == 0
    probable = np.where(sure, _probable(rows @ parser.trust), 0.0)
    parser.doubtful_below = threshold(probable, right, DOUBTED_RIGHT)


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
    parser.refused_below = threshold(_probable(rows @ parser.answerable), right, REFUSED_RIGHT)


def _rows(cases: Sequence[ReadCase]) -> NDArray[np.float64]:
    return np.array([case.features for case in cases]).reshape(-1, len(SUBJECT))


def _right(cases: Sequence[ReadCase]) -> NDArray[np.bool_]:
    return np.array([case.right for case in cases], dtype=bool)


def threshold(probable: NDArray[np.float64], right: NDArray[np.bool_], lost: float) -> float:
    """The highest probability under which no more than a share of the right answers is `lost`."""
    if not right.any():
        return 0.5
    kept = np.sort(probable[right])
    # Rounded down, or the least probable one that is kept would be lost.
    return int(1000 * kept[int(lost * len(kept))]) / 1000
