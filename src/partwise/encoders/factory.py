"""Encoders by name: those that are installed, else a Hugging Face folder or name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from partwise.encoders.base import ENCODERS, Encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.language.tokenizer import Words


def make_encoder(name: str, questions: Iterable[Words], frozen_layers: int = 0) -> Encoder:
    """A new encoder.

    Args:
        name: of an installed one, as ``bilstm``, ``distilled`` or ``minilm``, if need be with what
            it is made from (``distilled:NAME``); else a folder or a hub name of a transformer.
        questions: those of train, for vocabularies.
        frozen_layers: how many of the lowest layers of a transformer are not trained.

    Raises:
        PartwiseError: if it cannot be made.
    """
    kind, _, option = name.partition(":")
    if kind in ENCODERS:
        return ENCODERS.find(kind).create(questions, option, frozen_layers)
    return PretrainedEncoder(name, frozen_layers=frozen_layers)


def load_encoder(config: Mapping[str, Any], folder: Path) -> Encoder:
    """The encoder of a saved parser, its weights still to be filled in.

    Raises:
        PluginError: for a kind that is not installed.
    """
    rest = {key: value for key, value in config.items() if key != "kind"}
    if config["kind"] == PretrainedEncoder.kind:
        return PretrainedEncoder.load(rest, folder)
    return ENCODERS.find(config["kind"]).load(rest, folder)
