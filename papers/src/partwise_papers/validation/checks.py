"""What the checks of all data sets have in common: a split is looked at after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from partwise.interface.data import Dataset, Example
from partwise_papers.validation.findings import Failure, Finding, Reason, every


def always(example: Example[Any]) -> bool:
    """True: a check of all examples."""
    return True


class Check(NamedTuple):
    """A property of examples.

    Attributes:
        reason: why an example lacks it; "" if it does not.
        applies: which examples are counted.
    """

    finding: Finding
    reason: Reason
    applies: Callable[[Example[Any]], bool] = always


class Checks:
    """Checks of single examples.

    Attributes:
        wants_texts: whether the checks compare with the meanings as they stand in the files.
        texts: the meanings as they stand in the files, by the examples' source, where they are
            known; of the split that is looked at.
    """

    wants_texts = False

    def __init__(self) -> None:
        self.read = Finding("lines that can be read")
        self.checks: list[Check] = []
        self.texts: Mapping[str, str] = {}

    @property
    def findings(self) -> list[Finding]:
        """What was found so far; without the properties that no example could have."""
        return [self.read, *(c.finding for c in self.checks if any(c.finding.total.values()))]

    def add(self, dataset: Dataset[Any], texts: Mapping[str, str] | None = None) -> None:
        """Look at a split; `texts` as the attribute."""
        self.texts = texts or {}
        examples = every(dataset)
        bad = [Failure(message, "", "", "left out") for message in dataset.skipped]
        self.read.add(dataset.split, len(examples) + len(bad), bad)
        for finding, reason, applies in self.checks:
            finding.look(dataset.split, filter(applies, examples), reason, self.texts)
