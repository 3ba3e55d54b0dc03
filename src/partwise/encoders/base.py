"""Encoder: what every encoder does, and the registry of those that are installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

from partwise.errors import PartwiseError
from partwise.interface.registry import Registry
from partwise.language.text import Words


class Encoder(nn.Module, ABC):
    """Questions to two vectors a word, one for spans that start there, one for ends.

    It computes where its weights are, and its vectors stay there. A new kind is registered as an
    entry point ``partwise.encoders`` under its `kind`.

    Attributes:
        kind: its name in commands and in saved parsers.
        dim: size of a vector.
        name: which encoder this is, for reports.
    """

    kind: ClassVar[str]
    dim: int
    name: str

    @classmethod
    @abstractmethod
    def create(cls, questions: Iterable[Words], option: str, frozen_layers: int) -> Self:
        """A new encoder for the `questions` of train. `option` is what stands after the colon in
        ``kind:option``; the lowest `frozen_layers` layers of a transformer are not trained. Raises
        PartwiseError if it cannot be made."""

    @classmethod
    @abstractmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> Self:
        """A saved encoder, its weights still to be filled in, of what `config` gave, without the
        kind, and the folder where `save_files` wrote."""

    @abstractmethod
    def forward(self, batch: Sequence[Words]) -> tuple[Tensor, Tensor]:
        """``[questions, longest, dim]`` twice: vectors of words as starts and as ends."""

    def fits(self, words: Words) -> bool:
        return True

    @property
    def known(self) -> Collection[str] | None:
        """The words that it knows; None where it reads parts of words."""
        return None

    @abstractmethod
    def config(self) -> dict[str, Any]:
        """What `load` needs, beside the files, and the ``kind``."""

    @abstractmethod
    def save_files(self, folder: Path) -> None:
        """Write vocabularies and the like."""

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def padded(self, rows: Sequence[Sequence[int]]) -> Tensor:
        longest = max((len(row) for row in rows), default=0)
        full = [[*row, *[0] * (longest - len(row))] for row in rows]
        return torch.tensor(full, dtype=torch.long).to(self.device)


ENCODERS: Registry[type[Encoder]] = Registry("partwise.encoders", "encoder")
MINILM = "minilm"
"""The offline default; its class takes transformers from other folders and hub names, too."""


def make_encoder(name: str, questions: Iterable[Words], frozen_layers: int = 0) -> Encoder:
    """A new encoder: an installed one, as ``bilstm``, ``distilled`` or ``minilm``, if need be with
    what it is made from (``distilled:NAME``); else that of a folder or a hub name. The rest is as
    for `Encoder.create`."""
    kind, _, option = name.partition(":")
    if kind not in ENCODERS:
        kind, option = MINILM, name
    return ENCODERS.find(kind).create(questions, option, frozen_layers)


def load_encoder(config: Mapping[str, Any], folder: Path) -> Encoder:
    """The encoder of a saved parser, its weights still to be filled in. Raises PartwiseError for a
    kind that is not installed, or none."""
    if not isinstance(config.get("kind"), str):
        raise PartwiseError("the encoder has no kind")
    rest = {key: value for key, value in config.items() if key != "kind"}
    kind = MINILM if config["kind"] == "pretrained" else config["kind"]
    return ENCODERS.find(kind).load(rest, folder)
