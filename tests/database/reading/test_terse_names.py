"""Links without a name, months and what lasts, under terse names."""

from __future__ import annotations

import pytest
from asked_database import AskedDatabase, example

from partwise.database.reading.closing import closed
from partwise.database.reading.frame import Frame, FrameOrder, Ref

pets = example("pets")


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
    frame = Frame(head="VISIT", order=FrameOrder(Ref("", "", None, "month"), True))
    assert [one.limit for one, _ in closed(frame, pets.layer)] == [1]
