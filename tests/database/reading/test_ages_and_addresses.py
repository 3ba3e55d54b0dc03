"""Ages from dates of birth, addresses of several columns, and names with titles and endings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from asked_database import AskedDatabase, asked_database

from partwise.database.reading.text import words_of
from partwise.database.restating import restate
from partwise.execution.relational.program import (
    Aggregate,
    Elapsed,
    Field,
    Figure,
    Listing,
    Rows,
    Value,
)

SCRIPT = """
CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE rider (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, birth_date DATE,
    str TEXT, postcode TEXT, town_id INTEGER REFERENCES town, email TEXT);
CREATE TABLE groom (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, wage INTEGER);
CREATE TABLE lesson (id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES rider, kind TEXT,
    minutes INTEGER);
INSERT INTO town VALUES (1, 'Jena'), (2, 'Kiel');
INSERT INTO rider VALUES (1, 'Ida', 'Kern', '2005-01-01', 'Elm Road 3', '07743', 1, 'i@x.org'),
    (2, 'Uwe', 'Ott', '1985-01-01', 'Main Street 1', '24103', 2, 'u@x.org'),
    (3, 'Ben', 'Ott', '1995-01-01', 'Hill Lane 8', '24103', 2, 'b@x.org');
INSERT INTO groom VALUES (1, 'Cleo', 'Rath', 1900);
INSERT INTO lesson VALUES (1, 1, 'warm-up', 30), (2, 1, 'jumping', 60), (3, 2, 'warm-up', 20);
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    """A riding school."""
    with asked_database(SCRIPT, Path(tmp_path_factory.mktemp("stable")) / "stable.db") as made:
        yield made


@pytest.mark.parametrize(
    ("question", "years"),
    [
        ("average age of the riders", {30}),
        ("how old are the riders on average", {30}),
        ("how old is Ida Kern", {20}),
        ("Ida Kern's age", {20}),
        ("highest age of riders", {40}),
        ("ages of riders", {20, 30, 40}),
    ],
)
def test_ages_are_counted_up_to_today(asked: AskedDatabase, question: str, years: set[int]) -> None:
    answers = asked.answers(question)
    assert years in [
        {round(row[-1]) for row in rows}
        for rows in answers
        if rows and all(isinstance(row[-1], float) for row in rows)
    ]


@pytest.mark.parametrize("question", ["riders with an age over 35", "riders older than 35"])
def test_an_age_is_compared(asked: AskedDatabase, question: str) -> None:
    assert {"Uwe"} in asked.first_columns(question)


def test_nobodys_age_is_that_of_others(asked: AskedDatabase) -> None:
    for question in ("average age of our grooms", "how old are the grooms"):
        assert not [one for one in asked.labels(question) if one.op == "old"]
    assert [one for one in asked.labels("average age of our riders") if one.op == "old"]


@pytest.mark.parametrize("question", ["age group of the riders", "riders by age limit"])
def test_other_words_with_age_are_no_age(asked: AskedDatabase, question: str) -> None:
    assert not [one for one in asked.labels(question) if one.op == "old"]


def test_an_age_is_told_as_such(asked: AskedDatabase) -> None:
    today = Value(date(2025, 1, 1))
    age = Elapsed("year", Field((), "birth_date"), today)
    mean = Figure(Rows("rider"), Aggregate("average", age))
    assert restate(mean, asked.layer) == "The average age of riders"
    ages = Listing(Rows("rider"), (age,), distinct=True)
    assert restate(ages, asked.layer) == "The different ages of riders"


def test_an_address_is_all_of_its_parts(asked: AskedDatabase) -> None:
    assert [("Elm Road 3", "07743", "Jena")] in asked.answers("address of Ida Kern")
    assert [one for one in asked.labels("the addresses of riders") if one.op == "address"]
    assert not [one for one in asked.labels("email address of Ida Kern") if one.op == "address"]


@pytest.mark.parametrize(
    ("question", "said", "score"),
    [
        ("lessons of Mrs Kern", "Mrs Kern", 1.0),
        ("Mrs. Kern's lessons", "Mrs . Kern's", 1.0),
        ("Kern's lessons", "Kern's", 0.9),
    ],
)
def test_titles_and_endings_belong_to_names(
    asked: AskedDatabase, question: str, said: str, score: float
) -> None:
    words = [one.text for one in words_of(question)]
    named = [one for one in asked.labels(question) if one.value == "Kern"]
    best = max(named, key=lambda one: one.match[3])
    assert " ".join(words[best.start : best.end]) == said
    assert best.match[3] == pytest.approx(score)
    assert {1, 2} in [{row[0] for row in rows} for rows in asked.answers(question)]


def test_a_part_behind_a_hyphen_has_a_plural(asked: AskedDatabase) -> None:
    assert "warm-up" in {one.value for one in asked.labels("how many warm-ups were there")}
