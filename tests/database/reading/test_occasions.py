"""Which date "when" asks for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from asked_database import Answer, AskedDatabase, asked_database

SCRIPT = """
CREATE TABLE guest (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, born DATE,
    registered_on DATE, last_login DATE);
CREATE TABLE ticket (id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest, price INTEGER,
    bought_on DATE, paid_on DATE);
INSERT INTO guest VALUES (1, 'Ann', 'Moss', '1990-05-01', '2023-01-07', '2024-12-20'),
    (2, 'Bob', 'Nash', '1985-02-03', '2023-02-08', '2024-11-11');
INSERT INTO ticket VALUES (1, 1, 20, '2024-03-01', '2024-03-09'),
    (2, 1, 30, '2024-06-02', NULL), (3, 2, 10, '2024-09-03', '2024-09-04');
"""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with asked_database(SCRIPT, tmp_path_factory.mktemp("hall") / "hall.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("what day did Bob Nash buy a ticket", [("2024-09-03",)]),
        ("when did Bob Nash register", [("2023-02-08",)]),
        ("when was Ann Moss born", [("1990-05-01",)]),
        ("when did Ann Moss last log in", [("2024-12-20",)]),
    ],
)
def test_the_date_is_that_of_what_is_named(
    hall: AskedDatabase, question: str, rows: Answer
) -> None:
    assert rows in hall.answers(question, first=3)


def test_first_and_last_alone_name_no_part_of_a_persons_name(hall: AskedDatabase) -> None:
    said = hall.labels("when did Ann Moss last buy a ticket")
    assert ("guest", "last_name") not in {
        one.thing[1:] for one in said if one.kind == "column" and one.thing
    }
    both = hall.labels("first and last names of the guests")
    named = {one.thing[2] for one in both if one.kind == "column" and one.thing is not None}
    assert {"first_name", "last_name"} <= named


def test_a_question_whose_best_frames_give_no_program_is_still_read(hall: AskedDatabase) -> None:
    assert hall.answers("when did anybody last pay")
