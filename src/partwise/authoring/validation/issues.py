"""What a validation found, for a person and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.text import Text

from partwise.authoring.validation.heads import Coverage
from partwise.interface.domain import Issue, Severity

COLORS: dict[Severity, str] = {"error": "bold red", "warning": "yellow", "note": "cyan"}
"""In the terminal, the gravest first."""


@dataclass
class DomainReport:
    """The issues of a domain and its examples.

    Attributes:
        domain: its name.
        pairs: how many examples were read; None where no file was given.
        coverage: what they use of the language; None without examples, or if it cannot be told.
    """

    domain: str
    issues: list[Issue] = field(default_factory=list)
    pairs: int | None = None
    coverage: Coverage | None = None

    @property
    def errors(self) -> list[Issue]:
        """What cannot work."""
        return [issue for issue in self.issues if issue.severity == "error"]

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not self.errors

    def ordered(self) -> list[Issue]:
        """The issues, the gravest first, else in the order of the checks."""
        return sorted(self.issues, key=lambda issue: list(COLORS).index(issue.severity))

    def counts(self) -> dict[str, int]:
        """How many issues of each severity."""
        return {name: sum(issue.severity == name for issue in self.issues) for name in COLORS}

    def to_json(self) -> dict[str, Any]:
        """Everything, by name."""
        return {
            "domain": self.domain,
            "ok": self.ok,
            "counts": self.counts(),
            "pairs": self.pairs,
            "coverage": None if self.coverage is None else self.coverage.to_json(),
            "findings": [asdict(issue) for issue in self.ordered()],
        }

    def lines(self) -> Iterator[Text]:
        """The report for a terminal."""
        for issue in self.ordered():
            place = f"  {issue.where}  " if issue.where else "  "
            severity = (issue.severity, COLORS[issue.severity])
            yield Text.assemble(severity, place, (issue.what, "bold"))
            yield Text(f"    {issue.why}")
            if issue.suggestion:
                yield Text(f"    -> {issue.suggestion}", "green")
        counts = [f"{n} {name}{'s' * (n != 1)}" for name, n in self.counts().items()]
        yield Text(f"{self.domain}: {', '.join(counts) if self.issues else 'nothing found'}")
        if self.coverage is not None:
            yield Text(f"{self.pairs} pairs use {self.coverage}")
