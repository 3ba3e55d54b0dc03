"""When to answer: the probability that a meaning is right, from more than the parser's scores.

A parser knows only the meanings of its domain, and shares out all probability among them, even for
questions about something else. So what the scores leave out lowers the probability: words that gave
nothing, words never met, and the distance to the questions of training.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor

from partwise.encoders.storage import read_json, read_tensors, write_json, write_tensors
from partwise.errors import CheckpointError, PartwiseError
from partwise.interface.prediction import Prediction
from partwise.interface.settings import from_dict, to_dict
from partwise.language.tokenizer import FUNCTION_WORDS, only_punctuation, split

M = TypeVar("M")
HONESTY, QUESTIONS = "honesty.json", "honesty.safetensors"
"""The files in a parser's folder."""
CERTAIN, MOST_WORDS, SUGGESTED = 6.0, 6, 3


@dataclass(frozen=True)
class Honesty:
    """A small logistic model of right against wrong, with what its features need.

    Attributes:
        words: of the training questions.
        idle: words that often give nothing where the answer is right.
        costs: word -> minus the logarithm of how often it gives nothing where the answer is right;
            None in parsers of before, where each that is not idle costs 1.
        questions: training questions that are answered rightly, to suggest and to compare with.
        weights: of the constant, the parser's log-odds, the words that gave nothing, the words
            never met, and the distance; no other sign than +, -, -, - after the first.
        usual: the distance of most questions like those of training.
        refused_below, doubtful_below: probabilities, chosen on held-out questions.
        vectors: ``[questions, dim]`` of length one, by the parser's encoder; None if it has none.
    """

    words: list[str]
    idle: list[str]
    questions: list[str]
    weights: list[float]
    usual: float = 0.0
    refused_below: float = 0.0
    doubtful_below: float = 0.0
    vectors: Tensor | None = field(default=None, compare=False)
    costs: dict[str, float] | None = None

    @cached_property
    def _met(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def _idle(self) -> frozenset[str]:
        return frozenset(self.idle)

    # --- features ------------------------------------------------------------------------

    def features(self, said: Prediction[Any], vector: Tensor | None = None) -> list[float]:
        """The constant, log-odds, words that gave nothing, words never met, distance."""
        share = min(max(said.probability, 1e-9), 1 - 1e-9)
        odds = math.log(share) - math.log1p(-share)
        return [
            1.0,
            max(-CERTAIN, min(CERTAIN, odds)),
            min(self._cost(said), MOST_WORDS),
            min(len(said.unknown), MOST_WORDS),
            max(0.0, self.distance(vector) - self.usual),
        ]

    def left_over(self, said: Prediction[Any]) -> list[str]:
        """The words that gave nothing and that matter, as typed."""
        words = (said.words[number] for number in said.unused)
        return [word for word in words if word.lower() not in self._idle]

    def _cost(self, said: Prediction[Any]) -> float:
        if self.costs is None:
            return len(self.left_over(said))
        unmet = idle_cost(0, 0)
        return sum(self.costs.get(said.words[n].lower(), unmet) for n in said.unused)

    def never_met(self, words: Sequence[str], *known: Collection[str]) -> tuple[str, ...]:
        """The words that are not known and not in training questions, numbers left out.

        Args:
            words: as the parser reads them.
            known: names and the like.
        """
        strange = (
            word
            for word in words
            if not any(word in some for some in (self._met, FUNCTION_WORDS, *known))
            and not only_punctuation(word)
            and not word[0].isdigit()
        )
        return tuple(dict.fromkeys(strange))

    def distance(self, vector: Tensor | None) -> float:
        """From the nearest training question, 0 to 2; 0 without vectors."""
        if vector is None or self.vectors is None:
            return 0.0
        return 1.0 - float((self.vectors @ vector).max())

    def probability(self, features: Sequence[float]) -> float:
        """That the meaning is right; never higher for more of what lowers it."""
        total = sum(w * x for w, x in zip(self.weights, features, strict=True))
        return 1 / (1 + math.exp(-total))

    # --- what is said --------------------------------------------------------------------

    def judged(
        self,
        said: Prediction[M],
        vector: Tensor | None = None,
        at_least: float | None = None,
    ) -> Prediction[M]:
        """The prediction with its probability by this model, doubtful or refused if it is low.

        Args:
            vector: of the question; see `pooled`.
            at_least: the probability that a meaning must have; None for the default.
        """
        if said.meaning is not None:
            features = self.features(said, vector)
            share = self.probability(features)
            said = replace(_scaled(said, share), doubtful=share < self.doubtful_below)
            threshold = self.refused_below if at_least is None else at_least
            said = said.at_least(threshold, self._reason(said, features))
        if said.meaning is None:
            return replace(said, suggestions=self.suggestions(said, vector))
        return said

    def _reason(self, said: Prediction[Any], features: Sequence[float]) -> str:
        reasons = []
        if left := list(dict.fromkeys((*self.left_over(said), *said.unknown))):
            reasons.append(f"nothing sure comes of {', '.join(map(repr, left[:MOST_WORDS]))}")
        if features[-1] > 0 or features[-2] > 1:
            reasons.append("the question is unlike those that the parser was trained on")
        return "; ".join(reasons)

    def suggestions(self, said: Prediction[Any], vector: Tensor | None) -> tuple[str, ...]:
        """The nearest questions that can be asked."""
        if vector is not None and self.vectors is not None:
            near = (self.vectors @ vector).tolist()
        else:
            mine = {word for text in said.words for word in split(text)}
            near = [_overlap(mine, set(split(one))) for one in self.questions]
        order = sorted(range(len(near)), key=lambda number: (-near[number], number))
        return tuple(self.questions[number] for number in order[:SUGGESTED])

    # --- saving --------------------------------------------------------------------------

    def write(self, folder: Path) -> None:
        """Write it into a parser's folder."""
        values = {k: v for k, v in to_dict(replace(self, vectors=None)).items() if k != "vectors"}
        write_json(folder / HONESTY, values)
        if self.vectors is not None:
            write_tensors(folder / QUESTIONS, {"vectors": self.vectors.half()})

    @classmethod
    def read(cls, folder: Path) -> Honesty | None:
        """That of a parser's folder; None for a folder without one.

        Raises:
            CheckpointError: if it is damaged.
        """
        if not (folder / HONESTY).exists():
            return None
        try:
            one = from_dict(cls, read_json(folder / HONESTY), "entries")
            _check(one)
        except CheckpointError:
            raise
        except (PartwiseError, TypeError, ValueError) as error:
            raise CheckpointError(
                f"{folder / HONESTY} is damaged ({error}); copy or train the parser again"
            ) from error
        if not (folder / QUESTIONS).exists():
            return one
        vectors = read_tensors(folder / QUESTIONS).get("vectors")
        if vectors is None or vectors.dim() != 2 or len(vectors) != len(one.questions):
            raise CheckpointError(f"{folder / QUESTIONS} does not fit {HONESTY}; copy it again")
        return replace(one, vectors=vectors.float())


def _check(one: Honesty) -> None:
    """Check what a file says.

    Raises:
        PartwiseError: if a weight, a cost or a word is not what it should be.
        TypeError: if it is of another type.
    """
    fits = len(one.weights) == 5 and all(map(math.isfinite, one.weights))
    fits = fits and one.weights[1] >= 0 >= max(one.weights[2:])
    costs = {} if one.costs is None else one.costs
    if not isinstance(costs, dict):
        raise PartwiseError("its costs are no object")
    texts = (*one.words, *one.idle, *one.questions, *costs)
    fits = fits and all(0 <= cost < math.inf for cost in costs.values())
    if not fits or not all(isinstance(text, str) for text in texts):
        raise PartwiseError("its weights or words are not what they should be")


def idle_cost(met: int, idle: int) -> float:
    """What a word costs that gives nothing, by how often right answers had it, and did not use it.

    Minus the logarithm of the share of these, as if the word had been met four times more, and had
    given nothing in one of them.
    """
    return math.log((met + 4) / (idle + 1))


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _scaled(said: Prediction[M], share: float) -> Prediction[M]:
    """With another probability, and the alternatives' no higher than it leaves them."""
    before = said.probability
    factor = share / before if share < before else (1 - share) / max(1 - before, 1e-9)
    others = (replace(o, probability=o.probability * factor) for o in said.alternatives)
    return replace(said, probability=share, alternatives=tuple(others))


def pooled(first: Tensor, lengths: Sequence[int]) -> list[Tensor]:
    """The mean of each question's word vectors, of length one, from those of a padded batch."""
    means = (rows[:n].mean(0) for rows, n in zip(first.float().cpu(), lengths, strict=True))
    return [torch.nn.functional.normalize(mean, dim=0) for mean in means]
