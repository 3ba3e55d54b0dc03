"""Spider's SQL as programs, checked on filled databases, and how many questions are covered."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partwise.execution.relational.program import (
    Aggregate,
    Belonging,
    Compare,
    Field,
    Figure,
    Grouping,
    Listing,
    Not,
    Related,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Link
from partwise_papers.spider.checking import Fills, Gold, Verdict
from partwise_papers.spider.converter import UnsupportedSqlError, candidates
from partwise_papers.spider.coverage import ConversionCounts, constructs, convert_all, fill_all
from partwise_papers.spider.data import SpiderQuestion, SpiderSchema, declared_schema
from partwise_papers.spider.filling import fill, literals_of

SHOP = Link("Staff", "Shop_ID", "Shops")
QUERIES = [
    "SELECT Name FROM Shops WHERE City = 'Oslo' AND Opened > '2015-01-01'",
    "SELECT count(*) FROM Staff WHERE Age >= 30 OR Age < 20",
    "SELECT T1.Name FROM Shops AS T1 JOIN Staff AS T2 ON T1.Shop_ID = T2.Shop_ID WHERE T2.Age > 30",
    "SELECT T1.Name, count(*) FROM Shops AS T1 JOIN Staff AS T2 ON T1.Shop_ID = T2.Shop_ID "
    "GROUP BY T1.Shop_ID HAVING count(*) > 1 ORDER BY count(*) DESC",
    "SELECT Name FROM Shops WHERE Shop_ID NOT IN (SELECT Shop_ID FROM Staff)",
    "SELECT First_Name FROM Staff WHERE Age > (SELECT avg(Age) FROM Staff)",
    "SELECT City FROM Shops WHERE Name LIKE '%a%' INTERSECT SELECT City FROM Shops "
    "WHERE Opened < '2015-01-01'",
    "SELECT City FROM Shops EXCEPT SELECT City FROM Shops WHERE Name LIKE '%a%'",
    "SELECT Item, max(Price), min(Price) FROM Sales GROUP BY Item",
    "SELECT T3.City, sum(T1.Price) FROM Sales AS T1 JOIN Staff AS T2 ON T1.Staff_ID = T2.Staff_ID "
    "JOIN Shops AS T3 ON T2.Shop_ID = T3.Shop_ID GROUP BY T3.City",
    "SELECT DISTINCT Item FROM Sales WHERE Price BETWEEN 1 AND 50",
    'SELECT max(Age), min(Age) FROM Staff WHERE Last_Name != "Ada"',
    "SELECT First_Name, Age FROM Staff ORDER BY Age DESC LIMIT 1",
]


@pytest.fixture
def fills(shop: SpiderSchema, tmp_path: Path) -> Fills:
    literals = literals_of([SpiderQuestion("1", "shop", "?", one) for one in QUERIES])["shop"]
    files = [tmp_path / f"{seed}.sqlite" for seed in range(3)]
    for seed, file in enumerate(files):
        fill(shop, literals, file, seed)
    return Fills(declared_schema(shop), files)


@pytest.mark.parametrize("sql", QUERIES)
def test_a_program_gives_the_rows_of_the_query(fills: Fills, sql: str) -> None:
    assert fills.check(sql)


def test_a_wrong_program_is_noticed(fills: Fills) -> None:
    sql = "SELECT Name FROM Shops WHERE City = 'Oslo'"
    wrong = Rows("Shops", Compare(Field((), "City"), "!=", Value("Oslo")))
    name = (Field((), "Name"),)
    assert fills.verdict(Listing(wrong, name), fills.gold(sql)) == "different"
    right = Rows("Shops", Compare(Field((), "City"), "=", Value("Oslo")))
    assert fills.verdict(Listing(right, name), fills.gold(sql)) == "same"


def test_a_join_to_many_rows_asks_for_some_row(shop: SpiderSchema) -> None:
    made = candidates(QUERIES[2], declared_schema(shop))
    old = Compare(Field((), "Age"), ">", Value(30))
    head = Rows("Shops", Related((), Rows("Staff", old)))
    assert made[0] == Listing(head, (Field((), "Name"),))
    assert Listing(Rows("Staff", old), (Field((SHOP,), "Name"),)) in made


def test_groups_are_also_figures_of_a_row(shop: SpiderSchema) -> None:
    made = candidates(QUERIES[3], declared_schema(shop))
    count = Belonging((), Figure(Rows("Staff"), Aggregate("count")))
    assert isinstance(made[0], Grouping)
    assert made[0].shown == (Field((SHOP,), "Name"),)
    figured = [one for one in made if isinstance(one, Listing)]
    assert figured[0].shown == (Field((), "Name"), count)


def test_not_in_is_no_row(shop: SpiderSchema) -> None:
    made = candidates(QUERIES[4], declared_schema(shop))[0]
    assert made == Listing(Rows("Shops", Not(Related((), Rows("Staff")))), (Field((), "Name"),))


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT Name FROM Nothing", "unknown table"),
        ("SELECT count(*), Name FROM Shops", "beside a figure"),
        (
            "SELECT T1.Name, T2.Item FROM Shops AS T1 JOIN Sales AS T2 ON T1.City = T2.Item",
            "no link",
        ),
        ("SELECT FROM WHERE", "cannot be read"),
    ],
)
def test_what_cannot_be_said_is_named(shop: SpiderSchema, sql: str, why: str) -> None:
    with pytest.raises(UnsupportedSqlError, match=why):
        candidates(sql, declared_schema(shop))


def test_counts(shop: SpiderSchema, tmp_path: Path) -> None:
    said = [
        SpiderQuestion("1", "shop", "?", "SELECT Name FROM Shops WHERE City = 'Oslo'"),
        SpiderQuestion("2", "shop", "?", "SELECT City, count(*) FROM Shops GROUP BY City"),
        SpiderQuestion("3", "shop", "?", "SELECT count(*), Name FROM Shops"),
        SpiderQuestion("4", "shop", "?", "SELECT Name FROM Nowhere"),
    ]
    fill_all({"shop": shop}, said, tmp_path, range(2))
    coverage = ConversionCounts()
    for one in convert_all({"shop": shop}, said, tmp_path, range(2)):
        coverage.add(one)
    assert (coverage.questions, coverage.covered) == (4, 2)
    stored = coverage.to_json()
    assert stored["constructs"]["group by"] == {"questions": 1, "covered": 1}
    assert stored["missing"] == {
        "a column beside a figure, without groups": 1,
        "the query does not run": 1,
    }
    assert "2 of 4 questions" in coverage.text()


def test_constructs() -> None:
    assert constructs("SELECT a FROM t") == {"one table, no more"}
    nested = "SELECT a FROM t WHERE b > (SELECT avg(b) FROM t) AND c IN (SELECT c FROM u)"
    assert constructs(nested) == {"number from a query", "in"}
    assert constructs("SELECT FROM WHERE") == {"cannot be read"}


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
