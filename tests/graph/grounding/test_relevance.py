"""What a position adds to a label, against taking its words away."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from network_twin import paper_config

from partwise.graph.grounding.batch import NodeSequence, collate
from partwise.graph.grounding.labels import GraphLabels
from partwise.graph.grounding.network import Ensemble, GroundedDecoder
from partwise.graph.grounding.predicted import relevance

LABELS = GraphLabels(("p", "q", "r"), ())
SIZES = paper_config(dx=6, dh=8, layers=1, dropout=0.0, sigmoid_attention=True)
SEQUENCE = NodeSequence((2, 3, 4, 5), ((2,), (3, 4), (), (5,)), ((2,), (3,)))


def decoder(seed: int) -> GroundedDecoder:
    torch.manual_seed(seed)
    return GroundedDecoder(8, 8, LABELS, SIZES).eval()


@torch.no_grad()
def lost(network: torch.nn.Module, position: int) -> float:
    """How much the logit falls if a position's words are taken away."""
    words = tuple(() if place == position else some for place, some in enumerate(SEQUENCE.words))
    bare = NodeSequence(SEQUENCE.tags, words, SEQUENCE.nodes)
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
    alone = relevance(decoder(1), SEQUENCE, (0, 1), 2)
    twins = Ensemble([decoder(1), decoder(1)]).eval()
    assert relevance(twins, SEQUENCE, (0, 1), 2) == pytest.approx(alone, abs=1e-4)
    pairs = [(one, other) for one in range(8) for other in range(one)]
    heard = 0
    for one, other in pairs:
        each = [relevance(decoder(seed), SEQUENCE, (0, 1), 2) for seed in (one, other)]
        both = Ensemble([decoder(one), decoder(other)]).eval()
        shares = relevance(both, SEQUENCE, (0, 1), 2)
        assert shares[2] == 0.0
        # What both rest on, the committee rests on; a word that speaks to neither, it does not.
        assert all(shares[np.minimum(*each) > 0.0] > 0.0)
        assert all(shares[np.maximum(*each) == 0.0] == 0.0)
        heard += all(np.abs(shares - mine).max() > 1e-2 for mine in each)
    assert heard, "of two that rest on several words, neither is heard alone"
