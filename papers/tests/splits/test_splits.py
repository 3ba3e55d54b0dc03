"""Compounds and their divergence, MCD splits of rule graphs and of examples."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kitchen import KITCHEN, graph

from cases import cases
from partwise.domains.films.domain import FILMS
from partwise.errors import DataError
from partwise.evaluation.splits import inner_split
from partwise.graph.grammar.decomposition import ConstituencyParser
from partwise.graph.grammar.tokens import Tagger
from partwise.interface.data import Example, RuleGraph
from partwise.language.query_graph import QueryGraph, Triple
from partwise_papers.films.generate import generate
from partwise_papers.splits import compounds
from partwise_papers.splits.dbca import (
    CompoundPool,
    CompoundSettings,
    normal_form,
    rule_key,
    units_of,
)
from partwise_papers.splits.examples import (
    mcd,
    mcd_parts,
    rule_graph,
    rule_graphs,
    with_rule_graphs,
)
from partwise_papers.splits.mcd import McdSettings, McdSplit, mcd_split

Compound = tuple[tuple[str, ...], frozenset[tuple[int, int]]]


def same(graph: RuleGraph) -> Compound:
    """A form that exactly the isomorphic graphs share: the least over all numberings."""
    size = len(graph.rules)
    forms = []
    for order in permutations(range(size)):
        place = {node: x for x, node in enumerate(order)}
        edges = sorted({(place[a], place[b]) for a, b in graph.edges})
        forms.append((tuple(graph.rules[node] for node in order), edges))
    rules, edges = min(forms)
    return rules, frozenset(edges)


def induced(graph: RuleGraph, nodes: Sequence[int]) -> RuleGraph:
    place = {node: x for x, node in enumerate(nodes)}
    edges = {(place[a], place[b]) for a, b in graph.edges if a in place and b in place}
    return RuleGraph(tuple(graph.rules[node] for node in nodes), tuple(edges))


def compound_graph(pool: CompoundPool, column: int) -> RuleGraph:
    """A compound of a pool in normal form."""
    unit, bits = pool.samples[column].tolist()
    graph = pool.units.graphs[unit]
    return normal_form(induced(graph, [x for x in range(len(graph.rules)) if bits >> x & 1]))


def connected(graph: RuleGraph) -> bool:
    reached, before = {0}, 0
    while len(reached) > before:
        before = len(reached)
        for a, b in graph.edges:
            if a in reached or b in reached:
                reached |= {a, b}
    return len(reached) == len(graph.rules)


def occurrences(
    graph: RuleGraph, settings: CompoundSettings
) -> Iterator[tuple[frozenset[int], Compound]]:
    """The nodes and the form of each wanted subgraph."""
    size = len(graph.rules)
    for count in range(settings.smallest, min(size, settings.chain) + 1):
        for nodes in combinations(range(size), count):
            part = induced(graph, nodes)
            children = Counter(a for a, _ in part.edges)
            parents = Counter(b for _, b in part.edges)
            is_chain = len(part.edges) == count - 1 and all(
                x <= 1 for x in (*children.values(), *parents.values())
            )
            small = count <= settings.size and all(
                x <= settings.branching for x in children.values()
            )
            if connected(part) and (small or is_chain):
                yield frozenset(nodes), same(part)


def weights(
    graphs: Sequence[RuleGraph], settings: CompoundSettings
) -> list[dict[Compound, Fraction]]:
    """w(G, R) of each example R, by the definition, where it is above zero."""
    found = [list(occurrences(graph, settings)) for graph in graphs]
    number: Counter[Compound] = Counter()
    inside: Counter[tuple[Compound, Compound]] = Counter()
    around: dict[tuple[int, frozenset[int]], set[Compound]] = defaultdict(set)
    for r, subgraphs in enumerate(found):
        for nodes, form in subgraphs:
            around[r, nodes] = {other for wider, other in subgraphs if nodes < wider}
            number[form] += 1
            inside.update((form, other) for other in around[r, nodes])
    result: list[dict[Compound, Fraction]] = []
    for r, subgraphs in enumerate(found):
        best: dict[Compound, Fraction] = defaultdict(Fraction)
        for nodes, form in subgraphs:
            shares = (Fraction(inside[form, x], number[form]) for x in around[r, nodes])
            best[form] = max(best[form], 1 - max(shares, default=Fraction(0)))
        result.append({form: weight for form, weight in best.items() if weight})
    return result


def shuffled(graph: RuleGraph, chance: random.Random) -> RuleGraph:
    """The graph with its nodes numbered and its edges listed in another order."""
    place = list(range(len(graph.rules)))
    chance.shuffle(place)
    rules = [""] * len(place)
    for node, to in enumerate(place):
        rules[to] = graph.rules[node]
    edges = [(place[a], place[b]) for a, b in graph.edges]
    chance.shuffle(edges)
    return RuleGraph(tuple(rules), tuple(edges))


def small_pool(count: int, seed: int = 0) -> list[RuleGraph]:
    """Trees of a made-up grammar: verbs in two voices, of nouns with or without an adjective."""
    chance = random.Random(seed)
    pool = []
    for _ in range(count):
        rules, edges = ["clause"], []

        def add(parent: int, rule: str, rules: list = rules, edges: list = edges) -> int:
            rules.append(rule)
            edges.append((parent, len(rules) - 1))
            return len(rules) - 1

        for _ in range(chance.choice((1, 1, 2))):
            verb = add(0, chance.choice(("active", "passive")))
            add(verb, f"verb {chance.randrange(8)}")
            noun = add(verb, chance.choice(("plain", "with adjective")))
            add(noun, f"noun {chance.randrange(6)}")
            if rules[noun] == "with adjective":
                add(noun, f"adjective {chance.randrange(5)}")
        pool.append(RuleGraph(tuple(rules), tuple(edges)))
    return pool


PAIR_AND = RuleGraph(("a", "b", "c"), ((0, 1), (0, 2)))
PAIR = RuleGraph(("a", "b"), ((0, 1),))
CHAIN = RuleGraph(("a", "b", "c"), ((0, 1), (1, 2)))


@st.composite
def drawn_graph(draw: st.DrawFn, most: int = 7) -> RuleGraph:
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
        form = same(compound_graph(pool, rows.columns[entry]))
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


PLAIN = CompoundSettings()
OTHERS = (
    CompoundSettings(smallest=1, size=3, branching=1, chain=4),
    CompoundSettings(size=3, branching=2, chain=7),
    CompoundSettings(size=4, branching=3, chain=4),
)


@settings(max_examples=60)
@given(st.lists(drawn_graph(), min_size=1, max_size=4), st.sampled_from((PLAIN, *OTHERS)))
def test_weights_are_those_of_the_definition(
    graphs: list[RuleGraph], chosen: CompoundSettings
) -> None:
    pool = CompoundPool.of(graphs, chosen)
    for example, expected in enumerate(weights(graphs, chosen)):
        assert weights_of(pool, example) == {
            form: pytest.approx(float(weight)) for form, weight in expected.items()
        }


@settings(max_examples=60)
@given(st.lists(drawn_graph(5), min_size=2, max_size=6), st.data())
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
    for column in range(7):
        assert compound_graph(few, column) == compound_graph(every, column)
    assert len(few.samples) == 7


@given(drawn_graph(), drawn_graph(), st.randoms(use_true_random=False))
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
    for bad, message in (
        (RuleGraph((), ()), "rule graph 1: it has 0 rules, where 1 to 62"),
        (RuleGraph(("a",) * 63, ()), "rule graph 1: it has 63 rules"),
        (RuleGraph(("a", "b"), ((0, 2),)), "edge 0 -> 2 leads outside of its 2 rules"),
        (RuleGraph(("a", "b"), ((0, 1), (1, 0))), "around a circle"),
        (RuleGraph(("a",), ((0, 0),)), "around a circle"),
    ):
        with pytest.raises(DataError, match=message):
            units_of([PAIR, bad])


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
    longest = max(len(compound_graph(pool, x).rules) for x in range(len(pool.samples)))
    assert longest == 62


POOL = small_pool(600)


@cache
def found() -> McdSplit:
    return mcd_split(POOL, McdSettings(test=0.2, dev_share=0.5, unused=0.3, restarts=2, sweeps=20))


def places(split: McdSplit) -> list[int]:
    return sorted((*split.train, *split.dev, *split.test, *split.unused))


def test_the_parts_are_disjoint_and_complete() -> None:
    assert places(found()) == list(range(600))
    assert len(found().train) == pytest.approx(336, abs=1)
    assert len(found().dev + found().test) == pytest.approx(84, abs=1)
    assert abs(len(found().dev) - len(found().test)) <= 1


def test_atoms_stay_and_compounds_go() -> None:
    pool = CompoundPool.of(POOL)
    measured = pool.divergences(found().train, found().dev + found().test)
    assert measured == found().divergences
    order = random.Random(0).sample(range(600), 420)
    by_chance = pool.divergences(order[84:], order[:84])
    assert measured.atom <= 0.02
    assert measured.compound > by_chance.compound + 0.2


def test_equal_rule_graphs_stay_together() -> None:
    chance = random.Random(0)
    pool = small_pool(150) * 2
    pool = [shuffled(graph, chance) for graph in pool]
    split = mcd_split(pool, McdSettings(test=0.25, unused=0.0, max_atom_divergence=0.1, restarts=1))
    assert not split.unused
    assert {place % 150 for place in split.train}.isdisjoint(place % 150 for place in split.test)


def test_the_same_for_a_seed() -> None:
    def split(seed: int) -> McdSplit:
        return mcd_split(
            POOL[:200], McdSettings(test=40, seed=seed, max_atom_divergence=0.1, restarts=2)
        )

    assert split(3) == split(3)
    assert split(3).train != split(4).train


@pytest.mark.parametrize("target", [0.2, 0.4])
def test_a_target_is_met(target: float) -> None:
    split = mcd_split(POOL, McdSettings(test=100, target_compound_divergence=target, restarts=2))
    assert split.compound_divergence == pytest.approx(target, abs=0.01)
    assert split.atom_divergence <= 0.02


def possible(graphs: list[RuleGraph], **demands: float) -> McdSplit | None:
    """A quick split; None where there is none."""
    try:
        return mcd_split(graphs, McdSettings(sweeps=10, restarts=1, **demands))
    except DataError:
        return None


@settings(max_examples=15)
@given(
    st.integers(30, 80),
    st.integers(0, 9),
    st.sampled_from((0.0, 0.25, 0.5)),
    st.sampled_from((0.2, 0.5)),
)
def test_what_holds_of_every_split(count: int, seed: int, unused: float, share: float) -> None:
    graphs = small_pool(count, seed)
    demands = {"unused": unused, "max_atom_divergence": 0.3, "dev_share": 0.5}
    split = possible(graphs, test=share, seed=seed, **demands)
    assume(split is not None)
    assert split is not None
    assert places(split) == list(range(count))
    pool = CompoundPool.of(graphs)
    assert pool.divergences(split.train, split.dev + split.test) == split.divergences
    assert split.atom_divergence <= 0.3
    asked = {rule for place in split.dev + split.test for rule in graphs[place].rules}
    assert asked <= {rule for place in split.train for rule in graphs[place].rules}
    assert all(0 <= x <= 1 for x in split.divergences)
    assert len(split.dev) + len(split.test) == pytest.approx(share * count * (1 - unused), abs=2)


def test_a_pool_is_used_again() -> None:
    compounds = CompoundSettings(size=3, chain=3)
    pool = CompoundPool.of(POOL, compounds)
    given = {"test": 0.2, "restarts": 1, "sweeps": 5, "max_atom_divergence": 0.1}
    assert mcd_split(POOL, McdSettings(**given), pool) == mcd_split(
        POOL, McdSettings(compounds=compounds, **given)
    )


def test_split_files(tmp_path: Path) -> None:
    path = tmp_path / "mcd1.json"
    found().write(path)
    assert McdSplit.read(path) == found()
    rows = json.loads(path.read_text())
    assert rows["compound_divergence"] == found().compound_divergence
    assert rows["settings"]["unused"] == 0.3
    assert rows["settings"]["compounds"]["size"] == 5


@cases("change, message")
def test_damaged_split_files(tmp_path: Path, change: dict, message: str) -> None:
    path = tmp_path / "split.json"
    found().write(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(DataError, match=message):
        McdSplit.read(path)


def test_missing_and_unreadable_split_files(tmp_path: Path) -> None:
    path = tmp_path / "split.json"
    for text in (None, "{", "[]", "3", "{}"):
        if text is not None:
            path.write_text(text)
        with pytest.raises(DataError, match=r"split\.json is no split file"):
            McdSplit.read(path)


def test_impossible_demands_are_errors() -> None:
    with pytest.raises(DataError, match="of 10 examples 5 are to be used, 5 of them to test on"):
        mcd_split(POOL[:10], McdSettings(test=5))
    with pytest.raises(DataError, match="give more examples"):
        mcd_split(POOL[:1], McdSettings(test=0.5))
    with pytest.raises(DataError, match="of 0 examples 0 are to be used"):
        mcd_split([], McdSettings(test=0.5))
    with pytest.raises(DataError, match=r"unused is 1\.0; choose one from 0 to 0\.99"):
        mcd_split(POOL, McdSettings(test=0.2, unused=1.0))
    with pytest.raises(DataError, match="restarts must be 1 or more"):
        mcd_split(POOL, McdSettings(test=0.2, restarts=0))
    with pytest.raises(DataError, match="pool has 20 examples, but there are 600"):
        mcd_split(POOL, McdSettings(test=0.2), CompoundPool.of(POOL[:20]))
    same = [POOL[0]] * 20
    with pytest.raises(DataError, match="no split of 1 different rule graphs into 8 examples"):
        mcd_split(same, McdSettings(test=0.2))
    apart = [RuleGraph(("a", "b"), ((0, 1),))] * 10 + [RuleGraph(("c", "d"), ((0, 1),))] * 10
    with pytest.raises(DataError, match=r"1\.0000, 2 atoms of test not in train, 10 and 10"):
        mcd_split(apart, McdSettings(test=0.5, unused=0.0))


def query(predicate: str, entity: str, variable: str) -> QueryGraph:
    return QueryGraph("ask", frozenset({Triple(entity, predicate, variable)}))


EXAMPLES = [
    Example(
        f"{number} " + "word " * (number % 17),
        query(f"p{number % 12}", f"M{number % 3}", f"?x{number % 2}"),
        f"made:{number}",
        rules=rules,
    )
    for number, rules in enumerate(small_pool(400))
]


def whole(*parts: list[Example[QueryGraph]]) -> bool:
    return sorted(e.source for part in parts for e in part) == sorted(e.source for e in EXAMPLES)


def test_mcd() -> None:
    inner, held_out = mcd(EXAMPLES, share=0.25, seed=2)
    assert whole(inner, held_out)
    assert 98 <= len(held_out) <= 102
    shapes = {normal_form(graph) for graph in rule_graphs(inner)}
    assert shapes.isdisjoint(map(normal_form, rule_graphs(held_out)))
    assert (inner, held_out) == inner_split(EXAMPLES, "mcd", share=0.25, seed=2)


def test_mcd_takes_settings() -> None:
    inner, held_out = mcd(EXAMPLES, share=0.25, unused=0.5, restarts=1)
    assert len(inner) == pytest.approx(150, abs=1)
    assert len(held_out) == pytest.approx(50, abs=1)


def test_rules_come_from_the_phrases_of_a_domain() -> None:
    questions = generate(200, 3)
    bare = [replace(example, rules=None) for example in questions]
    inner, held_out = mcd(bare, FILMS, restarts=1, max_atom_divergence=0.5)
    assert {e.source for e in inner + held_out} == {e.source for e in bare}
    assert all(example.rules is not None for example in inner + held_out)


def test_examples_mcd_impossible_demands_are_errors() -> None:
    odd = replace(EXAMPLES[0], rules=None)
    with pytest.raises(DataError, match=r"made:0: '0 ' has no rule graph"):
        mcd([*EXAMPLES, odd])
    split = mcd_split(
        rule_graphs(EXAMPLES), McdSettings(test=20, restarts=1, max_atom_divergence=0.1)
    )
    with pytest.raises(DataError, match="the split is of 400 examples, not of 399"):
        mcd_parts(EXAMPLES[1:], split)


ASKED = graph("?x0 ate M0")


def rules_of(question: str) -> RuleGraph:
    tokens = Tagger(KITCHEN)(question)
    tree, _ = ConstituencyParser(KITCHEN.phrases, 1).trees(tokens)[0]
    return rule_graph(tree, tokens.texts)


def named(found: RuleGraph) -> list[tuple[str, str]]:
    return [(found.rules[one], found.rules[other]) for one, other in found.edges]


def test_rules_and_the_words_that_they_were_applied_to() -> None:
    """Words of the rules themselves ("did", "a"), and what joins, say nothing of their own."""
    found = rules_of("did M0 cook and taste a hot night cook")
    assert named(found) == [
        ("Named/5", "entity"),
        ("Thing/3", "Named/5"),
        ("Question/0", "Thing/3"),
        ("Verb/9", "verb:cook"),
        ("Verb/9", "verb:taste"),
        ("Thing/4", "adjective:hot"),
        ("Thing/4", "noun:night cook"),
        ("Verb/9", "Thing/4"),
        ("Question/0", "Verb/9"),
    ]
    assert found.rules[0] == "Question/0"
    assert len(found.rules) == 10
    assert sorted(child for _, child in found.edges) == list(range(1, 10))


def test_equal_words_are_applications_of_their_own() -> None:
    found = rules_of("did M0 cook M0 and cook M1")
    assert sorted(found.rules) == sorted(
        ["Question/0", *["Verb/9", "verb:cook"] * 2, *["Thing/3", "Named/5", "entity"] * 3]
    )
    assert len(found.edges) == len(found.rules) - 1


def test_entities_are_all_one_and_words_are_not() -> None:
    assert rules_of("who cooked M0") == rules_of("who cooked M7")
    assert rules_of("who cooked M0") != rules_of("who tasted M0")
    assert rules_of("who cooked M0") != rules_of("who cooked M0 and M0")


def test_examples_get_the_rules_of_their_trees() -> None:
    known = RuleGraph(("mine",), ())
    examples = [
        Example("who tasted M0", ASKED, "a:1"),
        Example("cannot be read", ASKED, "a:2", rules=known),
    ]
    first, second = with_rule_graphs(examples, KITCHEN)
    assert first.rules == rules_of("who tasted M0")
    assert (first.question, first.meaning, first.source) == ("who tasted M0", ASKED, "a:1")
    assert second is examples[1]
    assert examples[0].rules is None


def test_a_question_that_no_rules_fit() -> None:
    with pytest.raises(DataError, match="a:3: no phrase rules of kitchen fit 'tasted who M0'"):
        with_rule_graphs([Example("tasted who M0", ASKED, "a:3")], KITCHEN)
