"""End2EndParser: reads the answer from the question and the scene, with no program between. A
network reads both together and gives an answer, which stands where other parsers have a program."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from partwise.encoders.base import Encoder, load_encoder, make_encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import ExecutionError, PartwiseError
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.interface.settings import check, setting
from partwise.language.program import Term
from partwise.language.text import Words, tokenize
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.store import ENCODER, SavedParser
from partwise.training.trainer import LossReport
from partwise.training.weights import save_encoder
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.scene import ATTRIBUTES, Scene
from partwise_papers.seq2seq.base import batches, unfit

KIND = "end2end"
"""Name of the parser as a plug-in."""
FEW = 2000
"""With fewer training questions than this, more passes in smaller batches are needed."""


@dataclass(frozen=True)
class End2EndConfig:
    """How an End2End parser is built.

    Attributes:
        encoder: minilm, or a Hugging Face folder or name.
        frozen_layers: Lowest layers of the encoder that are not trained, the embeddings first.
        dropout: Dropout before the answer.
        max_words: Longer questions are not answered.
    """

    encoder: str = "minilm"
    frozen_layers: int = setting(1, least=0, most=100)
    dropout: float = setting(0.1, least=0, below=1)
    max_words: int = setting(80, least=1, most=1000)

    def __post_init__(self) -> None:
        check(self)


def presets(size: int) -> dict[str, Any]:
    """Settings of training where the user gives none (`size`: number of training examples)."""
    usual: Mapping[str, Any] = {"encoder_rate": 2e-4, "precision": "auto"}
    if size < FEW:
        return {**usual, "epochs": 40, "batch_size": 16}
    return {**usual, "epochs": 10, "batch_size": 32}


BEGIN = "answer "
"""How the text of an `Asked` begins; no program has a blank outside brackets."""


@dataclass(frozen=True)
class Asked:
    """A question as its own meaning.

    Attributes:
        answer: in the scene that it was asked about, if that is known; else it is found when the
            meaning is run.
    """

    question: str
    answer: str | None = None


class AnsweringDomain:
    """A domain that runs an `Asked` too; all else is as in the domain inside.

    Args:
        domain: the one inside.
        answer: finds the answer of a question in a scene.
    """

    def __init__(self, domain: Scenes, answer: Callable[[str, Scene], str]) -> None:
        self.domain, self.answer = domain, answer

    def __getattr__(self, name: str) -> Any:
        if name == "domain":
            raise AttributeError(name)
        return getattr(self.domain, name)

    def canonical(self, meaning: Any) -> Any:
        """See `Domain`; an `Asked` is equal to no program."""
        return meaning if isinstance(meaning, Asked) else self.domain.canonical(meaning)

    def partial_matches(self, gold: Any, predicted: Any) -> Mapping[str, bool]:
        """See `Domain`; an answer has no parts that are right."""
        return {}

    def run(self, meaning: Any, context: Any = None) -> Any:
        """See `Domain`."""
        if not isinstance(meaning, Asked):
            return self.domain.run(meaning, context)
        if meaning.answer is not None:
            return meaning.answer
        return self.answer(meaning.question, self.domain.about(context).scene().scene)

    def write(self, meaning: Any, context: Any = None) -> str:
        """See `Domain`; that of an `Asked` is its question, and the answer if that is known."""
        if not isinstance(meaning, Asked):
            return self.domain.write(meaning, context)
        return BEGIN + json.dumps([meaning.question, meaning.answer])

    def read(self, text: str) -> Any:
        """See `Domain`."""
        if not text.startswith(BEGIN):
            return self.domain.read(text)
        return Asked(*json.loads(text.removeprefix(BEGIN)))


VALUES = tuple(value for values in ATTRIBUTES.values() for value in values)
ANSWERS = ("yes", "no", *map(str, range(11)), *VALUES)
"""The 28 answers of CLEVR."""
RANKS = 16
"""Ranks that are told apart; CLEVR's scenes have at most 10 objects."""
_NUMBER = {value: number for number, value in enumerate(VALUES, 1)}


def features(scene: Scene) -> list[list[int]]:
    """Numbers of each object's attributes and ranks; 0 is none.

    A rank is the number of objects that are left of it, or in front of it.
    """
    made = []
    for number, solid in enumerate(scene.objects):
        values = [_NUMBER[solid.value(attribute)] for attribute in ATTRIBUTES]
        ranks = (len(where[number]) for where in (scene.left, scene.front))
        first = 1 + len(VALUES)
        places = [first + RANKS * i + min(rank, RANKS - 1) for i, rank in enumerate(ranks)]
        made.append(values + places)
    return made


