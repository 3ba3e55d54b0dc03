"""What a chart reads: the score of every label on every span."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
NEVER = -np.inf


@dataclass(frozen=True, eq=False)
class SpanScores:
    """Scores relative to φ (paper section 3.2: ``s' = s - s(φ)``), so that φ scores zero.

    Spans are half-open: index ``[i, k]`` is the words ``i..k-1``, ``0 <= i < k <= n``. Entries
    with ``i >= k`` are never read. ``-inf`` forbids a label.

    Attributes:
        constants: ``[n+1, n+1, categories]``.
        join: ``[n+1, n+1]``.
        gap: ``[n+1, n+1]``, 0 where the span may be left without meaning and ``-inf`` elsewhere.
    """

    constants: FloatArray
    join: FloatArray
    gap: FloatArray

    @property
    def n(self) -> int:
        """Number of words."""
        return int(self.join.shape[0]) - 1

    @staticmethod
    def of(
        constants: NDArray[np.floating], join: NDArray[np.floating], gap: object = None
    ) -> SpanScores:
        """Scores from arrays of any float type; without `gap`, φ may cover anything."""
        free = np.zeros_like(join, dtype=np.float64) if gap is None else gap
        return SpanScores(
            np.ascontiguousarray(constants, np.float64),
            np.ascontiguousarray(join, np.float64),
            np.ascontiguousarray(np.asarray(free), np.float64),
        )


@dataclass(frozen=True)
class Marginals:
    """Posterior probabilities of labels over all trees of a chart; the rest of a span is φ.

    Attributes:
        constants: ``[n+1, n+1, categories]``.
        join: ``[n+1, n+1]``.
        log_partition: log of the sum over trees of exp(score); ``-inf`` if there is no tree.
    """

    constants: FloatArray
    join: FloatArray
    log_partition: float
