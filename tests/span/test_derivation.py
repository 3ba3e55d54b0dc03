"""Derivations of programs: scores of nodes, what alternatives take otherwise, unused words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

import pytest

from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.semantics import MeaningNode
from partwise.interface.answering import answer
from partwise.language.text import tokenize
from partwise.span.decoding import SpanDerivation, unused
from partwise.span.parser import SpanParser


def tree_nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All nodes of a JSON tree, the root first."""
    yield tree
    for child in tree["children"]:
        yield from tree_nodes(child)


@pytest.mark.parametrize("k", [1, 3])
def test_the_scores_of_nodes_sum_to_that_of_the_tree(library: SpanParser, k: int) -> None:
    (best,) = library.parse(["when did the emma from austen come out ?"], k=k)
    predictions = (best, *best.alternatives)
    assert len(predictions) == k
    for one in predictions:
        assert isinstance(one.derivation, SpanDerivation)
        spans = {(node.start, node.end) for node in one.derivation.tree.walk()}
        assert one.derivation.scores.keys() == spans
        assert sum(one.derivation.scores.values()) == pytest.approx(one.score, abs=1e-4)


def test_alternatives_have_trees_and_answers_of_their_own(library: SpanParser) -> None:
    (best,) = answer(library, ["who wrote emma ?"], k=3)
    shown = json.loads(json.dumps(best.to_json()))
    assert shown["meaning"] == "answer(author(book('emma')))"
    assert shown["answer"] == ["austen"]
    assert shown["words"] == ["who", "wrote", "emma", "?"]
    assert len(shown["alternatives"]) == len(best.alternatives) > 0
    for other, given in zip(shown["alternatives"], best.alternatives, strict=True):
        assert other["meaning"] == given.text != shown["meaning"]
        assert other["answer"] == list(given.lines) != shown["answer"]
        assert [one["words"] for one in other["differences"]] == [
            one.words for one in given.differences
        ]
        root, *below = tree_nodes(other["derivation"])
        assert other["meaning"] == f"answer({root['program']})"
        total = sum(node["score"] for node in (root, *below))
        assert total == pytest.approx(other["score"], abs=1e-4)


def test_without_answers_there_are_none(library: SpanParser) -> None:
    (best,) = answer(library, ["who wrote emma ?"], k=3, run=False)
    shown = best.to_json(ran=False)
    assert len(shown["alternatives"]) == 2
    assert not [one for one in (shown, *shown["alternatives"]) if "answer" in one]


def test_unused_words_are_under_no_constant_and_hold_nothing_together() -> None:
    words = tokenize("Who wrote, please, lovely Emma's cheapest print?")

    def node(start: int, end: int, *children: MeaningNode) -> MeaningNode:
        return MeaningNode(start, end, "join", "join", "", "", None, 0, children=children)

    # wrote and Emma are constants; the gaps between and after them are φ.
    wrote, emma = node(1, 2), node(6, 7)
    tree = SpanTree(0, 11, JOIN)
    root = node(0, 11, node(1, 6, wrote), node(6, 11, emma))
    left = [words.words[place] for place in unused(words, SpanDerivation(root, words, tree=tree))]
    assert left == ["lovely", "cheapest", "print"]


def test_a_name_that_is_taken_for_a_predicate_is_unused(library: SpanParser) -> None:
    words = library.reader("emma ?")
    name = library.labels.prepare(words).mentions
    kinds: tuple[Literal["entity", "predicate"], ...] = ("entity", "predicate")
    left = []
    for kind in kinds:
        node = MeaningNode(0, 1, "book", kind, "", "", None, 0)
        tree = SpanDerivation(node, words, tree=SpanTree(0, 1, JOIN))
        left.append([words.words[place] for place in unused(words, tree, name)])
    assert left == [[], ["emma"]]


def test_of_a_question_without_a_parse_all_words_are_unused() -> None:
    words = tokenize("what is the zzyzx of qux ?")
    assert [words.words[place] for place in unused(words, None)] == ["zzyzx", "qux"]
    assert unused(tokenize(""), None) == ()
