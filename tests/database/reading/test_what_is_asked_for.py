"""What is asked for in other words, and what is shown beside names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from asked_database import AskedDatabase, asked_database

SCRIPT = """
CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES shelf);
CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT, contact_person TEXT, city TEXT, country TEXT,
    commission_percent REAL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, country TEXT,
    referred_by INTEGER REFERENCES customers);
CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, job_title TEXT, hired_on DATE,
    left_on DATE);
CREATE TABLE toy (id INTEGER PRIMARY KEY, name TEXT, shop_id INTEGER REFERENCES shop,
    shelf_id INTEGER REFERENCES shelf, price REAL, stock INTEGER, state TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers,
    ordered_on DATE);
CREATE TABLE order_lines (order_id INTEGER REFERENCES orders, toy_id INTEGER REFERENCES toy,
    quantity INTEGER, PRIMARY KEY (order_id, toy_id));
INSERT INTO shelf VALUES (1, 'Games', NULL), (2, 'Puzzles', 1), (3, 'Dice', 1), (4, 'Dolls', NULL);
INSERT INTO shop VALUES (1, 'Red Barn', 'Ida Falk', 'Ulm', 'United Kingdom', 7.5),
    (2, 'Blue Loft', 'Jon Weir', 'Jena', 'Norway', 9.0);
INSERT INTO customers VALUES (1, 'Ann', 'Ulm', 'Norway', NULL), (2, 'Bob', 'Jena', 'Norway', 1),
    (3, 'Cid', 'Bonn', 'United Kingdom', 1);
INSERT INTO staff VALUES (1, 'Eva Stern', 'packer', '2020-01-01', '2020-01-31');
INSERT INTO toy VALUES (1, 'Oak Castle', 1, 4, 30.0, 5, 'in repair'),
    (2, 'Tin Robot', 2, 2, 12.0, 8, 'new'), (3, 'Rag Bear', 2, 4, 9.0, 2, 'new');
INSERT INTO orders VALUES (41, 1, '2024-03-01'), (42, 2, '2024-05-01');
INSERT INTO order_lines VALUES (41, 1, 1), (41, 2, 2), (42, 3, 1);
"""


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with asked_database(SCRIPT, tmp_path_factory.mktemp("toys") / "toys.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("toys from Blue Loft - number", {(2,)}),
        ("toys with an above-average price", {("Oak Castle",)}),
        ("what commission do we take from red barn", {(7.5,)}),
        ("who has referred the most", {("Ann",)}),
        ("what was in order 41", {("Oak Castle",), ("Tin Robot",)}),
        ("toys with their price", {("Oak Castle", 30.0), ("Tin Robot", 12.0), ("Rag Bear", 9.0)}),
        ("uk shops", {("Red Barn",)}),
        ("are there any shops in Japan", {(0,)}),
        ("toys being repaired", {("Oak Castle",)}),
    ],
)
def test_what_is_asked_for(
    toys: AskedDatabase, question: str, wanted: set[tuple[Any, ...]]
) -> None:
    assert wanted in map(set, toys.answers(question, first=40))


def test_different_values_in_an_order(toys: AskedDatabase) -> None:
    wanted = [("in repair",), ("new",)]
    for question in ("different states of toys, alphabetically", "states of toys from a to z"):
        assert wanted in toys.answers(question), question
