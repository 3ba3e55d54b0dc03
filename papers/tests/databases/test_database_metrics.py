"""Figures of answered questions, and the thresholds under which a parser refuses."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise_papers.databases.confidence import REFUSED_RIGHT, doubtful_below, refused_below
from partwise_papers.databases.metrics import AnsweredQuestion, auc, metrics, text

SHARES = st.sampled_from([0.0, 0.1, 0.5, 0.52, 0.9, 1.0])


def one(
    verdict: Any,
    best: bool = False,
    probability: float | None = 0.5,
    answerable: bool = True,
    database: str = "bakery",
) -> AnsweredQuestion:
    kind = "count" if answerable else "unanswerable"
    exact = verdict == "right" and best
    return AnsweredQuestion(
        "x",
        database,
        kind,
        answerable,
        verdict,
        exact,
        best,
        probability,
        0.25,
    )


def test_figures_count() -> None:
    answered = [
        *[one("right", True, 0.9)] * 5,
        one("wrong", False, 0.8),
        one("refused", True, 0.3),
        one("refused", False, None),
        one("right", False, 0.1, answerable=False),
        one("wrong", False, 0.6, answerable=False),
    ]
    said = metrics(answered)
    assert (said["questions"], said["right"], said["wrong"], said["refused"]) == (10, 6, 2, 2)
    assert said["accuracy"] == 0.6
    assert said["answerable"] == {
        "questions": 8,
        "right": 0.625,
        "exact": 0.625,
        "right before refusing": 0.75,
        "right but refused": 0.125,
    }
    assert said["unanswerable"] == {"questions": 2, "refused": 0.5}
    assert said["right when answered"] == pytest.approx(5 / 7, abs=1e-4)
    assert said["calibration error"] == pytest.approx((5 * 0.1 + 0.8 + 0.6) / 7, abs=1e-4)
    assert said["risk at coverage"]["0.5"] == 0
    assert said["seconds"] == {"p50": 0.25, "p99": 0.25}
    assert list(said["kinds"]) == ["count", "unanswerable"]
    assert "10 questions, 6 right, 2 wrong, 2 refused" in text("bakery", said)


def test_nothing_answered_has_no_figures() -> None:
    said = metrics([one("refused", False, None)])
    assert said["auc"] is said["calibration error"] is said["right when answered"] is None
    assert "AUC None" not in text("bakery", said)


def test_intervals_draw_questions_where_databases_are_few() -> None:
    answered = [*[one("right", True, 0.9)] * 30, *[one("wrong", False, 0.4)] * 10]
    said = metrics(answered)["interval"]
    assert said["drawn"] == "questions"
    low, high = said["right"]
    # The normal approximation of 30 out of 40: 0.75 and 1.96 of its standard errors around it.
    assert low == pytest.approx(0.75 - 0.134, abs=0.03)
    assert high == pytest.approx(0.75 + 0.134, abs=0.03)
    assert said["right before refusing"] == said["right"]
    assert said["auc"] == [1.0, 1.0]
    assert "(95 % interval 100.0 % to 100.0 %)" in text("bakery", metrics(answered))


def test_intervals_draw_whole_databases_where_there_are_many() -> None:
    good = [one("right", True, 0.9, database=f"good {n}") for n in range(6) for _ in range(20)]
    bad = [one("wrong", False, 0.4, database=f"bad {n}") for n in range(6) for _ in range(20)]
    said = metrics([*good, *bad])["interval"]
    assert said["drawn"] == "databases"
    low, high = said["right"]
    # Twelve draws of two kinds vary much more than 240 draws of questions, where it would be 0.06.
    assert low == pytest.approx(0.5 - 0.28, abs=0.06)
    assert high == pytest.approx(0.5 + 0.28, abs=0.06)


def test_nothing_that_a_database_can_tell_has_no_share() -> None:
    said = metrics([one("right", False, 0.1, answerable=False)])["interval"]
    assert said == {"drawn": "questions"}


@given(st.lists(st.tuples(SHARES, st.booleans()), max_size=12))
def test_auc_compares_all_pairs(pairs: list[tuple[float, bool]]) -> None:
    right = [share for share, good in pairs if good]
    wrong = [share for share, good in pairs if not good]
    found = auc(
        np.array([share for share, _ in pairs]), np.array([good for _, good in pairs], bool)
    )
    if not right or not wrong:
        assert found is None
        return
    won = sum((a > b) + (a == b) / 2 for a, b in product(right, wrong))
    assert found == pytest.approx(won / len(right) / len(wrong))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60))
def test_few_right_answers_are_refused(pairs: list[tuple[float, bool]]) -> None:
    probable = np.array([share for share, _ in pairs])
    right = np.array([good for _, good in pairs], dtype=bool)
    refused, doubtful = refused_below(probable, right), doubtful_below(probable, right)
    assert 0 <= refused <= 1
    assert 0 <= doubtful <= 1
    assert (probable[right] < refused).sum() <= REFUSED_RIGHT * right.sum()
