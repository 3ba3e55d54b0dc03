"""What words mean: vectors of the words of a question in its context, and of names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from partwise.database.spans.names import LayerNames, Rows
from partwise.database.spans.text import Word, words_of
from partwise.encoders import Encoder
from partwise.language.text import Words

AT_ONCE = 64
"""Names that are encoded in one batch."""


def word_vectors(encoder: Encoder, questions: Sequence[tuple[str, Sequence[Word]]]) -> list[Tensor]:
    """``[words, dim]`` for each question: the mean of each word's first and last piece."""
    batch = [
        Words(text, tuple(one.plain for one in words), tuple((one.start, one.end) for one in words))
        for text, words in questions
    ]
    first, last = encoder(batch)
    both = (first + last) / 2
    return [row[: len(words)] for row, (_, words) in zip(both, questions, strict=True)]


def name_vectors(encoder: Encoder, texts: Sequence[str]) -> Tensor:
    """``[texts, dim]`` of length 1: the mean over each name's words."""
    rows: list[Tensor] = []
    for start in range(0, len(texts), AT_ONCE):
        part = [(text, words_of(text)) for text in texts[start : start + AT_ONCE]]
        rows += [vectors.mean(0) for vectors in word_vectors(encoder, part)]
    return normalize(torch.stack(rows), dim=1) if rows else torch.zeros(0, encoder.dim)


class ContextMeanings:
    """How alike the words of a question and the names of a layer are, by their vectors. `question`:
    ``[words, dim]``. `names`: ``[texts, dim]`` of `LayerNames.texts`, of length 1."""

    def __init__(self, question: Tensor, names: Tensor) -> None:
        self._sums = torch.cat([torch.zeros(1, question.shape[1]), question.cumsum(0)]).numpy()
        self._names = names.numpy()

    def alike(self, start: int, end: int) -> Rows:
        """See `Similarity`."""
        span = self._sums[end] - self._sums[start]
        rows: Rows = self._names @ (span / (np.linalg.norm(span) + 1e-9))
        return rows


def names_of(names: LayerNames, encoder: Encoder) -> Tensor:
    """The vectors of all names of a layer; each text is encoded once."""
    places = {text: place for place, text in enumerate(dict.fromkeys(names.texts))}
    with torch.no_grad():
        vectors = name_vectors(encoder, list(places))
    return vectors[[places[text] for text in names.texts]]
