"""What a parser does, whatever its meanings are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar

from partwise.errors import PartwiseError
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction

M = TypeVar("M")

Tick = Callable[[int, int], object]
"""Called as training goes on, with how many examples were seen and how many will be in all."""


@dataclass(frozen=True)
class Checkpoints:
    """Where a training run keeps its state, and what it tells while it runs: a killed run of the
    same data and settings continues from `folder` (None for none), and `tick` is told how far the
    training is."""

    folder: Path | None = None
    tick: Tick | None = None


@dataclass
class TrainingReport:
    """What a training run did.

    Attributes:
        usable: how many examples were trained on.
        unusable: a message for each of the others, with its place and the reason.
        history: one mapping an epoch: ``epoch``, ``loss``, ``dev`` (metrics), ``seconds``.
        best_epoch: whose weights the parser now has; -1 if there are no epochs.
        seconds: wall time, that before a kill included.
        facts: anything else worth knowing, as the chart's share of the time.
    """

    usable: int
    unusable: list[str] = field(default_factory=list)
    history: list[Mapping[str, Any]] = field(default_factory=list)
    best_epoch: int = -1
    seconds: float = 0.0
    facts: dict[str, Any] = field(default_factory=dict)


class TrainingStopped(KeyboardInterrupt):
    """Training was stopped before its end, and the parser has the weights of its best epoch;
    `report` says what was done so far."""

    def __init__(self, report: TrainingReport) -> None:
        super().__init__("training was stopped")
        self.report = report


class TrainingError(PartwiseError):
    """Training cannot go on: a loss, gradient or weight is not finite, or has no value. `report`
    says what was done so far, if the parser has the weights of its best epoch."""

    report: TrainingReport | None = None


class Parser(Protocol[M]):
    """Learns to turn questions into meanings. Registered as an entry point ``partwise.parsers``.

    A parser may derive from this class, which gives it those methods that need no more.

    Many threads may share a parser: `parse` and `parse_examples` write nothing to it that another
    call could notice, and the results are those of a single thread to the last bit. This does not
    hold while `fit` runs, nor of a parser that is in training mode.

    Attributes:
        kind: its name as a plug-in.
        Config: a dataclass of its settings; the command line and the docs are made from it. Its
            docstring says what each one is for, under "Attributes:".
        held_out: how many training questions choose the best epoch even where there is a dev set;
            0 to choose by dev.
        starts_from: the saved parser that `partwise train` trains on; None where training begins
            with nothing, and no saved parser can be trained on.
        domain: the language.
        config: its settings, an instance of `Config`.
    """

    kind: ClassVar[str]
    Config: ClassVar[type[Any]]
    held_out: ClassVar[int] = 0
    starts_from: ClassVar[str | None] = None
    domain: Any
    config: Any

    @classmethod
    def presets(
        cls, domain: Any, given: Mapping[str, Any], of_data: Mapping[str, Any], size: int
    ) -> Mapping[str, Any]:
        """Settings, of the parser and of the training, to use where the user gives none: by those
        `given`, by what the data set suggests (`DatasetInfo.settings`), and by the number of
        training examples."""
        return of_data

    @classmethod
    def variant(cls, domain: Any, config: Any) -> str:
        """A name for these settings in results and folders, of letters, digits and ``. _ + -``."""
        return cls.kind

    @classmethod
    def create(cls, domain: Any, config: Any) -> Self:
        """An untrained parser. Raises PartwiseError for a domain or settings that it cannot work
        with."""
        ...

    def fit(
        self,
        train: Sequence[Example[M]],
        dev: Sequence[Example[M]],
        config: Any,
        checkpoints: Checkpoints,
    ) -> TrainingReport:
        """Learn from examples.

        Args:
            dev: not trained on, to choose the best epoch by; may be empty.
            config: a `partwise.training.trainer.TrainingConfig`.

        Raises:
            DataError: if no training example can be used.
            TrainingStopped: if it was interrupted, and the parser can be used nevertheless.
        """
        ...

    def parse(
        self, questions: Sequence[str], k: int = 1, at_least: float | None = None
    ) -> list[Prediction[M]]:
        """What questions mean: up to `k` meanings of each, the best one and alternatives, with at
        least a probability; None for the parser's own choice."""
        ...

    def parse_examples(self, examples: Sequence[Example[M]]) -> list[Prediction[M]]:
        """What the questions of examples mean, for evaluation; probabilities need not be given. A
        parser may look at the examples' meanings only where a part of them is given to it."""
        return self.parse([example.question for example in examples])

    def save_pretrained(
        self, folder: str | Path, facts: Mapping[str, Any] | None = None, half: bool = False
    ) -> None:
        """Write the parser to a folder with `facts` of its training, its weights in `half`
        precision if asked for. Raises CheckpointError if it cannot be written; what stood there is
        left as it was."""
        ...

    @classmethod
    def from_pretrained(cls, name: str | Path, domain: Any = None) -> Self:
        """A saved parser: a folder, one that comes with the package, or ``hf:OWNER/NAME``; `domain`
        is needed for one that is not installed as a plug-in. Raises CheckpointError if there is
        none, or it is damaged."""
        ...
