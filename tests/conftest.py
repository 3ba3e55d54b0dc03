"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from hypothesis import settings

from library import train_library
from partwise.span.parser import SpanParser
from partwise.training import trainer

# No test asserts a time: machines are shared and noisy.
settings.register_profile("partwise", deadline=None)
settings.load_profile("partwise")


@pytest.fixture(scope="module")
def no_state() -> Iterator[None]:
    """A run cannot be continued: its state is large, and is written after each epoch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "write_state", lambda *_: None)
        yield


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> SpanParser:
    """A small trained parser; not to be changed."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trainer, "write_state", lambda *_: None)
            return train_library(tmp_path_factory.mktemp("library"))
    finally:
        torch.set_num_threads(threads)
