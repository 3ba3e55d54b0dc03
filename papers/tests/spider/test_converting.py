"""SQL as programs, checked on filled databases."""

from __future__ import annotations

from pathlib import Path

import pytest

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
from partwise_papers.spider.converting.checking import Fills
from partwise_papers.spider.converting.converter import candidates
from partwise_papers.spider.converting.style import UnsupportedSqlError
from partwise_papers.spider.data import SpiderQuestion, SpiderSchema
from partwise_papers.spider.filling import fill, literals_of
from partwise_papers.spider.links import declared_schema

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
