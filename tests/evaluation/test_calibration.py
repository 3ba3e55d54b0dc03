"""Measures of probabilities, by hand and against their definitions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.evaluation.confidence import (
    Judgement,
    at_coverage,
    calibration_error,
    chance_error,
    log_loss,
    minimum,
    reliability,
)

SOME = [
    Judgement(0.95, True),
    Judgement(0.91, True),
    Judgement(0.92, False),
    Judgement(0.25, False),
]
judged = st.lists(st.builds(Judgement, st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def test_bins_by_hand() -> None:
    low, high = reliability(SOME)
    assert (low.probability, low.accuracy, low.size) == (0.25, 0.0, 1)
    assert high.probability == pytest.approx(2.78 / 3)
    assert (high.accuracy, high.size) == (pytest.approx(2 / 3), 3)
    assert reliability([Judgement(1.0, True)])[0].size == 1


def test_errors_by_hand() -> None:
    assert calibration_error(SOME) == pytest.approx((3 * (2.78 / 3 - 2 / 3) + 0.25) / 4)
    wanted = -sum(map(math.log, (0.95, 0.91, 0.08, 0.75))) / 4
    assert log_loss(SOME) == pytest.approx(wanted)


def test_certainty_that_is_wrong_costs_much_but_not_all() -> None:
    assert 20 < log_loss([Judgement(1.0, False)]) < 40


def test_accuracy_of_the_most_probable() -> None:
    assert at_coverage(SOME, 1.0) == (0.5, 0.25)
    assert at_coverage(SOME, 0.75) == (pytest.approx(2 / 3), 0.91)
    assert at_coverage(SOME, 0.25) == (1.0, 0.95)
    assert at_coverage(SOME, 0.01) == (1.0, 0.95)
    # Nine of ten are nine, whatever 0.9 is in binary.
    ten = [Judgement(1 - n / 10, n < 9) for n in range(10)]
    assert at_coverage(ten, 0.9) == (1.0, pytest.approx(0.2))


def test_nothing_to_judge_is_told() -> None:
    with pytest.raises(ValueError, match="no predictions"):
        calibration_error([])
    with pytest.raises(ValueError, match="coverage of 0"):
        at_coverage(SOME, 0)


@given(judged)
def test_the_calibration_error_is_a_share_and_nought_in_one_bin_that_is_right(
    some: list[Judgement],
) -> None:
    assert 0 <= calibration_error(some) <= 1
    share = sum(one.right for one in some) / len(some)
    even = [Judgement(share, one.right) for one in some]
    assert calibration_error(even) == pytest.approx(0, abs=1e-9)
    assert sum(part.size for part in reliability(some)) == len(some)


def test_the_error_by_chance_is_that_of_few_answers_and_goes_with_many() -> None:
    # One answer at one half is off by one half, right or wrong.
    assert chance_error([Judgement(0.5, True)]) == pytest.approx(0.5)
    assert chance_error([Judgement(1.0, False)] * 5) == pytest.approx(0)
    # Of two at one half, half of the time one is right: 0; else both or none: 0.5.
    assert chance_error([Judgement(0.5, True)] * 2, draws=2000) == pytest.approx(0.25, abs=0.02)
    assert chance_error([Judgement(0.5, True)] * 900, draws=50) < 0.03
    with pytest.raises(ValueError, match="no predictions"):
        chance_error([])


@given(st.floats(-4, 4), st.floats(0.1, 5))
def test_the_least_of_a_valley_is_found(where: float, width: float) -> None:
    found = minimum(lambda x: ((x - where) / width) ** 2, -5, 5, 40)
    assert found == pytest.approx(where, abs=1e-4)
