"""How long something took, what was late, and columns that are compared with each other."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from partwise.database.reading.labels import Labeller
from partwise.database.reading.search import FIRST_WEIGHTS, Search, Weighted
from partwise.database.reading.text import words_of
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.sql import Compiler

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
    ],
)
def test_times_and_columns(tmp_path: Path, question: str, wanted: set[object]) -> None:
    file = tmp_path / "parcels.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(SCRIPT)
    with closing(connect(file)) as source:
        layer = import_database(source, "parcels")
        words = words_of(question)
        index = ValueIndex.build(source, layer)
        labels = Labeller(layer, index).labels(words, date(2025, 1, 1))
        found = Search(layer, words, labels, Weighted(words, FIRST_WEIGHTS)).readings()
        compiler = Compiler(layer.schema, texts=True)
        answers = [source.run(compiler.select(one.program)).rows for one in found[:20]]
    assert wanted in [{row[0] for row in some} for some in answers if all(map(len, some))]
