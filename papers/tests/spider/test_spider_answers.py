"""Comparing answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from partwise_papers.spider.answers import Gold, Verdict

ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.booleans()), max_size=6)


def verdict(mine, rows, ordered=False) -> Verdict:  # type: ignore[no-untyped-def]
    return Gold(list(rows), [], list(rows), ordered).verdict(mine)


@given(ROWS, st.permutations(range(3)), st.randoms())
def test_order_of_columns_and_of_rows_does_not_matter(rows, columns, random) -> None:  # type: ignore[no-untyped-def]
    moved = [tuple(row[one] for one in columns) for row in rows]
    random.shuffle(moved)
    assert verdict(moved, rows, ordered=False) == "same"


@given(ROWS)
def test_repeats_are_told_from_the_same_rows(rows) -> None:  # type: ignore[no-untyped-def]
    assert verdict([*rows, *rows], rows) != "different"
    assert (verdict([*rows, *rows], rows) == "same") == (not rows)


def test_rounding_and_order() -> None:
    assert verdict([(1 / 3,)], [(0.33333333,)], ordered=True) == "same"
    assert verdict([(2,), (1,)], [(1,), (2,)], ordered=True) == "different"
    assert verdict([(1,)], [(1, 2)], ordered=False) == "different"
    assert verdict([], [(1,)], ordered=False) == "different"


def test_ties_at_the_limit() -> None:
    every = [("a",), ("b",), ("c",), ("d",)]
    gold = Gold(every[:2], [(9,), (5,), (5,), (1,)], every, True)
    assert gold.verdict([("a",), ("b",)]) == "same"
    assert gold.verdict([("a",), ("c",)]) == "ties"
    assert gold.verdict([("a",), ("d",)]) == "different"
    assert gold.verdict([("b",), ("c",)]) == "different"
