"""Names of people with titles and endings, and parts of words with plurals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from asked_database import AskedDatabase, asked_database

from partwise.database.reading.text import words_of

SCRIPT = """
CREATE TABLE rider (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT);
CREATE TABLE lesson (id INTEGER PRIMARY KEY, rider_id INTEGER REFERENCES rider, kind TEXT,
    minutes INTEGER);
INSERT INTO rider VALUES (1, 'Ida', 'Kern'), (2, 'Uwe', 'Ott'), (3, 'Ben', 'Ott');
INSERT INTO lesson VALUES (1, 1, 'warm-up', 30), (2, 1, 'jumping', 60), (3, 2, 'warm-up', 20);
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    """A riding school."""
    with asked_database(SCRIPT, Path(tmp_path_factory.mktemp("stable")) / "stable.db") as made:
        yield made


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
