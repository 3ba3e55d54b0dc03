"""Generated questions: distinct, covering the grammar, with the answers they are said to have."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import islice

import pyoxigraph as ox
import pytest

from partwise.domains.films.domain import FILMS, NAMESPACE
from partwise.errors import DataError
from partwise.interface.data import Example
from partwise.language.query_graph import QueryGraph, canonical, expected_head, with_filters
from partwise.language.sparql import named, parse_query, write_query
from partwise_papers.films import generate as generating
from partwise_papers.films.choices import Stuck
from partwise_papers.films.generate import MAX_WORDS, generate, questions, world
from partwise_papers.films.grammar import RULE_NAMES, Tree, words
from partwise_papers.films.making import Maker
from partwise_papers.films.semantics import query_graph


def bound(example: Example[QueryGraph]) -> dict[str, str]:
    return {m: value.replace(NAMESPACE, "film:") for m, value in example.context}


def test_every_rule_and_word_is_used(sample: list[Example[QueryGraph]]) -> None:
    used = Counter(rule for e in sample if e.rules for rule in set(e.rules.rules))
    # The rarest rule is in one of 3,000 questions.
    assert set(used) | {"gap was each", "gap were each"} == set(RULE_NAMES)
    text = "\n".join(f" {e.question} " for e in sample)
    for phrases in FILMS.words.values():
        for phrase in phrases:
            # Some stand at the beginning alone.
            assert f" {phrase} " in text or f"\n {phrase.capitalize()} " in text, phrase


def test_the_rarest_rules_come_too() -> None:
    rare = {"gap was each", "gap were each"}
    for example in islice(questions(0), 30_000):
        assert example.rules is not None
        rare -= set(example.rules.rules)
        if not rare:
            return
    pytest.fail(f"not used: {rare}")


def test_answers_are_as_promised(sample: list[Example[QueryGraph]]) -> None:
    matcher = world().matcher
    truths = Counter()
    for example in sample:
        assert example.meaning.entities == tuple(m for m, _ in example.context)
        if example.meaning.head == "ask":
            truths[matcher.ask(example.meaning, bound(example))] += 1
        else:
            assert matcher.select(example.meaning, bound(example)), example.question
    assert abs(truths[True] - truths[False]) <= 1
    assert 0.4 < truths.total() / len(sample) < 0.6


def test_a_store_gives_the_same_answers(sample: list[Example[QueryGraph]], turtle: str) -> None:
    store = ox.Store()
    store.load(turtle, format=ox.RdfFormat.TURTLE)
    matcher = world().matcher
    for example in sample[:400]:
        text = write_query(named(example.meaning, dict(example.context)), "sparql", FILMS.prefixes)
        found = store.query(text)
        if example.meaning.head == "ask":
            assert bool(found) == matcher.ask(example.meaning, bound(example)), example.question
        else:
            values = {row[0].value.replace(NAMESPACE, "film:") for row in found}
            assert values == matcher.select(example.meaning, bound(example)), example.question


def test_no_pattern_comes_twice(sample: list[Example[QueryGraph]]) -> None:
    def pattern(question: str) -> str:
        names: dict[str, str] = {}
        return re.sub(r"M\d+", lambda m: names.setdefault(m[0], f"E{len(names)}"), question)

    assert len({pattern(example.question) for example in sample}) == len(sample)


def test_a_text_has_one_meaning() -> None:
    maker, known = Maker(world(), random.Random(3)), dict[str, QueryGraph]()
    again = 0
    for turn in range(8000):
        try:
            tree = maker.make(asks=turn % 2 == 0)
        except Stuck:
            continue
        names: dict[str, str] = {}
        text = " ".join(words(tree, names))
        graph = canonical(query_graph(tree, names))
        again += text in known
        assert known.setdefault(text, graph) == graph, text
    assert again > 1000


def test_what_is_made_holds_of_the_entities_it_was_made_for() -> None:
    maker, matcher = Maker(world(), random.Random(4)), world().matcher
    for turn in range(2000):
        try:
            tree: Tree = maker.make(asks=turn % 2 == 0)
        except Stuck:
            continue
        names: dict[str, str] = {}
        words(tree, names)
        bindings = {placeholder: name for name, placeholder in names.items()}
        assert matcher.ask(query_graph(tree, names), bindings), words(tree, names)


def test_questions_look_as_they_should(sample: list[Example[QueryGraph]]) -> None:
    for example in sample:
        tokens = example.question.split(" ")
        assert not {"an", "?", ""} & set(tokens)
        assert len(tokens) <= MAX_WORDS + 8
        mentioned = [token for token in tokens if re.fullmatch(r"M\d+", token)]
        assert sorted(set(mentioned)) == sorted(f"M{i}" for i in range(len(example.context)))
        assert example.meaning.head == expected_head(example.question, FILMS.asking)
        assert example.meaning == canonical(example.meaning)
        assert example.meaning == with_filters(example.meaning, FILMS.differing)
        assert parse_query(write_query(example.meaning, "sparql")) == example.meaning
        assert not example.official
    orders = Counter(re.findall(r"M\d+", e.question)[0] for e in sample if len(e.context) == 2)
    assert min(orders["M0"], orders["M1"]) > 0.4 * orders.total()


def test_queries_say_only_what_the_domain_declares(sample: list[Example[QueryGraph]]) -> None:
    relations = {relation.predicate for relation in FILMS.relations}
    attributes = {(a.predicate, a.constant) for a in FILMS.attributes}
    for example in sample:
        assert {edge.predicate for edge in example.meaning.edges} <= relations
        assert {(t.predicate, t.object) for t in example.meaning.attributes} <= attributes


def test_rules_form_a_tree_without_names(sample: list[Example[QueryGraph]]) -> None:
    for example in sample:
        assert example.rules is not None
        names, edges = example.rules
        assert set(names) <= set(RULE_NAMES)
        assert [child for _, child in sorted(edges, key=lambda edge: edge[1])] == list(
            range(1, len(names))
        )
        assert all(parent < child for parent, child in edges)


def test_the_same_seed_gives_the_same_questions(sample: list[Example[QueryGraph]]) -> None:
    assert generate(50, 7) == sample[:50]
    assert generate(50, 8) != sample[:50]


def test_running_out_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generating, "MOST_TRIES", 100)
    monkeypatch.setattr(generating, "MAX_WORDS", 4)
    with pytest.raises(DataError, match=r"no new question about films in 100 tries, after \d+"):
        for _ in questions(0):
            pass
