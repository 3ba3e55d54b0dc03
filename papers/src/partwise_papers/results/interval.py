"""Means over seeds with their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev

# Student's t, 97.5th percentile, for 1 to 30 degrees of freedom; then some larger ones.
_T = [
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
]
_T_LARGE = ((120, 1.980), (60, 2.000), (40, 2.021), (30, 2.042))


def mean_ci95(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and half-width of its 95 % confidence interval (Student's t), None for one value.

    Raises:
        ValueError: for no values.
    """
    if not values:
        raise ValueError("no values to take a mean of")
    if len(values) == 1:
        return fmean(values), None
    return fmean(values), t975(len(values) - 1) * stdev(values) / math.sqrt(len(values))


def t975(freedom: int) -> float:
    """97.5th percentile of Student's t; between tabled degrees of freedom, the wider one.

    Raises:
        ValueError: for less than one degree of freedom.
    """
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom")
    if freedom <= len(_T):
        return _T[freedom - 1]
    return next(value for degrees, value in _T_LARGE if freedom >= degrees)
