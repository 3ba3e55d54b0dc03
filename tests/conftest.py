"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from partwise.span.parser import SpanParser

# No test asserts a time: machines are shared and noisy.
settings.register_profile("partwise", deadline=None)
settings.load_profile("partwise")


@pytest.fixture(scope="module")
def no_state() -> Iterator[None]:
    """A run cannot be continued: its state is large, and is written after each epoch."""
    from partwise.training import trainer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "write_state", lambda *_: None)
        yield


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> SpanParser:
    """A small trained parser; not to be changed."""
    # What answers is tested without torch, too.
    import torch

    from library import train_library
    from partwise.training import trainer

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trainer, "write_state", lambda *_: None)
            return train_library(tmp_path_factory.mktemp("library"))
    finally:
        torch.set_num_threads(threads)
