"""Encoders by name, and from a saved folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from partwise.encoders.bilstm import VOCABULARY, BiLSTMEncoder
from partwise.encoders.distilled import COMMON, DistilledEncoder, distil
from partwise.encoders.pretrained import MINILM, PretrainedEncoder
from partwise.encoders.storage import read_json
from partwise.language.tokenizer import Words

AnyEncoder = PretrainedEncoder | BiLSTMEncoder | DistilledEncoder


def make_encoder(name: str, questions: Iterable[Words], frozen_layers: int = 0) -> AnyEncoder:
    """A new encoder: ``bilstm`` (vocabulary from `questions`), ``distilled`` (the same over word
    vectors of a transformer, ``distilled:NAME`` of another than the default), or a pretrained one.
    """
    if name == BiLSTMEncoder.name:
        return BiLSTMEncoder(BiLSTMEncoder.words_of(questions))
    kind, _, teacher = name.partition(":")
    if kind == DistilledEncoder.kind:
        return distil(BiLSTMEncoder.words_of(questions), teacher or MINILM)
    return PretrainedEncoder(name, frozen_layers=frozen_layers)


def load_encoder(config: dict[str, Any], folder: Path) -> AnyEncoder:
    """The encoder of a saved parser, its weights still to be filled in."""
    rest = {key: value for key, value in config.items() if key != "kind"}
    if config["kind"] == BiLSTMEncoder.name:
        words = read_json(folder / VOCABULARY)
        return BiLSTMEncoder(words, **rest)
    if config["kind"] == DistilledEncoder.kind:
        words, common = read_json(folder / VOCABULARY), read_json(folder / COMMON)
        return DistilledEncoder(words, common, **rest)
    return PretrainedEncoder(folder=folder, **rest)
