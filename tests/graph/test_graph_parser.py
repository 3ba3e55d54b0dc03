"""Graph parsers from questions to graphs: they learn, and say which words each triple rests on."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
import torch
from languages import parts_of
from prepared_parsers import prepared

from cases import cases, rows
from partwise.domains.films.domain import FILMS
from partwise.errors import DataError, PartwiseError
from partwise.graph.composed import ComposedStrategy
from partwise.graph.config import GraphParserConfig
from partwise.graph.derivation import GraphDerivation
from partwise.graph.flat import count_given_variables
from partwise.graph.grammar.tokens import Tagger
from partwise.graph.grounding.sequences import (
    PredictedGraph,
    canonical_graph,
    collate,
    word_weights,
)
from partwise.graph.parser import GraphParser
from partwise.interface.data import Example
from partwise.interface.prediction import Prediction
from partwise.interface.settings import from_dict, to_dict, to_record
from partwise.language.query_graph import ENTITY, Head, QueryGraph, Triple, canonical, with_filters
from partwise_papers.films.generate import generate

SMALL = {"dx": 12, "dh": 24, "layers": 1, "dropout": 0.0, "hidden": 16}
CONFIGS = dict(rows(globals(), "CONFIGS"))
STEPS, BATCH = 100, 32
MORE = {"bare": 3}
"""Without grounding, learning takes more steps."""
Trained = Callable[[str], tuple[GraphParser, list[float]]]


@pytest.fixture(scope="module")
def films() -> list[Example[QueryGraph]]:
    return generate(120, 7)


@torch.no_grad()
def whole_loss(parser: GraphParser, items: list) -> float:
    loss = parser.loss(items).loss
    assert loss is not None
    return float(loss)


@pytest.fixture(scope="module")
def trained(films: list[Example[QueryGraph]]) -> Trained:
    """The parser of a name, trained once; not to be changed."""
    return cache(lambda name: train(name, films))


def train(name: str, films: list[Example[QueryGraph]]) -> tuple[GraphParser, list[float]]:
    """A parser after a few steps, and its losses over all items before and after."""
    torch.manual_seed(1)
    parser, unusable = prepared(FILMS, CONFIGS[name], films)
    assert len(unusable) < 0.1 * len(films), unusable[:5]
    items = list(parser.strategy.items())
    optimizer = torch.optim.AdamW(parser.parameters(), lr=0.01)
    losses = [whole_loss(parser, items)]
    for step in range(STEPS * MORE.get(name, 1)):
        begin = step * BATCH % len(items)
        report = parser.loss(items[begin : begin + BATCH])
        assert report.loss is not None
        optimizer.zero_grad()
        report.loss.backward()
        optimizer.step()
    losses.append(whole_loss(parser, items))
    return parser, losses


@pytest.mark.parametrize("name", CONFIGS)
def test_a_parser_learns_and_tells_what_it_rests_on(
    name: str, films: list[Example[QueryGraph]], trained: Trained
) -> None:
    parser, (before, after) = trained(name)
    assert after < 0.6 * before
    some = films[:40]
    variables = [count_given_variables(e.meaning) for e in some] if name == "paper" else None
    found = parser.parse_linked([e.question for e in some], variables)
    assert len(found) == 40
    assert sum(parse.meaning is not None for parse in found) > 5
    for parse in found:
        if parse.meaning is None:
            assert parse.reason
            continue
        assert parse.reason is None
        assert 0.0 <= parse.probability <= 1.0
        graph = parse.meaning
        assert canonical(graph) == graph
        if name != "paper":
            asking = parse.question.split()[0].lower() in FILMS.asking
            assert graph.head == ("ask" if asking else "select")
            assert graph == with_filters(graph, FILMS.differing)
        assert isinstance(parse.derivation, GraphDerivation)
        grounding = parse.derivation.grounding
        assert set(grounding) == (set() if name == "bare" else set(graph.triples))
        for weights in grounding.values():
            assert len(weights) == len(parse.words)
            assert min(weights) >= 0.0
            assert sum(weights) <= 1.0 + 1e-6


@pytest.mark.parametrize("name", ["latent", "flat"])
def test_questions_alone_and_together_are_parsed_alike(
    name: str, films: list[Example[QueryGraph]], trained: Trained
) -> None:
    parser, _ = trained(name)
    questions = [example.question for example in films[:12]]
    for question, parse in zip(questions, parser.parse(questions), strict=True):
        (alone,) = parser.parse([question])
        assert alone.meaning == parse.meaning
        assert math.isclose(alone.probability, parse.probability, rel_tol=1e-3)
    assert parser.training


def test_enough_training_gives_the_gold_graphs() -> None:
    """Four questions by heart; the fifth is made of their parts."""
    rows = {
        "Did M0 direct M1": {("M1", "film:director", "M0")},
        "Did M0 edit M1": {("M1", "film:editor", "M0")},
        "Did M0 and M1 edit M2": {("M2", "film:editor", "M0"), ("M2", "film:editor", "M1")},
        "Did M0 direct and edit M1": {("M1", "film:director", "M0"), ("M1", "film:editor", "M0")},
    }
    examples = [
        Example(question, QueryGraph("ask", frozenset(Triple(*t) for t in some)))
        for question, some in rows.items()
    ]
    torch.manual_seed(0)
    parser, _ = prepared(FILMS, CONFIGS["latent"], examples)
    items = parser.strategy.items()
    optimizer = torch.optim.Adam(parser.parameters(), lr=0.02)
    for _ in range(120):
        optimizer.zero_grad()
        loss = parser.loss(items).loss
        assert loss is not None
        loss.backward()
        optimizer.step()
    for parse, example in zip(parser.parse_linked(list(rows)), examples, strict=True):
        assert parse.meaning == example.meaning
    (parse,) = parser.parse_linked(["Did M3 , M1 , and M7 direct and edit M4"])
    assert parse.meaning is not None
    assert {edge.subject for edge in parse.meaning.edges} == {"M4"}
    assert {edge.object for edge in parse.meaning.edges} == {"M1", "M3", "M7"}
    assert {edge.predicate for edge in parse.meaning.edges} == {"film:director", "film:editor"}


@torch.no_grad()
def test_members_learn_apart_and_are_heard_together(films: list[Example[QueryGraph]]) -> None:
    config = replace(CONFIGS["latent"], members=3)
    torch.manual_seed(4)
    parser, _ = prepared(FILMS, config, films[:30])
    one, two, three = parser.decoders
    items = parser.strategy.items()[:20]
    apart = [float(parser.loss_of_batch(member, items)) for member in (one, two, three)]
    assert len(set(apart)) == 3
    assert whole_loss(parser, items) == pytest.approx(sum(apart))
    assert parser.parameter_count == 3 * sum(weights.numel() for weights in one.parameters())
    batch = collate(parser.strategy.sequences[:5])
    chances = torch.stack([torch.sigmoid(member(batch).logits) for member in parser.decoders])
    torch.testing.assert_close(torch.sigmoid(parser.network(batch).logits), chances.mean(0))
    # Alone, a member is no committee.
    assert not hasattr(prepared(FILMS, CONFIGS["flat"], films)[0].network, "members")


def test_constrained_parses_use_every_entity_and_hang_together(
    films: list[Example[QueryGraph]],
) -> None:
    """Of the same weights, at random: unconstrained parses break what constrained ones keep."""
    domain = replace(FILMS, relations=(), attributes=())
    found = {}
    for constrained in (False, True):
        torch.manual_seed(9)
        config = replace(CONFIGS["flat"], constrained=constrained, bias=-2.0)
        parser, _ = prepared(domain, config, films)
        # So large that pairs of nodes differ in what is said of them.
        parser.decoders[0].out.weight.data.normal_(0.0, 2.0)
        parses = parser.parse_linked([example.question for example in films])
        found[constrained] = [whole(parse) for parse in parses if parse.meaning is not None]
        assert len(found[constrained]) > 20
    assert len(found[True]) == len(films), "something is said of what is asked for"
    assert all(found[True])
    assert not all(found[False])


def whole(parse: Prediction[QueryGraph]) -> bool:
    """Whether all entities of the question are in one piece of the graph."""
    wanted = {text for text in Tagger(FILMS)(parse.question).texts if ENTITY.fullmatch(text)}
    assert parse.meaning is not None
    return len(parts_of([edge[::2] for edge in parse.meaning.edges], wanted)) == 1


@cases("values, message")
def test_settings_that_cannot_be(values: dict, message: str) -> None:
    with pytest.raises(PartwiseError, match=message):
        from_dict(GraphParserConfig, values, "parser settings")


@pytest.mark.parametrize("name", CONFIGS)
def test_settings_as_json(name: str) -> None:
    values = json.loads(json.dumps(to_dict(CONFIGS[name])))
    assert from_dict(GraphParserConfig, values, "parser settings") == CONFIGS[name]
    # As parsers of the first version were saved, and as results are stored.
    former = json.loads(json.dumps(to_record(CONFIGS[name])))
    assert {"gates", "narrow", "own", "analogies", "recombine"} <= set(former)
    assert from_dict(GraphParserConfig, former, "parser settings") == CONFIGS[name]


def test_the_composition_of_earlier_versions() -> None:
    assert from_dict(GraphParserConfig, {"composition": "declared"}) == GraphParserConfig()


@pytest.mark.parametrize("complete", [True, False])
def test_pieces_are_completed_by_analogy_if_so_set(complete: bool) -> None:
    rows = {
        "Who directed M0": "M0 film:director ?x0",
        "Who was directed by M0": "?x0 film:director M0",
        "Who edited M0": "M0 film:editor ?x0",
        "Who was edited by M0": "?x0 film:editor M0",
        "Who produced M0": "M0 film:producer ?x0",
    }
    examples = [
        Example(question, QueryGraph("select", frozenset({Triple(*edge.split())})))
        for question, edge in rows.items()
    ]
    config = replace(CONFIGS["latent"], paradigm_completion=complete)
    parser, unusable = prepared(FILMS, config, examples)
    assert not unusable
    assert isinstance(parser.strategy, ComposedStrategy)
    assert parser.strategy.aligned is not None
    new = [
        counts.labels
        for fragment, counts in parser.strategy.aligned.fragments.items()
        if [e.words for e in fragment.elements[:3]] == [("was",), ("produced",), ("by",)]
    ]
    assert new == [{((0, 1), ("film:producer", True)): 1}] * complete


def test_questions_that_cannot_be_read(films: list[Example[QueryGraph]]) -> None:
    parser, _ = prepared(FILMS, replace(CONFIGS["latent"], max_words=40), films[:30])
    empty, long, strange = parser.parse_linked(["", "did " * 41, "Did M0 quibble M1"])
    assert empty.reason == "the question has no words"
    assert long.reason == "the question has 41 words; at most 40 are read"
    assert strange.reason is not None
    assert "no phrase rules fit" in strange.reason
    assert "quibble" in strange.reason
    assert [p.meaning for p in (empty, long, strange)] == [None] * 3


def test_examples_that_cannot_be_learned_from() -> None:
    edge = QueryGraph("ask", frozenset({Triple("M1", "film:director", "M9")}))
    right = QueryGraph("ask", frozenset({Triple("M1", "film:director", "M0")}))
    good = Example("Did M0 direct M1", right)
    bad = [
        Example("Did M0 direct M1", edge),
        Example("M0 direct did M1", right),
        Example("Did M0 direct M1 's editor", right),
    ]
    _, unusable = prepared(FILMS, CONFIGS["latent"], [good, *bad])
    assert {example.question: reason for example, reason in unusable if example != bad[0]} == {
        bad[1].question: "no phrase rules fit the question"
    }
    assert ("the question does not mention M9") in [reason for _, reason in unusable]
    with pytest.raises(DataError, match="none of the 1 training questions is usable"):
        prepared(FILMS, CONFIGS["latent"], bad[:1])


def test_the_papers_protocol_needs_the_number_of_variables(
    films: list[Example[QueryGraph]],
) -> None:
    parser, _ = prepared(FILMS, CONFIGS["paper"], films[:30])
    with pytest.raises(PartwiseError, match="the number of variables is given"):
        parser.parse(["Did M0 direct M1"])


def test_weights_of_words() -> None:
    tokens = Tagger(FILMS)("Did M0 executive produce M1")
    shares = torch.tensor([0.5, 0.3, 0.2, 0.9]).numpy()
    found = word_weights(shares[:3], [(0,), (2,), ()], tokens)
    assert found == pytest.approx((0.5, 0.0, 0.15, 0.15, 0.0))
    # Gates may come to more than one.
    many = word_weights(shares, [(0,), (2,), (1,), (3,)], tokens)
    assert sum(many) == pytest.approx(1.0)
    assert many[4] == pytest.approx(0.9 / 1.9)


def said(*edges: Triple, answer: str) -> PredictedGraph:
    return PredictedGraph(set(edges), set(), answer, 1.0, {})


def test_what_is_asked_for_must_be_spoken_of() -> None:
    with pytest.raises(PartwiseError, match="nothing is said of what is asked for"):
        canonical_graph(FILMS, said(Triple("M0", "p", "?3"), answer="?7"), "select")


@pytest.mark.parametrize("head", ["ask", "select", None])
def test_something_must_be_said(head: Head | None) -> None:
    with pytest.raises(PartwiseError, match="nothing is said of anything in the question"):
        canonical_graph(FILMS, said(answer="?x0"), head)


def test_variables_get_canonical_names() -> None:
    edges = [Triple("?7", "p", "?3"), Triple("?3", "p", "M0")]
    graph, names = canonical_graph(FILMS, said(*edges, answer="?3"), "select")
    assert graph.head == "select"
    assert graph.edges == {Triple("?x1", "p", "?x0"), Triple("?x0", "p", "M0")}
    assert names == {"?7": "?x1", "?3": "?x0"}
