"""What the comments of a schema say."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from partwise.database.source.catalogue import meanings_in, names_in, of_statement
from partwise.database.source.connections import connect
from partwise.database.source.importing import import_database

STATEMENT = """CREATE TABLE "deal" (
    no INTEGER PRIMARY KEY,
    "Agent" TEXT,  -- sold by
    st CHAR(1) DEFAULT '--',  -- A active, B blocked
    note TEXT DEFAULT 'a -- b',
    paid INTEGER -- 1 = settled
)"""


def test_comments_behind_columns() -> None:
    said = of_statement(STATEMENT)
    assert said["Agent"] == "sold by"
    assert said["paid"] == "1 = settled"
    assert "note" not in said
    assert "no" not in said


@pytest.mark.parametrize(
    ("comment", "name"),
    [
        ("sold by", ("sold by",)),
        ("Reminders sent.", ("reminders sent",)),
        ("1 = settled", ("settled",)),
        ("of the frame", ()),
        ("NULL = unlimited", ()),
        ("seconds, 0 = not answered", ()),
        ("the phone number of the line that was called", ()),
        ("agent", ()),
        ("", ()),
    ],
)
def test_a_short_comment_is_a_name(comment: str, name: tuple[str, ...]) -> None:
    assert names_in(comment, "agent") == name


@pytest.mark.parametrize(
    ("comment", "values", "meant"),
    [
        (
            "A active, B blocked, C cancelled",
            "ABC",
            {"A": "active", "B": "blocked", "C": "cancelled"},
        ),
        ("'P' = private; 'B' = business", "PB", {"P": "private", "B": "business"}),
        ("Y = controlled substance", "YN", {"Y": "controlled substance"}),
        ("M: mobile / F: fixed line", "MF", {"M": "mobile", "F": "fixed line"}),
        ("for seg B: company name here", "B", {}),
        ("what it is", "AB", {}),
    ],
)
def test_what_codes_mean(comment: str, values: str, meant: dict[str, str]) -> None:
    assert meanings_in(comment, values) == {code: (said,) for code, said in meant.items()}


def test_an_import_takes_names_and_meanings_from_comments(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "deals.db")) as made:
        made.executescript(STATEMENT + ";")
        rows = [
            (number, f"Agent {number % 2}", "AB"[number % 2], "", number % 2) for number in range(9)
        ]
        made.executemany("INSERT INTO deal VALUES (?, ?, ?, ?, ?)", rows)
        made.commit()
    with closing(connect(tmp_path / "deals.db")) as source:
        layer = import_database(source, "deals")
    assert "sold by" in layer.column("deal", "Agent").synonyms
    assert layer.column("deal", "Agent").description == "sold by"
    assert dict(layer.column("deal", "st").value_names) == {"A": ("active",), "B": ("blocked",)}
