"""What the tests of the papers share: a setup, and a run of it."""

from __future__ import annotations

import pytest
from hypothesis import settings

from partwise.evaluation.result import Run, Setup

# No test asserts a time: machines are shared and noisy.
settings.register_profile("partwise", deadline=None)
settings.load_profile("partwise")


@pytest.fixture
def setup() -> Setup:
    """A setup with settings of its own."""
    return Setup("span", "geoquery", "iid", "base", "dev", "bilstm", 1000, 540, 280, {"rate": 0.1})


@pytest.fixture
def run() -> Run:
    """One seed's figures."""
    return Run({"exact_match": 0.7, "denotation": 0.8}, 12.0, "cpu", "bench --seed 0", "abc")
