"""What a check of a data set found, as JSON and as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from partwise.interface.data import Dataset, Example

Reason = Callable[[Example[Any]], str]
"""Why an example fails; "" if it does not."""


@dataclass(frozen=True)
class Failure:
    """One exception: where it stands (file and line), what it is, and why it fails."""

    where: str
    question: str
    program: str
    reason: str

    @staticmethod
    def of(example: Example[Any], reason: str, text: str | None = None) -> Failure:
        """The failure of an example, whose meaning is shown as `text` where that is given."""
        meaning = str(example.meaning) if text is None else text
        return Failure(example.source, example.question, meaning, reason)

    def __str__(self) -> str:
        what = [part for part in (self.question, self.program, self.reason) if part]
        return f"{self.where}: " + " | ".join(what)


@dataclass
class Finding:
    """One property, counted for each split: how many have it, of how many, and which do not."""

    what: str
    total: dict[str, int] = field(default_factory=dict)
    failures: dict[str, list[Failure]] = field(default_factory=dict)

    def add(self, split: str, total: int, failures: Sequence[Failure]) -> None:
        """Count a split."""
        self.total[split] = total
        self.failures[split] = list(failures)

    def look(
        self,
        split: str,
        examples: Iterable[Example[Any]],
        reason: Reason,
        texts: Mapping[str, str] | None = None,
    ) -> Finding:
        """Count a split by what is wrong with each of its examples.

        Args:
            texts: how meanings are shown, by the examples' source, where they stand in a file.

        Returns:
            This finding.
        """
        looked = [(example, reason(example)) for example in examples]
        shown = texts or {}
        failures = [Failure.of(e, why, shown.get(e.source)) for e, why in looked if why]
        self.add(split, len(looked), failures)
        return self

    def passed(self, split: str) -> int:
        """How many of a split have the property."""
        return self.total[split] - len(self.failures[split])

    @property
    def ok(self) -> bool:
        """Whether there is no exception."""
        return not any(self.failures.values())

    def counts(self) -> str:
        """``iid 880/880, template 879/880``."""
        return ", ".join(f"{s} {self.passed(s)}/{self.total[s]}" for s in self.total)


def every(dataset: Dataset[Any]) -> list[Example[Any]]:
    """The examples of all parts, in the order train, dev, test."""
    return [example for part in dataset.parts().values() for example in part]


def sizes(
    what: str, sets: Mapping[str, Dataset[Any]], wanted: Mapping[str, tuple[int, int, int]]
) -> Finding:
    """Whether train, dev and test have as many examples as they should.

    Args:
        wanted: split -> the sizes of its parts; a split that is not here is not looked at.
    """
    finding = Finding(what)
    for split in (split for split in wanted if split in sets):
        parts = sets[split].parts()
        wrong = [
            Failure(f"{split}/{part}", "", "", f"{len(examples)} examples, not {size}")
            for (part, examples), size in zip(parts.items(), wanted[split], strict=True)
            if len(examples) != size
        ]
        finding.add(split, len(parts), wrong)
    return finding


@dataclass
class CheckReport:
    """All findings on a data set.

    Attributes:
        counts: number of examples by split and part.
    """

    name: str
    counts: dict[str, dict[str, int]]
    findings: list[Finding]

    @property
    def ok(self) -> bool:
        """Whether no finding has an exception."""
        return all(finding.ok for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """All counts and exceptions as JSON values."""
        return {
            "name": self.name,
            "ok": self.ok,
            "counts": self.counts,
            "findings": [
                {
                    "what": finding.what,
                    "splits": {
                        split: {
                            "passed": finding.passed(split),
                            "total": finding.total[split],
                            "exceptions": [vars(f) for f in finding.failures[split]],
                        }
                        for split in finding.total
                    },
                }
                for finding in self.findings
            ],
        }

    def text(self) -> str:
        """Plain text, an exception a line."""
        lines = [f"{self.name}: {self._sizes()}"]
        for finding in self.findings:
            lines.append(f"{finding.what}: {finding.counts()}")
            lines.extend(f"  {failure}" for failure in self._failures(finding))
        return "\n".join(lines)

    def _sizes(self) -> str:
        return "; ".join(
            f"{split} {'/'.join(map(str, parts.values()))}" for split, parts in self.counts.items()
        )

    @staticmethod
    def _failures(finding: Finding) -> list[str]:
        """The exceptions, one line for the same example in several splits."""
        places: dict[tuple[str, str, str], list[str]] = {}
        for failures in finding.failures.values():
            for failure in failures:
                key = (failure.question, failure.program, failure.reason)
                places.setdefault(key, []).append(failure.where)
        return [str(Failure(", ".join(where), *what)) for what, where in places.items()]
