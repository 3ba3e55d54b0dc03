"""How long something took, what was late, and columns that are compared with each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked_database import asked_database

SCRIPT = """
CREATE TABLE parcel (code TEXT PRIMARY KEY, town TEXT, ordered_on DATE, shipped_on DATE,
    due_on DATE, width REAL, height REAL);
INSERT INTO parcel VALUES
    ('P-a', 'Ulm', '2024-01-01', '2024-01-02', '2024-01-05', 3, 4),
    ('P-b', 'Ulm', '2024-01-01', '2024-01-09', '2024-01-05', 5, 2),
    ('P-c', 'Jena', '2024-02-01', '2024-02-04', '2024-02-04', 5, 6),
    ('P-d', 'Jena', '2024-03-01', NULL, '2024-03-04', 1, 1);
"""


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("average time to ship a parcel", {4.0}),
        ("average time in hours to ship a parcel", {96.0}),
        ("how long does it take to ship a parcel on average", {4.0}),
        ("parcels shipped within 3 days", {"P-a", "P-c"}),
        ("parcels that took longer than a week to be shipped", {"P-b"}),
        ("which parcel took longest to be shipped", {"P-b"}),
        ("parcels shipped late", {"P-b"}),
        ("parcels shipped on time", {"P-a", "P-c"}),
        ("parcels not shipped on time", {"P-b"}),
        ("parcels with width over height", {"P-b"}),
        ("parcels shipped within 2 days of being ordered", {"P-a"}),
    ],
)
def test_times_and_columns(tmp_path: Path, question: str, wanted: set[object]) -> None:
    with asked_database(SCRIPT, tmp_path / "parcels.db") as asked:
        assert wanted in asked.first_columns(question)
