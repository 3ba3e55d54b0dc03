"""Questions as one sequence, and constrained decoding: kinds fit, entities are used."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from languages import parts_of

from cases import cases
from partwise.graph.config import GraphParserConfig
from partwise.graph.flat import Constraints, FlatQuestion, graph_of, read_flat, targets
from partwise.graph.grammar.tokens import Tagger
from partwise.graph.vocabulary import GraphLabels
from partwise.language.graph_domain import Attribute, GraphDomain, Relation
from partwise.language.query_graph import QueryGraph, Triple
from partwise_papers.domains.wikidata.domain import WIKIDATA

TAGGER = Tagger(WIKIDATA)
LABELS = GraphLabels(("p", "q"), (("type", "A"), ("type", "B")))
QUESTION = "Did M0 , M3 , and M1 edit and direct M2 , write M1 , and edit M0 's sequel"


def read(question: str, variables: int | None = None, **switches: object) -> FlatQuestion:
    return read_flat(TAGGER(question), GraphParserConfig(**switches), variables)


def test_nodes_of_groups() -> None:
    question = read("Did M0 and M1 edit M2", 2)
    assert question.members == (("M0", "M1"), ("M2",), ("?x0",), ("?x1",))
    assert question.sequence.nodes == ((1,), (3,), (5,), (6,))
    assert question.sequence.tags == (
        *("did", "entity", "verb", "entity", "<sep>", "?x0", "?x1", "<nil>"),
    )
    assert read("Did M0 and M1 edit M2", 2, nil=False).sequence.tags[-1] == "?x1"
    words = (("did",), ("<entity>", "<entity>"), ("edit",), ("<entity>",))
    assert question.sequence.words == (*words, (), (), (), ())


def test_characters_of_words_in_a_script_without_blanks() -> None:
    question = read_flat(TAGGER("M0 雇主 是 谁"), GraphParserConfig(), 0, unspaced=True)
    words = (("<entity>",), ("雇主", "#雇", "#主"), ("是",), ("谁",))
    assert question.sequence.words == (*words, (), ())


def test_entities_of_a_group_that_are_told_apart_elsewhere_are_nodes_of_their_own() -> None:
    question = read(QUESTION, 0)
    assert question.members == (("M0",), ("M3",), ("M1",), ("M2",))
    assert question.sequence.nodes == ((1, 10), (1,), (1, 6), (3,))


def test_variables_are_those_of_the_settings() -> None:
    assert [names[0] for names in read("Did M0 edit M1", variables=None).members[2:]] == [
        f"?x{number}" for number in range(6)
    ]


def graphs(names: list[str]) -> st.SearchStrategy[QueryGraph]:
    nodes = st.sampled_from(names)
    edges = st.builds(Triple, nodes, st.sampled_from("pq"), nodes)
    attributes = st.builds(Triple, nodes, st.just("type"), st.sampled_from("AB"))
    return st.builds(
        QueryGraph, st.just("ask"), st.frozensets(edges, max_size=6), st.frozensets(attributes)
    )


NAMES = ["M0", "M1", "M2", "M3", "?x0", "?x1", "?x2"]


@settings(max_examples=150)
@given(graphs(NAMES), st.sampled_from([{"group_nodes": False}, {"grouping": False}, {}]))
def test_graphs_of_single_nodes_come_back(gold: QueryGraph, switches: dict) -> None:
    question = read(QUESTION, 3, **switches)
    wanted = targets(question, gold, LABELS)
    assert wanted.shape == (7, 7, 4)
    edges, attributes, pairs = graph_of(question, wanted, LABELS)
    assert (edges, attributes) == (gold.edges, gold.attributes)
    assert set(pairs) == gold.triples
    for triple, (one, other) in pairs.items():
        assert triple.subject in question.members[one]
        end = triple.subject if triple in gold.attributes else triple.object
        assert end in question.members[other]


@settings(max_examples=100)
@given(graphs(["M0", "M1", "M2", "?x0"]))
def test_graphs_of_groups_come_back_for_all_members(gold: QueryGraph) -> None:
    """What is said of one of several that nothing tells apart is said of them all."""
    question = read("Did M0 and M1 edit M2", 1)
    alike = {"M0": {"M0", "M1"}, "M1": {"M0", "M1"}, "M2": {"M2"}, "?x0": {"?x0"}}
    edges, attributes, _ = graph_of(question, targets(question, gold, LABELS), LABELS)
    assert edges == {Triple(a, p, b) for s, p, o in gold.edges for a in alike[s] for b in alike[o]}
    assert attributes == {Triple(a, p, c) for s, p, c in gold.attributes for a in alike[s]}


def test_what_the_sequence_or_the_labels_do_not_have_is_not_wanted() -> None:
    question = read("Did M0 edit M1", 1)
    edges = {Triple("M0", "new", "M1"), Triple("?x1", "p", "M1"), Triple("M0", "p", "?x0")}
    gold = QueryGraph("ask", frozenset(edges), frozenset({Triple("M0", "type", "C")}))
    assert np.argwhere(targets(question, gold, LABELS)).tolist() == [[0, 2, 0]]


@pytest.mark.parametrize("label", [2, 3])
def test_attributes_of_two_nodes_are_nothing(label: int) -> None:
    said = np.zeros((2, 2, 4), dtype=bool)
    said[0, 1, label] = True
    edges, attributes, pairs = graph_of(read("Did M0 edit M1", 0), said, LABELS)
    assert (edges, attributes, dict(pairs)) == (set(), set(), {})


DISH, PERSON, PLACE = (frozenset({kind}) for kind in ("dish", "person", "place"))
DOMAIN = GraphDomain(
    "kitchen",
    "wikidata",
    relations=(
        Relation("made", subject=DISH, object=PERSON),
        Relation("wed", subject=PERSON, object=PERSON),
        Relation("in", subject=DISH | PERSON, object=PLACE),
    ),
    attributes=(Attribute("type", "Soup", DISH), Attribute("type", "Guest", PERSON)),
)
KITCHEN_LABELS = GraphLabels(("in", "made", "near", "wed"), (("type", "Guest"), ("type", "Soup")))
IN, MADE, NEAR, WED, GUEST, SOUP = range(6)
NUMBERS = {"in": IN, "made": MADE, "near": NEAR, "wed": WED, "Guest": GUEST, "Soup": SOUP}
CONSTRAINTS = Constraints(DOMAIN, KITCHEN_LABELS)


def triples(said: np.ndarray) -> set[tuple[int, int, int]]:
    return {(int(a), int(b), int(c)) for a, b, c in zip(*np.nonzero(said), strict=True)}


@cases("likely, needed, said")
def test_what_is_said(likely: list[str], needed: str, said: list[str]) -> None:
    """Of labels between nodes ("1 in 0 0.4"); all else is unlikely, but can be.

    `needed` has an "e" for each node that must be used.
    """
    chances = np.full((len(needed), len(needed), KITCHEN_LABELS.size), 0.01)
    for one, label, other, chance in (text.split() for text in likely):
        chances[int(one), int(other), NUMBERS[label]] = float(chance)
    found = triples(CONSTRAINTS.said(chances, [mark == "e" for mark in needed]))
    wanted = (text.split() for text in said)
    assert found == {(int(a), int(b), NUMBERS[label]) for a, label, b in wanted}


@pytest.mark.parametrize("fill", [0.0, 1.0])
def test_extremes_end(fill: float) -> None:
    some = np.full((4, 4, KITCHEN_LABELS.size), fill)
    found = CONSTRAINTS.said(some, [True] * 4)
    assert found.any() == (fill == 1.0)


@settings(max_examples=300)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(0, 5), st.floats(0.0, 0.9))
def test_what_holds_of_all_decoding(seed: int, size: int, entities: int, silent: float) -> None:
    rng = np.random.default_rng(seed)
    some = rng.beta(0.4, 1.2, (size, size, KITCHEN_LABELS.size))
    some[rng.random(some.shape) < silent] = 0.0
    entity = [node < entities for node in range(size)]
    before = some.copy()
    found = CONSTRAINTS.said(some, entity)
    assert (some == before).all()
    fits = CONSTRAINTS.allowed(CONSTRAINTS.best_kinds(some))
    own = np.eye(size, dtype=bool)
    fits[~own, GUEST:] = False
    assert (found <= fits).all()
    assert ((some > 0.5) & fits <= found).all()
    assert (some[found] > 0.0).all()
    added = found & (some <= 0.5)
    assert not added[own].any()
    assert not added[..., GUEST:].any()

    open_edges = {(a, b) for a, b, label in triples(fits & (some > 0)) if label < GUEST and a != b}
    edges = {(a, b) for a, b, label in triples(found) if label < GUEST}
    there = {end for a, b, _ in triples(found) for end in (a, b)}
    for part in parts_of(edges, there):
        assert not [(a, b) for a, b in open_edges if {a, b} <= there and (a in part) != (b in part)]
    for node in range(size):
        if entity[node] and node not in there:
            others = {other for other in range(size) if other in there or entity[other]}
            joins = [pair for pair in open_edges if node in pair and set(pair) <= others | {node}]
            assert not joins


def fits_by_hand(kinds: list[str | None], one: int, other: int, label: int) -> bool:
    demands = {
        IN: ({"dish", "person"}, {"place"}),
        MADE: ({"dish"}, {"person"}),
        WED: ({"person"}, {"person"}),
        GUEST: ({"person"}, {"person"}),
        SOUP: ({"dish"}, {"dish"}),
    }
    if label == NEAR:
        return True
    first, second = demands[label]
    return kinds[one] in first | {None} and kinds[other] in second | {None}


def test_what_is_allowed_by_hand() -> None:
    kinds: list[str | None] = ["dish", "person", "place", None]
    found = CONSTRAINTS.allowed([CONSTRAINTS.kinds.index(kind) for kind in kinds])
    for one in range(4):
        for other in range(4):
            for label in range(6):
                wanted = fits_by_hand(kinds, one, other, label)
                assert found[one, other, label] == wanted, (one, other, label)
