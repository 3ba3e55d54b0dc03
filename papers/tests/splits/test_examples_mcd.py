"""MCD splits of examples, by the rules that made them or by their constituency trees."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kitchen import KITCHEN, graph
from mcd_helpers import small_pool

from partwise.domains.films.domain import FILMS
from partwise.errors import DataError
from partwise.evaluation.splits import inner_split
from partwise.graph.grammar.decomposition import ConstituencyParser
from partwise.graph.grammar.tokens import Tagger
from partwise.interface.data import Example, RuleGraph
from partwise.language.query_graph import QueryGraph, Triple
from partwise_papers.films.generate import generate
from partwise_papers.splits.dbca import normal_form
from partwise_papers.splits.examples import (
    mcd,
    mcd_parts,
    rule_graph,
    rule_graphs,
    with_rule_graphs,
)
from partwise_papers.splits.mcd import McdSettings, mcd_split


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


def test_impossible_demands_are_errors() -> None:
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
