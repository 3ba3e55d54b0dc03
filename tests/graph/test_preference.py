"""Labels that go together: only pairs that are rarer than chance count against a graph."""

from __future__ import annotations

import itertools
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kitchen import graph

from partwise.graph.preference import SMOOTH, SelectionalPreference
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


def test_an_odd_pair_costs() -> None:
    soups = [graph("M0 ate ?x1", "?x1 made M1", attributes=("?x1 type Soup",))] * 20
    guests = [graph("?x1 wed M0", "?x1 sold M1", attributes=("?x1 type Guest",))] * 20
    known = SelectionalPreference.learn([*soups, *guests])
    likely = graph("M0 ate ?x1", attributes=("?x1 type Soup",))
    odd = graph("M0 ate ?x1", attributes=("?x1 type Guest",))
    assert known.score(likely.edges, likely.attributes) == 0.0
    assert known.score(odd.edges, odd.attributes) < -2.0


def test_labels_that_were_never_seen_say_nothing() -> None:
    known = SelectionalPreference.learn([graph("M0 ate ?x1")] * 20)
    new = graph("M0 bought ?x1", "M0 lent ?x1", attributes=("?x1 type Soup",))
    assert known.score(new.edges, new.attributes) == 0.0
