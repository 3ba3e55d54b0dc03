"""Names of people with titles and endings, and parts of words with plurals."""

from __future__ import annotations

import pytest
from asked_database import AskedDatabase, example

from partwise.database.spans.text import words_of

asked = example("stable")


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
