"""A training that was stopped left no parser, although its best epoch was known."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from library import PAIRS, Library
from partwise.interface.data import Dataset, Example
from partwise.interface.parser import TrainingStopped
from partwise.language.program import Term, parse_program
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import Session, train
from partwise.training.trainer import TrainingConfig

CONFIG = SpanParserConfig(encoder="bilstm", hidden=16)
TRAINING = TrainingConfig(epochs=3, batch_size=8)


@pytest.fixture(scope="module")
def data() -> Dataset[Term]:
    pairs = [Example(question, parse_program(program)) for question, program in PAIRS]
    return Dataset("library", "all", pairs * 3, pairs, [])


def run(data: Dataset[Term], folder: Path, progress: Any = False) -> Session[Term]:
    return train(SpanParser, Library(), data, CONFIG, TRAINING, folder=folder, progress=progress)


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Ctrl-C interrupts, also where the tests run in the background and a shell had it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_best_epoch_is_saved_and_the_run_goes_on(
    data: Dataset[Term], tmp_path: Path, number: int
) -> None:
    def stop(seen: int, total: int) -> None:
        if seen > total // 2:
            os.kill(os.getpid(), number)

    with pytest.raises(TrainingStopped) as stopped:
        run(data, tmp_path, stop)
    assert len(stopped.value.report.history) == 1
    saved = SpanParser.from_pretrained(tmp_path, Library())
    (prediction,) = saved.parse(["who wrote emma ?"])
    assert prediction.reason is None
    assert (tmp_path / "state").is_dir()
    whole, continued = run(data, tmp_path / "whole"), run(data, tmp_path)
    assert len(continued.report.history) == 3
    assert not (tmp_path / "state").exists()
    assert isinstance(whole.parser, SpanParser)
    assert isinstance(continued.parser, SpanParser)
    again = continued.parser.state_dict()
    for name, value in whole.parser.state_dict().items():
        assert torch.equal(value, again[name]), name


def test_before_the_first_epoch_there_is_nothing_to_save(
    data: Dataset[Term], tmp_path: Path
) -> None:
    def stop(seen: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        run(data, tmp_path, stop)
    assert not isinstance(stopped.value, TrainingStopped)
    assert not (tmp_path / "model").exists()
