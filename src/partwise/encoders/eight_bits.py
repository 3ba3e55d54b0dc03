"""Matrices as whole numbers of eight bits, with a scale for each row: a quarter of the space."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

SCALE = "::scale"
"""What follows a matrix's name in that of its scales."""
MOST = 127


def pack(weights: Mapping[str, Tensor], prefixes: tuple[str, ...]) -> dict[str, Tensor]:
    """Weights with all matrices, and stacks of these, whose names begin with one of some prefixes
    in eight bits; the nearest numbers. A row of zeros, or with a number that is not finite, has the
    scale 0 and is read as zeros."""
    result: dict[str, Tensor] = {}
    for name, value in weights.items():
        # Rows alone are small, and stay as they are.
        matrix = value.is_floating_point() and value.dim() >= 2 and value.shape[-2] > 1
        if not (name.startswith(prefixes) and matrix):
            result[name] = value
            continue
        scale = torch.nan_to_num(value.float().abs().amax(-1) / MOST, posinf=0.0)
        rows = value.float() / torch.where(scale > 0, scale, 1.0)[..., None]
        result[name] = torch.nan_to_num(rows).round().clamp(-MOST, MOST).to(torch.int8)
        result[name + SCALE] = scale
    return result


def unpack(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights that `pack` got, as far as they are kept."""
    return {
        name: value.float() * weights[name + SCALE][..., None] if name + SCALE in weights else value
        for name, value in weights.items()
        if not name.endswith(SCALE)
    }


def shapes_of(stored: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """The shapes of weights, of those of the tensors that are stored. Raises ValueError if there is
    not one scale for each row."""
    for name, shape in stored.items():
        if name.endswith(SCALE) and stored.get(name.removesuffix(SCALE), ())[:-1] != shape:
            raise ValueError(f"{name:.200} does not fit its matrix")
    return {name: shape for name, shape in stored.items() if not name.endswith(SCALE)}
