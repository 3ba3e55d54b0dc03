"""The network against a twin that takes one pair and one position at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from network_twin import paper_config, twin

from cases import cases
from partwise.encoders.functions import Array
from partwise.errors import PartwiseError
from partwise.graph.alignment import Incidence
from partwise.graph.config import GraphParserConfig
from partwise.graph.grounding.fragments import relation_numbers
from partwise.graph.grounding.network import (
    BIAS,
    SCALE,
    Ensemble,
    GraphDecoder,
    GroundedDecoder,
    Implications,
    functions_of,
    implications,
)
from partwise.graph.grounding.sequences import NodeSequence, collate, relevance
from partwise.graph.vocabulary import PAD, SAME, GraphLabels

TAGS, WORDS = 9, 11
COMPOSED = GraphLabels(("p", SAME), (("type", "A"), ("type", "B")), answers=True)
FLAT = GraphLabels(("p", "q", "r", "s"), (("type", "A"),))
PAPER = GraphLabels(tuple(f"p{number}" for number in range(37)), ())
SMALL = {"dx": 6, "dh": 8, "layers": 2}
ITEMS = (
    NodeSequence((2, 3, 4, 5, 6), ((2,), (3, 4, 5), (), (6,), ()), ((0,), (2, 3), (4,))),
    NodeSequence((7, 2, 8), ((), (9, 9), (1,)), ((1,),)),
    NodeSequence((3, 3, 2, 1, 1, 6, 7), ((2,), (), (7, 8), (), (3,), (4,), ()), ((6,), (0, 4))),
)


def made(labels: GraphLabels = COMPOSED, **switches: object) -> GroundedDecoder:
    torch.manual_seed(5)
    network = GroundedDecoder(TAGS, WORDS, labels, paper_config(**{**SMALL, **switches}))
    # Larger weights, so that nothing is lost in the tolerance.
    with torch.no_grad():
        for name, weights in network.named_parameters():
            if not name.startswith("sequence") and weights.dim() == 2:
                weights.mul_(2.0)
    return network.eval()


@cases("switches")
@torch.no_grad()
def test_a_padded_batch_is_what_the_equations_say_of_each_sequence(switches: dict) -> None:
    network = made(**switches)
    found = network(collate(ITEMS))
    assert found.logits.shape == (3, 3, 3, COMPOSED.size)
    for row, item in enumerate(ITEMS):
        size = len(item.nodes)
        logits, attention = twin(network, item)
        torch.testing.assert_close(found.logits[row, :size, :size], logits, rtol=0, atol=2e-5)
        if attention is None:
            assert found.attention is None
            continue
        assert found.attention is not None
        mine = found.attention[row, :size, :size]
        torch.testing.assert_close(mine[..., : len(item.tags)], attention, rtol=0, atol=1e-6)
        assert (mine[..., len(item.tags) :] == 0).all()
        sums = mine.sum(-1)
        if not network.config.sigmoid_attention and network.config.heads == 1:
            torch.testing.assert_close(sums, torch.ones_like(sums))


@torch.no_grad()
def test_the_logits_differ_from_pair_to_pair() -> None:
    """What the twin is compared with is no constant."""
    logits = made()(collate(ITEMS[:1])).logits[0].reshape(9, COMPOSED.size)
    apart = torch.cdist(logits, logits) + torch.eye(9)
    assert apart.min() > 1e-3


def test_parameters_at_the_sizes_of_the_paper() -> None:
    """The paper says 0.3M; with 30 tags, 107 words and 37 relations it is 302,342."""
    network = GroundedDecoder(30, 107, PAPER, paper_config())
    counts = {
        name: sum(weights.numel() for weights in part.parameters())
        for name, part in network.named_children()
    }
    assert counts == {
        "tag_vectors": 30 * 16,
        "word_vectors": 107 * 16,
        # A layer has two directions of four gates of 64, over 16 or 128 inputs, and two biases.
        "sequence": 2 * 4 * 64 * ((16 + 64 + 2) + 2 * (128 + 64 + 2)),
        "key": 128 * 128 + 128,
        "query": 256 * 128 + 128,
        "out": 37 * (2 * 128 + 16) + 37,
    }
    assert sum(weights.numel() for weights in network.parameters()) == 302_342
    bare = GroundedDecoder(30, 107, PAPER, paper_config(grounding=False))
    assert sum(weights.numel() for weights in bare.parameters()) == 252_341


@cases("switches")
def test_gradients_reach_all_parameters(switches: dict) -> None:
    network = made(FLAT, **switches).train()
    found = network(collate(ITEMS))
    (found.logits - 1.0).square().sum().backward()
    for name, weights in network.named_parameters():
        assert weights.grad is not None, name
        if name == "key.bias" and not network.config.sigmoid_attention:
            # The same number added to all scores of a pair changes no share.
            assert weights.grad.abs().max() < 1e-4
        else:
            assert weights.grad.abs().max() > 1e-7, name
    assert (network.word_vectors.weight.grad[PAD] == 0).all()


def test_the_bias_at_the_start() -> None:
    assert (made(bias=-4.0).out.bias == -4.0).all()
    assert (made(hidden=4, bias=-3.0).out.bias == -3.0).all()


@pytest.mark.parametrize(
    "switches", [{}, {"sigmoid_attention": True, "heads": 2}, {"grounding": False}], ids=str
)
@torch.no_grad()
def test_a_committee_says_the_mean_of_its_members_chances(switches: dict) -> None:
    members = []
    for seed in range(3):
        torch.manual_seed(seed)
        config = paper_config(**{**SMALL, "bias": 2.0 * seed, **switches})
        members.append(GroundedDecoder(TAGS, WORDS, FLAT, config).eval())
    batch = collate(ITEMS)
    alone = [member(batch) for member in members]
    assert (alone[0].logits - alone[2].logits).abs().mean() > 1.0
    found = Ensemble(members)(batch)
    chances = torch.stack([torch.sigmoid(one.logits) for one in alone]).mean(0)
    torch.testing.assert_close(torch.sigmoid(found.logits), chances)
    if "grounding" in switches:
        assert found.attention is None
        return
    shares = [one.attention for one in alone if one.attention is not None]
    assert found.attention is not None
    torch.testing.assert_close(found.attention, (shares[0] + shares[1] + shares[2]) / 3.0)


@torch.no_grad()
def test_one_member_that_is_very_sure_does_not_overrule_the_others() -> None:
    members = [made(FLAT) for _ in range(4)]
    for member, said in zip(members, (-30.0, 3.0, 3.0, 3.0), strict=True):
        member.out.weight.zero_()
        member.out.bias.fill_(said)
    found = Ensemble(members)(collate(ITEMS)).logits
    assert float(found.min()) > 0.5
    for member in members:
        member.out.bias.fill_(40.0)
    # What all are sure of is not rounded to infinity.
    assert float(Ensemble(members)(collate(ITEMS)).logits.max()) == pytest.approx(40.0, rel=0.01)


@cases("switches, message")
def test_settings_that_cannot_be(switches: dict, message: str) -> None:
    with pytest.raises(PartwiseError, match=message):
        GraphParserConfig(**switches)


TYPED = GraphLabels((SAME, "p", "q"), (("type", "A"), ("type", "B")), answers=True)


def test_nothing_implies_anything_at_the_start() -> None:
    assert implications(Implications(2, 3)).detach().numpy() == pytest.approx(
        np.full((2, 12), 1 / (1 + np.exp(-BIAS)))
    )


@torch.no_grad()
def test_what_was_seen_of_heads_goes_for_others_too() -> None:
    some = Implications(1, 2)
    some.anywhere[0, 3] = 6.0 / SCALE
    some.apart[0, 7] = -6.0 / SCALE
    often, seldom = 1 / (1 + np.exp(-BIAS - 6.0)), 1 / (1 + np.exp(-BIAS))
    wanted = [seldom] * 3 + [often] + [seldom] * 4
    assert implications(some)[0].numpy() == pytest.approx(np.array(wanted), rel=1e-5)


@pytest.mark.parametrize(("head", "start"), [(True, 0), (False, 6)])
def test_an_edge_counts_apart_from_its_two_ends(head: bool, start: int) -> None:
    ends = [("q", False), ("p", True), ("q", True), ("unknown", True), ("p", True)]
    edges = [Incidence(predicate, begins, head) for predicate, begins in ends]
    assert relation_numbers(edges, TYPED) == [start + column for column in (1, 2, 5)]


RELATIONS = GraphLabels(("p", "q", "r"), ())
SIZES = paper_config(dx=6, dh=8, layers=1, dropout=0.0, sigmoid_attention=True)
SEQUENCE = NodeSequence((2, 3, 4, 5), ((2,), (3, 4), (), (5,)), ((2,), (3,)))


def decoder(seed: int) -> GroundedDecoder:
    torch.manual_seed(seed)
    return GroundedDecoder(8, 8, RELATIONS, SIZES).eval()


def weighed(network: GraphDecoder) -> Array:
    """What each position adds to the third relation from the first node to the second."""

    @torch.no_grad()
    def ask(name: str, **arrays: Array) -> tuple[Array, ...]:
        given = {key: torch.from_numpy(array) for key, array in arrays.items()}
        return tuple(found.numpy() for found in functions_of(network)[name].compute(**given))

    (shares,) = relevance(ask, SEQUENCE, [(0, 1, 2)])
    return shares


@torch.no_grad()
def lost(network: GraphDecoder, position: int) -> float:
    """How much the logit falls if a position's words are taken away."""
    words = tuple(() if place == position else some for place, some in enumerate(SEQUENCE.words))
    bare = NodeSequence(SEQUENCE.tags, words, SEQUENCE.nodes)
    whole, less = (network(collate([one])).logits[0, 0, 1, 2] for one in (SEQUENCE, bare))
    return float(whole - less)


