"""NeuralParser: what parsers that are torch modules have in common.

A parser of this kind says in a few methods how questions become training items and what their loss
is (`prepare`, `training_items`, `loss`), what it predicts (`parse`), and what it needs to be built
again (`described`, `write_files`, `builder`). Training, saving and answering are here.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import torch
from torch import nn

from partwise.encoders.functions import Function, Functions
from partwise.errors import DataError, PartwiseError
from partwise.evaluation.confidence import fit_confidence
from partwise.evaluation.metrics import Scores, evaluate
from partwise.interface.data import Example
from partwise.interface.domain import AnyDomain
from partwise.interface.parser import (
    Checkpoints,
    TrainingError,
    TrainingReport,
    TrainingStopped,
)
from partwise.interface.settings import to_dict
from partwise.training.export import TorchFunctions, write_graphs
from partwise.training.inference import InferenceParser
from partwise.training.store import write_folder
from partwise.training.trainer import LossReport, Trainer, TrainingConfig, seed_everything
from partwise.training.weights import load_weights, write_weights

M = TypeVar("M")
WATCHED = 500
"""Held-out questions that are asked after each epoch where they choose nothing."""
Unusable = list[tuple[Example[M], str]]
"""Training examples that cannot be used, with the reason."""


def device_of(name: str) -> torch.device:
    """The device of `TrainingConfig.device`. Raises PartwiseError if there is no GPU and one is
    asked for."""
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise PartwiseError("no CUDA device is here; choose the device cpu or auto")
    return torch.device("cuda" if there and name != "cpu" else "cpu")


class NeuralParser(nn.Module, InferenceParser[M]):
    """The common base of the span and the graph parser.

    Attributes:
        runs_to_choose: whether meanings are run to choose the best epoch.
        near_best: whether the latest epoch within one standard error of the best is kept.
    """

    runs_to_choose: ClassVar[bool] = True
    near_best: ClassVar[bool] = False

    # To call a parser is to ask it, not to compute what a module computes.
    __call__ = InferenceParser.__call__

    def __init__(self, domain: AnyDomain[M], config: Any) -> None:
        nn.Module.__init__(self)
        InferenceParser.__init__(self, domain, config)

    # --- what a kind of parser says ------------------------------------------------------

    @abstractmethod
    def prepare(self, train: Sequence[Example[M]]) -> None:
        """Learn vocabularies and build the networks, from the training examples. Raises DataError
        if nothing can be learned from them."""

    @abstractmethod
    def training_items(self, examples: Sequence[Example[M]]) -> tuple[list[Any], Unusable[M]]:
        """Examples made ready, and those that cannot be used."""

    @abstractmethod
    def loss(self, batch: Sequence[Any]) -> LossReport:
        """What training makes small on a batch of items."""

    def length(self, item: Any) -> int:
        """Size of an item; items of like size share a batch."""
        return 0

    def variation(self, train: Sequence[Example[M]]) -> Callable[[Any, random.Random], Any] | None:
        """What draws another item in an item's place, in each epoch; None if items do not vary."""
        return None

    def begin_epoch(self, items: Sequence[Any], epoch: int) -> None:
        """Do what each epoch begins with; `epoch` counts from 0."""

    def pretrained(self) -> list[nn.Parameter]:
        """Parameters of a pretrained encoder, which learn slowly."""
        return []

    def training_state(self) -> dict[str, torch.Tensor]:
        """What training needs to go on beside the weights, kept after each epoch."""
        return {}

    def restore_training_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take what `training_state` gave."""

    def selection_metrics(self, scores: Scores) -> dict[str, float]:
        """What the best epoch is chosen by; the first decides, the others break ties."""
        runs = {} if scores.denotation is None else {"denotation": scores.denotation}
        return {**runs, "exact_match": scores.exact_match}

    @property
    def parameter_count(self) -> int:
        return sum(parameter.numel() for parameter in self.parameters() if parameter.requires_grad)

    @abstractmethod
    def described(self) -> dict[str, Any]:
        """What config.json says beside the settings; with ``about``, a line for the card."""

    @abstractmethod
    def write_files(self, folder: Path) -> None:
        """Write vocabularies and the files of an encoder, but for the weights."""

    @classmethod
    @abstractmethod
    def builder(
        cls, domain: Any, config: Any, saved: Mapping[str, Any], folder: Path
    ) -> Callable[[], Self]:
        """What builds a saved parser, its weights still to be filled in. `saved`: the content of
        config.json. Raises PartwiseError if the domain is not what it was in training."""

    # --- training ------------------------------------------------------------------------

    def fit(
        self,
        train: Sequence[Example[M]],
        dev: Sequence[Example[M]],
        config: TrainingConfig,
        checkpoints: Checkpoints | None = None,
    ) -> TrainingReport:
        checkpoints = Checkpoints() if checkpoints is None else checkpoints
        # The first weights are drawn at random too.
        seed_everything(config.seed)
        self.prepare(train)
        items, rejected = self.training_items(train)
        unusable = [
            f"{case.source}: {case.question} | {self.domain.write(case.meaning)} | {reason}"
            for case, reason in rejected
        ]
        if not items:
            first = f"; the first: {unusable[0]}" if unusable else ""
            raise DataError(f"none of the {len(train)} training questions is usable{first}")
        self.to(device_of(config.device))
        asked = dev if config.keep == "best" else choose_watched(dev)
        trainer = Trainer(
            self,
            items,
            lambda: (
                self.selection_metrics(evaluate(self, asked, self.runs_to_choose)) if dev else {}
            ),
            config,
            checkpoints=checkpoints,
            length=self.length,
            vary=self.variation(train),
            label="on held-out questions",
            judged=len(dev) if self.near_best else 0,
        )
        trainer.report.usable, trainer.report.unusable = len(train) - len(unusable), unusable
        try:
            return trainer.run()
        except KeyboardInterrupt:
            if not trainer.best:
                raise
            raise TrainingStopped(trainer.keep_best()) from None
        except TrainingError as error:
            error.report = trainer.keep_best() if trainer.best else None
            raise

    # --- answering -----------------------------------------------------------------------

    @property
    def functions(self) -> Functions:  # type: ignore[override]
        """The parser's networks as pure functions; see `InferenceParser`."""
        return TorchFunctions(self)

    def network_functions(self) -> Mapping[str, Function]:
        """The functions that are saved as graphs; none for a kind that cannot do without torch."""
        return {}

    @contextmanager
    def without_dropout(self) -> Iterator[None]:
        """Parse without dropout in the middle of training too. A parser that is not in training is
        left as it is, since other threads may be using it."""
        if not any(module.training for module in self.modules()):
            yield
            return
        before = self.training
        self.eval()
        try:
            yield
        finally:
            self.train(before)

    def fit_confidence(
        self, train: Sequence[Example[M]], unseen: Sequence[Example[M]]
    ) -> str | None:
        """Fit how probable answers are and when there is none; what was fitted, for the log.
        `train`: what it was trained on; `unseen`: what it was not trained on."""
        fitted = fit_confidence(self, train, unseen)
        return (
            f"questions are refused below a probability of {fitted.refused_below:.2f}, and "
            f"doubtful below {fitted.doubtful_below:.2f}"
        )

    # --- saving --------------------------------------------------------------------------

    def eight_bits(self) -> tuple[str, ...]:
        """How the names of weights begin that are saved in eight bits where the others are in half
        precision."""
        return ()

    def save_pretrained(
        self, folder: str | Path, facts: Mapping[str, Any] | None = None, half: bool = False
    ) -> None:
        config = {
            "kind": self.kind,
            "domain": self.domain.name,
            **self.described(),
            "parser": to_dict(self.config),
            "temperature": self.temperature,
            "training": dict(facts or {}),
        }

        def write(place: Path) -> None:
            self.write_files(place)
            if self.confidence is not None:
                self.confidence.write(place)
            write_weights(place, self, half, self.eight_bits())
            write_graphs(place, self)

        write_folder(Path(folder), config, write, next(iter(self.domain.examples), "..."))

    @classmethod
    def _filled(cls, domain: Any, config: Any, saved: Mapping[str, Any], folder: Path) -> Self:
        return load_weights(folder, cls.builder(domain, config, saved, folder))


def choose_watched(dev: Sequence[Example[M]]) -> Sequence[Example[M]]:
    """Enough of them to see how a training goes; always the same."""
    return dev if len(dev) <= WATCHED else random.Random(WATCHED).sample(list(dev), WATCHED)
