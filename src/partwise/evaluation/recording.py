"""Where the metrics of tests are kept: in other packages, by plug-ins of this form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from partwise.evaluation.metrics import Scores
from partwise.interface.data import Dataset
from partwise.interface.registry import Registry


@dataclass(frozen=True)
class Evaluation:
    """A parser, and what it is evaluated on.

    Attributes:
        config: what its config.json says, or will say as far as that is known before training.
        data: the test questions, with the name and the split to note.
        note: what is to know of the data; "" for nothing.
        readings: how many meanings execution-guided choice tries; 0 without it.
    """

    config: Mapping[str, Any]
    data: Dataset[Any]
    note: str = ""
    readings: int = 0


class Recorder(Protocol):
    """Keeps the metrics of tests."""

    def check(self, results: Path, evaluation: Evaluation) -> None:
        """Called before the work.

        Args:
            results: the folder to keep them in.

        Raises:
            DataError: if its metrics could not be kept.
        """
        ...

    def add(
        self,
        results: Path,
        evaluation: Evaluation,
        parser: Any,
        scores: Scores,
        further: Mapping[str, float],
        command: str,
    ) -> Path:
        """Keep the metrics of a test.

        Args:
            further: what plug-ins of ``partwise.metrics`` add to the scores.
            command: what the user typed, without places on this machine.

        Returns:
            The file that has them.
        """
        ...


RECORDERS: Registry[Recorder] = Registry("partwise.recorders", "recorder")
