"""Labels that go together: only pairs that are rarer than chance count against a graph."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.graph.grammar.phrases import Constituent, Symbol
from partwise.graph.preference import SMOOTH, RuleChains, SelectionalPreference
from partwise.language.query_graph import QueryGraph, Triple

nodes = st.sampled_from(["M0", "M1", "?x0", "?x1"])
edges = st.builds(Triple, nodes, st.sampled_from("pq"), nodes)
attributes = st.builds(Triple, nodes, st.just("type"), st.sampled_from(["A", "B"]))
graphs = st.builds(
    QueryGraph,
    st.just("ask"),
    st.frozensets(edges, min_size=1, max_size=4),
    st.frozensets(attributes, max_size=3),
)


def borne(gold: QueryGraph, node: str) -> set[str]:
    """What a node bears, in words of our own."""
    found = {f"is {a.object}" for a in gold.attributes if a.subject == node}
    found |= {f"{e.predicate} it" for e in gold.edges if e.object == node}
    return found | {f"it {e.predicate}" for e in gold.edges if e.subject == node}


def naive_score(train: list[QueryGraph], gold: QueryGraph) -> float:
    seen = [borne(one, node) for one in train for node in one.nodes]
    total = 0.0
    for node in gold.nodes:
        for one, other in itertools.combinations(borne(gold, node), 2):
            both = sum(one in some and other in some for some in seen)
            first, second = (sum(label in some for some in seen) for label in (one, other))
            expected = first * second / max(1, len(seen))
            total += min(0.0, math.log((both + SMOOTH) / (expected + SMOOTH)))
    return total


@settings(max_examples=100)
@given(st.lists(graphs, max_size=5), graphs)
def test_the_score_is_that_of_counting(train: list[QueryGraph], gold: QueryGraph) -> None:
    known = SelectionalPreference.learn(train)
    score = known.score(gold.edges, gold.attributes)
    assert score <= 0.0
    assert score == pytest.approx(naive_score(train, gold))
    assert SelectionalPreference.from_dict(json.loads(json.dumps(known.to_dict()))) == known


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
