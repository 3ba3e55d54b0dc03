"""Of several links between two tables, the one whose column a question says."""

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
CREATE TABLE pupil (id INTEGER PRIMARY KEY, name TEXT, sex TEXT);
CREATE TABLE vote (id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupil,
    speaker INTEGER REFERENCES pupil, treasurer INTEGER REFERENCES pupil, cycle TEXT);
CREATE TABLE captain (id INTEGER PRIMARY KEY REFERENCES pupil, points INTEGER);
INSERT INTO captain VALUES (2, 7), (4, 9);
INSERT INTO pupil VALUES (1, 'Ann', 'F'), (2, 'Bob', 'M'), (3, 'Cid', 'M'), (4, 'Dan', 'M');
INSERT INTO vote VALUES (1, 4, 1, 2, 'fall'), (2, 4, 1, 3, 'spring'), (3, 3, 2, NULL, 'fall');
"""


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("pupils who have treasurer votes", {"Bob", "Cid"}),
        ("pupils who have speaker votes", {"Ann", "Bob"}),
        ("pupils who have treasurer votes in fall", {"Bob"}),
        ("pupils without a treasurer vote", {"Ann", "Dan"}),
        ("names of captains", {"Bob", "Dan"}),
        ("captains with more than 8 points", {"Dan"}),
        ("male pupils", {"Bob", "Cid", "Dan"}),
    ],
)
def test_a_link_that_is_said(tmp_path: Path, question: str, names: set[str]) -> None:
    file = tmp_path / "votes.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(SCRIPT)
    with closing(connect(file)) as source:
        layer = import_database(source, "votes")
        words = words_of(question)
        index = ValueIndex.build(source, layer)
        labels = Labeller(layer, index).labels(words, date(2025, 1, 1))
        found = Search(layer, words, labels, Weighted(words, FIRST_WEIGHTS)).readings()
        compiler = Compiler(layer.schema, texts=True)
        answers = [source.run(compiler.select(one.program)).rows for one in found[:12]]
    assert names in [{row[0] for row in some} for some in answers if all(map(len, some))]
