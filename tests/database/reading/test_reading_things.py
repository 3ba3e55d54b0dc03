"""Rows compared with things that are named, and periods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from asked_database import AskedDatabase, asked_database

SCRIPT = """
CREATE TABLE harbour (id INTEGER PRIMARY KEY, city TEXT);
CREATE TABLE sailor (id INTEGER PRIMARY KEY, name TEXT, birth_date DATE, wage INTEGER,
    manager_id INTEGER REFERENCES sailor);
CREATE TABLE ferry (id INTEGER PRIMARY KEY, name TEXT, length INTEGER, seats INTEGER,
    sold INTEGER, ordered INTEGER, year_built INTEGER);
CREATE TABLE trip (id INTEGER PRIMARY KEY, ferry_id INTEGER REFERENCES ferry,
    origin_id INTEGER REFERENCES harbour, destination_id INTEGER REFERENCES harbour,
    skipper_id INTEGER REFERENCES sailor, day DATE);
INSERT INTO harbour VALUES (1, 'Kiel'), (2, 'Oslo'), (3, 'Riga');
INSERT INTO sailor VALUES (1, 'Ann', '1960-01-01', 50, NULL), (2, 'Bob', '1990-05-05', 30, 1),
    (3, 'Cid', '2001-07-07', 20, 1);
INSERT INTO ferry VALUES (1, 'Swan', 40, 90, 7, 9, 1905), (2, 'Gull', 60, 80, 5, 2, 1990),
    (3, 'Tern', 20, 30, 1, 1, 2010);
INSERT INTO trip VALUES (1, 1, 1, 2, 1, '2024-07-01'), (2, 1, 2, 1, 2, '2024-11-02'),
    (3, 2, 1, 3, 2, '2023-02-01'), (4, 1, 3, 1, 3, '2024-08-03');
"""


@pytest.fixture(scope="module")
def ferries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with asked_database(SCRIPT, tmp_path_factory.mktemp("ferries") / "ferries.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("ferries longer than the Swan", [("Gull",)]),
        ("sailors who earn more than Bob", [("Ann",)]),
        ("sailors paid less than the average", [("Bob",), ("Cid",)]),
        ("ferries with more trips than Gull", [("Swan",)]),
        ("ferries sold below ordered", [("Swan",)]),
        ("is Gull longer than Swan", [(1,)]),
        ("is Tern longer than Swan", [(0,)]),
        ("length gap between Gull and Swan", [(20,)]),
        ("how much longer is Gull than Swan", [(20,)]),
        ("sailors under 30", [("Cid",)]),
        ("how many trips to Kiel", [(2,)]),
        ("how many trips last summer", [(2,)]),
        ("how many trips in the second half of 2024", [(3,)]),
        ("20th century ferries", [("Gull",), ("Swan",)]),
    ],
)
def test_a_right_reading_is_found(
    ferries: AskedDatabase, question: str, rows: list[tuple[Any, ...]]
) -> None:
    assert rows in [sorted(some, key=repr) for some in ferries.answers(question)]


def test_the_one_of_two_that_has_more(ferries: AskedDatabase) -> None:
    found = ferries.answers("did we have more trips in 2023 or 2024")
    assert any(len(some) == 1 and 2024 in some[0] for some in found)