class SceneNetwork(nn.Module):
    """A pretrained encoder over the pieces of a question and, behind them, a vector an object.

    An object is the sum of the embeddings of its attributes and ranks. The vector of the first
    piece ([CLS]) gives the answer.

    Args:
        dropout: before the answer.
    """

    def __init__(self, encoder: PretrainedEncoder, dropout: float) -> None:
        super().__init__()
        self.encoder, self.dropout = encoder, nn.Dropout(dropout)
        count = 1 + len(VALUES) + 2 * RANKS
        self.objects = nn.Embedding(count, encoder.dim, padding_idx=0)
        # Sums are then about as long as the embeddings of pieces.
        nn.init.normal_(self.objects.weight, std=0.02)
        self.out = nn.Linear(encoder.dim, len(ANSWERS))

    def fits(self, words: Words, scene: Scene) -> bool:
        """Whether a question and a scene are short enough together."""
        return len(self.encoder.reader.pieces(words)[0]) + len(scene.objects) <= self.encoder.limit

    def forward(self, questions: Sequence[Words], scenes: Sequence[Scene]) -> Tensor:
        """Scores of all answers, ``[questions, answers]``."""
        rows = [self._inputs(*one) for one in zip(questions, scenes, strict=True)]
        mask = self.encoder.padded([[1] * len(row) for row in rows])
        inputs = pad_sequence(rows, batch_first=True)
        hidden = self.encoder.model(inputs_embeds=inputs, attention_mask=mask).last_hidden_state
        out: Tensor = self.out(self.dropout(hidden[:, 0])).float()
        return out

    def _inputs(self, words: Words, scene: Scene) -> Tensor:
        pieces, objects = self.encoder.reader.pieces(words)[0], features(scene)
        embedded = self.encoder.model.get_input_embeddings()(self._tensor(pieces))
        return torch.cat([embedded, self.objects(self._tensor(objects)).sum(1)])

    def _tensor(self, numbers: Sequence[Any]) -> Tensor:
        return torch.tensor(numbers, device=self.encoder.device)


class Item(NamedTuple):
    """A training example made ready: `gold` is the number of its answer."""

    example: Example[Any]
    words: Words
    scene: Scene
    gold: int


@dataclass(frozen=True, kw_only=True)
class SavedEnd2End(SavedParser):
    """What config.json says of an End2End parser; `encoder` is its kind and settings."""

    encoder: dict[str, Any]


