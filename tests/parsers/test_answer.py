"""Readings as JSON: answers, alternatives, scores of nodes, words that gave nothing."""

from __future__ import annotations

import json

import pytest

from partwise.parsers.answer import Answer, answer, to_json, tree_nodes, unused
from partwise.parsers.base import Parse
from partwise.parsers.span import SpanParser
from partwise.tokenizer import tokenize
from partwise.tree import JOIN, SpanTree


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
    parse = library.parse("who wrote emma ?", k=3)
    answers = [answer(one, library.domain) for one in (parse, *parse.alternatives)]
    found = json.loads(json.dumps(to_json(parse, library.types, answers[0], answers[1:])))
    assert found["program"] == "answer(author(book('emma')))"
    assert found["answer"] == ["austen"]
    assert found["words"] == ["who", "wrote", "emma", "?"]
    assert len(found["alternatives"]) == 2
    for other, given, own in zip(
        found["alternatives"], parse.alternatives, answers[1:], strict=True
    ):
        assert other["program"] == str(given.program) != found["program"]
        assert other["answer"] == (list(own.lines) if own.reason is None else None)
        root, *below = tree_nodes(other["tree"])
        assert other["program"] == f"answer({root['program']})"
        total = sum(node["score"] for node in (root, *below))
        assert total == pytest.approx(other["score"], abs=1e-4)


def test_without_answers_there_are_none(library: SpanParser) -> None:
    found = to_json(library.parse("who wrote emma ?", k=2), library.types)
    assert "answer" not in found
    assert "answer" not in found["alternatives"][0]


def test_answers_of_some_alternatives_only_are_refused(library: SpanParser) -> None:
    parse = library.parse("who wrote emma ?", k=3)
    with pytest.raises(ValueError, match="zip"):
        to_json(parse, library.types, Answer(("austen",)), [Answer(("emma",))])


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
