"""What a check found: where, why, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong or worth knowing.

    Attributes:
        severity: ``error``: something cannot work; ``warning``: it likely does not do what is
            meant; ``note``: worth knowing.
        kind: which check, as ``unused-predicate``; the same word for the same check.
        what: what it is about, as ``predicate author``, in a few words.
        why: the reason.
        suggestion: what to do; "" if that is plain.
        where: ``file:line``, or "" where there is no line.
    """

    severity: Severity
    kind: str
    what: str
    why: str
    suggestion: str = ""
    where: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f"; {self.suggestion}" if self.suggestion else ""
        return f"{place}{self.severity}: {self.what}: {self.why}{advice}"

    def to_json(self) -> dict[str, str]:
        """All attributes by name."""
        return asdict(self)
