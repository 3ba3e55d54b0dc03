"""Readings as JSON: answers, alternatives, scores of nodes, words that gave nothing."""

from __future__ import annotations

import json

import pytest

from partwise.chart.tree import JOIN, SpanTree
from partwise.language.tokenizer import tokenize
from partwise.span.asked import ask
from partwise.span.differences import Difference
from partwise.span.parse import Parse
from partwise.span.parser import SpanParser
from partwise.span.to_json import to_json, tree_nodes, unused


@pytest.mark.parametrize("k", [1, 3])
def test_the_scores_of_nodes_sum_to_that_of_the_tree(library: SpanParser, k: int) -> None:
    parse = library.parse("when did the emma from austen come out ?", k=k)
    readings = (parse, *parse.alternatives)
    assert len(readings) == k
    for reading in readings:
        assert reading.tree is not None
        assert reading.scores.keys() == {(node.start, node.end) for node in reading.tree.walk()}
        assert sum(reading.scores.values()) == pytest.approx(reading.score, abs=1e-4)


def test_alternatives_have_trees_and_answers_of_their_own(library: SpanParser) -> None:
    (asked,) = ask(library, ["who wrote emma ?"], k=3)
    found = json.loads(json.dumps(to_json(asked, library.types)))
    assert found["program"] == "answer(author(book('emma')))"
    assert found["answer"] == ["austen"]
    assert found["words"] == ["who", "wrote", "emma", "?"]
    assert len(found["alternatives"]) == len(asked.alternatives) > 0
    for other, given in zip(found["alternatives"], asked.alternatives, strict=True):
        assert other["program"] == str(given.program) != found["program"]
        assert other["answer"] == list(given.answer) != found["answer"]
        assert other["differences"] == [vars_of(one) for one in given.differences]
        root, *below = tree_nodes(other["tree"])
        assert other["program"] == f"answer({root['program']})"
        total = sum(node["score"] for node in (root, *below))
        assert total == pytest.approx(other["score"], abs=1e-4)


def vars_of(one: Difference) -> dict[str, object]:
    return {"words": one.words, "mine": list(one.mine), "other": list(one.other)}


def test_without_answers_there_are_none(library: SpanParser) -> None:
    (asked,) = ask(library, ["who wrote emma ?"], k=3, run=False)
    found = to_json(asked, library.types, ran=False)
    assert len(found["alternatives"]) == 2
    assert not [one for one in (found, *found["alternatives"]) if "answer" in one]


def test_unused_words_are_under_no_constant_and_hold_nothing_together() -> None:
    words = tokenize("Who wrote, please, lovely Emma's cheapest print?")
    # wrote and Emma are constants; the gaps between and after them are φ.
    wrote, emma = SpanTree(1, 2, 0), SpanTree(6, 7, 1)
    tree = SpanTree(0, 11, JOIN, (SpanTree(1, 6, JOIN, (wrote,)), SpanTree(6, 11, JOIN, (emma,))))
    left = [words.words[place] for place in unused(Parse(words, tree=tree))]
    assert left == ["lovely", "cheapest", "print"]


def test_of_a_question_without_a_parse_all_words_are_unused() -> None:
    words = tokenize("what is the zzyzx of qux ?")
    assert [words.words[i] for i in unused(Parse(words, reason="none"))] == ["zzyzx", "qux"]
    assert unused(Parse(tokenize(""), reason="the question has no words")) == ()
