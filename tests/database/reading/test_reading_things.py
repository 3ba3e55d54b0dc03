"""Rows compared with things that are named, and periods."""

from __future__ import annotations

from asked_database import AskedDatabase, example

ferries = example("ferries")


def test_the_one_of_two_that_has_more(ferries: AskedDatabase) -> None:
    found = ferries.answers("did we have more trips in 2023 or 2024")
    assert any(len(some) == 1 and 2024 in some[0] for some in found)
