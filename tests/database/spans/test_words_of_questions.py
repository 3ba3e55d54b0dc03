"""Words of questions, and the numbers and periods in them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("500g", ["500", "g"]),
        ("500 g", ["500", "g"]),
        ("1.5kg", ["1.5", "kg"]),
        ("20%", ["20", "%"]),
        ("$5", ["$", "5"]),
        ("1,000", ["1,000"]),
        ("1st", ["1st"]),
        ("1990s", ["1990s"]),
        (">=3", [">=", "3"]),
    ],
)
def test_units_and_signs_are_words_of_their_own(text: str, parts: list[str]) -> None:
    assert [one.text for one in words_of(text)] == parts


def test_only_the_beginning_of_a_long_question_is_looked_at() -> None:
    assert len(words_of("bread " * 500)) == LONGEST


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("seven", 7), ("twelve", 12), ("ninety", 90), ("twenty-five", 25), ("a dozen", 12)),
        *(("3", 3), ("2.5", 2.5), ("1,000", 1000), ("2 million", 2_000_000), ("3k", 3000)),
        *(("two hundred", 200), ("1.5 thousand", 1500), ("0", 0)),
    ],
)
def test_numbers(text: str, value: float) -> None:
    (number,) = numbers_in(words_of(text))
    assert number.value == value
    assert isinstance(number.value, int) == isinstance(value, int)


@pytest.mark.parametrize("text", ["bread", "1st", "1990s", "1.2.3", "baker2", "9" * 30])
def test_what_is_no_number(text: str) -> None:
    assert numbers_in(words_of(text)) == []


def _days(start: str, end: str) -> tuple[date, date]:
    return date.fromisoformat(start), date.fromisoformat(end)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2023", _days("2023-01-01", "2024-01-01")),
        ("march 2023", _days("2023-03-01", "2023-04-01")),
        ("Dec, 2023", _days("2023-12-01", "2024-01-01")),
        ("february of 2024", _days("2024-02-01", "2024-03-01")),
        ("2024-02", _days("2024-02-01", "2024-03-01")),
        ("2024-02-29", _days("2024-02-29", "2024-03-01")),
        ("3/14/2024", _days("2024-03-14", "2024-03-15")),
        ("14.3.2024", _days("2024-03-14", "2024-03-15")),
        ("14 march 2024", _days("2024-03-14", "2024-03-15")),
        ("march 14, 2024", _days("2024-03-14", "2024-03-15")),
        ("june 3rd", _days("2023-06-03", "2023-06-04")),
        ("Q2 2023", _days("2023-04-01", "2023-07-01")),
        ("second quarter of 2023", _days("2023-04-01", "2023-07-01")),
        ("christmas 2022", _days("2022-12-25", "2022-12-26")),
        ("new year's eve", _days("2023-12-31", "2024-01-01")),
        ("christmas day of 2021", _days("2021-12-25", "2021-12-26")),
        ("start of may", _days("2024-05-01", "2024-05-02")),
        ("beginning of the year", _days("2024-01-01", "2024-01-02")),
        ("end of february 2024", _days("2024-02-29", "2024-03-01")),
        ("mid may 2023", _days("2023-05-15", "2023-05-16")),
        ("last quarter of 2022", _days("2022-10-01", "2023-01-01")),
        ("third quarter of last year", _days("2023-07-01", "2023-10-01")),
        ("2nd half of last year", _days("2023-07-01", "2024-01-01")),
        ("q4", _days("2024-10-01", "2025-01-01")),
        ("1990s", _days("1990-01-01", "2000-01-01")),
        ("nineties", _days("1990-01-01", "2000-01-01")),
        ("today", _days("2024-05-15", "2024-05-16")),
        ("yesterday", _days("2024-05-14", "2024-05-15")),
        ("this year", _days("2024-01-01", "2025-01-01")),
        ("last year", _days("2023-01-01", "2024-01-01")),
        ("last month", _days("2024-04-01", "2024-05-01")),
        ("this quarter", _days("2024-04-01", "2024-07-01")),
        ("previous quarter", _days("2024-01-01", "2024-04-01")),
        ("this week", _days("2024-05-13", "2024-05-20")),
        ("last week", _days("2024-05-06", "2024-05-13")),
        ("last march", _days("2024-03-01", "2024-04-01")),
        ("last june", _days("2023-06-01", "2023-07-01")),
        ("last 10 days", _days("2024-05-06", "2024-05-16")),
        ("past 3 months", _days("2024-02-15", "2024-05-16")),
        ("last 2 years", _days("2022-05-15", "2024-05-16")),
    ],
)
def test_periods(text: str, days: tuple[date, date]) -> None:
    words = words_of(text)
    whole = [
        one.what
        for one in periods_in(words, TODAY)
        if (one.start, one.end) == (0, len(words)) and isinstance(one.what, Period)
    ]
    assert [(one.start, one.end) for one in whole] == [days]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("march", Recurring("month", 3)),
        ("Mondays", Recurring("weekday", 1)),
        ("sunday", Recurring("weekday", 0)),
    ],
)
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
