"""Encoder: what every encoder does, and the registry of those that are installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

from partwise.encoders.functions import Function
from partwise.encoders.readers import MINILM, Pieces, Reader
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
        reader: what it reads of questions.
        hidden: ``[questions, longest, dim]``, the vectors of all pieces, of tensors ``[questions,
            longest]``, by the names that `reader` gives them, and of ``lengths``, how many pieces
            questions have, on the processor; without it all have as many.
    """

    kind: ClassVar[str]
    dim: int
    name: str
    reader: Reader
    hidden: Callable[..., Tensor]
    arguments: ClassVar[tuple[str, ...]] = ("ids",)

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

    def forward(self, batch: Sequence[Words], **more: Tensor) -> tuple[Tensor, Tensor]:
        """``[questions, longest, dim]`` twice: vectors of words as starts and as ends. `more`:
        for `hidden`. Raises PartwiseError for a question that does not fit."""
        read = [self.reader(words) for words in batch]
        names = read[0].numbers if read else ()
        numbers = {name: self.padded([one.numbers[name] for one in read]) for name in names}
        lengths = torch.tensor([one.length for one in read])
        return self._of_words(self.hidden(lengths=lengths, **numbers, **more), read)

    def _of_words(self, hidden: Tensor, read: Sequence[Pieces]) -> tuple[Tensor, Tensor]:
        index = torch.arange(len(read), device=self.device).unsqueeze(1)
        first = self.padded([one.first for one in read])
        last = self.padded([one.last for one in read])
        return hidden[index, first], hidden[index, last]

    def function(self) -> Function:
        """`hidden` where all questions have as many pieces, as it is saved."""
        example = {name: torch.ones(2, 3, dtype=torch.long) for name in self.arguments}
        axes = dict.fromkeys(self.arguments, ("questions", "pieces"))
        return Function(self.hidden, example, axes)

    def fits(self, words: Words) -> bool:
        return self.reader.fits(words)

    @property
    def known(self) -> Collection[str] | None:
        """The words that it knows; None where it reads parts of words."""
        return self.reader.known

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


ENCODERS: Registry[type[Encoder]] = Registry(
    "partwise.encoders",
    "encoder",
    {
        "bilstm": "partwise.encoders.bilstm:BiLSTMEncoder",
        "distilled": "partwise.encoders.distilled:DistilledEncoder",
        "minilm": "partwise.encoders.pretrained:PretrainedEncoder",
    },
)


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
