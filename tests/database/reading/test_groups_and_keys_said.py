"""Groups that are said without "per", keys of rows without names, and columns beside names."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from functools import cache
from pathlib import Path

import pytest
import sqlalchemy as sa

from partwise.database.reading.features import FIRST_WEIGHTS, Weighted
from partwise.database.reading.frame import Frame, FrameOrder, Ref
from partwise.database.reading.labels import Labeller
from partwise.database.reading.people import who_what
from partwise.database.reading.rated import ranks_others
from partwise.database.reading.search import Search
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.database.spans.text import words_of
from partwise.execution.relational.sql import Compiler

SCRIPT = """
CREATE TABLE rider (rider_id INTEGER PRIMARY KEY, name TEXT, hired_on DATE, wage REAL);
CREATE TABLE errand (errand_id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES rider(rider_id),
    sender_id INTEGER REFERENCES rider(rider_id), ran_on DATE, mode TEXT, stars INTEGER,
    load_kg REAL);
CREATE TABLE snack (snack_id INTEGER PRIMARY KEY, errand_id INTEGER REFERENCES errand(errand_id),
    eaten_on DATE);
CREATE TABLE hut (hut_id INTEGER PRIMARY KEY, name TEXT, bunks INTEGER, cost_per_kg REAL);
INSERT INTO rider VALUES (1, 'Ann Lee', '2019-02-01', 11), (2, 'Bo Ray', '2021-03-01', 12),
    (3, 'Cy Fox', '2020-07-01', 13);
INSERT INTO hut VALUES (1, 'Cold Top', 4, 1.5), (2, 'Low Ford', 9, 2.5), (3, 'Pine Gap', 6, 3);
INSERT INTO errand VALUES (1, 1, 2, '2024-01-02', 'bike', 5, 2.5), (2, 2, 3, '2024-01-04', 'foot',
    4, 1.5), (3, 1, 3, '2024-02-02', 'bike', 5, 3.5), (4, 3, 1, '2024-03-02', 'foot', 2, 0.5),
    (5, 3, 1, '2024-03-05', 'tram', 2, 0.5), (6, 2, 1, '2024-03-09', 'tram', 5, 0.75),
    (7, 3, 1, '2024-01-05', 'tram', 2, 0.25), (8, 2, 1, '2024-01-09', 'tram', 5, 0.75),
    (9, 3, 1, '2024-01-06', 'foot', 2, 0.25), (10, 2, 1, '2024-01-08', 'bike', 5, 0.5);
"""


@cache
def _labeller(file: Path) -> Labeller:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(SCRIPT)
    with closing(connect(file)) as source:
        layer = import_database(source, "riders")
        return Labeller(layer, ValueIndex.build(source, layer))


@pytest.fixture(scope="module")
def labeller(tmp_path_factory: pytest.TempPathFactory) -> Labeller:
    return _labeller(tmp_path_factory.mktemp("riders") / "riders.db")


def _rows(labeller: Labeller, question: str) -> list[list[tuple[object, ...]]]:
    """The sorted rows of each reading, the best first."""
    words = words_of(question)
    labels = labeller.labels(words, date(2024, 5, 5))
    search = Search(labeller.layer, words, labels, Weighted(words, FIRST_WEIGHTS))
    made = []
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCRIPT)
        for one in search.readings()[:20]:
            statement = (
                Compiler(labeller.layer.schema, True)
                .select(one.program)
                .compile(
                    dialect=sa.dialects.sqlite.dialect(),
                    compile_kwargs={"render_postcompile": True},
                )
            )
            given = [statement.params[name] for name in statement.positiontup or ()]
            values = [one.isoformat() if isinstance(one, date) else one for one in given]
            made.append(sorted(connection.execute(statement.string, values).fetchall(), key=str))
    return made


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("modes breakdown", "SELECT mode, count(*) FROM errand GROUP BY 1"),
        ("distribution of modes", "SELECT mode, count(*) FROM errand GROUP BY 1"),
        ("which modes and how many of each", "SELECT mode, count(*) FROM errand GROUP BY 1"),
        (
            "bike vs tram",
            "SELECT mode, count(*) FROM errand WHERE mode IN ('bike', 'tram') GROUP BY 1",
        ),
        (
            "average load kg of each sender",
            "SELECT r.name, avg(load_kg) FROM errand e JOIN rider r ON r.rider_id = e.sender_id "
            "GROUP BY 1",
        ),
        ("how many 5 star errands", "SELECT count(*) FROM errand WHERE stars = 5"),
        ("last two errands", "SELECT errand_id FROM errand ORDER BY ran_on DESC LIMIT 2"),
        ("last two errands", "SELECT errand_id, ran_on FROM errand ORDER BY ran_on DESC LIMIT 2"),
        ("how many errands of each kind", "SELECT mode, count(*) FROM errand GROUP BY 1"),
        ("what does low ford cost a kilo", "SELECT cost_per_kg FROM hut WHERE hut_id = 2"),
        (
            "which rider has the worst errands",
            "SELECT name FROM rider r JOIN errand e ON e.rider_id = r.rider_id GROUP BY "
            "r.rider_id ORDER BY avg(stars) LIMIT 1",
        ),
        ("two huts with most bunks", "SELECT name, bunks FROM hut ORDER BY bunks DESC LIMIT 2"),
        ("huts with their bunks", "SELECT name, bunks FROM hut"),
        ("huts and how many bunks they have", "SELECT name, bunks FROM hut"),
    ],
)
def test_a_right_reading_can_be_reached(labeller: Labeller, question: str, sql: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCRIPT)
        right = sorted(connection.execute(sql).fetchall(), key=str)
    assert right in _rows(labeller, question)


def test_a_superlative_is_of_rows_that_are_linked(labeller: Labeller) -> None:
    layer = labeller.layer
    ordered = Frame(order=FrameOrder(Ref("hut", "bunks"), True))
    assert ranks_others(ordered, "rider", layer)
    assert not ranks_others(ordered, "hut", layer)
    eaten = Frame(order=FrameOrder(Ref("snack", "eaten_on"), True))
    assert not ranks_others(eaten, "rider", layer)


def test_who_and_what_are_shown_by_what_rows_link() -> None:
    assert list(who_what(words_of("last 3 loans, who lent what"))) == [(4, 7)]
    assert list(who_what(words_of("who lent what"))) == []
