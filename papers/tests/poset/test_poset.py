"""Poset parsers: sketches of queries, and 25 examples learned by heart, in whatever order."""

from __future__ import annotations

import gzip
import os
import pathlib
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch

from cases import rows
from partwise.domains.geography import Geography
from partwise.errors import DataError, PartwiseError, QueryError
from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph, Triple
from partwise.language.sparql import parse_query
from partwise.language.text import tokenize
from partwise.training.trainer import TrainingConfig
from partwise_papers.domains.wikidata.domain import WIKIDATA
from partwise_papers.poset.network import PosetConfig
from partwise_papers.poset.parser import PosetParser
from partwise_papers.poset.phrases import Item, PhraseTable, entities, in_question_order, phrases
from partwise_papers.poset.sketch import (
    Primitive,
    Step,
    compose_query,
    differing_relations,
    fill_steps,
    fillings,
    likeliest,
    sketch_of,
    steps_of,
    successors,
    with_primitives,
)

# Poset parsers learn 25 examples by heart, whatever order these say things in.


def examples() -> list[Example[QueryGraph]]:
    """Questions of eleven shapes, with a verb or a noun twice and words that no other has."""
    lines = (Path(__file__).parent / "questions.tsv").read_text().splitlines()
    pairs = (line.split("\t") for line in lines)
    return [Example(question, parse_query(query), question) for question, query in pairs]


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
    settings = TrainingConfig(epochs=60, batch_size=13, head_rate=8e-3, keep="last")
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


# Queries become posets and come back, whatever the order of what they say.


ROOT = pathlib.Path(__file__).parents[3]
REAL = pathlib.Path(os.environ.get("PARTWISE_DATA", ROOT.parent / "shared" / "data")) / "mcwq"
QUERIES = tuple(rows(globals(), "QUERIES"))


def round_trip(graph: QueryGraph, names: list[str], differing: list[str]) -> QueryGraph:
    """The query of a sketch's steps, filled as the query fills them."""
    head, steps = sketch_of(successors(graph.head, steps_of(graph)))
    candidates = fillings(steps, {one for _, one in with_primitives(graph)}, names)
    right = fill_steps(graph)
    assert right <= set(candidates)
    return compose_query(head, right, differing)


@pytest.mark.parametrize("text", QUERIES)
def test_a_query_comes_back_from_its_sketch(text: str) -> None:
    graph = parse_query(text)
    assert round_trip(graph, ["M0", "M1"], differing_relations([graph])) == graph


def test_a_sketch_has_neither_primitives_nor_entities() -> None:
    one = parse_query("ASK WHERE { ?x0 wdt:P31 wd:Q5 . M0 wdt:P57 ?x0 . M1 wdt:P58 ?x0 }")
    assert successors(one.head, steps_of(one)) == {
        (): {"ask"},
        ("ask",): {"M"},
        ("ask", "M"): {"P"},
        ("ask", "M", "P"): {"?x0"},
        ("ask", "M", "P", "?x0"): {"A"},
        ("ask", "M", "P", "?x0", "A"): {"S"},
    }


def test_paths_end_where_they_come_back_and_yet_say_so() -> None:
    graph = parse_query("ASK WHERE { ?x0 wdt:P737 ?x1 . ?x1 wdt:P737 ?x0 }")
    after = successors(graph.head, steps_of(graph))
    assert after["ask", "?x0", "P", "?x1", "P"] == {"?x0"}
    assert max(map(len, after)) == 5


def test_what_is_needed_is_said_by_its_likeliest() -> None:
    graph = parse_query("ASK WHERE { M0 wdt:P57 ?x0 . ?x0 wdt:P58 M1 }")
    steps = steps_of(graph)
    some = fillings(steps, {one for _, one in with_primitives(graph)}, ["M0", "M1"])
    odds = [-1.0 if one.triple == ("?x0", "wdt:P58", "M1") else -2.0 for one in some]
    chosen = likeliest(steps, some, odds)
    assert {one.step for one in chosen} == {Step("?x0", "P", "M"), Step("M", "P", "?x0")}
    assert Triple("?x0", "wdt:P58", "M1") in {one.triple for one in chosen}
    # The likeliest one has neither M0 nor the other relation.
    more = likeliest({"M0", *(one for _, one in with_primitives(graph))}, some, odds)
    assert {end for one in more for end in one.triple} >= {"M0", "M1", "wdt:P57", "wdt:P58"}
    assert not likeliest([], some, odds)
    assert not likeliest(steps, [], [])


