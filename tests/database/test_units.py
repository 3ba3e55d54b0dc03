"""Units, and how many of one make another."""

from __future__ import annotations

import pytest

from cases import cases
from partwise.database.units import UNITS, WORDS, asked_in, factor, unit_name


@cases("unit, asked, times")
def test_how_many_of_one_make_another(unit: str, asked: str, times: float | None) -> None:
    made = factor(unit, asked)
    assert made == (times if times is None else pytest.approx(times, rel=1e-12))
    if times is not None and times >= 1 and times == int(times):
        assert made == times


def test_there_and_back() -> None:
    for unit in UNITS:
        for asked in asked_in(unit):
            there, back = factor(unit, asked), factor(asked, unit)
            assert there is not None
            assert back is not None
            assert there * back == pytest.approx(1)


def test_words() -> None:
    said = ("minutes", "mb", "$", "kilos")
    assert [WORDS[one] for one in said] == [("min",), ("mb",), ("usd",), ("kg",)]
    assert WORDS["pounds"] == ("lb", "gbp")
    assert "in" not in WORDS
    assert {code for some in WORDS.values() for code in some} == UNITS.keys() - {"money"}
    assert unit_name("min", 1) == "minute"
    assert unit_name("min", 48) == "minutes"
    assert unit_name("crates") == "crates"
