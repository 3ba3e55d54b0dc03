"""Other forms of words."""

from __future__ import annotations

import pytest

from partwise.database.source.inflections import done_to, inflected


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("rings", "ring"),
        ("ring", "rings"),
        ("berry", "berries"),
        ("berrys", "berries"),
        ("boxes", "box"),
        ("calves", "calf"),
        ("repaired", "repair"),
        ("leasing", "lease"),
    ],
)
def test_forms_of_a_word(word: str, form: str) -> None:
    assert form in inflected(word)
    assert word not in inflected(word)


def test_what_is_done() -> None:
    assert done_to("carried") == ("carry", "carri", "carrie")
    assert done_to("ring") == done_to("b12") == ()
