"""A bidirectional LSTM over word vectors, trained from scratch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from partwise.encoders.base import Encoder
from partwise.encoders.readers import UNKNOWN, VOCABULARY, Pieces, WordReader
from partwise.encoders.storage import read_names, write_json
from partwise.interface.settings import check, from_dict, setting
from partwise.language.text import Words


@dataclass(frozen=True)
class BiLSTMSettings:
    """What a saved parser says of its BiLSTM."""

    size: int = setting(least=2, most=2**14)
    layers: int = setting(least=1, most=64)
    dropout: float = setting(least=0, below=1)
    word_dropout: float = setting(least=0, most=1)

    def __post_init__(self) -> None:
        check(self)


class BiLSTMEncoder(Encoder):
    """Word embeddings, then a BiLSTM, both of `size`. The `vocabulary` is the words of the training
    questions; numbers 0 and 1 are padding and unknown words. In training the share `word_dropout`
    of words is read as unknown, so that unknown words mean something."""

    kind = "bilstm"
    name = "bilstm"

    def __init__(
        self,
        vocabulary: Sequence[str],
        size: int = 256,
        layers: int = 2,
        dropout: float = 0.3,
        word_dropout: float = 0.05,
    ) -> None:
        super().__init__()
        self.vocabulary, self.reader = list(vocabulary), WordReader(vocabulary)
        self.dim, self.layers, self.word_dropout = size, layers, word_dropout
        self.embedding = nn.Embedding(len(self.vocabulary) + 2, size, padding_idx=0)
        self.dropout = nn.Dropout(dropout)
        self.lstm = nn.LSTM(
            size, size // 2, layers, batch_first=True, bidirectional=True, dropout=dropout
        )

    @staticmethod
    def words_of(questions: Iterable[Words]) -> list[str]:
        counts = Counter(word for question in questions for word in question.words)
        return [word for word, _ in counts.most_common()]

    @classmethod
    def create(cls, questions: Iterable[Words], option: str = "", frozen_layers: int = 0) -> Self:
        return cls(cls.words_of(questions))

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> Self:
        known = vars(from_dict(BiLSTMSettings, config, "entries"))
        return cls(read_names(folder / VOCABULARY), **known)

    def _of_words(self, hidden: Tensor, read: Sequence[Pieces]) -> tuple[Tensor, Tensor]:
        """A word's vector serves as start and as end."""
        return hidden, hidden

    def hidden(
        self, *, ids: Tensor, lengths: Tensor | None = None, more: Tensor | None = None
    ) -> Tensor:
        """See `Encoder`. `more`, ``[questions, longest, size]``, is added to the word vectors."""
        if self.training and self.word_dropout:
            dropped = torch.rand(ids.shape, device=ids.device) < self.word_dropout
            ids = torch.where(dropped & (ids > 0), UNKNOWN, ids)
        vectors = self.dropout(self.embedding(ids) if more is None else self.embedding(ids) + more)
        if lengths is None:
            return self.dropout(self.lstm(vectors)[0])  # type: ignore[no-any-return]
        packed = pack_padded_sequence(
            vectors, lengths.clamp(min=1), batch_first=True, enforce_sorted=False
        )
        hidden, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.dropout(hidden)  # type: ignore[no-any-return]

    def config(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "size": self.dim,
            "layers": self.layers,
            "dropout": self.dropout.p,
            "word_dropout": self.word_dropout,
        }

    def save_files(self, folder: Path) -> None:
        write_json(folder / VOCABULARY, self.vocabulary)
