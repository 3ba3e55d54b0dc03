"""How rules follow each other: chains that are rarer than their halves would have it."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from partwise.graph.grammar.chart import Constituent
from partwise.graph.grammar.rules import Symbol
from partwise.graph.preference import SMOOTH, RuleChains


def node(rule: int, *children: Constituent) -> Constituent:
    parts = tuple((Symbol("X", place), child) for place, child in enumerate(children))
    return Constituent("X", rule, 0, 1, parts)


trees = st.recursive(
    st.builds(node, st.integers(0, 2)),
    lambda inner: st.builds(
        lambda rule, children: node(rule, *children),
        st.integers(0, 2),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=8,
)


def paths(tree: Constituent) -> list[tuple[int, int, int, int, int]]:
    """PhraseRule, place, rule, place, rule: all ways to go two steps down, in words of our own."""
    found = []
    for phrase in tree.constituents():
        for place, (_, child) in enumerate(phrase.parts):
            assert isinstance(child, Constituent)
            for below, (_, grandchild) in enumerate(child.parts):
                assert isinstance(grandchild, Constituent)
                found.append((phrase.rule, place, child.rule, below, grandchild.rule))
    return found


def naive(train: list[Constituent], tree: Constituent) -> float:
    seen = Counter(itertools.chain.from_iterable(paths(one) for one in train))
    total = 0.0
    for path in paths(tree):
        upper = sum(n for other, n in seen.items() if other[:3] == path[:3])
        lower = sum(n for other, n in seen.items() if other[2:] == path[2:])
        middle = sum(n for other, n in seen.items() if other[2] == path[2])
        expected = upper * lower / max(1, middle)
        rarer = math.log((seen[path] + SMOOTH) / (expected + SMOOTH))
        total += rarer if rarer < -1.0 else 0.0
    return total


@given(st.lists(trees, max_size=6), trees)
def test_scores_are_those_of_naive_counting(train: list[Constituent], tree: Constituent) -> None:
    habits = RuleChains.learn(train)
    assert math.isclose(habits.score(tree), naive(train, tree), abs_tol=1e-9)
    assert habits.score(tree) <= 0.0
    again = RuleChains.from_dict(json.loads(json.dumps(habits.to_dict())))
    assert again == habits


def test_what_was_never_seen_together_counts_against_a_tree() -> None:
    """Both halves are common, the chain is not."""
    train = [node(0, node(1, node(2)))] * 10 + [node(3, node(1, node(4)))] * 10
    habits = RuleChains.learn(train)
    assert habits.score(node(0, node(1, node(2)))) == 0.0
    assert habits.score(node(0, node(1, node(4)))) < -2.0
    # What nothing is known of says nothing.
    assert habits.score(node(7, node(8, node(9)))) == 0.0
    assert RuleChains.learn([]).score(train[0]) == 0.0
