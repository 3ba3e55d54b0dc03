"""How people ask: slips of the pen, averages of counts, texts in quotes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asked_database import AskedDatabase, asked_database

from partwise.database.reading.spelling import Spellings
from partwise.database.reading.text import words_of

SCRIPT = """
CREATE TABLE reader (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT);
CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, pages INTEGER);
CREATE TABLE loan (id INTEGER PRIMARY KEY, reader_id INTEGER REFERENCES reader,
    book_id INTEGER REFERENCES book, minutes INTEGER);
CREATE TABLE employee (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT,
    boss_id INTEGER REFERENCES employee);
CREATE TABLE pony (id INTEGER PRIMARY KEY, name TEXT, dam_id INTEGER REFERENCES pony);
INSERT INTO reader VALUES (1, 'Ida', 'Kern', 'ida@gmail.com'), (2, 'Uwe', 'Ott', 'uwe@home.org');
INSERT INTO book VALUES (1, 'By the sea', 90), (2, 'Seaside inns', 300), (3, 'Soups', 200);
INSERT INTO loan VALUES (1, 1, 1, 30), (2, 1, 2, 60), (3, 2, 3, 90), (4, 1, 3, 20);
INSERT INTO employee VALUES (1, 'Ann', 'Bell', NULL), (2, 'Bo', 'Cole', 1), (3, 'Cy', 'Dean', 1);
INSERT INTO pony VALUES (1, 'Bella', NULL), (2, 'Daisy', 1), (3, 'Max', 2);
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedDatabase]:
    """The library and its ponies."""
    with asked_database(SCRIPT, Path(tmp_path_factory.mktemp("library")) / "library.db") as made:
        yield made


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("average number of loans per reader", {2.0}),
        ("how many loans does a reader have on average", {2.0}),
        ("what is the average number of loans of a reader", {2.0}),
        ("on average, how many minutes does a loan take", {50.0}),
        ("raeders with a gmail address", {"Ida"}),
        ("books with 'sea' in the title", {"By the sea", "Seaside inns"}),
        ("the two longest books, longest first", {"Seaside inns", "Soups"}),
        ("books that start with the letter S", {"Seaside inns", "Soups"}),
    ],
)
def test_what_people_ask(asked: AskedDatabase, question: str, first: set[Any]) -> None:
    assert first in asked.first_columns(question, first=12)


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
