"""Totals of what belongs to each row: what a store has taken, and the average of it."""

from __future__ import annotations

import pytest
from bakery import check_reading

SALES = "sale JOIN bread ON bread.id = bread_id"
EACH = f"SELECT AVG(t) FROM (SELECT SUM(quantity * price) AS t FROM {SALES} GROUP BY store_id)"


@pytest.mark.parametrize(
    ("question", "labels", "sql"),
    [
        (
            "average revenue per store",
            "agg:average revenue per store",
            EACH,
        ),
        (
            "average store takings",
            "agg:average store",
            EACH,
        ),
        (
            "what is the revenue of a store on average",
            "revenue store agg:average",
            EACH,
        ),
        (
            "stores over 60",
            "store sign:> 60",
            f"SELECT store.name FROM {SALES} JOIN store ON store.id = store_id GROUP BY store_id"
            " HAVING SUM(quantity * price) > 60",
        ),
        (
            "how much did each Jena store make",
            "agg:sum per store.city=Jena store",
            f"SELECT store.name, SUM(quantity * price) FROM {SALES} JOIN store ON"
            " store.id = store_id"
            " WHERE city = 'Jena' GROUP BY store_id",
        ),
    ],
)
def test_totals_of_rows_are_read(question: str, labels: str, sql: str) -> None:
    check_reading(question, labels, sql)
