"""Encoders by name: installed kinds, plug-ins of others, and transformers in folders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import pytest
import torch
from torch import Tensor, nn

from partwise.encoders import ENCODERS, Encoder, load_encoder, make_encoder
from partwise.encoders.bilstm import BiLSTMEncoder
from partwise.errors import PartwiseError, PluginError
from partwise.language.text import Words, tokenize

WORDS = [tokenize("which rivers run through ohio"), tokenize("big town")]


class OneVector(Encoder):
    """Every word has the same vector."""

    kind = "one"
    name = "one"

    def __init__(self, size: int) -> None:
        super().__init__()
        self.dim = size
        self.vector = nn.Parameter(torch.ones(size))

    @classmethod
    def create(cls, questions: Iterable[Words], option: str, frozen_layers: int) -> Self:
        return cls(int(option))

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> Self:
        return cls(**config)

    def forward(self, batch: Sequence[Words]) -> tuple[Tensor, Tensor]:
        vectors = self.padded([[1] * len(words) for words in batch]).unsqueeze(-1) * self.vector
        return vectors, vectors

    def config(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": self.dim}

    def save_files(self, folder: Path) -> None:
        pass


def test_the_kinds_of_this_package_are_entry_points() -> None:
    assert {"bilstm", "distilled", "minilm"} <= set(ENCODERS)
    assert ENCODERS.find("bilstm") is BiLSTMEncoder


def test_an_encoder_of_another_package_is_made_and_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(ENCODERS._loaded, "one", OneVector)
    made = make_encoder("one:7", WORDS)
    assert isinstance(made, OneVector)
    assert made(WORDS)[0].shape == (2, 5, 7)
    assert isinstance(load_encoder(made.config(), tmp_path), OneVector)


def test_what_is_no_encoder_says_so(tmp_path: Path) -> None:
    with pytest.raises(PartwiseError, match="cannot load the encoder"):
        make_encoder(str(tmp_path), WORDS)
    with pytest.raises(PluginError, match="no encoder 'gone'; there are"):
        load_encoder({"kind": "gone"}, tmp_path)


def test_a_saved_encoder_reads_as_before(tmp_path: Path) -> None:
    made = make_encoder("bilstm", WORDS).eval()
    made.save_files(tmp_path)
    again = load_encoder(made.config(), tmp_path).eval()
    again.load_state_dict(made.state_dict())
    for before, after in zip(made(WORDS), again(WORDS), strict=True):
        assert torch.equal(before, after)


def test_numbers_of_words_go_where_the_weights_are() -> None:
    encoder = OneVector(3).to("meta")
    assert encoder.device.type == encoder.padded([[1, 2], [3]]).device.type == "meta"
    assert encoder(WORDS)[0].device.type == "meta"
