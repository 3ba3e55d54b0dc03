"""States and saved parsers as someone else may have made them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from partwise.encoders.pretrained import PretrainedEncoder
from partwise.encoders.storage import (
    PROGRESS,
    read_json,
    read_state,
    state_files,
    write_state,
    write_tensors,
)
from partwise.errors import CheckpointError, PartwiseError
from partwise.interface.parser import Checkpoints
from partwise.training.trainer import Trainer, TrainingConfig

TENSORS = {"model.weight": torch.ones(2)}


class Line(nn.Module):
    """The parts of a parser that a state holds."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.scorer = nn.Linear(1, 1), nn.Linear(1, 1)

    def pretrained(self) -> list[nn.Parameter]:
        """None of them."""
        return []

    def begin_epoch(self, *_: object) -> None:
        """Nothing."""

    def training_state(self) -> dict[str, torch.Tensor]:
        """Nothing."""
        return {}

    def restore_training_state(self, _: object) -> None:
        """Nothing."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A state of epoch 3."""
    write_state(tmp_path / "state", TENSORS, {"epoch": 3})
    return tmp_path / "state"


def test_a_state_is_read_as_written(folder: Path) -> None:
    found = read_state(folder)
    assert found is not None
    assert found[0]["model.weight"].tolist() == [1.0, 1.0]
    assert found[1]["epoch"] == 3
    assert read_state(folder / "none") is None


def test_a_state_of_a_later_version_is_named(folder: Path) -> None:
    progress = json.loads((folder / PROGRESS).read_text())
    assert progress["format"] == 1
    (folder / PROGRESS).write_text(json.dumps({**progress, "format": 2}))
    with pytest.raises(CheckpointError, match="is of a later version; delete it"):
        read_state(folder)


def test_only_the_last_state_stays_and_nothing_of_a_killed_run(folder: Path) -> None:
    (folder / ".epoch-3-state.safetensors.0a1b.tmp").write_bytes(b"half")
    (folder / "mine.txt").write_text("a note")
    write_state(folder, TENSORS, {"epoch": 4})
    assert [file.name for file in state_files(folder)] == ["epoch-4-state.safetensors"]
    assert (folder / "mine.txt").exists()


@pytest.mark.parametrize(
    "name", ["../epoch-1-state.safetensors", "/etc/hostname", "gone.safetensors", "", 7, None, [1]]
)
def test_a_state_outside_its_folder_is_not_read(folder: Path, name: object) -> None:
    write_tensors(folder.parent / "epoch-1-state.safetensors", TENSORS)
    (folder / PROGRESS).write_text(json.dumps({"epoch": 3, "state": name}))
    with pytest.raises(CheckpointError, match=r"progress\.json is damaged; delete"):
        read_state(folder)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000, "{", "\udcff", "[]", '{"epoch": "3"}'])
def test_progress_of_any_content_is_a_typed_error(folder: Path, text: str) -> None:
    (folder / PROGRESS).write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(CheckpointError, match="is damaged"):
        read_state(folder)


def test_deep_json_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"a":' * 100_000)
    with pytest.raises(CheckpointError, match="is damaged"):
        read_json(tmp_path / "config.json")


@pytest.mark.parametrize("step", [None, "x", float("inf"), {}])
def test_a_state_that_does_not_fit_is_a_typed_error(folder: Path, step: object) -> None:
    settings = TrainingConfig(epochs=1)

    def trainer() -> Trainer[Any]:
        parser: Any = Line()
        return Trainer(
            parser, [1, 2], lambda: {"dev": 0.0}, settings, checkpoints=Checkpoints(folder)
        )

    settled = {"settings": settings.to_dict(), "items": 2, "epoch": 0}
    model = {f"model.{name}": value for name, value in Line().state_dict().items()}
    rest = {"step": step, "history": [], "best_epoch": 0}
    for tensors, progress in ((TENSORS, rest), (model, {}), (model, rest)):
        write_state(folder, tensors, {**settled, **progress})
        with pytest.raises(CheckpointError, match="is damaged; delete"):
            trainer().run()


def test_code_that_comes_with_an_encoder_is_refused_without_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr("builtins.input", lambda *words: asked.append(words) or "n")
    mark = tmp_path / "ran"
    (tmp_path / "evil.py").write_text(f"open({str(mark)!r}, 'w')\nclass Config: pass\n")
    made = {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Config"}}
    (tmp_path / "config.json").write_text(json.dumps(made))
    with pytest.raises(PartwiseError, match="cannot load the encoder"):
        PretrainedEncoder("evil", folder=tmp_path)
    assert not asked
    assert not mark.exists()
