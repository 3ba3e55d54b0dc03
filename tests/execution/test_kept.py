"""Answers from SQLite are kept, and forgotten when the file changes."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from partwise.execution import database
from partwise.execution.database import Database

COUNT = "SELECT count(*) FROM book"


def write(file: Path, *statements: str) -> None:
    made = sqlite3.connect(file)
    for statement in statements:
        made.execute(statement)
    made.commit()
    made.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "books.db"
    write(file, "CREATE TABLE book (title TEXT)", "CREATE VIEW chance AS SELECT random() AS x")
    os.utime(file, (1, 1))
    return file


@pytest.fixture
def asked(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Database, list[Any]]]:
    """A database, and what its process was asked."""
    db, calls = Database(file), []
    call = db._process.call
    monkeypatch.setattr(db._process, "call", lambda *a: (calls.append(a[1]), call(*a))[1])
    yield db, calls
    db.close()


def test_an_answer_is_kept_by_its_values(asked: tuple[Database, list[Any]]) -> None:
    db, calls = asked
    for _ in range(3):
        rows = db.rows("SELECT :x", x=1)
        assert rows == [(1,)]
        rows.clear()
        assert db.rows("SELECT :x", x="1") == [("1",)]
        assert db.rows("SELECT :x", x=True) == [(1,)]
    assert len(calls) == 3


def test_a_change_of_the_file_is_seen(
    file: Path, asked: tuple[Database, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    db, calls = asked
    assert db.column(COUNT) == db.column(COUNT) == (0,)
    assert len(calls) == 1
    # Just now, so nothing is kept: a second change might have the same time.
    write(file, "INSERT INTO book VALUES ('Emma')")
    assert db.column(COUNT) == db.column(COUNT) == (1,)
    assert len(calls) == 3
    monkeypatch.setattr(database, "REST", -1.0)
    assert db.column(COUNT) == db.column(COUNT) == (1,)
    assert len(calls) == 4
    write(file, "PRAGMA journal_mode = WAL")
    writer = sqlite3.connect(file)
    writer.execute("INSERT INTO book VALUES ('Dracula')")
    writer.commit()
    # Still in the log beside the file.
    assert db.column(COUNT) == (2,)
    writer.close()


@pytest.mark.parametrize(
    "query",
    ["SELECT random()", "SELECT x FROM chance", "SELECT (SELECT max(x) FROM chance)",
     "SELECT datetime('now', 'subsec')", "SELECT 1 WHERE date('now') > '2000'",
     "SELECT current_date"],
)  # fmt: skip
def test_what_changes_by_itself_is_not_kept(asked: tuple[Database, list[Any]], query: str) -> None:
    db, calls = asked
    for _ in range(3):
        assert db.rows(query)
    assert len(calls) == 3


def test_large_answers_are_not_kept(asked: tuple[Database, list[Any]]) -> None:
    db, calls = asked
    for _ in range(2):
        db.rows("SELECT hex(zeroblob(10000))")
        db.rows("SELECT value FROM json_each(:x)", x=str([*range(200)]))
    assert len(calls) == 4