@pytest.mark.parametrize("seed", range(5))
def test_a_word_adds_what_is_lost_without_it(seed: int) -> None:
    network = decoder(seed)
    gains = [max(0.0, lost(network, position)) for position in range(4)]
    total = sum(gains)
    expected = [gain / total if total else 0.0 for gain in gains]
    assert weighed(network) == pytest.approx(expected, abs=1e-3)


def test_a_committee_is_heard_as_one() -> None:
    alone = weighed(decoder(1))
    twins = Ensemble([decoder(1), decoder(1)]).eval()
    assert weighed(twins) == pytest.approx(alone, abs=1e-4)
    pairs = [(one, other) for one in range(8) for other in range(one)]
    heard = 0
    for one, other in pairs:
        each = [weighed(decoder(seed)) for seed in (one, other)]
        both = Ensemble([decoder(one), decoder(other)]).eval()
        shares = weighed(both)
        assert shares[2] == 0.0
        # What both rest on, the committee rests on; a word that speaks to neither, it does not.
        assert all(shares[np.minimum(*each) > 0.0] > 0.0)
        assert all(shares[np.maximum(*each) == 0.0] == 0.0)
        heard += all(np.abs(shares - mine).max() > 1e-2 for mine in each)
    assert heard, "of two that rest on several words, neither is heard alone"
