"""Semirings over tensors: scores of parts add up, and each semiring has a way of its own to choose.

Derivatives are exact where derivations are forbidden (``-inf``): they are zero there, never NaN.
The derivative of a total with respect to a score is what the semiring makes of that label: its
posterior, or 1 where it is in a sample and 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

DEAD = -torch.inf

Choice = Callable[[Tensor, int], Tensor]
"""The value of all derivations along an axis together."""


def log_sum(values: Tensor, dim: int) -> Tensor:
    """Log of the sum of exp(values) along an axis."""
    lowest = torch.finfo(values.dtype).min
    top = values.detach().amax(dim, keepdim=True).clamp(min=lowest)
    total = (values - top).exp().sum(dim)
    alive = total > 0
    # The logarithm of the other branch must be finite: zero times infinity would be NaN.
    logs = torch.where(alive, total, 1).log() + top.squeeze(dim)
    return torch.where(alive, logs, DEAD)


@dataclass
class Draw:
    """A log-sum whose derivative is a tree drawn from the distribution, a new one each time."""

    generator: torch.Generator | None = None

    def __call__(self, values: Tensor, dim: int) -> Tensor:
        """A log-sum; one derivation is drawn when the derivative is taken."""
        total: Tensor = _Draw.apply(values, dim, self)  # type: ignore[no-untyped-call]
        return total


class _Draw(torch.autograd.Function):
    """A log-sum that passes its whole derivative down to one term, drawn by its share."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, dim: int, draw: Draw) -> Tensor:
        ctx.dim, ctx.draw = dim, draw
        ctx.save_for_backward(values)
        return log_sum(values, dim)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (values,) = ctx.saved_tensors
        # The greatest term after Gumbel noise is a draw by softmax.
        noise = torch.empty_like(values).exponential_(generator=ctx.draw.generator)
        noise = noise.clamp(min=torch.finfo(values.dtype).tiny).log()
        chosen = (values - noise).argmax(ctx.dim, keepdim=True)
        passed = torch.zeros_like(values).scatter(ctx.dim, chosen, grads[0].unsqueeze(ctx.dim))
        return passed, None, None
