"""Conditions behind numbers, behind groups, and behind what belongs to rows."""

from __future__ import annotations

import pytest
from asked_database import AskedDatabase, example

from partwise.database.reading.ranking import lifted
from partwise.database.reading.readings import Reading, Used
from partwise.database.spans.text import words_of
from partwise.execution.relational.program import Listing, Rows

camp = example("camp")


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
