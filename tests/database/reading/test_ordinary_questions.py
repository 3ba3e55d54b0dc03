"""Which of two comes first, what lasts, and what is missing or nothing."""

from __future__ import annotations

from pathlib import Path

from asked_database import AskedDatabase, asked_database, example

yard = example("yard")


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
