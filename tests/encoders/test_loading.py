"""What a checkpoint must have, and that loading it prints nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModel
from transformers.utils import logging

from partwise.encoders.pretrained import filled
from partwise.errors import PartwiseError

SIZES = {"vocab_size": 16, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
LACKING = ("pooler.dense.weight", "pooler.dense.bias")


@pytest.fixture
def config() -> Any:
    return AutoConfig.for_model("bert", **SIZES, intermediate_size=32)


@pytest.fixture
def folder(tmp_path: Path, config: Any) -> Path:
    torch.manual_seed(0)
    AutoModel.from_config(config).save_pretrained(tmp_path)
    without(tmp_path, *LACKING)
    return tmp_path


def without(folder: Path, *names: str) -> None:
    """Take weights out of a checkpoint."""
    file = folder / "model.safetensors"
    kept = {name: one for name, one in load_file(file).items() if name not in names}
    save_file(kept, file, metadata={"format": "pt"})


def test_what_may_be_new_may_be_lacking(
    folder: Path, config: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    network = filled(AutoModel, str(folder), config, new=("pooler",))
    stored = load_file(folder / "model.safetensors")
    mine = network.state_dict()
    assert all(torch.equal(mine[name], one) for name, one in stored.items())
    assert set(mine) - set(stored) == set(LACKING)
    assert capfd.readouterr() == ("", "")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before


def test_other_weights_must_be_there(folder: Path, config: Any) -> None:
    with pytest.raises(
        PartwiseError, match=r"lacks 2 of the weights of the network, such as pooler"
    ):
        filled(AutoModel, str(folder), config)
    without(folder, "encoder.layer.0.output.dense.weight")
    with pytest.raises(
        PartwiseError, match=r"lacks 1 of the weights of the network, such as encoder"
    ):
        filled(AutoModel, str(folder), config, new=("pooler",))
