"""How to train on few questions.

Small batches and many passes make enough steps, and recombined phrases more questions.
"""

from __future__ import annotations

from typing import Any

FEW = 200
"""With fewer training questions than this the usual passes and batches make too few steps."""
SEEN = 440
"""Questions that are seen in all passes together, at least."""


def settings_for_few(n: int) -> dict[str, int]:
    """``batch_size`` and ``epochs`` for `n` training questions; nothing from `FEW` on."""
    if not 0 < n < FEW:
        return {}
    return {"batch_size": 2 if n < FEW // 2 else 4, "epochs": max(10, -(-SEEN // n))}


def parser_settings_for_few(n: int, objective: str) -> dict[str, Any]:
    """Settings of the parser, likewise: phrases of the few questions in each other's places.

    Chosen on held-out training questions of geography, at 30 and at 120 pairs.
    """
    return {"recombine": 0.5} if 0 < n < FEW and objective != "trees" else {}
