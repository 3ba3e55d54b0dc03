"""Conditions behind numbers, behind groups, and behind what belongs to rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from asked_database import Answer, AskedDatabase, asked_database

from partwise.database.reading.ranking import lifted
from partwise.database.reading.readings import Reading, Used
from partwise.database.reading.text import words_of
from partwise.execution.relational.program import Listing, Rows

SCRIPT = """
CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT, town TEXT, joined_on DATE);
CREATE TABLE booking (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client,
    cabin TEXT, nights INTEGER, price_eur REAL, booked_on DATE, note TEXT, paid_on DATE);
CREATE TABLE inspection (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client,
    inspected_on DATE, paid_on DATE);
CREATE TABLE guide (id INTEGER PRIMARY KEY, name TEXT, boat_id INTEGER REFERENCES boat);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO boat VALUES (1, 'Gull');
INSERT INTO guide VALUES (1, 'Eve', 1), (2, 'Finn', NULL);
INSERT INTO client VALUES (1, 'Ada', 'Oslo', '2024-01-05'), (2, 'Bo', 'Oslo', '2023-02-01'),
    (3, 'Cem', 'Kiel', '2024-03-01'), (4, 'Dag', 'Kiel', '2022-03-01');
INSERT INTO booking VALUES
    (1, 1, 'lake', 2, 300, '2023-05-01', 'early', NULL),
    (2, 1, 'hill', 9, 900, '2024-05-01', 'late', '2024-06-01'),
    (3, 2, 'lake', 4, 700, '2024-06-01', 'dog', NULL),
    (4, 2, 'lake', 3, 200, '2024-07-01', NULL, NULL),
    (5, 3, 'hill', 5, 800, '2023-08-01', NULL, '2023-09-01'),
    (6, 2, 'lake', 1, 100, '2025-01-01', NULL, NULL);
INSERT INTO inspection VALUES (1, 3, '2024-05-05', '2025-02-02');
"""


@pytest.fixture(scope="module")
def camp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with asked_database(SCRIPT, tmp_path_factory.mktemp("camp") / "camp.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("bookings over 500 in 2024", [(2,), (3,)]),
        ("bookings over 500 since 2024", [(2,), (3,)]),
        ("bookings over 500 by Ada", [(2,)]),
        ("how many bookings over 500 in 2023", [(1,)]),
        ("bookings over 500 with cabin hill", [(2,), (5,)]),
        ("clients with bookings in 2023", [("Ada",), ("Cem",)]),
        ("clients without bookings in 2024", [("Cem",), ("Dag",)]),
        ("which client has the most bookings in 2024", [("Bo",)]),
        ("clients with bookings over 750", [("Ada",), ("Cem",)]),
        ("clients without inspections in 2025", [("Ada",), ("Bo",), ("Cem",), ("Dag",)]),
        ("number of clients with at least 2 bookings per town", [("Oslo", 2)]),
        ("average price of bookings by cabin in 2023", [("hill", 800), ("lake", 300)]),
        ("top 2 bookings with nights below 5 by price", [(3,), (1,)]),
        ("clients with bookings over 250 in 2023", [("Ada",), ("Cem",)]),
        ("clients with bookings over 750 between 2024 and 2025", [("Ada",)]),
        ("clients with more than 1 lake bookings", [("Bo",)]),
        ("how many clients have bookings in 2023", [(2,)]),
        ("how many clients with bookings per town", [("Kiel", 1), ("Oslo", 2)]),
        ("number of clients with inspections", [(1,)]),
        ("bookings on 1 may 2024", [(2,)]),
        ("guides without a boat", [("Finn",)]),
        ("bookings by clients from Kiel", [(5,)]),
        ("average price of bookings by clients from Oslo", [(440,)]),
        ("average difference between price and nights", [(496,)]),
        (
            "number of bookings per month since 2024",
            [("2024-05", 1), ("2024-06", 1), ("2024-07", 1), ("2025-01", 1)],
        ),
    ],
)
def test_the_answer_is_among_the_first_readings(
    camp: AskedDatabase, question: str, rows: Answer
) -> None:
    assert rows in camp.answers(question)


@pytest.mark.parametrize(
    ("question", "share", "of_all"),
    [
        ("what share of bookings with nights over 2 have cabin hill", 1 / 2, 1 / 3),
    ],
)
def test_what_stands_before_the_verb_says_what_it_is_a_share_of(
    camp: AskedDatabase, question: str, share: float, of_all: float
) -> None:
    shares = [some[0][0] for some in camp.answers(question) if len(some) == 1]
    found = [one for one in shares if one in (pytest.approx(share), pytest.approx(of_all))]
    assert found[0] == pytest.approx(share)


def test_the_day_of_a_whole_date_is_no_number(camp: AskedDatabase) -> None:
    def numbers(question: str) -> set[int]:
        return {one.start for one in camp.labels(question) if one.kind == "number"}

    assert 2 not in numbers("bookings on 1 may 2024")
    assert 3 not in numbers("bookings on may 1 2024")
    assert 1 in numbers("top 3 bookings in may 2024")


def test_rows_that_are_had_are_no_mere_mention(camp: AskedDatabase) -> None:
    assert camp.answers("number of clients with inspections")[0] == [(1,)]


def test_a_date_behind_what_belongs_to_rows_is_not_theirs(camp: AskedDatabase) -> None:
    # Cem alone joined in 2024 and has no booking of that year.
    question = "clients without bookings in 2024"
    assert [] not in camp.answers(question)[:1]
    assert camp.answers(question)[0] == [("Cem",), ("Dag",)]


def test_what_happened_is_dated_by_the_words_of_its_table(camp: AskedDatabase) -> None:
    assert camp.layer.table("inspection").date == "inspected_on"
    assert camp.layer.table("booking").date == "booked_on"


def test_four_digits_behind_since_are_a_year(camp: AskedDatabase) -> None:
    def kinds(question: str) -> set[str]:
        labels = camp.labels(question)
        return {one.kind for one in labels if one.start == len(question.split()) - 1}

    assert kinds("bookings since 2024") == {"period"}
    assert kinds("bookings in 2024") == {"period"}
    assert "number" in kinds("bookings over 2024")


def test_a_reading_with_groups_stands_before_one_that_leaves_them_out(
    camp: AskedDatabase,
) -> None:
    question = "number of bookings per cabin"
    labels = camp.labels(question)
    per = next(one for one in labels if one.op == "per")
    rows = next(one for one in labels if one.kind == "table" and one.start == 2)
    key = next(one for one in labels if one.kind == "column" and one.start == per.end)
    program = Listing(Rows("booking"), ())
    less = Reading(program, (Used(rows, "count"),), (3, 4), (), 5.0)
    used = (Used(rows, "count"), Used(per, "per"), Used(key, "key"))
    more = Reading(program, used, (), (), 2.0)
    other = Reading(program, (Used(rows, "head"),), (), (), 1.0)
    scores = lifted([less, more, other], [5.0, 2.0, 1.0], words_of(question))
    assert scores[1] > scores[0] == 5.0
    assert scores[2] == 1.0
    # A reading that is far less likely stays where it is.
    assert lifted([less, more], [50.0, 2.0], words_of(question)) == [50.0, 2.0]
