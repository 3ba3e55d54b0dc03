"""Whether rows answer a question."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise_papers.databases.questions import Answering, SqlRows, TypedRows
from partwise_papers.spider.checking import Expected, Gold, Record

Rows = list[Record]
CELLS = st.one_of(
    st.none(), st.integers(-5, 5), st.sampled_from(["ab", "AB", "c", "2024-01-02"]), st.floats(0, 9)
)


def typed(*answers: list[tuple[Any, ...]], ordered: bool = False, **more: bool) -> TypedRows:
    return TypedRows([Answering.of(rows, ordered) for rows in answers], **more)


@pytest.mark.parametrize(
    ("rows", "gold"),
    [
        ([("b",), ("a",)], [("a",), ("b",)]),
        ([(" Rock  and ROLL ",)], [("Rock And Roll",)]),
        ([(5.651941747572825,)], [(5.65,)]),
        ([("2328.60",)], [(2328.6,)]),
        ([(12, "x"), (3, "y")], [("x", 12), ("y", 3)]),
        ([(7, "x"), (9, "y")], [("x",), ("y",)]),
        ([("x", "K1")], [("x",)]),
        ([("2003-05-03 00:00:00",)], [("2003-05-03",)]),
        ([("Jose\u0301",)], [("José",)]),
        ([("Helena", "Holý")], [("Helena Holý",)]),
        ([("Helena Holý", 3)], [("Helena", "Holý", 3)]),
        ([("03", 4)], [("3", 4)]),
        ([], []),
    ],
)
def test_rows_that_answer(rows: list[tuple[Any, ...]], gold: list[tuple[Any, ...]]) -> None:
    assert typed(gold).lenient(rows)


@pytest.mark.parametrize(
    ("rows", "gold"),
    [
        ([("a",)], [("a",), ("b",)]),
        ([("a",), ("b",), ("b",)], [("a",), ("b",)]),
        ([("a",), ("a",), ("b",)], [("a",), ("b",), ("b",)]),
        ([(5.66,)], [(5.65,)]),
        ([(59.4,)], [(59,)]),
        ([("x", 3), ("y", 12)], [("x", 12), ("y", 3)]),
        ([("x", 49.62)], [("x",)]),
        ([("x", 5), ("y", 5)], [("x",), ("y",)]),
        ([(7, 59)], [(59,)]),
        ([("a", "b", "c", "x")], [("x",)]),
        ([("x",)], [("x", 12)]),
        ([], [("a",)]),
        ([("2003-05-03 10:00:00",)], [("2003-05-03",)]),
        ([("muller",)], [("müller",)]),
        ([(None,)], [(0,)]),
        ([("1581",)], [("01581",)]),
    ],
)
def test_rows_that_do_not(rows: list[tuple[Any, ...]], gold: list[tuple[Any, ...]]) -> None:
    assert not typed(gold).lenient(rows)


def test_order_counts_where_it_is_asked_for() -> None:
    gold = [("a",), ("b",), ("c",)]
    assert not typed(gold, ordered=True).lenient([("a",), ("c",), ("b",)])
    tied = TypedRows([Answering.of(gold, True, [0, 1, 1])])
    assert tied.lenient([("a",), ("c",), ("b",)])
    assert not tied.lenient([("b",), ("a",), ("c",)])


def test_yes_and_no_have_many_forms() -> None:
    for gold in ("yes", 1, True):
        yes = typed([(gold,)], yes_no=True)
        assert yes.lenient([(True,)])
        assert yes.lenient([(1,)])
        assert yes.exact([("Yes",)])
        assert not yes.lenient([(False,)])
        assert not yes.lenient([(5,)])
        assert not yes.lenient([("yes",), ("no",)])


def test_other_answers_and_exact_ones() -> None:
    right = typed([("a", 1)], [("b", 2)])
    assert right.lenient([(2, "b")])
    assert right.exact([(2, "b")])
    assert right.lenient([("b", 2, "key")])
    assert not right.exact([("b", 2, "key")])
    assert not typed([(5.5,)]).lenient([(5.51,)])
    assert typed([(5.5,)], half_cent=True).lenient([(5.51,)])


def spider_rows(plain: Rows, usual: Rows) -> SqlRows:
    return SqlRows(Expected(*(Gold(one, [], one, False) for one in (plain, usual))))


def test_rows_of_spider_may_be_listed_again() -> None:
    right = spider_rows([("a",), ("b",)], [("a",), ("b",)])
    assert right.lenient([("b",), ("a",), ("a",)])
    assert not right.exact([("b",), ("a",), ("a",)])
    assert right.exact([("b",), ("a",)])
    assert not right.lenient([("a",)])


def test_rows_of_spider_may_follow_the_conventions_of_programs() -> None:
    right = spider_rows([(None, 1), ("a", 2)], [("a", 2)])
    assert right.lenient([("a", 2)])
    assert not right.exact([("a", 2)])
    assert right.exact([(None, 1), ("a", 2)])
    assert not right.lenient([("a", 1)])


@given(st.data())
def test_order_of_rows_and_columns_is_free(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 3))
    rows = data.draw(st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=5))
    columns, moved = data.draw(st.permutations(range(width))), list(rows)
    random.Random(0).shuffle(moved)
    said = [tuple(row[one] for one in columns) for row in moved]
    assert typed(rows).lenient(said)
    assert typed(rows).exact(said)
    assert not typed(rows).lenient(said[1:])
    assert not typed(rows).lenient([*said, said[0]])
