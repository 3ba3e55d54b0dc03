"""Two tiny databases with typed questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

BAKERY = """
CREATE TABLE bakers (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE cakes (id INTEGER PRIMARY KEY, name TEXT, price REAL,
    baker_id INTEGER REFERENCES bakers (id));
INSERT INTO bakers VALUES (1, 'Ada', 'Oslo'), (2, 'Bo', 'Bergen'), (3, 'Cem', 'Oslo');
INSERT INTO cakes VALUES (1, 'Opera', 4.5, 1), (2, 'Sacher', 5, 1), (3, 'Tiramisu', 3.25, 2),
    (4, 'Pavlova', 6, 3);
"""
GARDEN = """
CREATE TABLE gardens (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT, height INTEGER,
    garden_id INTEGER REFERENCES gardens (id));
INSERT INTO gardens VALUES (1, 'Rose Yard', 'Kiel'), (2, 'Moss Hill', 'Bonn');
INSERT INTO plants VALUES (1, 'fern', 40, 1), (2, 'lupin', 90, 1), (3, 'thyme', 20, 2);
"""
QUESTIONS = {
    "bakery": (
        ("count", "how many cakes are there", "SELECT count(*) FROM cakes"),
        ("list", "all bakers", "SELECT name FROM bakers"),
        ("list", "bakers in Oslo", "SELECT name FROM bakers WHERE town = 'Oslo'"),
        ("lookup", "price of the Opera", "SELECT price FROM cakes WHERE name = 'Opera'"),
        ("aggregate", "average price of cakes", "SELECT avg(price) FROM cakes"),
        ("count", "number of bakers in Bergen", "SELECT count(*) FROM bakers WHERE town='Bergen'"),
        ("unanswerable", "who won the cup", None),
    ),
    "garden": (
        ("count", "how many plants are there", "SELECT count(*) FROM plants"),
        ("list", "all gardens", "SELECT name FROM gardens"),
        ("list", "gardens in Kiel", "SELECT name FROM gardens WHERE city = 'Kiel'"),
        ("lookup", "height of the fern", "SELECT height FROM plants WHERE name = 'fern'"),
        ("aggregate", "average height of plants", "SELECT avg(height) FROM plants"),
        ("unanswerable", "when does the bus leave", None),
    ),
}


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both; not to be changed."""
    made = tmp_path_factory.mktemp("home")
    for name, script in (("bakery", BAKERY), ("garden", GARDEN)):
        (made / name).mkdir()
        (made / name / "schema.sql").write_text(script)
        lines = (
            json.dumps({"id": f"{name}-{n}", "kind": kind, "question": question, "sql": sql})
            for n, (kind, question, sql) in enumerate(QUESTIONS[name], 1)
        )
        (made / name / "questions.jsonl").write_text("\n".join(lines) + "\n")
    return made
