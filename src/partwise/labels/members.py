"""Layers with several members: the same layer with other weights, in one pass.

Members differ in where their weights begin and in what dropout leaves out, so that they disagree
where training says little (deep ensembles, Lakshminarayanan et al. 2017). All tensors have a first
dimension for the members.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm


class Linears(nn.Module):
    """A linear layer for each member, begun as `torch.nn.Linear` is, or at 0."""

    def __init__(self, members: int, before: int, after: int, zero: bool = False) -> None:
        super().__init__()
        most = 0.0 if zero else 1 / math.sqrt(before)
        self.weight = nn.Parameter(torch.empty(members, before, after).uniform_(-most, most))
        self.bias = nn.Parameter(torch.empty(members, 1, after).uniform_(-most, most))

    def forward(self, rows: Tensor) -> Tensor:
        """``[rows, before]``, the same for all, or ``[members, rows, before]`` ->
        ``[members, rows, after]``."""
        return rows @ self.weight + self.bias


class Norms(nn.Module):
    """A layer normalisation for each member."""

    def __init__(self, members: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.weight = nn.Parameter(torch.ones(members, 1, size))
        self.bias = nn.Parameter(torch.zeros(members, 1, size))

    def forward(self, rows: Tensor) -> Tensor:
        """``[members, rows, size]``, normalised."""
        return layer_norm(rows, (self.size,)) * self.weight + self.bias


class Embeddings(nn.Module):
    """A table of vectors for each member, which may begin at 0."""

    def __init__(self, members: int, count: int, size: int, zero: bool = False) -> None:
        super().__init__()
        first = torch.zeros if zero else torch.randn
        self.weight = nn.Parameter(first(members, count, size))

    def forward(self, numbers: Tensor) -> Tensor:
        """``numbers`` -> ``[members, *numbers, size]``."""
        return self.weight[:, numbers]
