"""Trainings that are stopped, go wrong, or have no dev questions."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from library import PAIRS, Library
from partwise.cli.app import main
from partwise.domains.geography.domain import Geography
from partwise.encoders.storage import read_json
from partwise.interface.data import Dataset, Example
from partwise.interface.parser import TrainingError, TrainingStopped
from partwise.interface.registry import load
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


@pytest.fixture(scope="module")
def few() -> Dataset[Term]:
    full = load("geography", "iid")
    return Dataset("geography", "iid", full.train[:45], [], [])


def run_few(data: Dataset[Term], folder: Path, **loop: int) -> Session[Term]:
    training = TrainingConfig(**{"epochs": 2, **loop})  # type: ignore[arg-type]
    return train(SpanParser, Geography(), data, CONFIG, training, folder=folder, progress=False)


def test_a_part_is_held_out_to_choose_and_calibrate_by(few: Dataset[Term], tmp_path: Path) -> None:
    session = run_few(few, tmp_path)
    assert (session.train_size, session.held_out_size, session.report.usable) == (45, 9, 36)
    assert session.dev is None
    assert session.held_out is not None
    assert session.held_out.n == 9
    facts = read_json(tmp_path / "model" / "config.json")["training"]
    assert facts["dev"] is None
    assert facts["held"]["n"] == facts["held_out"] == 9
    assert "fitted on held-out training questions" in (tmp_path / "train.log").read_text()


def test_of_very_few_questions_none_is_held_out(few: Dataset[Term], tmp_path: Path) -> None:
    session = run_few(replace(few, train=few.train[:12]), tmp_path)
    assert (session.held_out_size, session.dev, session.held_out) == (0, None, None)
    assert [epoch["dev"] for epoch in session.report.history] == [{}, {}]
    assert session.report.best_epoch == 1
    assert isinstance(session.parser, SpanParser)
    assert session.parser.temperature == 1.0
    log = (tmp_path / "train.log").read_text()
    assert "the last one is kept" in log
    assert "no questions to calibrate probabilities on" in log


def test_with_dev_nothing_is_held_out_unless_asked(few: Dataset[Term], tmp_path: Path) -> None:
    full = replace(few, train=few.train[:20], dev=few.train[20:26])
    session = run_few(full, tmp_path / "usual", epochs=1)
    assert (session.held_out_size, session.report.usable) == (0, 20)
    assert session.dev is not None
    assert session.dev.n == 6
    asked = run_few(full, tmp_path / "asked", epochs=1, held_out=3)
    assert (asked.held_out_size, asked.report.usable) == (3, 17)


@pytest.mark.parametrize("poison", [float("nan"), float("inf")])
def test_a_poisoned_parameter_stops_and_the_epoch_before_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, poison: float
) -> None:
    full = load("geography", "iid")
    data: Dataset[Any] = Dataset("geography", "iid", full.train[:16], full.dev[:4], [])
    parsers: list[SpanParser] = []
    built = SpanParser._network

    def keep(self: SpanParser, *given: Any) -> Any:
        parsers.append(self)
        return built(self, *given)

    monkeypatch.setattr(SpanParser, "_network", keep)

    def spoil(seen: int, total: int) -> None:
        if seen > total // 2:
            with torch.no_grad():
                next(parsers[0].encoder.parameters()).fill_(poison)

    settings = TrainingConfig(epochs=2, batch_size=4)
    with pytest.raises(TrainingError, match=r"(?s)step \d+ of 8.*finite: encoder\.") as stopped:
        train(SpanParser, Geography(), data, CONFIG, settings, folder=tmp_path, progress=spoil)
    assert stopped.value.report is not None
    saved = SpanParser.from_pretrained(tmp_path, Geography())
    assert all(one.isfinite().all() for one in saved.parameters())
    assert (tmp_path / "state" / "progress.json").exists()


def test_a_poisoned_learning_rate_fails_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "geography", "--encoder", "bilstm", "--hidden", "16", "--epochs", "1"]
    assert main([*words, "--head-rate", "1e30", "--out", str(tmp_path / "run")]) != 0
    assert "training stops at step" in capsys.readouterr().err
    assert not (tmp_path / "run" / "model").exists()
