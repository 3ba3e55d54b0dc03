"""Texts that are a part of a column, and quotes before "in the title"."""

from __future__ import annotations

import pytest
from bakery import called, labels_of, read_as, rows_of, rows_wanted

from partwise.database.reading.literals import behind_texts
from partwise.database.spans.text import words_of
from partwise.execution.relational.writing import write


def test_an_unknown_word_in_front_of_a_text_is_a_part_of_it() -> None:
    parts = [one for one in labels_of("bakers with a dorset town") if one.op == "part"]
    assert [(one.value, one.thing.column) for one in parts if one.thing] == [("dorset", "town")]
    read = [write(one) for one in read_as("bakers with a dorset town", ["baker", "'dorset'"])]
    assert any("Contains" in one and "dorset" in one for one in read), read


def test_quotes_stand_in_front_of_what_contains_them() -> None:
    question = "breads with 'rye mix' in their name"
    read = [write(one) for one in read_as(question, ["bread", "'rye mix'", "contains"])]
    assert any("Contains" in one and "rye mix" in one for one in read), read


def test_quotes_stand_in_front_of_a_name_that_is_no_column() -> None:
    for question in (
        "breads with 'rye mix' in the name",
        "breads with substring 'rye mix' in name",
    ):
        read = [write(one) for one in read_as(question, ["bread", "'rye mix'", "name"])]
        assert any("Contains" in one and "rye mix" in one for one in read), read


def test_what_closes_one_text_opens_no_other() -> None:
    said = [one.value for one in labels_of("'rye' breads or 'wheat' breads") if one.kind == "text"]
    assert "rye" in said
    assert "breads or" not in said


@pytest.mark.parametrize("question", ["bakers in the town", "breads with 20 in their weight"])
def test_no_word_is_a_part_where_none_is_unknown(question: str) -> None:
    assert not [one for one in labels_of(question) if one.op == "part"]


@pytest.mark.parametrize(
    ("question", "behind"),
    [
        ("bread whose name ends in loaf.de", {5: 3}),
        ("bread with the word rye", {4: 1}),
        ("bakers starting with the letter A", {2: 1, 3: 1, 5: 1}),
        ("stores having bread", {}),
    ],
)
def test_what_stands_behind_the_words_for_a_part_of_a_text(
    question: str, behind: dict[int, int]
) -> None:
    assert behind_texts(words_of(question)) == behind


def test_no_stored_value_is_meant_by_a_part_of_a_text() -> None:
    found = [called(one) for one in labels_of("bread whose name starts with dark")]
    assert "'dark'" in found
    assert not [one for one in found if "Dark Rye" in one]
    assert "bread.name=Dark Rye" in [called(one) for one in labels_of("weight of dark ry")]
    dotted = [one.value for one in labels_of("shops whose name ends in loaf.de")]
    assert "loaf.de" in dotted


def test_a_title_is_named_behind_a_part_of_it() -> None:
    made = read_as(
        "bread with the word rye in the name", ["bread", "contains", "'rye'", "contains"]
    )
    wanted = rows_wanted("SELECT name FROM bread WHERE name LIKE '%rye%'", 0)
    assert any(rows_of(one, 0) == wanted for one in made)
