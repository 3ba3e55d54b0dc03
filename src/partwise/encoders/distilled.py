"""Word vectors distilled from a pretrained transformer, and a BiLSTM over them.

Each word that the transformer knows whole is read by it alone, and its vectors are brought down to
a few numbers by principal components (as Model2Vec does, Tulkens and van Dongen 2024). The vectors
are kept as they are; beside them stand learned ones for the words of train. So a parser of a few
megabytes knows that "town" is like "city" though train has never shown it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn

from partwise.encoders.base import Encoder
from partwise.encoders.bilstm import BiLSTMEncoder, BiLSTMSettings
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.encoders.readers import COMMON, MINILM, VOCABULARY, DistilledReader, Pieces
from partwise.encoders.storage import read_names, write_json
from partwise.interface.settings import from_dict, setting
from partwise.language.text import Words, split, tokenize

COMMON_WORDS = 16_000
"""How many words get distilled vectors, beside those of train."""
WIDTH = 128
"""Numbers in a distilled vector."""
BATCH = 512


@dataclass(frozen=True)
class DistilledSettings(BiLSTMSettings):
    """What a saved parser says of its distilled encoder."""

    teacher: str = MINILM
    width: int = setting(WIDTH, least=1, most=4096)


class DistilledEncoder(Encoder):
    """A BiLSTM whose words have distilled vectors beside the learned ones: learned are those of the
    `vocabulary`, the words of train, distilled the `vectors` of `common` words, ``[common words,
    width]``, zeros until weights are loaded if not given. Reports name the transformer as
    `teacher`."""

    kind = "distilled"
    arguments = ("ids", "rows")

    def __init__(
        self,
        vocabulary: Sequence[str],
        common: Sequence[str],
        vectors: Tensor | None = None,
        *,
        teacher: str = MINILM,
        width: int = WIDTH,
        size: int = 256,
        layers: int = 2,
        dropout: float = 0.3,
        word_dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.name = f"{self.kind}-{teacher}"
        self.teacher, self.width, self.common = teacher, width, list(common)
        self.learned = BiLSTMEncoder(vocabulary, size, layers, dropout, word_dropout)
        self.dim = size
        with torch.no_grad():
            # What is distilled should weigh no less at first than what is to be learned.
            self.learned.embedding.weight *= 0.5
        self.reader = DistilledReader(vocabulary, common)
        # Half precision: what is kept as it is needs no more, and is half as large in a file.
        table = torch.zeros(len(self.common) + 1, width, dtype=torch.float16)
        if vectors is not None:
            table[1:] = vectors.to(torch.float16)
        self.table: Tensor
        self.register_buffer("table", table)
        self.widen = nn.Linear(width, size)

    @classmethod
    def create(cls, questions: Iterable[Words], option: str = "", frozen_layers: int = 0) -> Self:
        """A new encoder with the vectors of a transformer: `option`, or the default. Takes about a
        minute the first time. Raises PartwiseError if the transformer cannot be loaded."""
        teacher, vocabulary = option or MINILM, BiLSTMEncoder.words_of(questions)
        known, vectors = _taught(teacher)
        # Tokenizers of this kind have their words in the order of their frequency.
        wanted = {*known[:COMMON_WORDS], *vocabulary}
        rows = [row for row, word in enumerate(known) if word in wanted]
        common, reduced = [known[row] for row in rows], _principal(vectors[rows], WIDTH)
        return cls(vocabulary, common, reduced, teacher=teacher, width=WIDTH)

    @classmethod
    def load(cls, config: Mapping[str, Any], folder: Path) -> Self:
        known = vars(from_dict(DistilledSettings, config, "entries"))
        return cls(read_names(folder / VOCABULARY), read_names(folder / COMMON), **known)

    def hidden(self, *, ids: Tensor, rows: Tensor, lengths: Tensor | None = None) -> Tensor:
        distilled = self.widen(self.table[rows].to(self.widen.weight.dtype))
        return self.learned.hidden(ids=ids, lengths=lengths, more=distilled)

    def _of_words(self, hidden: Tensor, read: Sequence[Pieces]) -> tuple[Tensor, Tensor]:
        return hidden, hidden

    def config(self) -> dict[str, Any]:
        rest = {key: value for key, value in self.learned.config().items() if key != "kind"}
        return {"kind": self.kind, "teacher": self.teacher, "width": self.width, **rest}

    def save_files(self, folder: Path) -> None:
        self.learned.save_files(folder)
        write_json(folder / COMMON, self.common)


@lru_cache(maxsize=1)
@torch.no_grad()
def _taught(teacher: str) -> tuple[tuple[str, ...], Tensor]:
    """The words that a transformer's tokenizer does not part, in its order, and ``[words, dim]``:
    each one's vector where it is all that is read. Those of the last one are kept (some 45 MB),
    since a learning curve asks for them many times."""
    model = PretrainedEncoder(teacher).eval()
    numbered = sorted(model.tokenizer.get_vocab().items(), key=lambda item: int(item[1]))
    whole = (word for word, _ in numbered if len(word) > 1 and split(word) == (word,))
    words = tuple(word for word in whole if word.isascii() and word.isalnum())
    batches = (words[begin : begin + BATCH] for begin in range(0, len(words), BATCH))
    vectors = [model([tokenize(word) for word in batch])[0][:, 0].float() for batch in batches]
    return words, torch.cat(vectors)


def _principal(vectors: Tensor, width: int) -> Tensor:
    """``[words, width]``: the vectors along their principal components, of variance one."""
    centred = vectors - vectors.mean(0)
    _, directions = torch.linalg.eigh(centred.T @ centred)
    reduced = centred @ directions[:, -width:].flip(1)
    return torch.div(reduced, reduced.std())
