"""How to train on few questions: small batches and many passes, so that there are enough steps."""

from __future__ import annotations

FEW = 200
"""With fewer training questions than this the usual passes and batches make too few steps."""
SEEN = 440
"""Questions that are seen in all passes together, at least."""


def settings_for_few(n: int) -> dict[str, int]:
    """``batch_size`` and ``epochs`` for `n` training questions; nothing from `FEW` on."""
    if not 0 < n < FEW:
        return {}
    return {"batch_size": 2 if n < FEW // 2 else 4, "epochs": max(10, -(-SEEN // n))}