def test_a_query_that_selects_nothing_is_none() -> None:
    right = fill_steps(parse_query("ASK WHERE { M0 wdt:P57 M1 }"))
    with pytest.raises(QueryError):
        compose_query("select", right, [])


def test_queries_of_train_come_back() -> None:
    if not REAL.is_dir():
        pytest.skip("the published MCWQ files are not here")
    with gzip.open(REAL / "mcd1.train.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.split("\t") for line in islice(file, 0, 10_000, 20)]
    train = [(question, parse_query(text)) for question, text, _ in rows]
    differing = differing_relations(graph for _, graph in train)
    assert differing == ["wdt:P26", "wdt:P3373"]
    for question, graph in train:
        assert round_trip(graph, entities(tokenize(question)), differing) == graph


def test_filters_follow_from_relations() -> None:
    graph = parse_query("ASK WHERE { M0 wdt:P26 M1 . M0 wdt:P57 M1 }")
    assert compose_query("ask", fill_steps(graph), ["wdt:P26"]) == replace(
        graph, filters=frozenset({("M0", "M1")})
    )


PAIRS = tuple(rows(globals(), "PAIRS"))
TABLE = PhraseTable.learn(
    [
        (tokenize(q).words, {one for _, one in with_primitives(parse_query(text))})
        for q, text in PAIRS
    ],
    1,
    0.2,
)
SIBLING, FILM = Primitive("wdt:P3373"), Primitive("wdt:P31", "wd:Q11424")


def test_words_find_what_they_stand_for() -> None:
    found = TABLE.found(tokenize("Did a film write M0 's sibling").words)
    assert {SIBLING, FILM, Primitive("wdt:P58")} <= set(found)
    assert (found[SIBLING][-1], found[FILM][-1]) == (6.0, 2.0)
    assert Primitive("wdt:P57") not in found


def test_words_met_once_stand_for_what_only_their_queries_say() -> None:
    dutch, direct = Primitive("wdt:P27", "wd:Q55"), Primitive("wdt:P57")
    asked = {
        **{"did m0 's dutch sibling write m1": {dutch, SIBLING}, "did m0 direct m1": {direct}},
        **{"did m0 's sibling direct m1": {direct, SIBLING}, "is m0 m1 's sibling": {SIBLING}},
    }
    table = PhraseTable.learn([(q.split(" "), some) for q, some in asked.items()], 2, 0.1).table
    assert dutch in table["dutch"]


def test_phrases_say_more_than_their_words() -> None:
    directed, director = Primitive("wdt:P57"), Primitive("wdt:P106", "wd:Q2526255")
    asked = {
        **{"was m0 a film": FILM, "was m1 a film that": FILM},
        **{"m0 's director": directed, "m1 's director": directed, "did m0 direct": directed},
        **{"was m0 a film director": director, "did a film director": director},
    }
    table = PhraseTable.learn([(q.split(" "), {one}) for q, one in asked.items()], 2, 0.1).table
    assert director in table["film director"]
    for phrase, some in table.items():
        for word in phrase.split(" ") if " " in phrase else ():
            known = table.get(word, {})
            assert all(share > known.get(one, -1.0) + 0.09 for one, share in some.items())


def test_a_table_comes_back_from_json() -> None:
    again = PhraseTable.from_json(TABLE.to_json())
    assert (again.table, again.longest) == (TABLE.table, TABLE.longest)


def test_entities_are_alike_in_phrases() -> None:
    assert list(phrases(("m3", "'s", "m4"), 2)) == [
        *(("M", 0.0), ("'s", 1.0), ("M", 2.0)),
        *(("M 's", 0.5), ("'s M", 1.5)),
    ]


def test_variables_have_numbers_in_the_order_of_the_question() -> None:
    graph = parse_query(PAIRS[-1][1])
    words = tokenize(PAIRS[-1][0]).words
    named = in_question_order(graph, words, TABLE.found(words))
    assert ("?x0", "wdt:P3373", "M0") in named.edges
    assert ("?x1", "wdt:P31", "wd:Q11424") in named.attributes


def test_what_is_asked_for_stays_the_first() -> None:
    graph = parse_query(PAIRS[-1][1].replace("ASK", "SELECT DISTINCT ?x0"))
    words = tokenize(PAIRS[-1][0]).words
    assert in_question_order(graph, words, TABLE.found(words)) == graph
