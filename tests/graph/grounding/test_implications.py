"""Attributes that go unsaid because an edge implies them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from partwise.graph.alignment.ibm1 import Incidence
from partwise.graph.grounding.implied import BIAS, SCALE, Implications, implied, relation_numbers
from partwise.graph.grounding.labels import SAME, GraphLabels

LABELS = GraphLabels((SAME, "p", "q"), (("type", "A"), ("type", "B")), answers=True)


def test_nothing_implies_anything_at_the_start() -> None:
    assert implied(Implications(2, 3)) == pytest.approx(np.full((2, 12), 1 / (1 + np.exp(-BIAS))))


@torch.no_grad()
def test_each_edge_may_imply_it() -> None:
    some = Implications(2, 3)
    nn.init.normal_(some.anywhere, std=0.5)
    nn.init.normal_(some.apart, std=0.5)
    chances = implied(some)
    edges = torch.zeros(2, 12)
    edges[0, 1] = edges[0, 11] = 1.0
    found = some.unsaid(edges).exp().numpy()
    assert found[0] == pytest.approx((1 - chances[:, 1]) * (1 - chances[:, 11]), rel=1e-4)
    assert found[1] == pytest.approx([1.0, 1.0])


@torch.no_grad()
def test_what_was_seen_of_heads_goes_for_others_too() -> None:
    some = Implications(1, 2)
    some.anywhere[0, 3] = 6.0 / SCALE
    some.apart[0, 7] = -6.0 / SCALE
    often, seldom = 1 / (1 + np.exp(-BIAS - 6.0)), 1 / (1 + np.exp(-BIAS))
    wanted = [seldom] * 3 + [often] + [seldom] * 4
    assert implied(some)[0] == pytest.approx(np.array(wanted), rel=1e-5)


@torch.no_grad()
def test_members_speak_together() -> None:
    one, other = Implications(1, 1), Implications(1, 1)
    one.apart[0, 0], other.apart[0, 1] = 8.0 / SCALE, 2.0 / SCALE
    found = implied(nn.ModuleList([one, other]))
    logits = np.array([[[BIAS + 8.0, BIAS, BIAS, BIAS]], [[BIAS, BIAS + 2.0, BIAS, BIAS]]])
    assert found == pytest.approx((1 / (1 + np.exp(-logits))).mean(0))


@pytest.mark.parametrize(("head", "start"), [(True, 0), (False, 6)])
def test_an_edge_counts_apart_from_its_two_ends(head: bool, start: int) -> None:
    ends = [("q", False), ("p", True), ("q", True), ("unknown", True), ("p", True)]
    edges = [Incidence(predicate, begins, head) for predicate, begins in ends]
    assert relation_numbers(edges, LABELS) == [start + column for column in (1, 2, 5)]


def test_an_edge_counts_as_a_heads_and_as_anothers() -> None:
    edges = [Incidence("p", True, True), Incidence("p", True, False)]
    assert relation_numbers(edges, LABELS) == [1, 7]
