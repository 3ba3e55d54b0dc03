"""Which figures an import finds: what was taken, spent and sold, and what things are worth."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from partwise.database.layer.formulas import Formula, write_formula
from partwise.database.layer.model import Measure, SemanticLayer
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database


def _layer(tmp_path: Path, script: str) -> SemanticLayer:
    with closing(sqlite3.connect(tmp_path / "made.db")) as connection:
        connection.executescript(script)
    source = connect(tmp_path / "made.db")
    layer = import_database(source, "made")
    source.close()
    return layer


def _formula(layer: SemanticLayer, one: Measure) -> str:
    return write_formula(Formula(one.function, one.of, None, False), layer.schema, one.table)


CLIENT = "CREATE TABLE client (client_id INTEGER PRIMARY KEY, name TEXT);"
SUPPLIER = "CREATE TABLE supplier (supplier_id INTEGER PRIMARY KEY, name TEXT);"


@pytest.mark.parametrize(
    ("columns", "formula"),
    [
        ("tonnes REAL, price_per_tonne REAL", "sum of tonnes * price_per_tonne"),
        ("hours REAL, hourly_rate REAL", "sum of hours * hourly_rate"),
        ("nights INTEGER, rate REAL", "sum of nights * rate"),
        ("tickets INTEGER, ticket_price REAL", "sum of tickets * ticket_price"),
        ("qty INTEGER, net_price REAL", "sum of qty * net_price"),
        ("kegs INTEGER, price_per_keg REAL", "sum of kegs * price_per_keg"),
    ],
)
def test_a_quantity_times_its_price_is_revenue(tmp_path: Path, columns: str, formula: str) -> None:
    layer = _layer(
        tmp_path,
        f"""{CLIENT}
        CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, sold_on DATE,
                           client_id INTEGER REFERENCES client (client_id), {columns});
        INSERT INTO client VALUES (1, 'Ada'), (2, 'Bo');
        INSERT INTO sale VALUES (1, '2024-01-02', 1, 3, 10.5), (2, '2024-01-03', 2, 4, 9);""",
    )
    assert _formula(layer, layer.measure("revenue")) == formula
    assert layer.table("sale").measure == "revenue"


def test_the_price_of_a_line_may_be_that_of_its_product(tmp_path: Path) -> None:
    layer = _layer(
        tmp_path,
        f"""{CLIENT}
        CREATE TABLE product (product_id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER,
                              cost_price REAL);
        CREATE TABLE orders (order_id INTEGER PRIMARY KEY, ordered_on DATE,
                             client_id INTEGER REFERENCES client (client_id));
        CREATE TABLE order_line (order_id INTEGER REFERENCES orders (order_id),
                                 product_id INTEGER REFERENCES product (product_id),
                                 quantity INTEGER);
        INSERT INTO client VALUES (1, 'Ada');
        INSERT INTO product VALUES (1, 'cup', 4.5, 7, 2), (2, 'hat', 20, 3, 11);
        INSERT INTO orders VALUES (1, '2024-01-02', 1);
        INSERT INTO order_line VALUES (1, 1, 2), (1, 2, 1);""",
    )
    made = {one.label: _formula(layer, one) for one in layer.measures}
    assert made["revenue"] == "sum of quantity * product.price"
    assert made["units sold"] == "sum of quantity"
    assert made["profit"] == "sum of quantity * product.price - quantity * product.cost_price"
    assert made["stock value"] == "sum of stock * price"


def test_stock_is_worth_its_cost_by_the_unit(tmp_path: Path) -> None:
    layer = _layer(
        tmp_path,
        """CREATE TABLE grain (grain_id INTEGER PRIMARY KEY, name TEXT, stock_kg REAL,
                              cost_per_kg REAL);
        INSERT INTO grain VALUES (1, 'oats', 20, 1.5), (2, 'rye', 5, 2);""",
    )
    made = {one.label: _formula(layer, one) for one in layer.measures}
    assert made == {"stock value": "sum of stock_kg * cost_per_kg"}


def test_a_line_without_a_quantity_is_worth_its_price(tmp_path: Path) -> None:
    layer = _layer(
        tmp_path,
        f"""{CLIENT}
        CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, visited_on DATE,
                            client_id INTEGER REFERENCES client (client_id));
        CREATE TABLE service (service_id INTEGER PRIMARY KEY, name TEXT, usual_price REAL);
        CREATE TABLE tool (tool_id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE visit_service (visit_id INTEGER REFERENCES visit (visit_id),
                                    service_id INTEGER REFERENCES service (service_id),
                                    price REAL);
        CREATE TABLE visit_tool (visit_id INTEGER REFERENCES visit (visit_id),
                                 tool_id INTEGER REFERENCES tool (tool_id), price REAL);
        INSERT INTO client VALUES (1, 'Ada');
        INSERT INTO visit VALUES (1, '2024-01-02', 1);
        INSERT INTO service VALUES (1, 'cut', 20);
        INSERT INTO tool VALUES (1, 'comb');
        INSERT INTO visit_service VALUES (1, 1, 18.5);
        INSERT INTO visit_tool VALUES (1, 1, 2.5);""",
    )
    made = {(one.table, one.label): _formula(layer, one) for one in layer.measures}
    assert made == {("visit_service", "revenue"): "sum of price"}


def test_what_is_paid_to_suppliers_is_no_revenue(tmp_path: Path) -> None:
    layer = _layer(
        tmp_path,
        f"""{CLIENT}{SUPPLIER}
        CREATE TABLE bill (bill_id INTEGER PRIMARY KEY, billed_on DATE, total REAL,
                           client_id INTEGER REFERENCES client (client_id));
        CREATE TABLE supply_order (supply_order_id INTEGER PRIMARY KEY, ordered_on DATE,
                                   amount REAL,
                                   supplier_id INTEGER REFERENCES supplier (supplier_id));
        INSERT INTO client VALUES (1, 'Ada');
        INSERT INTO supplier VALUES (1, 'Mill');
        INSERT INTO bill VALUES (1, '2024-01-02', 12.5, 1);
        INSERT INTO supply_order VALUES (1, '2024-01-02', 99, 1);""",
    )
    taken = [one.label for one in layer.measures if "revenue" in one.names]
    assert taken == ["bill total"]
    assert "spending" in layer.measure("supply_order_amount").synonyms


def test_what_things_are_worth_and_what_was_earned(tmp_path: Path) -> None:
    layer = _layer(
        tmp_path,
        f"""{CLIENT}
        CREATE TABLE boat (boat_id INTEGER PRIMARY KEY, name TEXT, purchase_price REAL,
                           client_id INTEGER REFERENCES client (client_id));
        CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, sale_date DATE, sale_price REAL,
                           boat_id INTEGER REFERENCES boat (boat_id));
        CREATE TABLE rope (rope_id INTEGER PRIMARY KEY, name TEXT, qty INTEGER, unit_price REAL,
                           boat_id INTEGER REFERENCES boat (boat_id));
        INSERT INTO client VALUES (1, 'Ada');
        INSERT INTO boat VALUES (1, 'Wren', 800, 1);
        INSERT INTO sale VALUES (1, '2024-01-02', 990, 1);
        INSERT INTO rope VALUES (1, 'tow rope', 2, 5.5, 1);""",
    )
    made = {one.label: _formula(layer, one) for one in layer.measures}
    assert made["profit"] == "sum of sale_price - boat.purchase_price"
    assert made["rope value"] == "sum of qty * unit_price"
    assert "revenue" in layer.measure("sale_price").synonyms
    assert "profit is a measure of sale" in " ".join(layer.notes)


def test_what_rows_of_events_add_up_to_besides_money(tmp_path: Path) -> None:
    layer = _layer(
        tmp_path,
        f"""{CLIENT}
        CREATE TABLE visit (visit_id INTEGER PRIMARY KEY, visited_on DATE, hours REAL,
                            weight_kg REAL, lead_hours REAL, amount_eur REAL,
                            client_id INTEGER REFERENCES client (client_id));
        INSERT INTO client VALUES (1, 'Ada'), (2, 'Bo');
        INSERT INTO visit VALUES (1, '2024-01-02', 1.5, 20.5, 2, 90, 1);""",
    )
    made = {one.label: _formula(layer, one) for one in layer.measures}
    assert made == {
        "amount eur": "sum of amount_eur",
        "visit hours": "sum of hours",
        "weight kg": "sum of weight_kg",
    }
    assert "hours" in layer.measure("visit_hours").names
