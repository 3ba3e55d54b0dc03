"""InferenceParser: the half of a parser that answers, which needs no torch.

It asks its networks as pure functions over arrays (`partwise.encoders.functions`), which are graphs
in the folder of a saved parser. `partwise.training.neural.NeuralParser` is the half that learns.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Self, TypeVar, overload

from partwise.encoders.functions import Functions, GraphFunctions
from partwise.errors import CheckpointError, DataError, PartwiseError
from partwise.evaluation.confidence import ConfidenceModel, Vectors
from partwise.interface.answering import answer
from partwise.interface.budget import Budget
from partwise.interface.domain import AnyDomain
from partwise.interface.parser import Parser
from partwise.interface.prediction import Answer, Prediction, Turn
from partwise.interface.registry import named_domain
from partwise.interface.settings import from_dict
from partwise.training.store import (
    SavedParser,
    find_pretrained,
    manifest_digest,
    read_config,
    reading,
    steadily,
)

M = TypeVar("M")
T = TypeVar("T")


class Stopwatch:
    """Seconds spent in named parts, those of all threads together."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._lock = Lock()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            with self._lock:
                self.seconds[name] += time.perf_counter() - begin


def one_ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items, the next of which is made in a thread while one is used."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


class InferenceParser(Parser[M]):
    """A saved parser that answers questions, and does not learn.

    Attributes:
        Saved: what its config.json says.
        functions: its networks.
        digest: of the folder that it was read from; "" for none.
        temperature: what scores are divided by for probabilities, fitted on held-out questions.
        confidence: what turns these into the probability that the meaning is right, and decides
            when to answer; None before it is fitted.
        clock: where the time goes.
        budget: what `parse` may spend on one question; training and evaluation have no limit.
    """

    Saved: ClassVar[type[SavedParser]] = SavedParser
    functions: Functions

    def __init__(self, domain: AnyDomain[M], config: Any) -> None:
        self.domain = domain
        self.config = config
        self.clock = Stopwatch()
        self.temperature = 1.0
        self.digest = ""
        self.confidence: ConfidenceModel | None = None
        self.budget = Budget()

    @overload
    def __call__(
        self,
        question: str,
        k: int = 1,
        at_least: float | None = None,
        context: Any = None,
        after: Turn | None = None,
    ) -> Answer[M]: ...

    @overload
    def __call__(
        self,
        question: list[str] | tuple[str, ...],
        k: int = 1,
        at_least: float | None = None,
        context: Any = None,
        after: Turn | None = None,
    ) -> list[Answer[M]]: ...

    def __call__(
        self,
        question: str | list[str] | tuple[str, ...],
        k: int = 1,
        at_least: float | None = None,
        context: Any = None,
        after: Turn | None = None,
    ) -> Answer[M] | list[Answer[M]]:
        """The answer of one question or of many; see `partwise.interface.answering.answer`."""
        if isinstance(question, str):
            return answer(self, [question], k, at_least, context, after=after)[0]
        return answer(self, question, k, at_least, context, after=after)

    def mark_words(self, prediction: Prediction[M]) -> Prediction[M]:
        """With the words that gave nothing and those never met, for `confidence`."""
        return prediction

    def judge(
        self,
        prediction: Prediction[M],
        vector: Vectors | None = None,
        at_least: float | None = None,
    ) -> Prediction[M]:
        """A prediction with the probability that it is right, refused if that is too low. `vector`:
        of the question, if the encoder gives one; `at_least`: see `Parser.parse`."""
        if self.confidence is None:
            return prediction.at_least(at_least)
        return self.confidence.apply(self.mark_words(prediction), vector, at_least)

    def judge_all(
        self, predictions: Sequence[Prediction[M]], at_least: float | None
    ) -> list[Prediction[M]]:
        """Predictions with their probabilities; see `judge`."""
        meant = [n for n, prediction in enumerate(predictions) if prediction.meaning is not None]
        found = None
        if meant and self.confidence is not None:
            found = self.vectors([predictions[n].question for n in meant])
        vectors = dict(zip(meant, found or (), strict=False))
        return [
            self.judge(prediction, vectors.get(n), at_least)
            for n, prediction in enumerate(predictions)
        ]

    def vectors(self, questions: Sequence[str]) -> list[Vectors] | None:
        """A vector for each question; None if there is no encoder of whole questions."""
        return None

    # --- reading -------------------------------------------------------------------------

    @classmethod
    def from_pretrained(cls, name: str | Path, domain: Any = None) -> Self:
        return steadily(find_pretrained(name), lambda folder: cls._read(folder, domain))

    @classmethod
    def _read(cls, folder: Path, domain: Any) -> Self:
        saved = read_config(folder, cls.kind, cls.Saved)
        language = language_of(saved["domain"]) if domain is None else domain
        with reading(folder):
            config = from_dict(cls.Config, saved["parser"], "parser settings")
            parser = cls._filled(language, config, saved, folder)
        parser.temperature = float(saved["temperature"])
        parser.confidence = ConfidenceModel.read(folder)
        return parser

    @classmethod
    def _filled(cls, domain: Any, config: Any, saved: Mapping[str, Any], folder: Path) -> Self:
        """As `saved`, with its networks."""
        parser = cls.saved(domain, config, saved, folder)
        parser.functions = GraphFunctions(folder)
        parser.digest = manifest_digest(folder)
        return parser

    @classmethod
    def saved(cls, domain: Any, config: Any, saved: Mapping[str, Any], folder: Path) -> Self:
        """A saved parser without its networks. `saved`: the content of config.json. Raises
        PartwiseError if the domain is not what it was in training, and for a kind of parser that
        cannot do without torch."""
        raise PartwiseError(f"{cls.kind} parsers need torch: pip install 'partwise[train]'")


def language_of(name: str) -> Any:
    """The domain of a saved parser, by its name. Raises CheckpointError if it is not installed."""
    try:
        return named_domain(name)
    except DataError as error:
        raise CheckpointError(f"{error}; pass the parser's own as `domain`") from error