class End2EndParser(NeuralParser[Any]):
    """Answers questions about scenes; its meanings are `Asked`, and match no program.

    Attributes:
        domain: runs what this parser says; a domain that is set is wrapped.
        network: there once the parser has learned.
    """

    kind: ClassVar[str] = KIND
    Config = End2EndConfig
    Saved = SavedEnd2End
    config: End2EndConfig
    network: SceneNetwork

    @property
    def domain(self) -> Any:
        """See the class."""
        return self._domain

    @domain.setter
    def domain(self, domain: Any) -> None:
        self._domain = AnsweringDomain(_unwrap(domain), self.answer)

    @classmethod
    def presets(
        cls, domain: Any, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        """Settings to use where the user gives none; see `partwise_papers.endtoend.parser`."""
        return presets(size)

    @classmethod
    def create(cls, domain: Any, config: End2EndConfig) -> Self:
        """An untrained parser; its network is made when it is trained; raises PartwiseError for a
        domain whose questions are about no scenes."""
        if not isinstance(_unwrap(domain), Scenes):
            raise PartwiseError(f"{cls.kind} answers questions about scenes, not {domain.name}")
        return cls(domain, config)

    # --- training ------------------------------------------------------------------------

    def prepare(self, train: Sequence[Example[Term]]) -> None:
        """Draw the first weights."""
        questions = [tokenize(example.question) for example in train]
        self._build(make_encoder(self.config.encoder, questions, self.config.frozen_layers))

    def _build(self, encoder: Encoder) -> None:
        if not isinstance(encoder, PretrainedEncoder):
            raise PartwiseError(f"{self.kind} needs a transformer as encoder, as minilm")
        self.network = SceneNetwork(encoder, self.config.dropout)

    def training_items(self, examples: Sequence[Example[Any]]) -> tuple[list[Item], Unusable[Any]]:
        """Examples made ready, and those that cannot be used, with the reason."""
        items: list[Item] = []
        unusable: Unusable[Any] = []
        for example in examples:
            words, scene, answer = tokenize(example.question), example.context, example.answer
            if answer not in ANSWERS:
                unusable.append((example, f"its answer {answer!r:.40} is none of CLEVR's"))
            elif (reason := self._unfit(words, scene)) is not None:
                unusable.append((example, reason))
            elif isinstance(scene, Scene):
                items.append(Item(example, words, scene, ANSWERS.index(str(answer))))
        return items, unusable

    def length(self, item: Item) -> int:
        """The number of words."""
        return len(item.words)

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters of the encoder."""
        return list(self.network.encoder.parameters())

    def loss(self, batch: Sequence[Item]) -> LossReport:
        """The mean over questions of minus the log-likelihood of the answer."""
        with self.clock.part("network"):
            scores = self.network([item.words for item in batch], [item.scene for item in batch])
            gold = torch.tensor([item.gold for item in batch], device=scores.device)
            return LossReport(nn.functional.cross_entropy(scores, gold), len(batch))

    def selection_metrics(self, scores: Any) -> dict[str, float]:
        """Right answers; there are no programs to compare."""
        return {"denotation": scores.denotation}

    # --- prediction ----------------------------------------------------------------------

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[Any]]:
        """The questions themselves, which are answered when they are run in a scene.

        There are no alternatives, and the probability is that of the question's being one that is
        answered right.
        """
        made: list[Prediction[Any]] = []
        for question in questions:
            words = tokenize(question)
            if (reason := self._unfit(words, None)) is not None:
                made.append(Prediction(question, words.words, reason=reason))
                continue
            said = Prediction(
                question, words.words, meaning=Asked(question), probability=1.0, score=0.0
            )
            made.append(self.judge(said, None, at_least))
        return made

    def parse_examples(self, examples: Sequence[Example[Any]]) -> list[Prediction[Any]]:
        """The answers of questions in their scenes."""
        words = [tokenize(example.question) for example in examples]
        reasons = [
            self._unfit(read, example.context) or ("" if example.context else "there is no scene")
            for read, example in zip(words, examples, strict=True)
        ]
        fit = [number for number, reason in enumerate(reasons) if not reason]
        made: dict[int, Prediction[Any]] = {}
        for some in batches(words, fit):
            scenes: list[Any] = [examples[number].context for number in some]
            shares = self._shares([words[number] for number in some], scenes)
            for number, share in zip(some, shares, strict=True):
                made[number] = self._answer(words[number], share)
        return [
            made.get(number) or Prediction(read.text, read.words, reason=reasons[number])
            for number, read in enumerate(words)
        ]

    @torch.no_grad()
    def _shares(self, words: Sequence[Words], scenes: Sequence[Scene]) -> torch.Tensor:
        with self.without_dropout(), self.clock.part("network"):
            return torch.softmax(self.network(words, scenes) / self.temperature, -1)

    def _answer(self, words: Words, shares: torch.Tensor) -> Prediction[Any]:
        share, best = (float(probability) for probability in shares.max(0))
        asked = Asked(words.text, ANSWERS[int(best)])
        return Prediction(words.text, words.words, meaning=asked, probability=share)

    def answer(self, question: str, scene: Scene) -> str:
        """The answer of a question in a scene; raises ExecutionError if they cannot be read."""
        words = tokenize(question)
        if (reason := self._unfit(words, scene)) is not None:
            raise ExecutionError(reason)
        return ANSWERS[int(self._shares([words], [scene])[0].argmax())]

    def _unfit(self, words: Words, context: Any) -> str | None:
        """Why a question in a scene (None for a scene that is not known) cannot be read, if so."""
        network, scene = self.network, context is None or isinstance(context, Scene)

        def fits(words: Words) -> bool:
            return network.encoder.fits(words) if context is None else network.fits(words, context)

        reason = unfit(words, self.config.max_words, fits if scene else lambda words: True)
        if reason is None and not scene:
            return f"it is asked about a {type(context).__name__}, which is no scene"
        return reason

    # --- saving --------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        """The encoder, and a line for the card."""
        encoder = self.network.encoder
        return {
            "about": f"End to end. Encoder: {encoder.name}. {self.parameter_count:,} parameters, "
            f"{len(ANSWERS)} answers.",
            "encoder": encoder.config(),
        }

    def write_files(self, folder: Path) -> None:
        """Write the encoder's files."""
        save_encoder(self.network.encoder, folder)

    @classmethod
    def builder(
        cls, domain: Any, config: End2EndConfig, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser, its weights still to be filled in."""

        def build() -> Any:
            parser = cls.create(domain, config)
            parser._build(load_encoder(saved["encoder"], folder / ENCODER))
            return parser

        return build


def _unwrap(domain: Any) -> Any:
    """The domain of the questions, whose answers a parser may have given."""
    return domain.domain if isinstance(domain, AnsweringDomain) else domain
