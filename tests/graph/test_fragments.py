"""What training wants of fragments and of nodes, and its loss against one written item by item."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch
from network_twin import paper_config
from torch import nn

from cases import rows
from partwise.graph.alignment import AlignedCorpus, Context, FragmentCounts, Incidence, NodeCounts
from partwise.graph.grammar.decomposition import Element, Fragment
from partwise.graph.grounding import losses
from partwise.graph.grounding.fragments import (
    FEW,
    MOST_REPEATS,
    FragmentItem,
    NodeItem,
    repeats,
    training_items,
)
from partwise.graph.grounding.losses import FragmentLoss
from partwise.graph.grounding.network import GroundedDecoder
from partwise.graph.grounding.sequences import Array, NodeSequence, collate
from partwise.graph.preference import SelectionalPreference
from partwise.graph.vocabulary import SAME, GraphLabels

LABELS = GraphLabels((SAME, "p", "q"), (("type", "A"), ("type", "B")), answers=True)
SAME_AT, P, Q, A, B, ASKED = range(6)
PIECE = Fragment(
    "Past", (Element("past", ("sold",)), Element("by", ("by",)), Element("Thing", ())), True
)
SEQUENCES = (
    NodeSequence((2, 3, 4, 5), ((2,), (), (3, 4), ()), ((3,), (0,))),
    NodeSequence((2, 2, 5), ((4,), (), ()), ((0,), (1,), (2,))),
    NodeSequence((3, 5), ((), ()), ((1,),)),
)


def wanted(size: int, seed: int) -> Array:
    drawn = np.random.default_rng(seed).random((size, size, len(LABELS.relations)))
    return drawn.astype(np.float32)


ITEMS = tuple(rows(globals(), "ITEMS"))


def cross_entropy(chance: float, share: float) -> float:
    return -share * math.log(chance) - (1.0 - share) * math.log(1.0 - chance)


def by_hand(chances: list[torch.Tensor], implied: torch.Tensor, sparing: float) -> float:
    """Means over fragments and over nodes, each item with its weight.

    Args:
        implied: chances that edges imply attributes.
        sparing: cost of the log-chance that nothing is implied, for each attribute.
    """
    edges, nodes = [], []
    for item in ITEMS:
        if isinstance(item, FragmentItem):
            size = len(item.wanted)
            edges.append(sum(
                cross_entropy(float(chances[item.fragment][i, j, r]), float(item.wanted[i, j, r]))
                for i in range(size) for j in range(size) for r in range(3) if i != j
            ))  # fmt: skip
            continue
        loss = 0.0
        said = [chances[fragment][slot, slot] for fragment, slot in item.places]
        for number, share in enumerate(item.attributes):
            some = 1.0 - math.prod(1.0 - float(one[A + number]) for one in said)
            unsaid = math.prod(1.0 - float(implied[number, c]) for c in item.relations)
            loss += cross_entropy(some * unsaid, float(share)) - sparing * math.log(unsaid)
        asked = 1.0 - math.prod(1.0 - float(one[ASKED]) for one in said)
        nodes.append(loss + cross_entropy(asked, item.answer))
    return (2.0 * edges[0] + edges[1]) / 3.0 + (0.5 * nodes[0] + 3.0 * nodes[1]) / 3.5


@pytest.mark.parametrize("sparing", [None, 0.0, 0.7])
@torch.no_grad()
def test_the_loss_is_that_of_items_one_by_one(
    sparing: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sparing is not None:
        monkeypatch.setattr(losses, "SPARING", sparing)
    torch.manual_seed(3)
    network = decoder()
    nn.init.normal_(network.implications.apart, std=0.5)
    implied = torch.sigmoid(network.implications.logits())
    chances = [torch.sigmoid(network(collate([one])).logits[0]) for one in SEQUENCES]
    found = FragmentLoss(SEQUENCES, LABELS)(network, ITEMS)
    assert float(found) == pytest.approx(by_hand(chances, implied, losses.SPARING), abs=1e-4)


def decoder() -> GroundedDecoder:
    return GroundedDecoder(6, 5, LABELS, paper_config(dx=4, dh=6, layers=1)).eval()


def test_what_is_wanted_of_a_fragment() -> None:
    times = 4.0
    counts = FragmentCounts(times)
    counts.labels[(0, 1), ("p", True)] = 3
    counts.labels[(0, 1), ("q", False)] = 4
    counts.labels[(0, 1), (SAME, True)] = 1
    seen = NodeCounts(times, Counter({("type", "B"): 1}), 2)
    edges = (Incidence("q", True, True),)
    contexts: dict[Context, NodeCounts] = {(((PIECE, 1), (PIECE, 0), (PIECE, 1)), edges): seen}
    aligned = AlignedCorpus({PIECE: counts}, contexts, (), [], SelectionalPreference.learn([]))
    item, node = training_items(aligned, LABELS, 0.5)
    assert isinstance(node, NodeItem)
    assert (node.places, node.relations) == (((0, 1), (0, 0)), (Q,))
    assert (node.attributes.tolist(), node.answer, node.weight) == ([0.0, 0.25], 0.5, 2.0)
    assert isinstance(item, FragmentItem)
    assert (item.fragment, item.weight) == (0, 2.0)
    assert item.wanted[0, 1].tolist() == [0.25, 0.75, 0.0]
    assert item.wanted[1, 0].tolist() == [0.25, 0.0, 1.0]
    assert (item.wanted.diagonal() == 0).all()


def fragment(name: str, word: str) -> Fragment:
    return Fragment("Asked", (Element(name, (word,)),), True)


def context(*fragments: Fragment) -> Context:
    """A node that is spoken of in these places."""
    return (tuple((one, 0) for one in fragments), ())


def made(**times: int) -> list[Context]:
    """For each form this many contexts, which differ in their word."""
    return [
        context(fragment(form, f"{form}{word}"))
        for form, count in times.items()
        for word in range(count)
    ]


def test_rare_forms_are_met_as_often_as_others() -> None:
    contexts = made(common=9 * FEW, few=FEW // 2, fewer=FEW // 4, rare=FEW // 50, one=1)
    often = repeats(contexts)
    assert list(often) == contexts
    times = Counter[str]()
    for some, number in often.items():
        said, _ = some
        ((one, _),) = said
        times[one.elements[0].name] += number
    assert times["common"] == 9 * FEW, "what is common is not met more often"
    assert times["few"] == times["fewer"] == FEW
    assert times["rare"] == FEW // 50 * MOST_REPEATS
    assert times["one"] == MOST_REPEATS


def test_of_several_forms_the_rarest_counts() -> None:
    both = context(fragment("common", "x"), fragment("rare", "y"))
    common = made(common=9 * FEW)
    often = repeats([*common, *made(rare=FEW // 20 - 1), both])
    assert often[both] == min(MOST_REPEATS, FEW // (FEW // 20))
    assert {often[some] for some in common} == {1}


def test_few_contexts_are_not_blown_up() -> None:
    often = repeats(made(common=12, few=5, rare=1))
    assert Counter(often.values()) == {1: 17, 6: 1}, "the rare one as often as forms on average"


def test_words_are_no_forms() -> None:
    assert set(repeats(made(common=FEW)).values()) == {1}
    assert repeats([]) == {}
