"""Labels of figures, alone and for groups, become frames and programs."""

from __future__ import annotations

import pytest
from frame_cases import JOINED, Case, cases, gives_rows, made_of, runs_on_sqlite

CASES: dict[str, list[Case]] = {
    "figures and values": [
        (
            "number and average price of breads per kind",
            "count agg:average bread.price bread per bread.kind",
            "SELECT kind, count(*), avg(price) FROM bread GROUP BY kind",
        ),
        (
            "how many bakers in Ulm town",
            "count baker baker.town=Ulm baker.town",
            "SELECT count(*) FROM baker WHERE town = 'Ulm'",
        ),
    ],
    "late functions": [
        (
            "what do the bakers in Ulm earn as wage on average",
            "baker baker.town=Ulm baker.wage agg:average",
            "SELECT avg(wage) FROM baker WHERE town = 'Ulm'",
        ),
        (
            "the quantity for each store all together",
            "sale.quantity per store agg:sum",
            "SELECT t.name, sum(s.quantity) FROM sale s JOIN store t ON t.id = s.store_id "
            "GROUP BY t.id",
        ),
        (
            "how many breads in total",
            "count bread agg:sum",
            "SELECT count(*) FROM bread",
        ),
    ],
    "silent figures": [
        (
            "how many towns of bakers are unknown",
            "count baker.town missing",
            "SELECT count(*) FROM baker WHERE town IS NULL",
        ),
        (
            "stores used more than 5 times",
            "store sign:> 5",
            "SELECT t.name FROM store t WHERE "
            "(SELECT count(*) FROM sale s WHERE s.store_id = t.id) > 5",
        ),
        (
            "stores with an average over 4",
            "store agg:average sign:> 4",
            "SELECT t.name FROM store t WHERE "
            "(SELECT avg(quantity) FROM sale s WHERE s.store_id = t.id) > 4",
        ),
        (
            "bakers whose wage is between 2 and 3 thousand",
            "baker baker.wage between 2 between_and 3000",
            "SELECT name FROM baker WHERE wage BETWEEN 2000 AND 3000",
        ),
    ],
    "shares": [
        (
            "percentage of breads that are rye",
            "share:percent bread bread.kind=rye",
            "SELECT 100.0 * (SELECT count(*) FROM bread WHERE kind = 'rye') / count(*) FROM bread",
        ),
        (
            "what share of wheat breads are vegan",
            "share:part bread.kind=wheat bread bread.vegan",
            "SELECT avg(vegan) FROM bread WHERE kind = 'wheat'",
        ),
        (
            "share of each kind of bread",
            "share:part per bread.kind bread",
            "SELECT kind, 100.0 * count(*) / (SELECT count(*) FROM bread) FROM bread GROUP BY kind",
        ),
        (
            "percentage of the quantity sold per store",
            "share:percent sale.quantity per store",
            "SELECT t.name, 100.0 * sum(s.quantity) / (SELECT sum(quantity) FROM sale) "
            "FROM sale s JOIN store t ON t.id = s.store_id GROUP BY t.id",
        ),
    ],
    "differences": [
        (
            "difference between the highest and lowest price",
            "difference:more agg:maximum agg:minimum bread.price",
            "SELECT max(price) - min(price) FROM bread",
        ),
        (
            "difference in price between Rye Loaf and Brioche",
            "difference:more bread.price bread.name=Rye_Loaf bread.name=Brioche",
            "SELECT (SELECT price FROM bread WHERE name = 'Rye Loaf') - "
            "(SELECT price FROM bread WHERE name = 'Brioche')",
        ),
        (
            "how many more bakers are from Ulm than from Jena",
            "difference:more baker baker.town=Ulm baker.town=Jena",
            "SELECT (SELECT count(*) FROM baker WHERE town = 'Ulm') - "
            "(SELECT count(*) FROM baker WHERE town = 'Jena')",
        ),
    ],
    "counts of several tables": [
        (
            "how many bakers and how many breads",
            "count baker count bread",
            "SELECT (SELECT count(*) FROM baker), (SELECT count(*) FROM bread)",
        ),
    ],
    "counts": [
        ("how many breads", "count bread", "SELECT count(*) FROM bread"),
        (
            "how many rye breads",
            "count bread.kind=rye bread",
            "SELECT count(*) FROM bread WHERE kind = 'rye'",
        ),
        (
            "number of sales in Jena",
            "count sale store.city=Jena",
            f"SELECT count(*) {JOINED} WHERE t.city = 'Jena'",
        ),
        (
            "how many different kinds of bread",
            "count bread.kind bread",
            "SELECT count(DISTINCT kind) FROM bread",
        ),
        (
            "how many breads did Ben Ott bake",
            "count bread baker.name=Ben_Ott",
            "SELECT count(*) FROM bread b, baker a WHERE a.id = b.baker_id AND a.name = 'Ben Ott'",
        ),
    ],
    "figures": [
        (
            "average price of rye breads",
            "agg:average bread.price bread.kind=rye bread",
            "SELECT avg(price) FROM bread WHERE kind = 'rye'",
        ),
        (
            "the total quantity of all sales",
            "agg:sum sale.quantity sale",
            "SELECT sum(quantity) FROM sale",
        ),
        (
            "highest and lowest price",
            "agg:maximum agg:minimum bread.price",
            "SELECT max(price), min(price) FROM bread",
        ),
        (
            "revenue in Jena",
            "revenue store.city=Jena",
            f"SELECT sum(s.quantity * b.price) {JOINED} WHERE t.city = 'Jena'",
        ),
        (
            "average wage of the bakers in Ulm",
            "agg:average baker.wage baker baker.town=Ulm",
            "SELECT avg(wage) FROM baker WHERE town = 'Ulm'",
        ),
    ],
    "groups": [
        (
            "number of breads per kind",
            "count bread per bread.kind",
            "SELECT kind, count(*) FROM bread GROUP BY kind",
        ),
        (
            "average price for each kind",
            "agg:average bread.price per bread.kind",
            "SELECT kind, avg(price) FROM bread GROUP BY kind",
        ),
        (
            "revenue by store",
            "revenue per store",
            f"SELECT t.name, sum(s.quantity * b.price) {JOINED} GROUP BY t.id",
        ),
        (
            "kinds with more than 1 bread",
            "bread.kind sign:> 1 bread",
            "SELECT kind FROM bread GROUP BY kind HAVING count(*) > 1",
        ),
        (
            "bakers with at least 2 breads",
            "baker sign:>= 2 bread",
            "SELECT a.name FROM baker a JOIN bread b ON b.baker_id = a.id "
            "GROUP BY a.id HAVING count(*) >= 2",
        ),
        (
            "quantity per year",
            "sale.quantity per part:year",
            "SELECT CAST(strftime('%Y', day) AS INTEGER), sum(quantity) FROM sale GROUP BY 1",
        ),
        (
            "revenue per city",
            "revenue per store.city",
            f"SELECT t.city, sum(s.quantity * b.price) {JOINED} GROUP BY t.city",
        ),
        (
            "oldest baker of each town",
            "dir:asc@baker.born baker per baker.town",
            "SELECT name FROM baker a WHERE town IS NOT NULL AND NOT EXISTS "
            "(SELECT 1 FROM baker o WHERE o.town = a.town AND o.born < a.born)",
        ),
    ],
}


@pytest.mark.parametrize(("question", "labels", "sql"), cases(CASES))
def test_the_right_program_is_among_those_of_the_labels(
    question: str, labels: str, sql: str
) -> None:
    assert gives_rows(made_of(question, labels), sql)


@pytest.mark.parametrize(("question", "labels", "sql"), cases(CASES))
def test_every_program_runs_on_sqlite_as_in_the_interpreter(
    question: str, labels: str, sql: str
) -> None:
    assert not [one for one in made_of(question, labels) if not runs_on_sqlite(one)]
