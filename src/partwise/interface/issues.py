"""What a check of a domain says, for a person and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong or worth knowing.

    Attributes:
        severity: ``error``: something cannot work; ``warning``: it likely does not do what is
            meant; ``note``: worth knowing.
        kind: which check, as ``unusable-predicate``; the same word for the same check.
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
