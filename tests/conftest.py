"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

# No test asserts a time: machines are shared and noisy.
settings.register_profile("partwise", deadline=None)
settings.load_profile("partwise")
