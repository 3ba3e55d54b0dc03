"""What is asked for in other words, and what is shown beside names."""

from __future__ import annotations

from asked_database import AskedDatabase, example

toys = example("toys")


def test_different_values_in_an_order(toys: AskedDatabase) -> None:
    wanted = [("in repair",), ("new",)]
    for question in ("different states of toys, alphabetically", "states of toys from a to z"):
        assert wanted in toys.answers(question), question
