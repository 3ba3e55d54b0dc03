"""Of several links between two tables, the one whose column a question says."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked_database import asked_database

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
    with asked_database(SCRIPT, tmp_path / "votes.db") as asked:
        assert names in asked.first_columns(question, first=12)
