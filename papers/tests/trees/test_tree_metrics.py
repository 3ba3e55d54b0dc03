"""F1 of trees, and of trees up to equivalence, against enumeration of all trees."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases, rows
from partwise.chart.scores import JOIN, NEVER, SpanScores, SpanTree
from partwise.chart.semantics import program
from partwise.chart.type_algebra import TypeAlgebra
from partwise.domains.geography.domain import Geography
from partwise.interface.data import Dataset, Example, Span
from partwise.language.program import Term, parse_program
from partwise.language.text import tokenize
from partwise.span.annotation import leaves_of, spans_of, tree_of
from partwise_papers.trees.metrics import (
    TreeF1,
    annotate_all,
    equivalent_tree_f1,
    nearest,
    of_trees,
    tree_f1,
    tree_metrics,
)

TESTS = Path(__file__).parents[3] / "tests"


def module(path: str) -> ModuleType:
    """A helper module of other tests."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, TESTS / path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


brute = module("chart/brute.py")
SHELF = TypeAlgebra(module("span/annotation/shelf.py").Shelf())
GEOGRAPHY = TypeAlgebra(Geography())

QUESTIONS = rows(globals(), "QUESTIONS")


@cache
def annotated(number: int) -> Example[Term]:
    question, text, types = QUESTIONS[number]
    phrases = Geography.annotation if types is GEOGRAPHY else None
    done, left = annotate_all([Example(question, parse_program(text))], types, phrases)
    assert not left
    return done[0]


def gold_tree(number: int) -> SpanTree:
    example, types = annotated(number), QUESTIONS[number][2]
    return tree_of(example.spans or (), types.domain, tokenize(example.question).words)


@cache
def all_trees(number: int) -> tuple[list[SpanTree], list[SpanTree]]:
    """All typed trees with any of the annotation's constants, and those that are equally right."""
    example, types, gold = annotated(number), QUESTIONS[number][2], gold_tree(number)
    n, columns = gold.end, sorted({label for _, _, label in leaves_of(gold)})
    constants = np.full((n + 1, n + 1, len(columns)), NEVER)
    for start, end, label in leaves_of(gold):
        constants[start, end, columns.index(label)] = 0.0
    scores = SpanScores.of(constants, np.zeros((n + 1, n + 1)), columns=columns)
    trees = brute.Enumerator(scores, types).complete()
    right = [
        tree
        for tree in trees
        if leaves_of(tree) == leaves_of(gold) and program(tree, types) == example.meaning
    ]
    return trees, right


def f1(one: frozenset[Span], two: frozenset[Span]) -> float:
    return 2 * len(one & two) / (len(one) + len(two))


def test_the_questions_have_several_right_trees() -> None:
    counts = [len(all_trees(number)[1]) for number in range(len(QUESTIONS))]
    assert min(counts) >= 1
    assert sum(count > 1 for count in counts) >= 5
    assert all(gold_tree(number) in all_trees(number)[1] for number in range(len(QUESTIONS)))


@given(st.integers(0, len(QUESTIONS) - 1), st.data())
def test_the_nearest_tree_is_that_of_enumeration(number: int, data: st.DataObject) -> None:
    example, types = annotated(number), QUESTIONS[number][2]
    trees, right = all_trees(number)
    guess = data.draw(st.sampled_from(trees))
    mine = frozenset(spans_of(guess, types.domain))
    choices = {frozenset(spans_of(tree, types.domain)) for tree in right}
    found = nearest(guess, example, types)
    assert found in choices
    assert f1(mine, found) == max(f1(mine, choice) for choice in choices)


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_an_equally_right_tree_is_perfect_up_to_equivalence(number: int) -> None:
    example, types = annotated(number), QUESTIONS[number][2]
    right = all_trees(number)[1]
    for tree in right:
        assert equivalent_tree_f1([tree], [example], types) == TreeF1(1.0, 1.0, 1.0, 1)
    exact = [tree_f1([tree], [example.spans], types.domain).f1 for tree in right]
    assert exact.count(1.0) == 1


def test_figures_are_over_all_spans_together() -> None:
    domain = SHELF.domain
    many, cube = domain.categories["count"], domain.categories["cube"]
    guess = SpanTree(0, 3, JOIN, (SpanTree(0, 2, many), SpanTree(2, 3, cube)))
    gold: list[tuple[Span, ...] | None] = [
        ((0, 3, "join"), (0, 2, "count"), (2, 3, "ball")),
        ((0, 4, "join"), (0, 2, "count"), (2, 4, "join"), (2, 3, "cube")),
        None,
        ((0, 1, "cube"),),
    ]
    found = tree_f1([guess, guess, guess, None], gold, domain)
    # Of 6 predicted spans 4 are right, of 8 annotated ones; the third question does not count.
    assert found == TreeF1(4 / 6, 4 / 8, 8 / 14, 3)
    assert found._asdict() == {"precision": 4 / 6, "recall": 4 / 8, "f1": 8 / 14, "n": 3}


def test_without_any_parse_all_figures_are_zero() -> None:
    example = annotated(0)
    assert tree_f1([None], [example.spans], SHELF.domain) == TreeF1(0.0, 0.0, 0.0, 1)
    assert equivalent_tree_f1([None], [example], SHELF) == TreeF1(0.0, 0.0, 0.0, 1)
    assert nearest(None, example, SHELF) == frozenset(example.spans or ())


@cases("text")
def test_the_annotation_stands_where_no_tree_is_equally_right(text: str) -> None:
    example = replace(annotated(0), meaning=parse_program(text))
    assert nearest(gold_tree(0), example, SHELF) == frozenset(example.spans or ())


def test_questions_without_annotation_are_left_out() -> None:
    example = annotated(0)
    bare = replace(example, spans=None)
    found = equivalent_tree_f1([None, gold_tree(0)], [bare, example], SHELF)
    assert found == TreeF1(1.0, 1.0, 1.0, 1)
    with pytest.raises(ValueError, match="no annotated tree"):
        nearest(gold_tree(0), bare, SHELF)


def test_what_cannot_be_compared_is_refused() -> None:
    example = annotated(0)
    with pytest.raises(ValueError, match="2 predicted trees for 1 examples"):
        tree_f1([None, None], [example.spans], SHELF.domain)
    with pytest.raises(ValueError, match="no example has an annotated tree"):
        equivalent_tree_f1([None], [replace(example, spans=None)], SHELF)
    with pytest.raises(ValueError, match="a tree over 3 words for the 6"):
        equivalent_tree_f1([SpanTree(0, 3, 0)], [example], SHELF)


def test_trees_count_where_there_are_annotated_ones() -> None:
    question, program = "capital of ohio", parse_program("answer(capital(loc_2(stateid('ohio'))))")
    spans: tuple[Span, ...] = (
        *((0, 3, "join"), (0, 1, "capital"), (1, 3, "join"), (1, 2, "loc_2")),
        (2, 3, "stateid('ohio')"),
    )
    bare = Example(question, program)
    example = replace(bare, spans=spans)
    tree = tree_of(spans, GEOGRAPHY.domain, question.split())
    # Five of five spans, then none of five: precision 1, recall a half.
    assert of_trees([tree, tree, None], [example, bare, example], GEOGRAPHY) == {
        "tree_f1": pytest.approx(2 / 3),
        "tree_f1_equivalent": pytest.approx(2 / 3),
    }
    assert of_trees([tree], [bare], GEOGRAPHY) == {}


def test_parsers_without_span_trees_have_no_metrics() -> None:
    assert tree_metrics(object(), Dataset("geography", "iid", [], [], [])) == {}
