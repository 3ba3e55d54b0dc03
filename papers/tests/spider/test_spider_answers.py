"""Comparing answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partwise_papers.spider.answers import Gold, equivalent, same_answer

ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.booleans()), max_size=6)


@given(ROWS, st.permutations(range(3)), st.randoms())
def test_order_of_columns_and_of_rows_does_not_matter(rows, columns, random) -> None:  # type: ignore[no-untyped-def]
    moved = [tuple(row[one] for one in columns) for row in rows]
    random.shuffle(moved)
    assert same_answer(moved, rows, ordered=False)


@given(ROWS)
def test_repeats_are_equivalent_only(rows) -> None:  # type: ignore[no-untyped-def]
    assert equivalent([*rows, *rows], rows)
    assert same_answer([*rows, *rows], rows, ordered=False) == (not rows)


def test_rounding_and_order() -> None:
    assert same_answer([(1 / 3,)], [(0.33333333,)], ordered=True)
    assert not same_answer([(2,), (1,)], [(1,), (2,)], ordered=True)
    assert not same_answer([(1,)], [(1, 2)], ordered=False)
    assert not same_answer([], [(1,)], ordered=False)


def test_ties_at_the_limit() -> None:
    every = [("a",), ("b",), ("c",), ("d",)]
    gold = Gold(every[:2], [(9,), (5,), (5,), (1,)], every, True)
    assert gold.verdict([("a",), ("b",)]) == "same"
    assert gold.verdict([("a",), ("c",)]) == "ties"
    assert gold.verdict([("a",), ("d",)]) == "different"
    assert gold.verdict([("b",), ("c",)]) == "different"
