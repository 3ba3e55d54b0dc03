"""Semirings over tensors: one recurrence gives sums, best trees and samples.

Values have a first axis of components (k for the k best, else one). Derivatives
are exact where derivations are forbidden (``-inf``): they are zero there, never NaN. The
derivative of a total with respect to a score is what the semiring makes of that label: its
posterior, or 1 where it is in the best tree or in a sample and 0 elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

DEAD = -torch.inf


def log_sum(values: Tensor, dim: int) -> Tensor:
    """Log of the sum of exp(values) along an axis."""
    lowest = torch.finfo(values.dtype).min
    top = values.detach().amax(dim, keepdim=True).clamp(min=lowest)
    total = (values - top).exp().sum(dim)
    alive = total > 0
    # The logarithm of the other branch must be finite: zero times infinity would be NaN.
    logs = torch.where(alive, total, 1).log() + top.squeeze(dim)
    return torch.where(alive, logs, DEAD)


class LogSemiring:
    """Sums of exp(score) over trees, in log space."""

    def lift(self, scores: Tensor) -> Tensor:
        """``[components, ...]``, the values of labels with these scores."""
        return scores[None]

    def sum(self, values: Tensor, dim: int) -> Tensor:
        """Choice between derivations along an axis (the components are axis 0)."""
        return log_sum(values, dim)

    def times(self, one: Tensor, other: Tensor) -> Tensor:
        """Both together."""
        return one + other


@dataclass(frozen=True)
class MaxSemiring(LogSemiring):
    """The scores of the `k` best trees, best first (Goodman 1999)."""

    k: int = 1

    def lift(self, scores: Tensor) -> Tensor:
        """A label is one derivation; there is no second best."""
        none = torch.full_like(scores, DEAD).expand(self.k - 1, *scores.shape)
        return torch.cat([scores[None], none])

    def sum(self, values: Tensor, dim: int) -> Tensor:
        """The best of all; of equal ones the first, as in the compiled chart."""
        if self.k == 1:
            return values.max(dim).values
        return self._top(values.movedim(dim, 0).flatten(0, 1))

    def times(self, one: Tensor, other: Tensor) -> Tensor:
        """The best combinations."""
        if self.k == 1:
            return one + other
        return self._top((one[:, None] + other[None]).flatten(0, 1))

    def _top(self, values: Tensor) -> Tensor:
        return values.sort(dim=0, descending=True, stable=True).values[: self.k]


@dataclass
class SamplingSemiring(LogSemiring):
    """Log-sums whose derivative is a tree drawn from the distribution, a new one each time."""

    generator: torch.Generator | None = None

    def sum(self, values: Tensor, dim: int) -> Tensor:
        """A log-sum; one derivation is drawn when the derivative is taken."""
        total: Tensor = _Draw.apply(values, dim, self)  # type: ignore[no-untyped-call]
        return total


class _Draw(torch.autograd.Function):
    """A log-sum that passes its whole derivative down to one term, drawn by its share."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, dim: int, semiring: SamplingSemiring) -> Tensor:
        ctx.dim, ctx.semiring = dim, semiring
        ctx.save_for_backward(values)
        return log_sum(values, dim)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (values,) = ctx.saved_tensors
        # The greatest term after Gumbel noise is a draw by softmax.
        noise = torch.empty_like(values).exponential_(generator=ctx.semiring.generator)
        noise = noise.clamp(min=torch.finfo(values.dtype).tiny).log()
        chosen = (values - noise).argmax(ctx.dim, keepdim=True)
        passed = torch.zeros_like(values).scatter(ctx.dim, chosen, grads[0].unsqueeze(ctx.dim))
        return passed, None, None
