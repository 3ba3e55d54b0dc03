"""A training whose numbers were no longer finite went on, and saved a broken parser as done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from partwise.cli.app import main
from partwise.domains.geography.domain import Geography
from partwise.interface.data import Dataset
from partwise.interface.parser import TrainingError
from partwise.interface.registry import load
from partwise.span.config import SpanParserConfig
from partwise.span.parser import SpanParser
from partwise.training.session import train
from partwise.training.trainer import TrainingConfig

CONFIG = SpanParserConfig(encoder="bilstm", hidden=16)


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
