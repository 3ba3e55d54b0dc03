"""What is shown of rows that have no name."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from cases import cases
from partwise.database.domain import DatabaseDomain, hide, with_details
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.program import Field, Listing, Order, Rows

SCRIPT = """
CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE repair (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client,
    brought_on DATE, started_on DATE, work_done TEXT, cost REAL);
INSERT INTO client VALUES (1, 'Ada');
INSERT INTO repair VALUES (7, 1, '2024-01-01', '2024-01-03', 'new brakes', 90),
    (8, 1, '2024-02-01', '2024-02-02', 'new brakes', 80),
    (9, 1, '2024-03-01', NULL, 'new chain', 20);
"""
KEY = (Field((), "id"),)


@pytest.fixture
def domain(tmp_path: Path) -> DatabaseDomain:
    file = tmp_path / "garage.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(SCRIPT)
    source = connect(file)
    layer = import_database(source, "garage")
    return DatabaseDomain(layer, source, ValueIndex.build(source, layer), date(2025, 1, 1))


def test_rows_without_a_name_have_a_date_and_a_description(domain: DatabaseDomain) -> None:
    assert domain.layer.table("repair").display == ("id",)
    asked = Listing(Rows("repair"), KEY, (Order(Field((), "cost"), True),), 2)
    table = domain.run(asked)
    assert table.columns == ("id", "started on", "work done")
    assert table.rows == ((7, "2024-01-03", "new brakes"), (8, "2024-02-02", "new brakes"))
    assert "work_done" in domain.explain(asked).sql
    assert domain.explain(asked).restated == "The 2 repairs with the highest cost"


@cases("asked")
def test_what_has_a_name_or_was_asked_for_is_shown_alone(
    domain: DatabaseDomain, asked: Listing
) -> None:
    assert with_details(asked, domain.layer) == asked
    assert len(domain.run(asked).columns) == len(asked.shown)


def test_details_that_are_private_are_not_shown(domain: DatabaseDomain) -> None:
    layer = hide(domain.layer, {("repair", "started_on"), ("repair", "work_done")})
    hidden = DatabaseDomain(layer, domain.source, domain.index)
    assert hidden.run(Listing(Rows("repair"), KEY)).columns == ("id",)
