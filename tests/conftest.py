"""What holds for all tests."""

from __future__ import annotations

import pytest
import torch
from hypothesis import settings

from library import train_library
from partwise.span.parser import SpanParser

# No test asserts a time: machines are shared and noisy.
settings.register_profile("partwise", deadline=None)
settings.load_profile("partwise")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> SpanParser:
    """A small trained parser; not to be changed."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return train_library(tmp_path_factory.mktemp("library"))
    finally:
        torch.set_num_threads(threads)
