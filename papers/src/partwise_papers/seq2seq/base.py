"""What the parsers share that read a question with an encoder: which questions they read, in which
batches, and the encoder's part of a saved folder. Training is that of `NeuralParser`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch import nn

from partwise.evaluation.confidence import ScoredMeaning, Vectors, pool_vectors
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.text import Words, tokenize
from partwise.training.neural import NeuralParser

M = TypeVar("M")
BATCH, GPU_BATCH = 64, 512
"""Questions that are read together on a processor and on a GPU."""


def unfit(words: Words, most: int, fits: Callable[[Words], bool]) -> str | None:
    """Why a question cannot be read; None if it can.

    Args:
        most: words of the longest question.
        fits: whether the network has room for a question.
    """
    if not 0 < len(words) <= most:
        return f"the question has {len(words)} words; it needs 1 to {most}"
    return None if fits(words) else "the question is too long for the encoder"


def batches(words: Sequence[Words], fit: Sequence[int], size: int = BATCH) -> Iterator[list[int]]:
    """The places of questions that are read together, questions of like length in each batch."""
    order = sorted(fit, key=lambda place: len(words[place]))
    yield from (order[begin : begin + size] for begin in range(0, len(order), size))


class EncodingParser(NeuralParser[M]):
    """A parser whose network encodes questions into a memory, from which meanings are decoded.

    Attributes:
        network: has ``encode``, ``fits`` and ``pretrained``; there once the parser has learned.
    """

    network: Any

    @abstractmethod
    def decode(self, batch: Sequence[Words], k: int) -> list[tuple[list[ScoredMeaning[M]], str]]:
        """At most `k` meanings of each question, the best first, and why there are none."""

    def inputs(self, questions: Sequence[Words]) -> list[Words]:
        """What the network reads of questions, and may copy from: their own words."""
        return list(questions)

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters of a pretrained encoder."""
        found: list[nn.Parameter] = self.network.pretrained()
        return found

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[M]]:
        """What questions mean; see `Parser.parse`."""
        return self.judge_all(self._parse(questions, k), at_least)

    def parse_examples(self, examples: Sequence[Example[M]]) -> list[Prediction[M]]:
        """The best meaning of each question."""
        return self._parse([example.question for example in examples], 1)

    def confidences(self, questions: Sequence[str]) -> list[ScoredMeaning[M] | None]:
        """The best meaning of each question with its confidence; None for none."""
        return [next(iter(some), None) for _, some, _ in self._meanings(questions, 1)]

    @torch.no_grad()
    def vectors(self, questions: Sequence[str]) -> list[Vectors]:
        """A vector for each question; see `NeuralParser.vectors`."""
        if not questions:
            return []
        with self.without_dropout():
            read = self.inputs([tokenize(question) for question in questions])
            memory = self.network.encode(read)
        return pool_vectors(memory.vectors.float().cpu().numpy(), memory.mask.sum(1).tolist())

    def unfit(self, words: Words) -> str | None:
        """Why a question cannot be read, if so."""
        return unfit(words, self.config.max_words, self.network.fits)

    def _parse(self, questions: Sequence[str], k: int) -> list[Prediction[M]]:
        return [self._prediction(*found, k) for found in self._meanings(questions, k)]

    @torch.no_grad()
    def _meanings(
        self, questions: Sequence[str], k: int
    ) -> list[tuple[Words, list[ScoredMeaning[M]], str]]:
        """The words of each question, its meanings, the best first, and why there are none."""
        words = [tokenize(question) for question in questions]
        reasons = [self.unfit(some) for some in words]
        none: list[ScoredMeaning[M]] = []
        results = [(some, none, why or "") for some, why in zip(words, reasons, strict=True)]
        fit = [place for place, reason in enumerate(reasons) if reason is None]
        size = BATCH if next(self.parameters()).device.type == "cpu" else GPU_BATCH
        for places in batches(words, fit, size):
            found = self.decode([words[place] for place in places], k)
            for place, (meanings, why) in zip(places, found, strict=True):
                results[place] = words[place], meanings, why
        return results

    def _prediction(
        self, words: Words, found: Sequence[ScoredMeaning[M]], why: str, k: int
    ) -> Prediction[M]:
        if not found:
            return Prediction(words.text, words.words, reason=why)
        best, *others = (
            Prediction(
                *(words.text, words.words, meant.meaning),
                probability=meant.at(self.temperature),
                score=max(meant.scores),
            )
            for meant in found[:k]
        )
        return replace(best, alternatives=tuple(others))
