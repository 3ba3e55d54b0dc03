"""Counting what is covered, by construct."""

from __future__ import annotations

from pathlib import Path

from partwise_papers.spider.coverage import ConversionCounts, constructs, convert_all, fill_all
from partwise_papers.spider.data import SpiderQuestion, SpiderSchema


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
