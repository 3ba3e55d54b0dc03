"""Without dev, metrics of the training questions were shown as those of dev, and the temperature
was fitted on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from partwise.domains.geography.domain import Geography
from partwise.encoders.storage import read_json
from partwise.interface.data import Dataset
from partwise.interface.registry import load
from partwise.language.program import Term
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import Session, train
from partwise.training.trainer import TrainingConfig

CONFIG = SpanParserConfig(encoder="bilstm", hidden=16)


@pytest.fixture(scope="module")
def data() -> Dataset[Term]:
    full = load("geography", "iid")
    return Dataset("geography", "iid", full.train[:45], [], [])


def run(data: Dataset[Term], folder: Path, **loop: int) -> Session[Term]:
    training = TrainingConfig(**{"epochs": 2, **loop})  # type: ignore[arg-type]
    return train(SpanParser, Geography(), data, CONFIG, training, folder=folder, progress=False)


def test_a_part_is_held_out_to_choose_and_calibrate_by(data: Dataset[Term], tmp_path: Path) -> None:
    session = run(data, tmp_path)
    assert (session.train_size, session.held_out_size, session.report.usable) == (45, 9, 36)
    assert session.dev is None
    assert session.held_out is not None
    assert session.held_out.n == 9
    facts = read_json(tmp_path / "model" / "config.json")["training"]
    assert facts["dev"] is None
    assert facts["held"]["n"] == facts["held_out"] == 9
    assert "fitted on held-out training questions" in (tmp_path / "train.log").read_text()


def test_of_very_few_questions_none_is_held_out(data: Dataset[Term], tmp_path: Path) -> None:
    session = run(replace(data, train=data.train[:12]), tmp_path)
    assert (session.held_out_size, session.dev, session.held_out) == (0, None, None)
    assert [epoch["dev"] for epoch in session.report.history] == [{}, {}]
    assert session.report.best_epoch == 1
    assert isinstance(session.parser, SpanParser)
    assert session.parser.temperature == 1.0
    log = (tmp_path / "train.log").read_text()
    assert "the last one is kept" in log
    assert "no questions to calibrate probabilities on" in log


def test_with_dev_nothing_is_held_out_unless_asked(data: Dataset[Term], tmp_path: Path) -> None:
    full = replace(data, train=data.train[:20], dev=data.train[20:26])
    session = run(full, tmp_path / "usual", epochs=1)
    assert (session.held_out_size, session.report.usable) == (0, 20)
    assert session.dev is not None
    assert session.dev.n == 6
    asked = run(full, tmp_path / "asked", epochs=1, held_out=3)
    assert (asked.held_out_size, asked.report.usable) == (3, 17)
