"""Words of questions, and the numbers and periods in them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from partwise.database.spans.numbers import numbers_in
from partwise.database.spans.periods import FIRST_YEAR, LAST_YEAR, Period, Recurring, periods_in
from partwise.database.spans.text import LONGEST, plain, stem, stems_of, words_of

TODAY = date(2024, 5, 15)


def test_words_know_where_they_stand() -> None:
    question = "Who baked 3 Rye-Loaves?"
    words = words_of(question)
    assert [one.text for one in words] == ["Who", "baked", "3", "Rye-Loaves", "?"]
    assert all(question[one.start : one.end] == one.text for one in words)


@pytest.mark.parametrize("text", ["baker's", "baker’s", "BAKER'S"])
def test_a_possessive_is_its_owner(text: str) -> None:
    (word,) = words_of(text)
    assert word.text == text
    assert word.plain == "baker"
    assert word.stem == stem("bakers")


def test_accents_and_case_do_not_count() -> None:
    assert plain("CAFÉ Über") == "cafe uber"
    assert stems_of("Rye Breads (old)") == stems_of("rye bread, old")


@cases("text, parts")
def test_units_and_signs_are_words_of_their_own(text: str, parts: list[str]) -> None:
    assert [one.text for one in words_of(text)] == parts


def test_only_the_beginning_of_a_long_question_is_looked_at() -> None:
    assert len(words_of("bread " * 500)) == LONGEST


@cases("text, value")
def test_numbers(text: str, value: float) -> None:
    (number,) = numbers_in(words_of(text))
    assert number.value == value
    assert isinstance(number.value, int) == isinstance(value, int)


@pytest.mark.parametrize("text", ["bread", "1st", "1990s", "1.2.3", "baker2", "9" * 30])
def test_what_is_no_number(text: str) -> None:
    assert numbers_in(words_of(text)) == []


def _days(start: str, end: str) -> tuple[date, date]:
    return date.fromisoformat(start), date.fromisoformat(end)


@cases("text, days")
def test_periods(text: str, days: tuple[date, date]) -> None:
    words = words_of(text)
    whole = [
        one.what
        for one in periods_in(words, TODAY)
        if (one.start, one.end) == (0, len(words)) and isinstance(one.what, Period)
    ]
    assert [(one.start, one.end) for one in whole] == [days]


@cases("text, meant")
def test_what_comes_again(text: str, meant: Recurring) -> None:
    assert meant in [one.what for one in periods_in(words_of(text), TODAY)]


@pytest.mark.parametrize("text", ["may", "bread", "month", "in 99", "2024-13", "february 30", "32"])
def test_what_is_no_period(text: str) -> None:
    found = periods_in(words_of(text), TODAY)
    assert [one for one in found if one.end - one.start == len(words_of(text))] == []


def test_a_day_without_a_year_is_the_last_such_day() -> None:
    leap = Period(date(2024, 2, 29), date(2024, 3, 1))
    found = [one.what for one in periods_in(words_of("february 29"), date(2024, 3, 10))]
    assert leap in found
    late = [one.what for one in periods_in(words_of("december 31"), TODAY)]
    assert Period(date(2023, 12, 31), date(2024, 1, 1)) in late


MONTHS = [date(2024, number, 1).strftime("%B") for number in range(1, 13)]


@given(st.dates(date(FIRST_YEAR, 1, 1), date(LAST_YEAR, 12, 31)), st.sampled_from(range(5)))
def test_a_written_day_is_read_as_that_day(day: date, form: int) -> None:
    name = MONTHS[day.month - 1]
    text = [
        day.isoformat(),
        f"{day.month}/{day.day}/{day.year:04}",
        f"{day.day}.{day.month}.{day.year:04}",
        f"{day.day} {name} {day.year:04}",
        f"{name} {day.day}, {day.year:04}",
    ][form]
    words = words_of(text)
    longest = [one for one in periods_in(words, TODAY) if one.end - one.start == len(words)]
    assert [one.what for one in longest] == [Period(day, day + timedelta(days=1))]


PIECES = st.sampled_from(
    [
        *(
            "last",
            "3",
            "999999999",
            "months",
            "days",
            "quarter",
            "q2",
            "march",
            "29",
            "2023",
            "may",
        ),
        *("of", ",", "-", "/", ".", "1st", "the", "9999", "0000", "this", "week", "²", "٣", "a"),
        *("million", "twenty-one", "½", "years", "february", "1990s", "2200s"),
    ]
)


@given(
    st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=8).map(" ".join)),
    st.dates(date(1, 1, 1), date(9999, 12, 31)),
)
def test_any_text_can_be_read(text: str, today: date) -> None:
    words = words_of(text)
    assert all(text[one.start : one.end] == one.text for one in words)
    assert all(0 <= one.start < one.end <= len(words) for one in numbers_in(words))
    for dated in periods_in(words, today):
        assert 0 <= dated.start < dated.end <= len(words)
        if isinstance(dated.what, Period):
            assert dated.what.start < dated.what.end
