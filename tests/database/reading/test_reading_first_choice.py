"""The first reading of plain questions, before any training; and how readings are told."""

from __future__ import annotations

from datetime import date

import pytest
from bakery import TODAY, bakery_domain, bakery_labeller, bakery_layer, rows_of, rows_wanted
from hypothesis import given, settings
from hypothesis import strategies as st

from partwise.database.explanation import derivation
from partwise.database.reading.features import FIRST_WEIGHTS, Weighted
from partwise.database.reading.frame import Frame
from partwise.database.reading.label import Label
from partwise.database.reading.readings import Reading
from partwise.database.reading.search import Search
from partwise.database.reading.steps import steps
from partwise.database.reading.trust import (
    FEATURES,
    figures_of,
    left_over,
    probability,
    shares,
)
from partwise.database.spans.periods import Period, in_year
from partwise.database.spans.text import words_of


def _readings(question: str) -> list[Reading]:
    words = words_of(question)
    labels = bakery_labeller().labels(words, TODAY)
    return Search(bakery_layer(), words, labels, Weighted(words, FIRST_WEIGHTS)).readings()


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        ("how many breads are there?", "SELECT count(*) FROM bread"),
        ("who is the oldest baker", "SELECT name FROM baker ORDER BY born LIMIT 1"),
        (
            "breads with a weight between 100 g and 1 kg",
            "SELECT name FROM bread WHERE weight BETWEEN 100 AND 1000",
        ),
        (
            "breads between 1 and 2 kilos",
            "SELECT name FROM bread WHERE weight BETWEEN 1000 AND 2000",
        ),
        ("breads heavier than half a kilo", "SELECT name FROM bread WHERE weight > 500"),
        ("how many breads are not vegan", "SELECT count(*) FROM bread WHERE NOT vegan"),
        (
            "revenue from january to march 2024",
            "SELECT sum(s.quantity * b.price) FROM sale s JOIN bread b ON b.id = s.bread_id "
            "WHERE day BETWEEN '2024-01-01' AND '2024-03-31'",
        ),
        (
            "how many sales between february 29 and march 5 2024",
            "SELECT count(*) FROM sale WHERE day BETWEEN '2024-02-29' AND '2024-03-05'",
        ),
        ("average price per kind", "SELECT kind, avg(price) FROM bread GROUP BY kind"),
        ("is there a sweet bread?", "SELECT 1"),
    ],
)
def test_plain_questions_are_read_rightly_without_training(question: str, sql: str) -> None:
    best = _readings(question)[0]
    for seed in (0, 1):
        assert rows_of(best.program, seed) == rows_wanted(sql, seed)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("rye breads over 3 euros", ["kind is rye", "bread", "3 euros"]),
        ("sales in march 2024", ["sale", "2024-03-01 to before 2024-04-01"]),
        ("the oldest baker", ["smallest first by baker birth date", "baker"]),
        ("average price in kilos", ["average", "bread price", "in kilograms"]),
    ],
)
def test_a_derivation_says_in_words_what_each_phrase_gave(question: str, said: list[str]) -> None:
    words = words_of(question)
    told = [str(derivation(one, words, bakery_layer())) for one in _readings(question)]
    assert any(all(part in text for part in said) for text in told)


@pytest.mark.parametrize(
    "question",
    [
        "how many different kinds of rye breads over 3 euros per baker in 2023",
        "top 3 stores by revenue last month sorted by weight descending in kilos",
        "who baked all details of breads without sales that contain 'at' in march",
        "is there monthly missing shelf name of Ada Moss oldest or heavier than Brioche",
    ],
)
def test_every_reading_can_be_told_and_explained(question: str) -> None:
    words = words_of(question)
    for one in _readings(question):
        for part in derivation(one, words, bakery_layer()).parts:
            assert part.meaning
            assert question[words[part.start].start :].startswith(words[part.start].text)
        assert bakery_domain().explain(one.program).restated


def test_shares_add_up_and_a_high_temperature_makes_them_alike() -> None:
    readings = _readings("oldest baker in Ulm")
    cold, warm = shares(readings, 0.5), shares(readings, 50.0)
    assert sum(cold) == pytest.approx(1) == sum(warm)
    assert cold == sorted(cold, reverse=True)
    assert warm[0] < cold[0]
    assert shares([], 1.0) == []


def test_words_that_matter_and_gave_nothing_are_left_over() -> None:
    question = "please show the xyzzy breads never"
    words = words_of(question)
    reading = Reading(_readings(question)[0].program, (), tuple(range(len(words))), (), 0.0)
    left = [words[number].text for number in left_over(reading, words)]
    assert left == ["xyzzy", "breads", "never"]


@given(st.lists(st.floats(-5, 5), min_size=len(FEATURES), max_size=len(FEATURES)))
def test_a_probability_lies_between_nothing_and_certainty(weights: list[float]) -> None:
    question = "xyzzy breads in Ulm"
    words = words_of(question)
    figures = figures_of(
        _readings(question), Weighted(words, FIRST_WEIGHTS), words, 1.0, bakery_layer().schema
    )
    assert len(figures) == len(FEATURES)
    assert 0 <= probability(weights, figures) <= 1


def test_a_larger_share_is_never_less_probable() -> None:
    question = "rye breads"
    words = words_of(question)
    weights = [0.0, 1.0, *([0.0] * (len(FEATURES) - 2))]
    readings, scores = _readings(question), Weighted(words, FIRST_WEIGHTS)
    made = [
        probability(weights, figures_of(readings, scores, words, heat, bakery_layer().schema))
        for heat in (9, 3, 1, 0.5)
    ]
    assert made == sorted(made)
    assert made[2] == pytest.approx(shares(readings, 1.0)[0], abs=1e-3)


DAYS = st.dates(date(1990, 1, 1), date(2030, 12, 31))


@settings(max_examples=200)
@given(DAYS, DAYS, st.booleans())
def test_a_span_of_days_never_ends_before_it_begins(low: date, high: date, numbered: bool) -> None:
    """Be the year, or the month too, said of its last day alone."""
    first = low.day if numbered else Period(low, date(low.year + 1, 1, 1))
    said = Label(0, 1, "number" if numbered else "period", value=first)
    last = Label(1, 2, "period", value=Period(high, date(high.year + 1, 1, 1)))
    frames = [Frame(sign="between")]
    for label in (said, last):
        frames = [one.frame for frame in frames for one in steps(frame, label, bakery_layer())]
    spans = [one.value for frame in frames for one in frame.conds]
    for one in spans:
        assert one.start <= high < one.end
    if not numbered:
        assert [one.start for one in spans] == [
            low if low <= high else max(_earlier(low, high.year, high))
        ]


def _earlier(day: date, year: int, last: date) -> list[date]:
    made = [in_year(day, year), in_year(day, year - 1)]
    return [one for one in made if one <= last]


@given(DAYS, st.integers(1900, 2100))
def test_a_day_of_another_year_has_its_month_and_but_for_leap_days_its_day(
    day: date, year: int
) -> None:
    made = in_year(day, year)
    assert (made.year, made.month) == (year, day.month)
    assert made.day == day.day or (day.month, day.day, made.day) == (2, 29, 28)
