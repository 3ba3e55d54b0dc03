"""Where training computes in bfloat16 by itself."""

from __future__ import annotations

import platform

import pytest
import torch

from partwise.training.trainer import computes_bf16


@pytest.mark.parametrize(
    ("machine", "products", "halves", "tiles", "computes"),
    [
        ("x86_64", True, False, False, False),  # AVX-512 alone: imitated
        ("x86_64", True, True, False, True),
        ("AMD64", True, False, True, True),
        ("x86_64", False, False, False, False),
        ("aarch64", True, False, False, True),
        ("aarch64", False, False, False, False),
    ],
)
def test_bf16_is_no_imitation(
    machine: str,
    products: bool,
    halves: bool,
    tiles: bool,
    computes: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: products)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: halves)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: tiles)
    assert computes_bf16("cpu") is computes
