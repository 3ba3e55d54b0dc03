"""Means with their confidence intervals."""

from __future__ import annotations

import pytest

from partwise_papers.results.interval import mean_ci95, t975


def test_mean_ci95() -> None:
    mean, half = mean_ci95([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean == 3.0
    assert half == pytest.approx(2.776 * (2.5 / 5) ** 0.5)
    assert mean_ci95([0.5]) == (0.5, None)
    assert mean_ci95([0.5, 0.5]) == (0.5, 0.0)
    with pytest.raises(ValueError, match="no values"):
        mean_ci95([])


def test_t_falls_with_the_degrees_of_freedom() -> None:
    values = [t975(freedom) for freedom in range(1, 500)]
    assert values == sorted(values, reverse=True)
    assert (values[0], values[29], values[-1]) == (12.706, 2.042, 1.980)
    with pytest.raises(ValueError, match="0 degrees"):
        t975(0)
