"""Spans to trees and back."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import Shelf

from partwise.chart.scores import JOIN, SpanTree
from partwise.chart.type_algebra import TypeAlgebra
from partwise.errors import DataError
from partwise.interface.data import Example, Span
from partwise.language.program import parse_program
from partwise.span.annotation import spans_of, tree_of
from partwise_papers.trees.metrics import mismatch

TYPES = TypeAlgebra(Shelf())
DOMAIN = TYPES.domain
WORDS = ["how", "many", "large", "red", "cubes", "?"]
SPANS: tuple[Span, ...] = (
    (0, 6, "join"),
    (0, 2, "count"),
    (2, 6, "join"),
    (2, 3, "large"),
    (3, 6, "join"),
    (3, 4, "red"),
    (4, 6, "join"),
    (4, 5, "cube"),
)
EXAMPLE = Example(
    " ".join(WORDS), parse_program("count(filter(large, red, cube, all()))"), spans=SPANS
)


@given(st.permutations(SPANS))
def test_a_tree_is_its_spans_in_any_order(spans: list[Span]) -> None:
    tree = tree_of(spans, DOMAIN, WORDS)
    assert spans_of(tree, DOMAIN) == SPANS
    number = DOMAIN.categories
    inner = SpanTree(4, 6, JOIN, (SpanTree(4, 5, number["cube"]),))
    inner = SpanTree(3, 6, JOIN, (SpanTree(3, 4, number["red"]), inner))
    inner = SpanTree(2, 6, JOIN, (SpanTree(2, 3, number["large"]), inner))
    assert tree == SpanTree(0, 6, JOIN, (SpanTree(0, 2, number["count"]), inner))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s[1:], "no span covers all the words of 'how many large red cubes ?'"),
        (lambda s: (), "no span covers all the words"),
        (lambda s: (*s, (5, 7, "red")), "span 5..7 (red) is not within the 6 words"),
        (lambda s: (*s, (3, 3, "red")), "span 3..3 (red) is not within"),
        (lambda s: (*s, (5, 6, "green")), "has the category 'green', which shelf lacks"),
        (lambda s: (*s, (5, 6, "filter")), "has the category 'filter', which shelf lacks"),
        (lambda s: (*s, (3, 4, "blue")), "'red' are labelled twice, as red and as blue"),
        (lambda s: (*s, (1, 3, "join")), "'how many' and 'many large' cross"),
        (lambda s: (*s, (5, 6, "join")), "'?' is labelled join but holds nothing"),
        (lambda s: (*s, (0, 1, "red")), "'how many' is labelled count but holds other spans"),
    ],
)
def test_spans_that_are_no_tree_are_refused(change: object, message: str) -> None:
    with pytest.raises(DataError, match=re.escape(message)):
        tree_of(change(SPANS), DOMAIN, WORDS)  # type: ignore[operator]


def test_a_tree_of_the_program_is_no_mismatch() -> None:
    assert mismatch(EXAMPLE, TYPES) is None


@pytest.mark.parametrize(
    ("spans", "program", "message"),
    [
        (SPANS, "count(filter(large, red, ball, all()))", "the tree means count(filter(large, red"),
        (SPANS[1:], "count(filter(large, red, cube, all()))", "no span covers all the words"),
        (
            ((0, 6, "join"), (0, 2, "count"), (2, 6, "join"), (2, 3, "count")),
            "count(filter(large, red, cube, all()))",
            "these parts do not compose",
        ),
    ],
)
def test_a_mismatch_says_why(spans: tuple[Span, ...], program: str, message: str) -> None:
    example = replace(EXAMPLE, spans=spans, meaning=parse_program(program))
    assert message in str(mismatch(example, TYPES))


def test_only_examples_with_spans_can_match() -> None:
    with pytest.raises(ValueError, match="no spans"):
        mismatch(replace(EXAMPLE, spans=None), TYPES)
