"""Adaptive computation time (Graves 2016): how often each position is worked on."""

from __future__ import annotations

import torch
from torch import Tensor

EPSILON = 0.01
"""A position halts when its probabilities sum to more than one minus this (Graves, equation 5)."""


class Halting:
    """Which positions still run, and what they have spent.

    Args:
        counted: ``[rows, length]``, false for positions that never run, as padding.

    Attributes:
        running: ``[rows, length]``, true for positions that have not halted.
    """

    def __init__(self, counted: Tensor) -> None:
        self.counted, self.running = counted, counted
        self.total = torch.zeros(counted.shape, device=counted.device)
        self.spent = torch.zeros_like(self.total)

    def weights(self, probabilities: Tensor, last: bool) -> Tensor:
        """``[rows, length]``: the share of one more step in a position's result.

        Those of a position sum to one. The step in which it halts has the remainder (Graves,
        equation 6); a position that does not run has 0.

        Args:
            probabilities: ``[rows, length]``, of halting at this step.
            last: whether all halt.
        """
        after = self.total + probabilities
        going = self.running & (after <= 1 - EPSILON) & (not last)
        remainder = torch.where(self.running & ~going, 1 - self.total, 0.0)
        # Steps and remainder, the cost of a position (Graves, equation 9).
        self.spent = self.spent + self.running + remainder
        self.total = torch.where(going, after, self.total)
        self.running = going
        return torch.where(going, probabilities, remainder)

    def cost(self) -> Tensor:
        """The mean of steps and remainder over the positions that count (Graves, equation 10)."""
        return self.spent[self.counted].sum() / self.counted.sum().clamp(min=1)
