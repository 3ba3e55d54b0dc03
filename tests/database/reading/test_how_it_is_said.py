"""Other words for what is kept, times in units, and amounts that look like years."""

from __future__ import annotations

from pathlib import Path

from asked_database import AskedDatabase, asked_database, example

from partwise.database.reading.converting import InUnit
from partwise.database.reading.durations import lasting
from partwise.execution.relational.program import Elapsed, Field, Listing, Rows

bakery = example("branches")


def test_the_unit_that_a_time_is_in_is_found(bakery: AskedDatabase) -> None:
    stayed = Elapsed("day", Field((), "hired_on"), Field((), "exit_date"))
    program = Listing(Rows("baker"), (stayed,))
    same, other = InUnit(bakery.layer, "day"), InUnit(bakery.layer, "week")
    assert same(program) == program
    assert same.found
    changed = other(program)
    assert isinstance(changed, Listing)
    assert changed.shown == (Elapsed("week", stayed.start, stayed.end),)


def test_an_amount_is_no_year(bakery: AskedDatabase) -> None:
    for said in ("over", "more than", "at most"):
        assert not [one for one in bakery.labels(f"loans {said} 2000") if one.kind == "period"]
    for said in ("after", "in", "before"):
        assert [one for one in bakery.labels(f"loans {said} 2000") if one.kind == "period"]


def test_may_is_a_month_behind_some_words(bakery: AskedDatabase) -> None:
    assert [one for one in bakery.labels("loans granted before May") if one.kind == "period"]
    assert not [one for one in bakery.labels("may Ada work here") if one.kind == "period"]


def test_a_year_may_make_groups(bakery: AskedDatabase) -> None:
    per_year = [("2021", 1), ("2022", 4), ("2023", 1)]
    answers = [[(str(row[0]), *row[1:]) for row in rows] for rows in bakery.answers("loans a year")]
    assert per_year in answers
    for question in ("more than a year", "bakers for a year", "cost 5 a year"):
        assert not [one for one in bakery.labels(question) if one.op == "adverb"], question


def test_what_is_from_a_country_may_be_stored_as_an_adjective(tmp_path: Path) -> None:
    script = """
    CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT, nationality TEXT, notes TEXT);
    INSERT INTO artist VALUES (1, 'Ida', 'Spanish', 'German'), (2, 'Uwe', 'German', 'Spanish');
    """
    with asked_database(script, tmp_path / "art.db") as art:
        said = {
            (one.value, one.thing.column)
            for one in art.labels("artists from Spain")
            if one.kind == "value" and one.thing is not None
        }
        assert ("Spanish", "nationality") in said
        assert ("Spanish", "notes") not in said


def test_a_unit_behind_a_number_is_no_column(bakery: AskedDatabase) -> None:
    said = bakery.labels("ovens lighter than 10 g")
    assert not [one for one in said if one.kind == "column" and one.start == 4 and not one.op]


def test_a_stay_lasts_from_the_arrival_to_the_departure(tmp_path: Path) -> None:
    script = """
    CREATE TABLE guest (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE booking (id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guest,
        arr_dt DATE, dep_dt DATE);
    CREATE TABLE flight (id INTEGER PRIMARY KEY, departed_at DATETIME, arrived_at DATETIME);
    INSERT INTO guest VALUES (1, 'Ida'), (2, 'Uwe');
    INSERT INTO booking VALUES (1, 1, '2024-05-01', '2024-05-03'),
        (2, 2, '2024-06-01', '2024-06-13');
    INSERT INTO flight VALUES (1, '2024-05-01 08:00:00', '2024-05-01 10:00:00');
    """
    with asked_database(script, tmp_path / "inn.db") as inn:
        spans = {(one.table, one.column) for one in lasting(inn.layer)}
        assert spans == {("booking", "dep_dt"), ("flight", "arrived_at")}
        assert [(2,)] in [
            [(row[0],) for row in rows] for rows in inn.answers("bookings longer than ten nights")
        ]
