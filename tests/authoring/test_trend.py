"""What a learning curve says of more data."""

from __future__ import annotations

import numpy as np
import pytest

from partwise.authoring.learning import FloatArray, ahead, fit, trend


def right(share: float, questions: int) -> FloatArray:
    """So many right answers, spread evenly."""
    return (np.arange(questions) < round(share * questions)).astype(float)


def power(sizes: list[int], start: float, slope: float, questions: int) -> dict[int, FloatArray]:
    return {size: right(1 - start * size**slope, questions) for size in sizes}


def test_a_power_law_is_found_again() -> None:
    table = power([10, 20, 40, 80], 2.0, -0.7, 20_000)
    sizes = np.array(sorted(table), float)
    shares = np.stack([answers.mean() for answers in table.values()])
    slope, start = fit(sizes, shares, 20_000)
    assert slope == pytest.approx(-0.7, abs=0.02)
    assert np.exp(start) == pytest.approx(2.0, rel=0.05)
    now, twice = ahead(sizes, shares, 20_000, 100)
    assert now == pytest.approx(1 - 2 * 100**-0.7, abs=0.01)
    assert twice == pytest.approx(1 - 2 * 200**-0.7, abs=0.01)


def test_many_curves_are_fitted_as_one_by_one() -> None:
    sizes = np.array([10.0, 20.0, 40.0])
    shares = np.array([[0.5, 0.6, 0.8], [0.9, 0.7, 0.6]])
    slopes, starts = fit(sizes, shares, 50)
    assert slopes[0] < slopes[1] == 0
    for row, slope, start in zip(shares, slopes, starts, strict=True):
        assert (slope, start) == pytest.approx(fit(sizes, row, 50))


def test_a_curve_that_rises_says_that_more_helps() -> None:
    found = trend(power([10, 20, 40, 80], 2.0, -0.7, 400), 100)
    assert found.verdict == "helps"
    assert found.low is not None
    assert found.high is not None
    assert found.gain is not None
    assert 0 < found.low < found.gain < found.high < 0.1


def test_a_curve_that_is_flat_says_that_it_brings_little() -> None:
    found = trend(power([10, 20, 40, 80], 0.02, 0.0, 4000), 100)
    assert found.verdict == "little"


def test_a_curve_that_falls_promises_nothing() -> None:
    table = {size: right(share, 200) for size, share in ((10, 0.8), (20, 0.7), (40, 0.6))}
    found = trend(table, 50)
    assert found.gain == pytest.approx(0, abs=1e-9)
    assert found.verdict != "helps"


def test_few_questions_cannot_tell() -> None:
    noisy = {5: right(0.5, 24), 10: right(0.4, 24), 20: right(0.55, 24)}
    found = trend(noisy, 30)
    assert found.verdict == "cannot tell"
    assert found.low is not None
    assert "too unsure" in found.why


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({5: right(0.5, 50), 10: right(0.6, 50)}, "2 sizes and 50 test questions are too few"),
        ({n: right(0.5, 9) for n in (5, 10, 20)}, "3 sizes and 9 test questions are too few"),
        ({n: right(1.0, 50) for n in (5, 10, 20)}, "every test question is correct"),
    ],
)
def test_what_cannot_be_told_at_all(table: dict[int, FloatArray], why: str) -> None:
    found = trend(table, 30)
    assert (found.verdict, found.gain) == ("cannot tell", None)
    assert why in found.why


def test_the_same_questions_are_needed() -> None:
    with pytest.raises(ValueError, match="same test questions"):
        trend({5: right(0.5, 50), 10: right(0.6, 40)}, 30)


def test_the_same_seed_gives_the_same_interval() -> None:
    table = power([10, 20, 40], 1.0, -0.5, 100)
    assert trend(table, 50) == trend(table, 50)
