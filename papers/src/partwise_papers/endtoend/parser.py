"""End2EndParser: reads the answer from the question and the scene, with no program between."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import torch
from torch import nn

from partwise.encoders import Encoder, load_encoder, make_encoder
from partwise.encoders.pretrained import PretrainedEncoder
from partwise.errors import ExecutionError, PartwiseError
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.language.program import Term
from partwise.language.text import Words, tokenize
from partwise.training.neural import NeuralParser, Unusable
from partwise.training.store import ENCODER, SavedParser, save_encoder
from partwise.training.trainer import LossReport
from partwise_papers.domains.scenes.domain import Scenes
from partwise_papers.domains.scenes.scene import Scene
from partwise_papers.endtoend.config import KIND, End2EndConfig, presets
from partwise_papers.endtoend.domain import AnsweringDomain, Asked
from partwise_papers.endtoend.network import ANSWERS, SceneNetwork
from partwise_papers.seq2seq.questions import unfit

BATCH = 64
"""Questions that are answered together."""


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
        self._domain = AnsweringDomain(_unwrapped(domain), self.answer)

    @classmethod
    def presets(
        cls, domain: Any, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        """Settings to use where the user gives none; see `partwise_papers.endtoend.config`."""
        return presets(size)

    @classmethod
    def create(cls, domain: Any, config: End2EndConfig) -> Self:
        """An untrained parser; its network is made when it is trained.

        Raises:
            PartwiseError: for a domain whose questions are about no scenes.
        """
        if not isinstance(_unwrapped(domain), Scenes):
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
            scores = self.network([one.words for one in batch], [one.scene for one in batch])
            gold = torch.tensor([one.gold for one in batch], device=scores.device)
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
            self._unfit(one, example.context) or ("" if example.context else "there is no scene")
            for one, example in zip(words, examples, strict=True)
        ]
        fit = [number for number, reason in enumerate(reasons) if not reason]
        fit.sort(key=lambda number: len(words[number]))
        made: dict[int, Prediction[Any]] = {}
        for begin in range(0, len(fit), BATCH):
            some = fit[begin : begin + BATCH]
            scenes: list[Any] = [examples[number].context for number in some]
            shares = self._shares([words[number] for number in some], scenes)
            for number, share in zip(some, shares, strict=True):
                made[number] = self._answered(words[number], share)
        return [
            made.get(number) or Prediction(one.text, one.words, reason=reasons[number])
            for number, one in enumerate(words)
        ]

    @torch.no_grad()
    def _shares(self, words: Sequence[Words], scenes: Sequence[Scene]) -> torch.Tensor:
        with self.without_dropout(), self.clock.part("network"):
            return torch.softmax(self.network(words, scenes) / self.temperature, -1)

    def _answered(self, words: Words, shares: torch.Tensor) -> Prediction[Any]:
        share, best = (float(one) for one in shares.max(0))
        asked = Asked(words.text, ANSWERS[int(best)])
        return Prediction(words.text, words.words, meaning=asked, probability=share)

    def answer(self, question: str, scene: Scene) -> str:
        """The answer of a question in a scene.

        Raises:
            ExecutionError: if they cannot be read.
        """
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


def _unwrapped(domain: Any) -> Any:
    """The domain of the questions, whose answers a parser may have given."""
    return domain.domain if isinstance(domain, AnsweringDomain) else domain
