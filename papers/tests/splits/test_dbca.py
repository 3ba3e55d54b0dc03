"""Atoms, compounds, their weights and the divergences: by hand, and beside a slow twin."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcd_helpers import Compound, connected, same, shuffled, small_pool, weights

from partwise.errors import DataError
from partwise.interface.data import RuleGraph
from partwise_papers.splits import compounds
from partwise_papers.splits.dbca import (
    CompoundPool,
    CompoundSettings,
    chernoff,
    normal_form,
    rule_key,
    units_of,
)

PAIR_AND = RuleGraph(("a", "b", "c"), ((0, 1), (0, 2)))
PAIR = RuleGraph(("a", "b"), ((0, 1),))
CHAIN = RuleGraph(("a", "b", "c"), ((0, 1), (1, 2)))


@st.composite
def rule_graph(draw: st.DrawFn, most: int = 7) -> RuleGraph:
    """A small graph without circles, not always a tree nor connected, numbered at random."""
    size = draw(st.integers(1, most))
    rules = draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size))
    pairs = [(x, y) for y in range(size) for x in range(y)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=9)) if pairs else []
    chance = random.Random(draw(st.integers(0, 99)))
    return shuffled(RuleGraph(tuple(rules), tuple(edges)), chance)


def weights_of(pool: CompoundPool, example: int) -> dict[Compound, float]:
    """The weights of one example by form; fails if one form is two compounds."""
    unit = pool.units.of[example]
    rows = pool.compounds
    found: dict[Compound, float] = {}
    for entry in range(rows.starts[unit], rows.starts[unit + 1]):
        form = same(pool.compound_graphs[rows.columns[entry]])
        assert form not in found
        found[form] = rows.values[entry]
    return found


def test_the_hand_computed_pool() -> None:
    """R1 = a(b, c), R2 = a(b), R3 = a(b(c)); train is R1 and R2, test is R3.

    Compounds of two rules: ab occurs 3 times (once in each), ac once (R1), bc once (R3). Of
    three: a(b, c) once (R1), the chain abc once (R3).
      P(a(b, c) | ab) = 1/3,  P(abc | ab) = 1/3,  P(a(b, c) | ac) = 1,  P(abc | bc) = 1.
    Weights:
      R1: ab 1 - 1/3 = 2/3, ac 1 - 1 = 0, a(b, c) 1.
      R2: ab 1, as nothing larger is around it there.
      R3: ab 2/3, bc 0, abc 1.
    Compound frequencies: in train ab 2/3 + 1 = 5/3 and a(b, c) 1 of 8/3, so 5/8 and 3/8; in test
    ab 2/3 and abc 1 of 5/3, so 2/5 and 3/5. They share ab alone:
      C_0.1 = (5/8)^0.1 (2/5)^0.9 = 0.41826, compound divergence 0.58174.
    Atom frequencies: in train a 2/5, b 2/5, c 1/5; in test 1/3 each:
      C_0.5 = 2 sqrt(2/15) + sqrt(1/15) = 0.98850, atom divergence 0.01150.
    """
    pool = CompoundPool.of([PAIR_AND, PAIR, CHAIN])
    ab, fork, chain = same(PAIR), same(PAIR_AND), same(CHAIN)
    third = pytest.approx(2 / 3)
    assert weights_of(pool, 0) == {ab: third, fork: 1.0}
    assert weights_of(pool, 1) == {ab: 1.0}
    assert weights_of(pool, 2) == {ab: third, chain: 1.0}
    found = pool.divergences([0, 1], [2])
    assert found.compound == pytest.approx(1 - (5 / 8) ** 0.1 * (2 / 5) ** 0.9)
    assert found.compound == pytest.approx(0.58174, abs=1e-5)
    assert found.atom == pytest.approx(1 - 2 * (2 / 15) ** 0.5 - (1 / 15) ** 0.5)
    assert found.atom == pytest.approx(0.01150, abs=1e-5)


def test_the_best_occurrence_counts() -> None:
    """a(b) occurs in r(a(b), a(b(c))) with c below it and without; r is around both.

    Occurrences of ab: 2. P(abc | ab) = 1/2 and so is P of all that has the second one's c;
    P(r(a(b)) | ab) = 1. Both occurrences are in r(a(b)), so that ab weighs 0 here. With one more
    example a(b) it is P(r(a(b)) | ab) = 2/3: ab weighs 1/3 there and 1 where it is alone.
    """
    both = RuleGraph(("r", "a", "b", "a", "b", "c"), ((0, 1), (1, 2), (0, 3), (3, 4), (4, 5)))
    assert same(PAIR) not in weights_of(CompoundPool.of([both]), 0)
    pool = CompoundPool.of([both, PAIR])
    assert weights_of(pool, 0)[same(PAIR)] == pytest.approx(1 / 3)
    assert weights_of(pool, 1)[same(PAIR)] == 1.0


PLAIN = CompoundSettings()
OTHERS = (
    CompoundSettings(smallest=1, size=3, branching=1, chain=4),
    CompoundSettings(size=3, branching=2, chain=7),
    CompoundSettings(size=4, branching=3, chain=4),
)


@settings(max_examples=60)
@given(st.lists(rule_graph(), min_size=1, max_size=4), st.sampled_from((PLAIN, *OTHERS)))
def test_weights_are_those_of_the_definition(
    graphs: list[RuleGraph], chosen: CompoundSettings
) -> None:
    pool = CompoundPool.of(graphs, chosen)
    for example, expected in enumerate(weights(graphs, chosen)):
        assert weights_of(pool, example) == {
            form: pytest.approx(float(weight)) for form, weight in expected.items()
        }


@settings(max_examples=60)
@given(st.lists(rule_graph(5), min_size=2, max_size=6), st.data())
def test_divergences_are_those_of_the_definition(
    graphs: list[RuleGraph], data: st.DataObject
) -> None:
    places = st.lists(st.integers(0, len(graphs) - 1), min_size=1, max_size=8)
    train, test = data.draw(places), data.draw(places)
    found = weights(graphs, PLAIN)
    pool = CompoundPool.of(graphs)

    def divergence(features: list[Counter], alpha: float) -> float:
        sides = []
        for part in (train, test):
            total: Counter = Counter()
            for place in part:
                for feature, amount in features[place].items():
                    total[feature] += amount
            sides.append({x: float(amount / sum(total.values())) for x, amount in total.items()})
        p, q = sides
        return 1 - sum(p[x] ** alpha * q[x] ** (1 - alpha) for x in p.keys() & q.keys())

    if not all(any(found[place] for place in part) for part in (train, test)):
        with pytest.raises(DataError, match="no atoms or no weighted compounds"):
            pool.divergences(train, test)
        return
    measured = pool.divergences(train, test)
    atoms = [Counter({r: Fraction(n) for r, n in Counter(g.rules).items()}) for g in graphs]
    compounds = [Counter(row) for row in found]
    assert measured.atom == pytest.approx(divergence(atoms, 0.5), abs=1e-9)
    assert measured.compound == pytest.approx(divergence(compounds, 0.1), abs=1e-9)
    assert 0 <= measured.atom <= 1
    assert 0 <= measured.compound <= 1


@given(
    st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=9),
    st.floats(0.01, 100),
    st.sampled_from((0.1, 0.5)),
)
def test_equal_distributions_do_not_diverge(
    amounts: list[float], factor: float, alpha: float
) -> None:
    one = np.array(amounts)
    assert chernoff(one, factor * one, alpha) == pytest.approx(1.0)
    assert chernoff(np.append(one, 0.0), np.append(0.0 * one, 1.0), alpha) == 0.0


def test_equal_examples_weigh_together_and_alone_the_same() -> None:
    pool = CompoundPool.of(small_pool(30))
    assert pool.divergences(range(30), range(30)) == pytest.approx((0, 0), abs=1e-12)
    twice = CompoundPool.of(small_pool(30) * 2)
    assert len(twice.units.graphs) == len(pool.units.graphs)
    assert twice.compounds.values == pytest.approx(pool.compounds.values)
    assert twice.divergences(range(30), range(30, 60)) == pytest.approx((0, 0), abs=1e-12)


def test_only_the_heaviest_compounds_are_kept() -> None:
    graphs = small_pool(50)
    every = CompoundPool.of(graphs)
    few = CompoundPool.of(graphs, CompoundSettings(keep=7))
    totals = every.compounds.total(every.units.counts.astype(float))
    assert list(totals) == sorted(totals, reverse=True)
    assert few.compounds.total(few.units.counts.astype(float)) == pytest.approx(totals[:7])
    assert few.compound_graphs == every.compound_graphs[:7]


@given(rule_graph(), rule_graph(), st.randoms(use_true_random=False))
def test_normal_form(one: RuleGraph, other: RuleGraph, chance: random.Random) -> None:
    form = normal_form(one)
    assert same(form) == same(one)
    if normal_form(other) == form:
        assert same(other) == same(one)
    if max(Counter(b for _, b in one.edges).values(), default=0) <= 1:  # Trees.
        assert normal_form(form) == form
        assert normal_form(shuffled(one, chance)) == form


def all_graphs(size: int, rules: str) -> set[Compound]:
    """Each connected graph of `size` nodes, once."""
    pairs = [(x, y) for y in range(size) for x in range(y)]
    found = set()
    for chosen in product((False, True), repeat=len(pairs)):
        edges = tuple(pair for pair, there in zip(pairs, chosen, strict=True) if there)
        for names in product(rules, repeat=size):
            graph = RuleGraph(names, edges)
            if connected(graph):
                found.add(same(graph))
    return found


@pytest.mark.parametrize(("size", "rules"), [(2, "abc"), (3, "abc"), (4, "ab"), (5, "a")])
def test_keys_tell_all_small_graphs_apart(size: int, rules: str) -> None:
    forms = all_graphs(size, rules)
    keys = set()
    for names, edges in forms:
        children = np.zeros(size, np.int64)
        for parent, child in edges:
            children[parent] |= 1 << child
        numbers = np.array([rule_key(name) for name in names], np.uint64)
        keys.add(int(compounds.key(np.int64((1 << size) - 1), numbers, children)))
    assert len(keys) == len(forms)


def test_unusable_rule_graphs_are_errors() -> None:
    with pytest.raises(DataError, match="give at least one"):
        CompoundPool.of([])
    for graph, message in (
        (RuleGraph((), ()), "rule graph 1: it has 0 rules, where 1 to 62"),
        (RuleGraph(("a",) * 63, ()), "rule graph 1: it has 63 rules"),
        (RuleGraph(("a", "b"), ((0, 2),)), "edge 0 -> 2 leads outside of its 2 rules"),
        (RuleGraph(("a", "b"), ((0, 1), (1, 0))), "around a circle"),
        (RuleGraph(("a",), ((0, 0),)), "around a circle"),
    ):
        with pytest.raises(DataError, match=message):
            units_of([PAIR, graph])


def test_impossible_settings_and_places_are_errors() -> None:
    with pytest.raises(DataError, match="choose 1 <= smallest <= size <= 8"):
        CompoundSettings(size=9)
    pool = CompoundPool.of([PAIR, CHAIN])
    with pytest.raises(DataError, match="has examples 0 to 1, not 0 to 2"):
        pool.divergences([0], [2, 0])
    with pytest.raises(DataError, match="give it more examples"):
        pool.divergences([0], [])


def test_the_largest_graph_is_read_whole() -> None:
    graph = RuleGraph(("a",) * 62, tuple((x, x + 1) for x in range(61)))
    pool = CompoundPool.of([graph, PAIR], CompoundSettings(chain=62))
    longest = max(len(compound.rules) for compound in pool.compound_graphs)
    assert longest == 62
