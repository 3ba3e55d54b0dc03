"""How people ask: slips of the pen, averages of counts, texts in quotes."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked_database import asked_database, example

from partwise.database.spans.spelling import Spellings
from partwise.database.spans.text import words_of

asked = example("library")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("custmers", "custom"), ("cutsomer", "custom"), ("invoces", "invoic"), ("placed", "place")],
)
def test_slips_are_words_with_a_letter_too_few_or_exchanged(typed: str, meant: str) -> None:
    known = Spellings(["customer", "invoice", "played"])
    assert known.meant(words_of(typed)[0])[0] == meant


def test_a_reader_with_a_user_name_is_a_person(tmp_path: Path) -> None:
    script = "CREATE TABLE account (id INTEGER PRIMARY KEY, user_name TEXT, plan TEXT);"
    with asked_database(script, tmp_path / "users.db") as made:
        assert made.layer.table("account").person


def test_the_age_of_one_person_is_not_told_by_anothers(tmp_path: Path) -> None:
    script = """
    CREATE TABLE seller (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, birth_date DATE);
    CREATE TABLE customer (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT,
        seller_id INTEGER REFERENCES seller);
    INSERT INTO seller VALUES (1, 'Ann', 'Bell', '1980-01-02');
    INSERT INTO customer VALUES (1, 'Emma', 'Rust', 1);
    """
    with asked_database(script, tmp_path / "sales.db") as made:
        for question, aged in [("how old is Emma Rust", False), ("how old is Ann Bell", True)]:
            columns = {one.thing.column for one in made.labels(question) if one.thing is not None}
            assert ("birth_date" in columns) is aged


def test_who_plays_a_part_is_the_person_that_it_links(tmp_path: Path) -> None:
    script = """
    CREATE TABLE person (id INTEGER PRIMARY KEY, full_name TEXT, born INTEGER);
    CREATE TABLE cast_member (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person,
        character_name TEXT);
    INSERT INTO person VALUES (1, 'Ines Moor', 1970), (2, 'Tom Alder', 1988);
    INSERT INTO cast_member VALUES (1, 1, 'Captain Friis'), (2, 2, 'The nurse');
    """
    with asked_database(script, tmp_path / "films.db") as made:
        who = [one for one in made.labels("who plays Captain Friis") if one.op == "who"]
        assert {one.thing.table for one in who if one.thing} == {"person"}
        assert {"Ines Moor"} in made.first_columns("who plays Captain Friis")
