"""A setup and a way to make runs of it."""

from __future__ import annotations

import pytest

from partwise.evaluation.result import Run, Setup


@pytest.fixture
def setup() -> Setup:
    """A setup with settings of its own."""
    return Setup("span", "geoquery", "iid", "base", "dev", "bilstm", 1000, 540, 280, {"rate": 0.1})


@pytest.fixture
def run() -> Run:
    """One seed's figures."""
    return Run({"exact_match": 0.7, "denotation": 0.8}, 12.0, "cpu", "bench --seed 0", "abc")
