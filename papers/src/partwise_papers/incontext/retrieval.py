"""Which training pairs a prompt shows: those most like the question, or that cover it together."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from partwise.encoders.base import MINILM, Encoder, make_encoder
from partwise.evaluation.confidence import pooled
from partwise.language.text import split, tokenize

Gram = tuple[str, ...]
Scores = NDArray[np.float64]
SATURATION, LENGTH = 1.2, 0.75
"""k1 and b of BM25, as usual (Robertson and Zaragoza 2009, section 3.1)."""
PHRASE = 3
"""Words of the longest word sequence that is to be covered."""


class Retriever(Protocol):
    """Finds questions among those it was made from."""

    def best(self, question: str, count: int) -> list[int]:
        """The places of at most `count` questions, the best first, none twice."""
        ...


class LexicalRetriever:
    """BM25 over word sequences: the questions that share the rarest ones.

    Args:
        longest: words of a sequence at most; 1 for plain BM25.
        covering: whether each question found counts only for what those before it lack. This is
            the coverage of utterances of Levy et al. (2023), section 3, chosen greedily by
            BM25's weights; once all is covered it starts again.
    """

    def __init__(self, questions: Sequence[str], longest: int = 1, covering: bool = False) -> None:
        self.longest, self.covering, self.size = longest, covering, len(questions)
        self.postings = _postings([Counter(self._grams(one)) for one in questions])

    def _grams(self, question: str) -> Iterable[Gram]:
        words = split(question)
        for length in range(1, self.longest + 1):
            yield from (words[at : at + length] for at in range(len(words) - length + 1))

    def best(self, question: str, count: int) -> list[int]:
        """See `Retriever.best`."""
        # In the order of the question: sums of sets would differ from run to run.
        grams = [one for one in dict.fromkeys(self._grams(question)) if one in self.postings]
        whole = self._scores(grams)
        if not self.covering:
            return [int(place) for place in np.argsort(-whole, kind="stable")[:count]]
        return self._cover(grams, whole, min(count, self.size))

    def _cover(self, grams: list[Gram], whole: Scores, count: int) -> list[int]:
        """The greedy choice; ties go to the question that is more like the whole one."""
        chosen: list[int] = []
        left = grams
        while len(chosen) < count:
            gain = self._scores(left)
            gain[chosen] = -1.0
            if gain.max() <= 0 and left != grams:
                left = grams
                continue
            place = int(np.lexsort((-whole, -gain))[0])
            chosen.append(place)
            left = [one for one in left if place not in self.postings[one][0]]
        return chosen

    def _scores(self, grams: Iterable[Gram]) -> Scores:
        """``[questions]``: the sum of the weights that each has for some sequences."""
        scores = np.zeros(self.size)
        for gram in grams:
            places, weights = self.postings[gram]
            scores[places] += weights
        return scores


def _postings(counts: Sequence[Counter[Gram]]) -> dict[Gram, tuple[NDArray[np.int64], Scores]]:
    """Word sequence -> the places where it stands, and its weight of BM25 in each."""
    lengths = [sum(one.values()) for one in counts]
    mean = sum(lengths) / max(len(lengths), 1) or 1.0
    where: dict[Gram, list[int]] = defaultdict(list)
    for place, one in enumerate(counts):
        for gram in one:
            where[gram].append(place)

    def weight(gram: Gram, place: int) -> float:
        found = len(where[gram])
        rarity = math.log(1 + (len(counts) - found + 0.5) / (found + 0.5))
        often = counts[place][gram]
        norm = SATURATION * (1 - LENGTH + LENGTH * lengths[place] / mean)
        return rarity * often * (SATURATION + 1) / (often + norm)

    return {
        gram: (np.array(places), np.array([weight(gram, place) for place in places]))
        for gram, places in where.items()
    }


class EncoderRetriever:
    """The questions whose mean word vectors point in the same direction.

    Attributes:
        vectors: ``[questions, dim]`` of length one.
    """

    def __init__(self, questions: Sequence[str], encoder: Encoder) -> None:
        self.encoder = encoder.eval()
        self.vectors = question_vectors(encoder, questions)

    def best(self, question: str, count: int) -> list[int]:
        """See `Retriever.best`."""
        likeness = self.vectors @ question_vectors(self.encoder, [question])[0]
        return [int(place) for place in torch.argsort(-likeness, stable=True)[:count]]


@torch.no_grad()
def question_vectors(encoder: Encoder, questions: Sequence[str]) -> torch.Tensor:
    """``[questions, dim]``: the mean of each question's word vectors, of length one."""
    rows = [tokenize(question) for question in questions]
    return torch.stack([pooled(encoder([one])[0], [len(one)])[0] for one in rows])


def retriever_of(kind: str, questions: Sequence[str]) -> Retriever:
    """The retriever of `InContextSettings.retrieval` over some questions.

    Raises:
        PartwiseError: if the encoder is not installed.
    """
    if kind == "encoder":
        return EncoderRetriever(questions, make_encoder(MINILM, []))
    if kind == "bm25":
        return LexicalRetriever(questions)
    return LexicalRetriever(questions, PHRASE, covering=True)
