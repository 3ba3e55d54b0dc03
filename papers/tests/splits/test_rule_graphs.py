"""Constituent trees as rule graphs, for compositional splits."""

from __future__ import annotations

import pytest
from kitchen import KITCHEN, graph

from partwise.errors import DataError
from partwise.graph.grammar.decomposition import ConstituencyParser
from partwise.graph.grammar.tokens import Tagger
from partwise.interface.data import Example, RuleGraph
from partwise_papers.splits.rule_graphs import rule_graph, with_rule_graphs

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
