"""What words mean: vectors of the words of a question in its context, and of names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partwise.database.spans.names import LayerNames, Rows
from partwise.database.spans.text import Word, words_of
from partwise.language.text import Words

Array = NDArray[np.float32]
Encode = Callable[[Sequence[Words]], tuple[Any, Any]]
"""``[questions, longest, dim]`` twice, arrays or tensors: words as starts and as ends."""
AT_ONCE = 64
"""Names that are encoded in one batch."""


def word_vectors(encode: Encode, questions: Sequence[tuple[str, Sequence[Word]]]) -> list[Any]:
    """``[words, dim]`` for each question, as `encode` gives them: the mean of each word's first and
    last piece."""
    batch = [
        Words(text, tuple(one.plain for one in words), tuple((one.start, one.end) for one in words))
        for text, words in questions
    ]
    first, last = encode(batch)
    both = (first + last) / 2
    return [row[: len(words)] for row, (_, words) in zip(both, questions, strict=True)]


def name_vectors(encode: Encode, texts: Sequence[str]) -> list[Any]:
    """``[dim]`` for each name: the mean over its words, of any length."""
    rows: list[Any] = []
    for start in range(0, len(texts), AT_ONCE):
        part = [(text, words_of(text)) for text in texts[start : start + AT_ONCE]]
        rows += [vectors.mean(0) for vectors in word_vectors(encode, part)]
    return rows


class ContextMeanings:
    """How alike the words of a question and the names of a layer are, by their vectors. `question`:
    ``[words, dim]``. `names`: ``[texts, dim]`` of `LayerNames.texts`, of length 1."""

    def __init__(self, question: Array, names: Array) -> None:
        self._sums = np.concatenate([np.zeros_like(question[:1]), question.cumsum(0)])
        self._names = names

    def alike(self, start: int, end: int) -> Rows:
        """See `Similarity`."""
        span = self._sums[end] - self._sums[start]
        rows: Rows = self._names @ (span / (np.linalg.norm(span) + 1e-9))
        return rows


def names_of(names: LayerNames, encode: Encode, known: dict[str, Array]) -> Array:
    """``[texts, dim]`` of length 1, of all names of a layer; each text is encoded once. `known`:
    what was encoded before, which gets the others."""
    new = [text for text in dict.fromkeys(names.texts) if text not in known]
    known.update(zip(new, name_vectors(encode, new), strict=True))
    if not names.texts:
        return np.zeros((0, 0), np.float32)
    return normal(np.stack([known[text] for text in names.texts]))


def normal(vectors: Array) -> Array:
    """Vectors with the length 1."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    result: Array = vectors / np.maximum(lengths, 1e-12)
    return result
