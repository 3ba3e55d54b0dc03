"""What a position adds to a label, against taking its words away."""

from __future__ import annotations

import pytest
import torch

from partwise.grounding.batch import Grounded, collate
from partwise.grounding.network import Committee, GroundedDecoder, NetworkConfig
from partwise.grounding.relevance import relevance

SIZES = NetworkConfig(dx=6, dh=8, layers=1, dropout=0.0, gates=True)
SEQUENCE = Grounded((2, 3, 4, 5), ((2,), (3, 4), (), (5,)), ((2,), (3,)))


def decoder(seed: int) -> GroundedDecoder:
    torch.manual_seed(seed)
    return GroundedDecoder(8, 8, 3, SIZES).eval()


@torch.no_grad()
def lost(network: torch.nn.Module, position: int) -> float:
    """How much the logit falls if a position's words are taken away."""
    words = tuple(() if place == position else some for place, some in enumerate(SEQUENCE.words))
    bare = Grounded(SEQUENCE.tags, words, SEQUENCE.nodes)
    whole, less = (network(collate([one])).logits[0, 0, 1, 2] for one in (SEQUENCE, bare))
    return float(whole - less)


@pytest.mark.parametrize("seed", range(5))
def test_a_linear_output_loses_what_the_position_added(seed: int) -> None:
    # Tags alone reach the gates, so the logit is linear in the words.
    network = decoder(seed)
    gains = [max(0.0, lost(network, position)) for position in range(4)]
    total = sum(gains)
    expected = [gain / total if total else 0.0 for gain in gains]
    assert relevance(network, SEQUENCE, (0, 1), 2) == pytest.approx(expected, abs=1e-4)


def test_a_committee_is_heard_as_one() -> None:
    network = Committee([decoder(1), decoder(2)]).eval()
    shares = relevance(network, SEQUENCE, (0, 1), 2)
    gains = [max(0.0, lost(network, position)) for position in range(4)]
    assert shares == pytest.approx([gain / sum(gains) for gain in gains], abs=1e-4)
    assert shares[2] == 0.0
