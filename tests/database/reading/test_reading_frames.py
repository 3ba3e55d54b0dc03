"""Labels become frames and these programs, which give the rows that a question asks for."""

from __future__ import annotations

import pytest
from bakery import database, interpreter, read_as, rows_by_sql, rows_of, rows_wanted

SEEDS = (0, 1, 2)
"""Several contents, so that no wrong program gives the wanted rows by chance."""
JOINED = "FROM sale s JOIN bread b ON b.id = s.bread_id JOIN store t ON t.id = s.store_id"
SOLD_OF = "(SELECT 1 FROM sale s WHERE s.bread_id = b.id)"
MADE_BY = "(SELECT 1 FROM bread b WHERE b.baker_id = a.id"
CASES: dict[str, list[tuple[str, str, str]]] = {
    "lookups": [
        ("bakers", "baker", "SELECT name FROM baker"),
        ("the towns of the bakers", "baker.town baker", "SELECT town FROM baker"),
        ("name and price of all breads", "name bread.price bread", "SELECT name, price FROM bread"),
        (
            "what is the wage of Ada Moss",
            "baker.wage baker.name=Ada_Moss",
            "SELECT wage FROM baker WHERE name = 'Ada Moss'",
        ),
        (
            "different kinds of bread",
            "distinct bread.kind bread",
            "SELECT DISTINCT kind FROM bread",
        ),
        ("who is from Jena", "baker baker.town=Jena", "SELECT name FROM baker WHERE town = 'Jena'"),
    ],
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
    "filters": [
        ("rye breads", "bread.kind=rye bread", "SELECT name FROM bread WHERE kind = 'rye'"),
        (
            "breads with a price over 3",
            "bread bread.price sign:> 3",
            "SELECT name FROM bread WHERE price > 3",
        ),
        (
            "breads whose weight is at most 400",
            "bread bread.weight sign:<= 400",
            "SELECT name FROM bread WHERE weight <= 400",
        ),
        (
            "breads with a weight between 100 and 900",
            "bread bread.weight between 100 between_and 900",
            "SELECT name FROM bread WHERE weight BETWEEN 100 AND 900",
        ),
        (
            "breads over 3 euros",
            "bread sign:> 3eur",
            "SELECT name FROM bread WHERE price > 3",
        ),
        (
            "bakers whose town is not Xanten",
            "baker baker.town not 'Xanten'",
            "SELECT name FROM baker WHERE town <> 'Xanten'",
        ),
        (
            "bakers whose town starts with 4",
            "baker baker.town starts 4",
            "SELECT name FROM baker WHERE town LIKE '4%'",
        ),
        (
            "bakers whose town is 491",
            "baker baker.town 491",
            "SELECT name FROM baker WHERE town = '491'",
        ),
        ("vegan breads", "bread.vegan bread", "SELECT name FROM bread WHERE vegan"),
        (
            "bakers whose name contains 'at'",
            "baker name contains 'at'",
            "SELECT name FROM baker WHERE name LIKE '%at%'",
        ),
        (
            'breads that start with "Dark"',
            "bread starts 'Dark'",
            "SELECT name FROM bread WHERE name LIKE 'Dark%'",
        ),
        (
            "breads with unknown shelf",
            "bread missing bread.shelf",
            "SELECT name FROM bread WHERE shelf IS NULL",
        ),
        (
            "breads heavier than 500",
            "bread sign:>@bread.weight 500",
            "SELECT name FROM bread WHERE weight > 500",
        ),
    ],
    "units": [
        (
            "breads heavier than a kilo",
            "bread sign:>@bread.weight 1kg",
            "SELECT name FROM bread WHERE weight > 1000",
        ),
        (
            "breads with a weight of 1.5 kg",
            "bread bread.weight 1.5kg",
            "SELECT name FROM bread WHERE weight = 1500",
        ),
        (
            "the weights of the breads in kilos",
            "bread.weight bread unit:kg",
            "SELECT weight / 1000.0 FROM bread",
        ),
    ],
    "links": [
        (
            "breads of Ada Moss",
            "bread baker.name=Ada_Moss",
            "SELECT b.name FROM bread b, baker a WHERE a.id = b.baker_id AND a.name = 'Ada Moss'",
        ),
        (
            "sales in Jena",
            "sale store.city=Jena",
            "SELECT s.id, s.bread_id, s.store_id, s.day, s.quantity FROM sale s "
            "JOIN store t ON t.id = s.store_id WHERE t.city = 'Jena'",
        ),
        (
            "bakers of rye breads",
            "baker bread.kind=rye bread",
            f"SELECT name FROM baker a WHERE EXISTS {MADE_BY} AND kind = 'rye')",
        ),
        (
            "stores that sold Brioche",
            "store bread.name=Brioche",
            "SELECT name FROM store WHERE id IN (SELECT store_id FROM sale s JOIN bread b "
            "ON b.id = s.bread_id WHERE b.name = 'Brioche')",
        ),
        (
            "breads and their bakers' towns",
            "bread baker.town",
            "SELECT a.town FROM bread b JOIN baker a ON a.id = b.baker_id",
        ),
    ],
    "names of linked rows": [
        (
            "breads and their bakers",
            "bread baker",
            "SELECT b.name, a.name FROM bread b JOIN baker a ON a.id = b.baker_id",
        ),
        (
            "bakers in Ulm with their breads",
            "baker baker.town=Ulm bread",
            "SELECT a.name, b.name FROM bread b JOIN baker a ON a.id = b.baker_id "
            "WHERE a.town = 'Ulm'",
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
    "superlatives": [
        (
            "the oldest baker",
            "dir:asc@baker.born baker",
            "SELECT name FROM baker ORDER BY born LIMIT 1",
        ),
        (
            "the three heaviest breads",
            "3 dir:desc@bread.weight bread",
            "SELECT name FROM bread ORDER BY weight DESC LIMIT 3",
        ),
        (
            "the bread with the highest price",
            "bread dir:desc bread.price",
            "SELECT name FROM bread ORDER BY price DESC, id LIMIT 1",
        ),
        (
            "which baker has the most breads",
            "baker dir:desc bread",
            "SELECT a.name FROM baker a JOIN bread b ON b.baker_id = a.id GROUP BY a.id "
            "ORDER BY count(*) DESC, a.id LIMIT 1",
        ),
        (
            "the city with the most stores",
            "store.city dir:desc store",
            "SELECT city FROM store GROUP BY city ORDER BY count(*) DESC, city LIMIT 1",
        ),
        (
            "top 2 kinds by number of breads",
            "dir:desc 2 bread.kind bread",
            "SELECT kind FROM bread GROUP BY kind ORDER BY count(*) DESC, kind LIMIT 2",
        ),
        (
            "top 2 stores by revenue",
            "dir:desc 2 store revenue",
            f"SELECT t.name {JOINED} GROUP BY t.id ORDER BY sum(s.quantity * b.price) DESC LIMIT 2",
        ),
        (
            "breads sorted by price",
            "bread sort:asc bread.price",
            "SELECT name FROM bread ORDER BY price",
        ),
        (
            "the cheapest rye bread",
            "dir:asc@bread.price bread.kind=rye bread",
            "SELECT name FROM bread WHERE kind = 'rye' ORDER BY price LIMIT 1",
        ),
        (
            "kind with the most breads",
            "bread.kind dir:desc bread",
            "SELECT kind FROM bread GROUP BY kind ORDER BY count(*) DESC, kind LIMIT 1",
        ),
    ],
    "dates": [
        (
            "sales in 2023",
            "sale period",
            "SELECT id, bread_id, store_id, day, quantity FROM sale WHERE day LIKE '2023%'",
        ),
        (
            "how many sales last month",
            "count sale period",
            "SELECT count(*) FROM sale WHERE day LIKE '2024-04%'",
        ),
        (
            "how many sales since february 2024",
            "count sale sign:>= period",
            "SELECT count(*) FROM sale WHERE day >= '2024-02-01'",
        ),
        (
            "bakers with a birth date before 1980",
            "baker baker.born sign:< period",
            "SELECT name FROM baker WHERE born < '1980-01-01'",
        ),
        (
            "stores with opening year after 2010",
            "store store.opening_year sign:> period",
            "SELECT name FROM store WHERE opening_year > 2010",
        ),
        (
            "revenue in march",
            "revenue period",
            "SELECT sum(s.quantity * b.price) FROM sale s JOIN bread b ON b.id = s.bread_id "
            "WHERE strftime('%m', day) = '03'",
        ),
        (
            "breads with sales in 2024",
            "bread sale period",
            f"SELECT name FROM bread b WHERE EXISTS {SOLD_OF[:-1]} AND s.day >= '2024-01-01')",
        ),
        (
            "when was Dora Salz born",
            "baker.born baker.name=Dora_Salz",
            "SELECT born FROM baker WHERE name = 'Dora Salz'",
        ),
    ],
    "negation": [
        (
            "breads that are not rye",
            "bread not bread.kind=rye",
            "SELECT name FROM bread WHERE kind <> 'rye'",
        ),
        (
            "bakers without breads",
            "baker not bread",
            f"SELECT name FROM baker a WHERE NOT EXISTS {MADE_BY})",
        ),
        (
            "breads without sales",
            "bread not sale",
            f"SELECT name FROM bread b WHERE NOT EXISTS {SOLD_OF}",
        ),
        (
            "breads other than Brioche",
            "bread sign:!= bread.name=Brioche",
            "SELECT name FROM bread WHERE name <> 'Brioche'",
        ),
        (
            "bakers who do not bake rye",
            "baker not bread.kind=rye",
            f"SELECT name FROM baker a WHERE NOT EXISTS {MADE_BY} AND kind = 'rye')",
        ),
    ],
    "or and both": [
        (
            "rye or sweet breads",
            "bread.kind=rye or bread.kind=sweet bread",
            "SELECT name FROM bread WHERE kind IN ('rye', 'sweet')",
        ),
        (
            "breads of kind rye or with a price over 3",
            "bread bread.kind=rye or bread.price sign:> 3",
            "SELECT name FROM bread WHERE kind = 'rye' OR price > 3",
        ),
        (
            "bakers who bake both wheat and sweet breads",
            "baker both bread.kind=wheat bread.kind=sweet",
            f"SELECT name FROM baker a WHERE EXISTS {MADE_BY} AND kind = 'wheat') "
            f"AND EXISTS {MADE_BY} AND kind = 'sweet')",
        ),
    ],
    "yes or no": [
        (
            "is there a sweet bread",
            "yesno bread.kind=sweet bread",
            "SELECT EXISTS (SELECT 1 FROM bread WHERE kind = 'sweet')",
        ),
        (
            "are there bakers from Kiel",
            "yesno baker store.city=Kiel",
            "SELECT EXISTS (SELECT 1 FROM store WHERE city = 'Kiel' "
            "AND id IN (SELECT store_id FROM sale))",
        ),
    ],
    "arms": [
        (
            "towns shared by bakers with a wage more than 2900 and a wage less than 2200",
            "baker.town baker baker.wage sign:> 2900 baker.wage sign:< 2200",
            "SELECT town FROM baker WHERE wage > 2900 INTERSECT "
            "SELECT town FROM baker WHERE wage < 2200",
        ),
        (
            "kinds of bread that are in front but not in the back",
            "bread.kind bread bread.shelf=front not bread.shelf=back",
            "SELECT kind FROM bread WHERE shelf = 'front' EXCEPT "
            "SELECT kind FROM bread WHERE shelf = 'back'",
        ),
        (
            "towns without any baker with a wage more than 2500",
            "baker.town not baker baker.wage sign:> 2500",
            "SELECT DISTINCT town FROM baker WHERE town NOT IN "
            "(SELECT town FROM baker WHERE wage > 2500 AND town IS NOT NULL)",
        ),
        (
            "the names of breads of the baker with the highest wage",
            "bread.name baker dir:desc baker.wage",
            "SELECT b.name FROM bread b WHERE b.baker_id = "
            "(SELECT id FROM baker ORDER BY wage DESC, id LIMIT 1)",
        ),
        (
            "breads with a price lower than all sweet breads",
            "bread bread.price sign:< bread.kind=sweet",
            "SELECT name FROM bread WHERE price < "
            "(SELECT min(price) FROM bread WHERE kind = 'sweet')",
        ),
    ],
    "nested": [
        (
            "breads with a price above the average",
            "bread bread.price sign:> agg:average",
            "SELECT name FROM bread WHERE price > (SELECT avg(price) FROM bread)",
        ),
        (
            "breads heavier than Brioche",
            "bread sign:>@bread.weight bread.name=Brioche",
            "SELECT name FROM bread WHERE weight > "
            "(SELECT weight FROM bread WHERE name = 'Brioche')",
        ),
        (
            "bakers with a wage lower than the average wage",
            "baker baker.wage sign:< agg:average baker.wage",
            "SELECT name FROM baker WHERE wage < (SELECT avg(wage) FROM baker)",
        ),
    ],
}
EVERY = [
    pytest.param(*case, id=f"{kind}: {case[0]}") for kind, cases in CASES.items() for case in cases
]


def _listed(labels: str) -> list[str]:
    """Labels with blanks between them; a blank in a value is written as a low line."""
    return [one.replace("_", " ") if ".name=" in one else one for one in labels.split()]


@pytest.mark.parametrize(("question", "labels", "sql"), EVERY)
def test_the_right_program_is_among_those_of_the_labels(
    question: str, labels: str, sql: str
) -> None:
    made = read_as(question, _listed(labels))
    assert made
    wanted = {seed: rows_wanted(sql, seed) for seed in SEEDS}
    assert any(all(rows_of(one, seed) == wanted[seed] for seed in SEEDS) for one in made)


@pytest.mark.parametrize(("question", "labels", "sql"), EVERY)
def test_every_program_runs_on_sqlite_as_in_the_interpreter(
    question: str, labels: str, sql: str
) -> None:
    for one in read_as(question, _listed(labels)):
        assert rows_by_sql(one, 0) == rows_of(one, 0)


@pytest.mark.parametrize(
    ("question", "labels", "sql"),
    [
        (
            "breads sorted by price",
            "bread sort:asc bread.price",
            "SELECT name FROM bread ORDER BY price, id",
        ),
        (
            "breads by weight in descending order",
            "bread bread.weight sort:desc",
            "SELECT name FROM bread ORDER BY weight DESC, id",
        ),
        (
            "the 3 cheapest breads",
            "3 dir:asc@bread.price bread",
            "SELECT name FROM bread ORDER BY price, id LIMIT 3",
        ),
        (
            "towns of bakers in alphabetical order",
            "baker.town baker sort:asc",
            "SELECT town FROM baker ORDER BY town IS NULL, town, id",
        ),
        ("bakers in alphabetical order", "baker sort:asc", "SELECT name FROM baker ORDER BY name"),
        (
            "breads ordered by kind and then price",
            "bread sort:asc bread.kind bread.price",
            "SELECT name FROM bread ORDER BY kind, price, id",
        ),
        (
            "breads ordered by kind and price descending",
            "bread sort:asc bread.kind bread.price sort:desc",
            "SELECT name FROM bread ORDER BY kind, price DESC, id",
        ),
        (
            "number of breads per kind in alphabetical order of kind",
            "count bread per bread.kind sort:asc bread.kind",
            "SELECT kind, count(*) FROM bread GROUP BY kind ORDER BY kind",
        ),
        (
            "stores per city, most first",
            "store per store.city sort:desc",
            "SELECT city, count(*) FROM store GROUP BY city ORDER BY count(*) DESC, city",
        ),
        (
            "top 2 breads by weight",
            "dir:desc 2 bread per bread.weight",
            "SELECT name FROM bread ORDER BY weight DESC, id LIMIT 2",
        ),
        (
            "the most common city of stores",
            "often:desc store.city store",
            "SELECT city FROM store GROUP BY city ORDER BY count(*) DESC, city LIMIT 1",
        ),
        (
            "which city is most common",
            "store.city often:desc",
            "SELECT city FROM store GROUP BY city ORDER BY count(*) DESC, city LIMIT 1",
        ),
    ],
)
def test_rows_come_in_the_order_that_is_asked_for(question: str, labels: str, sql: str) -> None:
    made = read_as(question, _listed(labels))
    for seed in SEEDS:
        wanted = list(database(seed).execute(sql))
        assert wanted in [interpreter(seed).run(one) for one in made]
