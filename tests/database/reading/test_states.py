"""What is going on, done or over, said without the column that tells."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from partwise.database.layer.model import SemanticLayer
from partwise.database.reading.labels import Labeller
from partwise.database.reading.search import FIRST_WEIGHTS, Search, Weighted
from partwise.database.reading.text import words_of
from partwise.database.source.connections import Source, connect
from partwise.database.source.importing import import_database
from partwise.database.source.values import ValueIndex
from partwise.execution.relational.sql import Compiler

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
TODAY = date(2025, 1, 1)


@pytest.fixture(scope="module")
def opened(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Source, SemanticLayer, Labeller]]:
    file: Path = tmp_path_factory.mktemp("states") / "bakeries.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(SCRIPT)
    with closing(connect(file)) as source:
        layer = import_database(source, "bakeries")
        yield source, layer, Labeller(layer, ValueIndex.build(source, layer))


def _answers(
    opened: tuple[Source, SemanticLayer, Labeller], question: str
) -> list[list[tuple[object, ...]]]:
    source, layer, labeller = opened
    words = words_of(question)
    labels = labeller.labels(words, TODAY)
    found = Search(layer, words, labels, Weighted(words, FIRST_WEIGHTS)).readings()
    compiler = Compiler(layer.schema, texts=True)
    return [source.run(compiler.select(one.program)).rows for one in found[:20]]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("bakeries still open", {"Korn", "Kruste", "Rinde"}),
        ("which bakeries were closed down", {"Laib"}),
        ("bakers who are still with us", {"Ada", "Cleo"}),
        ("current bakers", {"Ada", "Cleo"}),
        ("bakers no longer with us", {"Bo"}),
        ("unpaid invoices", {"I-b", "I-c"}),
        ("invoices that haven't been paid yet", {"I-b", "I-c"}),
        ("overdue invoices", {"I-b"}),
        ("which invoices are overdue as of today", {"I-b"}),
        ("bakeries that are not organic", {"Laib", "Kruste", "Rinde"}),
        ("bakers who do not work in Korn", {"Cleo"}),
        ("non-organic bakeries", {"Laib", "Kruste", "Rinde"}),
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
def test_states(
    opened: tuple[Source, SemanticLayer, Labeller], question: str, wanted: set[object]
) -> None:
    answers = _answers(opened, question)
    assert wanted in [{row[0] for row in some} for some in answers if all(map(len, some))]


def test_the_headcount_is_of_those_still_there(
    opened: tuple[Source, SemanticLayer, Labeller],
) -> None:
    assert [(2,)] in [list(map(tuple, some)) for some in _answers(opened, "headcount")]


def test_a_state_counts(opened: tuple[Source, SemanticLayer, Labeller]) -> None:
    answers = _answers(opened, "total amount still outstanding")
    assert [(60.0,)] in [list(map(tuple, some)) for some in answers]


@pytest.mark.parametrize(
    ("question", "yes"),
    [("has Korn paid all its invoices", False), ("have all invoices of Laib been paid", True)],
)
def test_everything_is_done(
    opened: tuple[Source, SemanticLayer, Labeller], question: str, yes: bool
) -> None:
    assert yes in [some[0][0] for some in _answers(opened, question) if len(some) == 1]
