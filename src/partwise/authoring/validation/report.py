"""All findings of a check, for a person and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from partwise.authoring.validation.coverage import Coverage
from partwise.authoring.validation.finding import SEVERITIES, Finding

COLOURS = {"error": "bold red", "warning": "yellow", "note": "cyan"}


@dataclass
class DomainReport:
    """What a check of a domain and its pairs found.

    Attributes:
        domain: its name.
        findings: the gravest first.
        pairs: how many pairs were read; None where no file was given.
        coverage: what they use of the language; None without pairs, or if it cannot be told.
    """

    domain: str
    findings: list[Finding] = field(default_factory=list)
    pairs: int | None = None
    coverage: Coverage | None = None

    @property
    def errors(self) -> list[Finding]:
        """What cannot work."""
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def ok(self) -> bool:
        """Whether there is no error."""
        return not self.errors

    def add(self, finding: Finding | None) -> None:
        """Keep a finding, if there is one."""
        if finding is not None:
            self.findings.append(finding)

    def ordered(self) -> list[Finding]:
        """The findings, the gravest first, else as they were found."""
        return sorted(self.findings, key=lambda finding: SEVERITIES.index(finding.severity))

    def counts(self) -> dict[str, int]:
        """How many findings of each severity."""
        return {s: sum(f.severity == s for f in self.findings) for s in SEVERITIES}

    def to_json(self) -> dict[str, Any]:
        """Everything, by name."""
        return {
            "domain": self.domain,
            "ok": self.ok,
            "counts": self.counts(),
            "pairs": self.pairs,
            "coverage": None if self.coverage is None else self.coverage.to_json(),
            "findings": [finding.to_json() for finding in self.ordered()],
        }

    def lines(self) -> Iterator[Text]:
        """The report for a terminal."""
        for finding in self.ordered():
            head = Text(finding.severity, COLOURS[finding.severity])
            place = f"{finding.where}  " if finding.where else ""
            yield Text.assemble(head, f"  {place}", (finding.what, "bold"))
            yield Text(f"    {finding.why}")
            if finding.suggestion:
                yield Text(f"    -> {finding.suggestion}", "green")
        yield Text(self.summary())
        if self.coverage is not None:
            yield Text(f"{self.pairs} pairs use {self.coverage}")

    def summary(self) -> str:
        """One line: how many of each severity."""
        counts = self.counts()
        shown = [f"{n} {name}{'s' if n != 1 else ''}" for name, n in counts.items()]
        return (
            f"{self.domain}: {', '.join(shown)}"
            if any(counts.values())
            else (f"{self.domain}: nothing found")
        )
