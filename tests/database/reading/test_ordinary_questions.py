"""Which of two comes first, what lasts, and what is missing or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from asked_database import Answer, AskedDatabase, asked_database

SCRIPT = """
CREATE TABLE staff (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT,
    monthly_salary INTEGER, commission_percent REAL, hire_date DATE);
CREATE TABLE client (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, town TEXT);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length_m REAL, dt_reg DATE, ins_exp DATE);
CREATE TABLE sale (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat,
    salesperson_id INTEGER REFERENCES staff, buyer_id INTEGER REFERENCES client,
    price INTEGER, sold_on DATE, paid_on DATE);
CREATE TABLE campaign (id INTEGER PRIMARY KEY, name TEXT, start_date DATE, end_date DATE);
INSERT INTO staff VALUES (1, 'Ann', 'Moss', 2000, 5, '2020-01-01'),
    (2, 'Bob', 'Nash', 3000, NULL, '2019-01-01'), (3, 'Cal', 'Ode', 2500, 0, '2021-01-01');
INSERT INTO client VALUES (1, 'Dee', 'Pratt', 'Cork'), (2, 'Eve', 'Quill', 'Cobh');
INSERT INTO boat VALUES (1, 'Heron', 8.5, '2018-01-01', '2024-06-01'),
    (2, 'Kestrel', 12, '2020-01-01', '2025-06-01');
INSERT INTO sale VALUES (1, 1, 1, 2, 900, '2024-03-01', '2024-05-01'),
    (2, 2, 2, 1, 1500, '2024-06-01', NULL);
INSERT INTO campaign VALUES (1, 'Spring', '2024-03-01', '2024-04-30'),
    (2, 'Autumn', '2024-09-01', NULL);
"""


@pytest.fixture(scope="module")
def yard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with asked_database(SCRIPT, tmp_path_factory.mktemp("yard") / "yard.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("who sold Heron", [("Ann", "Moss")]),
        ("who bought Heron", [("Eve", "Quill")]),
        ("who earns more, Ann Moss or Bob Nash", [("Bob", "Nash")]),
        ("who earns less, Ann Moss or Bob Nash", [("Ann", "Moss")]),
        ("which boat is longer, Heron or Kestrel", [("Kestrel",)]),
        ("who spent more, Dee Pratt or Eve Quill", [("Dee", "Pratt")]),
        ("staff without a commission", [("Bob", "Nash"), ("Cal", "Ode")]),
        ("campaigns that ran on 5 april 2024", [("Spring",)]),
        ("campaigns on 1 november 2024", [("Autumn",)]),
    ],
)
def test_the_answer_is_among_the_first_readings(
    yard: AskedDatabase, question: str, rows: Answer
) -> None:
    assert rows in yard.answers(question)


def test_dates_are_named_as_people_name_them(yard: AskedDatabase) -> None:
    boat, sale = yard.layer.table("boat"), yard.layer.table("sale")
    names = {one.name: one.names for one in (*boat.columns, *sale.columns)}
    assert {"runs out", "insurance expiry date"} <= {*names["ins_exp"]}
    assert "registration date" in names["dt_reg"]
    assert {"paid", "settled"} <= {*names["paid_on"]}
    # A sale happens when something is sold.
    assert sale.date == "sold_on"


def test_a_first_name_is_no_table(yard: AskedDatabase) -> None:
    tables = [one for one in yard.labels("does ann earn more than bob") if one.kind == "table"]
    assert not [one for one in tables if one.start in (1, 5)]


def test_no_longer_is_no_time_and_an_order_is_worth_its_lines(tmp_path: Path) -> None:
    script = """
    CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client,
        ordered_on DATE, shipping_fee REAL);
    CREATE TABLE order_line (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders,
        quantity INTEGER, unit_price REAL);
    INSERT INTO client VALUES (1, 'Dee');
    INSERT INTO orders VALUES (7, 1, '2024-01-02', 5), (8, 1, '2024-01-03', 60);
    INSERT INTO order_line VALUES (1, 7, 2, 40), (2, 8, 1, 9.5);
    """
    with asked_database(script, tmp_path / "lines.db") as shop:
        assert [(7,)] in shop.answers("orders over 50", first=3)
        said = shop.labels("clients who no longer order")
        assert not [one for one in said if one.op.startswith("sign")]
