"""Texts that are a part of a column, quotes before "in the title", and numbers that are no age."""

from __future__ import annotations

from datetime import date

import pytest
from bakery import labels_of, read_as

from partwise.database.reading.ages import ages_in
from partwise.database.reading.text import words_of
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


@pytest.mark.parametrize("question", ["over $45", "more than 45 minutes", "over 45 kg"])
def test_a_number_with_another_unit_is_no_age(question: str) -> None:
    assert not list(ages_in([("baker", "born")], words_of(question), date(2025, 6, 1)))


@pytest.mark.parametrize("question", ["over 45", "45 years old", "above 45 years"])
def test_a_bare_number_may_be_an_age(question: str) -> None:
    assert list(ages_in([("baker", "born")], words_of(question), date(2025, 6, 1)))
