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


HEADS = """
CREATE TABLE department (id INTEGER PRIMARY KEY, name TEXT, city TEXT,
    head_employee_id INTEGER REFERENCES employee);
CREATE TABLE employee (id INTEGER PRIMARY KEY, name TEXT, wage INTEGER,
    department_id INTEGER REFERENCES department);
INSERT INTO department VALUES (1, 'Sales', 'Berlin', 1), (2, 'Stores', 'Paris', 3);
INSERT INTO employee VALUES (1, 'Ann Moss', 50, 1), (2, 'Bob Nash', 30, 1), (3, 'Cid Hale', 40, 2),
    (4, 'Dan Orr', 20, 2), (5, 'Eva Lund', 35, 2);
"""


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("which department is Bob Nash in", {"Sales"}),
        ("in which city is Dan Orr's department", {"Paris"}),
        ("employees in Sales", {"Ann Moss", "Bob Nash"}),
        ("how many people work in stores", {3}),
        ("which department has the most employees", {"Stores"}),
        ("departments with more than 2 employees", {"Stores"}),
        ("who is the head of sales", {"Ann Moss"}),
    ],
)
def test_tables_that_lead_to_each_other(
    tmp_path: Path, question: str, first: set[str | int]
) -> None:
    with asked_database(HEADS, tmp_path / "heads.db") as asked:
        assert first in asked.first_columns(question, first=3)


def test_what_each_row_has_one_of_is_shown_beside_its_name(tmp_path: Path) -> None:
    with asked_database(HEADS, tmp_path / "heads.db") as asked:
        heads = [sorted(one) for one in asked.answers("head of each department", first=5)]
        assert [("Sales", "Ann Moss"), ("Stores", "Cid Hale")] in heads
        cities = asked.answers("city of each department", first=1)[0]
        assert sorted(cities) == [("Sales", "Berlin"), ("Stores", "Paris")]
        # What can be summed is.
        assert ("Ann Moss", 50) in asked.answers("wage of each employee", first=1)[0]
