"""What a span parser is trained with by default, and what its settings are called in results."""

from __future__ import annotations

from typing import Any

from partwise.interface.settings import recorded, spelled
from partwise.language.domain import Domain
from partwise.span.config import SpanParserConfig

FEW = 200
"""With fewer training questions than this the default passes and batches make too few steps."""
SEEN = 440
"""Questions that are seen in all passes together, at least."""
PAPER = "-paper"
"""How the names of domains end whose types are the looser ones that were published."""


def loop_for_few(n: int) -> dict[str, int]:
    """``batch_size`` and ``epochs`` for `n` training questions; nothing from `FEW` on."""
    if not 0 < n < FEW:
        return {}
    return {"batch_size": 2 if n < FEW // 2 else 4, "epochs": max(10, -(-SEEN // n))}


def parser_for_few(n: int, objective: str) -> dict[str, Any]:
    """Settings of the parser, likewise: phrases of the few questions in each other's places.

    Chosen on held-out training questions of geography, at 30 and at 120 pairs.
    """
    return {"recombination": 0.5} if 0 < n < FEW and objective != "trees" else {}


def variant(domain: Domain, config: SpanParserConfig) -> str:
    """``marginal-sharp``, and whatever else is not by default: ``hard-paper-names-free``."""
    usual, settings = recorded(SpanParserConfig()), recorded(config)
    other = {name: value for name, value in settings.items() if value != usual.get(name)}
    other.pop("objective", None)
    first = [
        config.objective,
        "paper" if domain.name.endswith(PAPER) else "sharp",
        other.pop("lexicon", ""),
        "" if other.pop("ternary", True) else "projective",
        "" if other.pop("tied", True) else "free",
    ]
    return "-".join([*filter(None, first), *(spelled(*one) for one in other.items())])
