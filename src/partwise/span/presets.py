"""What a span parser is trained with by default, and what its settings are called in results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from partwise.interface.settings import former_names, recorded, spelled
from partwise.language.domain import Domain
from partwise.span.config import SpanParserConfig

FEW = 200
"""With fewer training questions than this the default passes and batches make too few steps."""
SEEN = 440
"""Questions that are seen in all passes together, at least."""
PAPER = "-paper"
"""How the names of domains end whose types are the looser ones that were published."""


def presets(given: Mapping[str, Any], of_data: Mapping[str, Any], size: int) -> dict[str, Any]:
    """Settings to use where the user gives none; see `Parser.presets`.

    On a few questions small batches and many passes make enough steps, and recombined phrases more
    questions. What the data set suggests goes before.
    """
    former = former_names(SpanParserConfig)
    suggested = {former.get(name, name): value for name, value in of_data.items()}
    if suggested:
        return suggested
    objective = given.get("objective", SpanParserConfig.objective)
    return {**loop_for_few(size), **parser_for_few(size, objective)}


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
    types = "paper" if domain.name.endswith(PAPER) else "sharp"
    names = [config.objective, types]
    if config.lexicon != SpanParserConfig.lexicon:
        names.append(config.lexicon)
    if not config.ternary:
        names.append("projective")
    if not config.type_tied:
        names.append("free")
    usual = recorded(SpanParserConfig())
    for name, value in recorded(config).items():
        if name in ("objective", "lexicon", "ternary", "tied") or value == usual.get(name):
            continue
        names.append(spelled(name, value))
    return "-".join(names)
