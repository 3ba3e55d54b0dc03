"""Poset parsers learn 25 examples by heart, whatever order these say things in."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import torch

from partwise.domains.geography import Geography
from partwise.errors import DataError, PartwiseError
from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph
from partwise.language.sparql import parse_query
from partwise.training.trainer import TrainingConfig
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.poset.network import PosetConfig
from partwise_papers.poset.parser import PosetParser
from partwise_papers.poset.phrases import Item

VERBS = {"direct": "wdt:P57", "write": "wdt:P58", "edit": "wdt:P1040", "star": "wdt:P161"}
NATIONS = ("Dutch", "Irish", "Swiss", "Greek", "Czech", "Danish", "Finnish", "Polish", "Welsh")
NATIONS += ("Turkish", "Cuban", "Thai")
NOUNS = {"film": "wd:Q11424", "person": "wd:Q5", "company": "wd:Q4830453"}
SHAPES = (
    ("Did M0 {verb} M1", "ASK WHERE {{ M1 {p} M0 }}"),
    (
        "Did M2 {verb} and marry M1",
        "ASK WHERE {{ M1 {p} M2 . M2 wdt:P26 M1 . FILTER ( M2 != M1 ) }}",
    ),
    (
        "Did M0 and M1 {verb} a {noun}",
        "ASK WHERE {{ ?x0 {p} M0 . ?x0 {p} M1 . ?x0 wdt:P31 {noun} }}",
    ),
    (
        "Who did M1 {verb} with a {noun}",
        "SELECT DISTINCT ?x0 WHERE {{ ?x0 {p} M1 . ?x0 wdt:P31 {noun} }}",
    ),
    (
        "Did a {noun} 's spouse {verb} M0",
        "ASK WHERE {{ ?x1 wdt:P26 ?x0 . M0 {p} ?x1 . ?x0 wdt:P31 {noun} . FILTER ( ?x1 != ?x0 ) }}",
    ),
    (
        "Which {noun} did M0 's sibling {verb}",
        "SELECT DISTINCT ?x0 WHERE {{ ?x0 {p} ?x1 . "
        "?x1 wdt:P3373 M0 . FILTER ( ?x1 != M0 ) . ?x0 wdt:P31 {noun} }}",
    ),
    # A verb or a noun twice, and words that no other question has.
    (
        "Was a {noun} {verb} by M1 's {nation} parent and {verb} by M3",
        "ASK WHERE {{ ?x0 wdt:P31 {noun} . ?x0 {p} ?x1 . ?x0 {p} M3 . ?x1 wdt:P40 M1 . "
        "?x1 wdt:P27 wd:{nation} }}",
    ),
    (
        "Did M0 {verb} a {noun} and a {noun} 's sequel",
        "ASK WHERE {{ ?x0 {p} M0 . ?x0 wdt:P31 {noun} . ?x1 {p} M0 . ?x1 wdt:P155 ?x2 . "
        "?x2 wdt:P31 {noun} }}",
    ),
    (
        "What did M0 {verb} , M1 's parent {verb} , and a {noun} {verb}",
        "SELECT DISTINCT ?x0 WHERE {{ ?x0 {p} M0 . ?x0 {p} ?x1 . ?x1 wdt:P40 M1 . "
        "?x0 {p} ?x2 . ?x2 wdt:P31 {noun} }}",
    ),
    ("Was M0 {verb} by M1 , M2 , and M3", "ASK WHERE {{ M0 {p} M1 . M0 {p} M2 . M0 {p} M3 }}"),
    (
        "Did M3 's parent and sibling {verb} M0",
        "ASK WHERE {{ ?x0 wdt:P40 M3 . ?x0 wdt:P3373 M3 . M0 {p} ?x0 . FILTER ( ?x0 != M3 ) }}",
    ),
)


def examples() -> list[Example[QueryGraph]]:
    """Made-up questions of every shape with their queries."""
    made = {}
    for question, query in SHAPES:
        fillings = product(VERBS.items(), NOUNS.items())
        for ((verb, relation), (noun, kind)), nation in zip(fillings, NATIONS, strict=True):
            asked = question.format(verb=verb, noun=noun, nation=nation)
            made[asked] = query.format(p=relation, noun=kind, nation=nation)
    every = [Example(question, parse_query(query), question) for question, query in made.items()]
    return every[::4]


def prepared() -> PosetParser:
    """An untrained parser that knows the words of the examples."""
    torch.manual_seed(0)
    parser = PosetParser.create(WIKIDATA, PosetConfig(hidden=32))
    parser.prepare(examples())
    return parser


def loss_of(parser: PosetParser, items: list[Item]) -> float:
    """The loss of a batch."""
    loss = parser.loss(items).loss
    assert loss is not None
    return loss.item()


@pytest.fixture(scope="module")
def trained() -> PosetParser:
    """A parser that has seen the examples often."""
    parser = PosetParser.create(WIKIDATA, PosetConfig(hidden=64, dropout=0.0))
    settings = TrainingConfig(epochs=60, batch_size=5, head_rate=4e-3, keep="last")
    report = parser.fit(examples(), [], settings)
    assert report.usable == 25
    assert not report.unusable
    return parser


def test_it_learns_examples_by_heart(trained: PosetParser) -> None:
    said = trained.parse_examples(examples())
    wrong = [
        one.question
        for one, example in zip(said, examples(), strict=True)
        if one.meaning is None
        or WIKIDATA.canonical(one.meaning) != WIKIDATA.canonical(example.meaning)
    ]
    assert not wrong


def test_a_saved_parser_says_the_same(trained: PosetParser, tmp_path: Path) -> None:
    trained.save_pretrained(tmp_path / "saved")
    again = PosetParser.from_pretrained(tmp_path / "saved", WIKIDATA)
    questions = [example.question for example in examples()[:8]]
    assert again.parse(questions) == trained.parse(questions)


def test_probabilities_are_those_of_all_decisions(trained: PosetParser) -> None:
    (said,) = trained.parse(["Did M0 direct M1"])
    assert 0.5 < said.probability <= 1
    (one,) = trained.confidences(["Did M0 direct M1"])
    assert one is not None
    assert one.at(1.0) == pytest.approx(said.probability)
    assert said.probability < one.at(3.0) < 1
    (unsure,) = trained.parse(["Did M0 direct M1"], at_least=1.0)
    assert unsure.meaning is None


def test_the_order_of_what_a_query_says_changes_nothing() -> None:
    parser = prepared().eval()
    (item,), _ = parser.training_items(examples()[-1:])
    backward = dict(reversed(item.poset.items()))
    assert loss_of(parser, [item]) == loss_of(parser, [item._replace(poset=backward)])


def test_successors_are_predicted_apart_and_questions_too() -> None:
    parser = prepared().eval()
    items, _ = parser.training_items(examples()[::7])
    alone = [loss_of(parser, [item]) for item in items]
    assert loss_of(parser, items[::-1]) == pytest.approx(sum(alone) / len(items), rel=1e-4)


def test_an_untrained_parser_says_something_or_why_not() -> None:
    said = prepared().parse(["Did M0 direct M1", "", "Did nobody direct"])
    assert said[1].reason == "the question has 0 words; it needs 1 to 80"
    assert all((one.meaning is None) == (one.reason is not None) for one in said)


def test_a_query_of_what_the_question_does_not_name_is_unusable() -> None:
    stranger = replace(examples()[0], question="Did M0 direct it")
    _, ((_, reason),) = prepared().training_items([stranger])
    assert "does not name" in reason


def test_it_is_for_query_graphs_that_say_something() -> None:
    with pytest.raises(PartwiseError, match="no domain of query graphs"):
        PosetParser.create(Geography(), PosetConfig())
    empty = Example("Did M0", QueryGraph("ask", frozenset()), "1")
    with pytest.raises(DataError, match="no training query says anything"):
        PosetParser.create(WIKIDATA, PosetConfig()).fit([empty], [], TrainingConfig(epochs=1))


def test_few_questions_are_read_more_often() -> None:
    epochs = [
        PosetParser.presets(WIKIDATA, {}, {}, size)["epochs"] for size in (0, 50, 500, 12_000)
    ]
    assert epochs == [200, 200, 80, 20]


def test_settings_name_variants() -> None:
    assert PosetParser.variant(WIKIDATA, PosetConfig()) == "poset"
    assert PosetParser.variant(WIKIDATA, PosetConfig(hidden=64)) == "poset-hidden64"
    with pytest.raises(PartwiseError, match="odd"):
        PosetConfig(hidden=65)
