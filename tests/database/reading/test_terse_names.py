"""Links without a name, months and what lasts, under terse names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from asked_database import AskedDatabase, asked_database

from partwise.database.reading.closing import closed
from partwise.database.reading.frame import Frame, Order, Ref

SCRIPT = """
CREATE TABLE TWN (TWN_ID INTEGER PRIMARY KEY, TWN_NM TEXT);
INSERT INTO TWN VALUES (1, 'Ulm'), (2, 'Jena');
CREATE TABLE OWN (OWN_NO INTEGER PRIMARY KEY, OWN_NM TEXT, NATIONALITY TEXT,
    TWN_ID INTEGER REFERENCES TWN);
INSERT INTO OWN VALUES (1, 'Ada', 'Brazil', 1), (2, 'Bo', 'France', 1), (3, 'Cleo', 'France', 2);
CREATE TABLE PET (PET_NM TEXT PRIMARY KEY, DOB DATE, DIED DATE, OWN_NO INTEGER REFERENCES OWN);
INSERT INTO PET VALUES ('Rex', '2015-01-01', NULL, 1), ('Tib', '2016-01-01', '2024-01-01', 2);
CREATE TABLE MED (MED_NM TEXT PRIMARY KEY, STK_QTY INTEGER, MIN_QTY INTEGER, PRC_EUR REAL);
INSERT INTO MED VALUES ('Alba', 0, 5, 20), ('Bina', 12, 5, 150);
CREATE TABLE GIVEN (PET_NM TEXT REFERENCES PET, MED_NM TEXT REFERENCES MED, STRT_TS TIMESTAMP,
    END_TS TIMESTAMP, DOSE INTEGER);
INSERT INTO GIVEN VALUES ('Rex', 'Alba', '2024-02-01 10:00', '2024-02-03 10:00', 3),
    ('Tib', 'Bina', '2024-03-01 10:00', '2024-03-01 18:00', 4),
    ('Rex', 'Bina', '2025-03-05 10:00', '2025-03-05 11:00', 6);
CREATE TABLE VISIT (VISIT_NO INTEGER PRIMARY KEY, OWN_NO INTEGER REFERENCES OWN, VISIT_DT DATE);
INSERT INTO VISIT VALUES (1, 1, '2024-02-01'), (2, 1, '2024-02-11'), (3, 2, '2025-02-01');
CREATE TABLE HELPS (OWN_NO INTEGER REFERENCES OWN, TWN_ID INTEGER REFERENCES TWN);
INSERT INTO HELPS VALUES (1, 1), (1, 2), (2, 2);
"""


@pytest.fixture(scope="module")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    with asked_database(SCRIPT, tmp_path_factory.mktemp("terse") / "pets.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("owners in the town ulm", {"Ada", "Bo"}),
        ("Brazilians", {"Ada"}),
        ("meds under 100 euros", {"Alba"}),
    ],
)
def test_rows(pets: AskedDatabase, question: str, wanted: set[object]) -> None:
    assert wanted in pets.first_columns(question)


def test_abbreviations_are_written_out(pets: AskedDatabase) -> None:
    assert [pets.layer.table(one).label for one in ("TWN", "OWN")] == ["town", "owner"]
    assert pets.layer.column("MED", "STK_QTY").label == "stock quantity"


@pytest.mark.parametrize("month", ["month", "mnoth"])
def test_months_of_two_years_stay_apart_in_one_column(pets: AskedDatabase, month: str) -> None:
    assert any(
        sorted(rows) == [("2024-02", 2), ("2025-02", 1)]
        for rows in pets.answers(f"visits per {month}")
    )
    assert any(
        sorted(rows) == [("2024-Q1", 2), ("2025-Q1", 1)]
        for rows in pets.answers("visits per quarter")
    )


def test_links_are_told_by_names(pets: AskedDatabase) -> None:
    assert [("Ada", "Ulm"), ("Ada", "Jena"), ("Bo", "Jena")] in pets.answers("all helps")


def test_the_longest_is_not_what_ended_last(pets: AskedDatabase) -> None:
    assert all(rows[:1] != [("Rex", "Bina")] for rows in pets.answers("the longest given"))
    assert any(
        rows and rows[0][:2] == ("Rex", "Alba") for rows in pets.answers("the longest given")
    )


def test_an_order_by_no_certain_column_does_no_harm(pets: AskedDatabase) -> None:
    frame = Frame(head="VISIT", order=Order(Ref("", "", None, "month"), True))
    assert [one.limit for one, _ in closed(frame, pets.layer)] == [1]
