"""An encoder of attention layers over word vectors, trained from scratch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn

from partwise.encoders import BiLSTMEncoder, Encoder
from partwise.encoders.bilstm import UNKNOWN, VOCABULARY
from partwise.encoders.storage import read_names, write_json
from partwise.errors import PartwiseError
from partwise.interface.settings import from_dict
from partwise.language.text import Words
from partwise_papers.seq2seq.config import STACK, Seq2SeqConfig
from partwise_papers.seq2seq.stacks import STACKS

WORD_DROPOUT = 0.02
"""Share of words read as unknown in training, so that unknown words mean something."""


class StackEncoder(Encoder):
    """Word vectors, then the stack that settings name.

    Args:
        vocabulary: known words; numbers 0 and 1 are padding and unknown words.
    """

    kind = name = STACK

    def __init__(self, vocabulary: Sequence[str], config: Seq2SeqConfig) -> None:
        super().__init__()
        self.vocabulary, self.settings, self.dim = list(vocabulary), config, config.hidden
        self.numbers = {word: number + 2 for number, word in enumerate(self.vocabulary)}
        self.embedding = nn.Embedding(len(self.vocabulary) + 2, self.dim, padding_idx=0)
        nn.init.normal_(self.embedding.weight, std=self.dim**-0.5)
        self.stack = STACKS[config.decoder](config, False)

    @classmethod
    def create(cls, questions: Iterable[Words], option: str = "", frozen_layers: int = 0) -> Self:
        """Not by name, since it needs the settings of a parser."""
        raise PartwiseError("the encoder stack is only for parsers of the kind seq2seq")

    @classmethod
    def of(cls, questions: Iterable[Words], config: Seq2SeqConfig) -> Self:
        """With the words of some questions."""
        return cls(BiLSTMEncoder.words_of(questions), config)

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> Self:
        """See `Encoder`."""
        settings = from_dict(Seq2SeqConfig, config, "entries")
        return cls(read_names(folder / VOCABULARY), settings)

    def forward(self, batch: Sequence[Words]) -> tuple[Tensor, Tensor]:
        """See `Encoder`; a word's vector serves as start and as end."""
        rows = [[self.numbers.get(word, UNKNOWN) for word in words.words] for words in batch]
        numbers = self.padded(rows)
        if self.training:
            dropped = torch.rand(numbers.shape, device=numbers.device) < WORD_DROPOUT
            numbers = torch.where(dropped & (numbers > 0), UNKNOWN, numbers)
        lengths = torch.tensor([len(row) for row in rows], device=numbers.device)
        mask = torch.arange(numbers.shape[1], device=numbers.device)[None] < lengths[:, None]
        vectors = self.stack.encode(self.embedding(numbers), mask)
        return vectors, vectors

    def config(self) -> dict[str, Any]:
        """See `Encoder`."""
        mine = {one.name: getattr(self.settings, one.name) for one in fields(Seq2SeqConfig)}
        return {"kind": self.kind, **mine}

    def save_files(self, folder: Path) -> None:
        """Write the vocabulary."""
        write_json(folder / VOCABULARY, self.vocabulary)
