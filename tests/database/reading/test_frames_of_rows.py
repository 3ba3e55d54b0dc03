"""Labels of rows, of what is linked with them and of their order become frames and programs."""

from __future__ import annotations

import pytest
from bakery import database, interpreter
from frame_cases import JOINED, MADE_BY, SEEDS, Case, cases, gives_rows, made_of, runs_on_sqlite

CASES: dict[str, list[Case]] = {
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
            "SELECT s.id, b.name, t.name, s.day, s.quantity FROM sale s "
            "JOIN bread b ON b.id = s.bread_id JOIN store t ON t.id = s.store_id "
            "WHERE t.city = 'Jena'",
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
    made = made_of(question, labels)
    for seed in SEEDS:
        wanted = list(database(seed).execute(sql))
        assert wanted in [interpreter(seed).run(one) for one in made]
