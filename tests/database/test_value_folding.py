"""One value in several spellings is one value, with a note."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from cases import cases
from partwise.database.domain import DatabaseDomain
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.program import (  # noqa: F401
    Aggregate,
    Compare,
    Condition,
    Field,
    Figure,
    Not,
    OneOf,
    Related,
    Rows,
    Value,
)
from partwise.execution.relational.schema import Link

SCRIPT = """
CREATE TABLE country (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE sale (id INTEGER PRIMARY KEY, country_id INTEGER, state TEXT, sex TEXT);
INSERT INTO country VALUES (1, 'Germany'), (2, 'GERMANY'), (3, ' germany'), (4, 'C'), (5, 'C++');
INSERT INTO country VALUES (6, 'Côte d''Ivoire'), (7, 'Cote d''Ivoire');
INSERT INTO sale VALUES (1, 1, 'cancelled', 'M'), (2, 2, 'Cancelled', 'm'), (3, 3, 'paid', 'male');
INSERT INTO sale VALUES (4, 4, NULL, 'F'), (5, 4, 'paid ', 'F'), (6, 5, 'open', 'F');
"""
COUNTRY = Field((Link("sale", "country_id", "country"),), "name")


@pytest.fixture(scope="module")
def domain(tmp_path_factory: pytest.TempPathFactory) -> DatabaseDomain:
    path = tmp_path_factory.mktemp("made") / "made.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCRIPT)
    source = connect(path)
    layer = import_database(source, "made")
    return DatabaseDomain(layer, source, ValueIndex.build(source, layer))


@cases("table, where, count, notes")
def test_spellings_are_one_value(
    table: str, where: Condition, count: int, notes: int, domain: DatabaseDomain
) -> None:
    answer = domain.run(Figure(Rows(table, where), Aggregate("count")))
    assert answer.rows == ((count,),)
    assert len(answer.notes) == notes
    assert answer.explanation.sql.count("'") >= 2 * notes


def test_the_note_names_them(domain: DatabaseDomain) -> None:
    where = Compare(Field((), "state"), "=", Value("cancelled"))
    answer = domain.run(Figure(Rows("sale", where), Aggregate("count")))
    assert answer.notes == ("state: 'cancelled' and 'Cancelled' are taken as one value",)
