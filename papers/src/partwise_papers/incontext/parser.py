"""InContextParser: a language model writes the program after pairs like the question. The pairs are
those most like it, or those that cover it together."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

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
from partwise_papers.incontext.model import (
    Completion,
    InContextSettings,
    LanguageModel,
    check_saved_model,
    grammar_of,
    open_model,
    variant,
)


class Pair(NamedTuple):
    """A training question and the text of its meaning, as `Domain.write` gives it."""

    question: str
    program: str


def prompt_of(pairs: Sequence[Pair], question: str) -> str:
    """The prompt; the program is to follow at the start of a line.

    A new line is a token of its own for most models, so that programs begin at the start of a
    token after it.

    Args:
        pairs: the best first. It is written last, since models look most at what is near.
    """
    shown = [_entry(pair.question) + f"{_line(pair.program)}\n\n" for pair in reversed(pairs)]
    return "".join(shown) + _entry(question)


def _entry(question: str) -> str:
    return f"question: {_line(question)}\nprogram:\n"


def _line(text: str) -> str:
    return " ".join(text.split())


Gram = tuple[str, ...]
Scores = NDArray[np.float64]
SATURATION, LENGTH = 1.2, 0.75
"""k1 and b of BM25, as usual (Robertson and Zaragoza 2009, section 3.1)."""
PHRASE = 3
"""Words of the longest word sequence that is to be covered."""


class Retriever:
    """BM25 over word sequences: the questions that share the rarest ones.

    Args:
        longest: words of a sequence at most; 1 for plain BM25.
        covering: whether each question found counts only for what those before it lack. This is
            the coverage of utterances of Levy et al. (2023), section 3, chosen greedily by
            BM25's weights; once all is covered it starts again.
    """

    def __init__(self, questions: Sequence[str], longest: int = 1, covering: bool = False) -> None:
        self.longest, self.covering, self.size = longest, covering, len(questions)
        self.postings = _postings([Counter(self._grams(question)) for question in questions])

    def _grams(self, question: str) -> Iterable[Gram]:
        words = split(question)
        for length in range(1, self.longest + 1):
            yield from (words[at : at + length] for at in range(len(words) - length + 1))

    def best(self, question: str, count: int) -> list[int]:
        """The places of at most `count` questions, the best first, none twice."""
        # In the order of the question: sums of sets would differ from run to run.
        grams = [gram for gram in dict.fromkeys(self._grams(question)) if gram in self.postings]
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
            left = [gram for gram in left if place not in self.postings[gram][0]]
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
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / max(len(lengths), 1) or 1.0
    where: dict[Gram, list[int]] = defaultdict(list)
    for place, count in enumerate(counts):
        for gram in count:
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
        """A parser without pairs; raises PartwiseError if the language model is not there."""
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
        self._keep(
            [Pair(example.question, self.domain.write(example.meaning)) for example in train]
        )
        return TrainingReport(usable=len(train), seconds=perf_counter() - start)

    def _keep(self, pairs: Sequence[Pair]) -> None:
        # Equal pairs would fill the prompt and say nothing new.
        self.pairs = list(dict.fromkeys(pairs))
        questions = [pair.question for pair in self.pairs]
        diverse = self.config.retrieval == "diverse"
        self._retriever = Retriever(questions, PHRASE if diverse else 1, covering=diverse)

    # --- prediction ----------------------------------------------------------------------

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[M]]:
        """What questions mean; see `Parser.parse`. There are no alternatives; raises PartwiseError
        if the model fails, as an endpoint that does not answer."""
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
            check_saved_model(config, saved["model"])
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
