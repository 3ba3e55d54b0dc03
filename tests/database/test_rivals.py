"""What is open is asked: a column that two tables keep, and columns of near names."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from partwise.database.editing import new_domain
from partwise.database.folder import open_domain
from partwise.interface.answering import answer
from partwise.interface.parser import Parser
from partwise.training.store import find_shipped, load_parser

SCRIPT = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE delivery (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, city TEXT);
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, buy_price REAL, sell_price REAL);
INSERT INTO customer VALUES (1, 'Ann', 'Rome'), (2, 'Bob', 'Oslo'), (3, 'Cid', 'Oslo');
INSERT INTO delivery VALUES (1, 1, 'Oslo'), (2, 2, 'Oslo'), (3, 3, 'Bern'), (4, 1, 'Rome');
INSERT INTO product VALUES (1, 'tea', 2, 3), (2, 'mug', 4, 9), (3, 'pot', 8, 12);
"""


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Parser[object]:
    if "database" not in find_shipped():
        pytest.skip("the parser for databases does not come with this build")
    folder = tmp_path_factory.mktemp("open")
    with closing(sqlite3.connect(folder / "data.db")) as connection:
        connection.executescript(SCRIPT)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        made = new_domain("shop", "sqlite:///data.db").folder
        return load_parser("database", open_domain(Path(made)))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("what is the average price of the products?", {"4.666667", "8"}),
        (
            "how many deliveries are there per city?",
            {"Bern, 1; Oslo, 2; Rome, 1", "Oslo, 2; Rome, 2"},
        ),
        ("what are the different cities?", {"Rome; Oslo", "Oslo; Bern; Rome"}),
    ],
)
def test_both_meanings_are_offered(
    parser: Parser[object], question: str, answers: set[str]
) -> None:
    (told,) = answer(parser, [question])
    assert told.clarification is not None
    assert {*answers} <= {option.preview for option in told.clarification.options}


@pytest.mark.parametrize(
    "question", ["what is the average sell price of the products?", "customers in Rome"]
)
def test_what_is_plain_is_not_asked(parser: Parser[object], question: str) -> None:
    (told,) = answer(parser, [question])
    assert told.clarification is None
