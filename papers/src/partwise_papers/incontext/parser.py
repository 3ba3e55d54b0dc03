"""InContextParser: a language model writes the program after pairs like the question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, Self, TypeVar

from partwise.encoders.storage import read_json, write_json
from partwise.errors import CheckpointError, DataError, PartwiseError
from partwise.evaluation.confidence import ScoredMeaning
from partwise.interface.data import Example
from partwise.interface.parser import Checkpoints, Parser, TrainingReport
from partwise.interface.prediction import Prediction
from partwise.interface.registry import named_domain
from partwise.interface.settings import from_dict, to_dict
from partwise.language.text import split
from partwise.training.store import (
    SavedParser,
    find_pretrained,
    read_config,
    reading,
    steadily,
    write_folder,
)
from partwise_papers.incontext.config import InContextSettings, variant
from partwise_papers.incontext.grammar import grammar_of
from partwise_papers.incontext.model import Completion, LanguageModel
from partwise_papers.incontext.opening import check_saved, open_model
from partwise_papers.incontext.prompt import Pair, prompt_of
from partwise_papers.incontext.retrieval import Retriever, retriever_of

M = TypeVar("M")
PAIRS = "pairs.json"


@dataclass(frozen=True, kw_only=True)
class SavedInContextParser(SavedParser):
    """What config.json says.

    Attributes:
        model: what is known of the language model; see `LanguageModel.facts`.
    """

    model: dict[str, Any]


class InContextParser(Parser[M]):
    """Learns by keeping the training pairs; a language model does the rest.

    Attributes:
        model: what completes the prompts.
        grammar: GBNF text of the domain's programs; None for none, or if not wanted.
        pairs: the training pairs.
        temperature: what logarithms of probabilities are divided by, fitted on unseen questions.
    """

    kind: ClassVar[str] = "in-context"
    Config = InContextSettings

    def __init__(self, domain: Any, config: InContextSettings, model: LanguageModel) -> None:
        self.domain, self.config, self.model = domain, config, model
        self.grammar = grammar_of(domain) if config.constrained else None
        self.pairs: list[Pair] = []
        self.temperature = 1.0

    @classmethod
    def variant(cls, domain: Any, config: InContextSettings) -> str:
        """A name for these settings, with the model and the number of pairs in the prompt."""
        return variant(config)

    @classmethod
    def create(cls, domain: Any, config: InContextSettings) -> Self:
        """A parser without pairs.

        Raises:
            PartwiseError: if the language model is not there.
        """
        return cls(domain, config, open_model(config))

    def fit(
        self,
        train: Sequence[Example[M]],
        dev: Sequence[Example[M]],
        config: Any = None,
        checkpoints: Checkpoints | None = None,
    ) -> TrainingReport:
        """Keep the training pairs, and index their questions; see `Parser.fit`."""
        start = perf_counter()
        if not train:
            raise DataError("there are no training questions; give at least one")
        self._keep([Pair(one.question, self.domain.write(one.meaning)) for one in train])
        return TrainingReport(usable=len(train), seconds=perf_counter() - start)

    def _keep(self, pairs: Sequence[Pair]) -> None:
        # Equal pairs would fill the prompt and say nothing new.
        self.pairs = list(dict.fromkeys(pairs))
        questions = [one.question for one in self.pairs]
        self._retriever: Retriever = retriever_of(self.config.retrieval, questions)

    # --- prediction ----------------------------------------------------------------------

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[M]]:
        """What questions mean; see `Parser.parse`. There are no alternatives.

        Raises:
            PartwiseError: if the model fails, as an endpoint that does not answer.
        """
        return [self._prediction(question, at_least) for question in questions]

    def confidences(self, questions: Sequence[str]) -> list[ScoredMeaning[M] | None]:
        """The program of each question with its confidence; None for none, and where the model
        tells no probabilities."""
        return [self._confidence(question) for question in questions]

    def _prediction(self, question: str, at_least: float | None) -> Prediction[M]:
        words = split(question)
        read = self._read_program(question)
        if isinstance(read, str):
            return Prediction(question, words, reason=read)
        (score,), probability = read.scores, read.at(self.temperature)
        said = Prediction(question, words, read.meaning, probability, score)
        why = "the language model tells no probabilities" if math.isnan(score) else ""
        return said.at_least(at_least, why)

    def _confidence(self, question: str) -> ScoredMeaning[M] | None:
        read = self._read_program(question)
        return None if isinstance(read, str) or math.isnan(*read.scores) else read

    def _read_program(self, question: str) -> ScoredMeaning[M] | str:
        """What the model's program means; the reason if it means nothing."""
        prompt = self.prompt(question)
        if prompt is None:
            return "the question is too long for the language model"
        longest = self.config.longest
        said: Completion = self.model.complete(prompt, self.grammar, longest)
        if not said.finished:
            return f"the language model wrote no end within {longest} tokens"
        try:
            return ScoredMeaning(self.domain.read(said.text), (said.log_probability,))
        except PartwiseError as error:
            return f"the language model wrote no program of {self.domain.name}: {error}"

    def prompt(self, question: str) -> str | None:
        """What the model is shown for a question: as many pairs as there is room for.

        Returns:
            None if there is no room for the question itself.
        """
        found = self._retriever.best(question, self.config.pairs)
        for count in range(len(found), -1, -1):
            prompt = prompt_of([self.pairs[place] for place in found[:count]], question)
            if self.model.fits(prompt, self.config.longest):
                return prompt
        return None

    # --- saving --------------------------------------------------------------------------

    def save_pretrained(
        self, folder: str | Path, facts: Mapping[str, Any] | None = None, half: bool = False
    ) -> None:
        """Write the pairs and the settings, not the language model; see `Parser`."""
        model = dict(self.model.facts)
        config = {
            "kind": self.kind,
            "domain": self.domain.name,
            "about": f"In-context learning with {model['name']} (quantisation: "
            f"{model['quantisation']}), {self.config.pairs} of {len(self.pairs)} pairs shown.",
            "parser": to_dict(self.config),
            "temperature": self.temperature,
            "training": dict(facts or {}),
            "model": model,
        }
        example = next(iter(self.domain.examples), "...")
        write_folder(
            Path(folder), config, lambda place: write_json(place / PAIRS, self.pairs), example
        )

    @classmethod
    def from_pretrained(cls, name: str | Path, domain: Any = None) -> Self:
        """A saved parser; see `Parser.from_pretrained` and `opening.check_saved`."""
        return steadily(find_pretrained(name), lambda folder: cls._read(folder, domain))

    @classmethod
    def _read(cls, folder: Path, domain: Any) -> Self:
        saved = read_config(folder, cls.kind, SavedInContextParser)
        with reading(folder):
            config = from_dict(InContextSettings, saved["parser"], "parser settings")
            pairs = _pairs(read_json(folder / PAIRS))
        try:
            check_saved(config, saved["model"])
            language = named_domain(saved["domain"]) if domain is None else domain
            parser = cls(language, config, open_model(config))
        except PartwiseError as error:
            raise CheckpointError(f"{folder} cannot be used: {error}") from error
        parser._keep(pairs)
        parser.temperature = float(saved["temperature"])
        return parser


def _pairs(values: Any) -> list[Pair]:
    pairs = [Pair(question, program) for question, program in values]
    if not pairs or not all(isinstance(text, str) for pair in pairs for text in pair):
        raise PartwiseError(f"{PAIRS} holds no pairs of texts")
    return pairs
