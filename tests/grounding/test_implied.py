"""Attributes that go unsaid because an edge implies them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from partwise.errors import PartwiseError
from partwise.grounding.implied import BIAS, SCALE, Implications, implied, relation_numbers
from partwise.grounding.vocabulary import SAME, Labels

LABELS = Labels((SAME, "p", "q"), (("type", "A"), ("type", "B")), answers=True)


def test_nothing_implies_anything_at_the_start() -> None:
    assert implied(Implications(2, 3)) == pytest.approx(np.full((2, 6), 1 / (1 + np.exp(-BIAS))))


@torch.no_grad()
def test_each_edge_may_imply_it() -> None:
    some = Implications(2, 3)
    nn.init.normal_(some.weight, std=0.5)
    chances = implied(some)
    edges = torch.tensor([[0.0, 1.0, 0.0, 0.0, 0.0, 0.5], [0.0] * 6])
    found = some.said(edges).exp().numpy()
    assert found[0] == pytest.approx((1 - chances[:, 1]) * (1 - chances[:, 5]) ** 0.5, rel=1e-5)
    assert found[1] == pytest.approx([1.0, 1.0])


@torch.no_grad()
def test_members_speak_together() -> None:
    one, other = Implications(1, 1), Implications(1, 1)
    one.weight[0, 0], other.weight[0, 1] = 8.0 / SCALE, 2.0 / SCALE
    found = implied(nn.ModuleList([one, other]))
    assert found == pytest.approx(1 / (1 + np.exp([[-(BIAS + 4.0), -(BIAS + 1.0)]])))
    with pytest.raises(PartwiseError, match="no implications"):
        implied(nn.Linear(2, 2))


def test_an_edge_counts_apart_from_its_two_ends() -> None:
    edges = [("q", False), ("p", True), ("q", True), ("unknown", True), ("p", True)]
    assert relation_numbers(edges, LABELS) == [1, 2, 5]
