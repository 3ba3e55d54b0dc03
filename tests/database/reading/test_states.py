"""What is not so: flags, links and values that are denied."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from asked_database import AskedDatabase, asked_database

SCRIPT = """
CREATE TABLE bakery (name TEXT PRIMARY KEY, town TEXT, closed_on DATE, is_organic INTEGER);
INSERT INTO bakery VALUES ('Korn', 'Ulm', NULL, 1), ('Laib', 'Ulm', '2020-02-02', 0),
    ('Kruste', 'Jena', NULL, 0), ('Rinde', 'Bonn', NULL, 0);
CREATE TABLE baker (name TEXT PRIMARY KEY, bakery TEXT REFERENCES bakery, hired_on DATE,
    left_on DATE, phone TEXT);
INSERT INTO baker VALUES ('Ada', 'Korn', '2011-01-01', NULL, '12'),
    ('Bo', 'Korn', '2012-01-01', '2019-01-01', NULL), ('Cleo', 'Kruste', '2015-05-05', NULL, '14');
CREATE TABLE invoice (no TEXT PRIMARY KEY, bakery TEXT REFERENCES bakery, issued_on DATE,
    due_on DATE, paid_on DATE, amount REAL);
INSERT INTO invoice VALUES
    ('I-a', 'Korn', '2024-11-01', '2024-12-01', '2024-12-02', 10),
    ('I-b', 'Korn', '2024-11-02', '2024-12-02', NULL, 20),
    ('I-c', 'Kruste', '2024-12-20', '2025-01-20', NULL, 40);
"""


@pytest.fixture(scope="module")
def bakeries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with asked_database(SCRIPT, tmp_path_factory.mktemp("states") / "bakeries.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("invoices that haven't been paid yet", {"I-b", "I-c"}),
        ("bakeries that are not organic", {"Laib", "Kruste", "Rinde"}),
        ("bakers who do not work in Korn", {"Cleo"}),
        ("all bakeries except the organic ones", {"Laib", "Kruste", "Rinde"}),
        ("bakeries neither in Ulm nor Jena", {"Rinde"}),
        ("bakeries outside Ulm and Jena", {"Rinde"}),
        ("bakeries, those in Ulm not counted", {"Kruste", "Rinde"}),
        ("bakeries nobody has ever worked in", {"Laib", "Rinde"}),
        ("bakeries that were never invoiced anything", {"Laib", "Rinde"}),
        ("are there bakeries without invoices? show me which", {"Laib", "Rinde"}),
        ("bakers whose phone number we don't have", {"Bo"}),
    ],
)
def test_states(bakeries: AskedDatabase, question: str, wanted: set[object]) -> None:
    assert wanted in bakeries.first_columns(question)
