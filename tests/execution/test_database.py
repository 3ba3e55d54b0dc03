"""Reading SQLite: scripts and files, bound values, kept answers, and several workers."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cases import cases
from partwise.errors import DomainError, ExecutionError
from partwise.execution import database
from partwise.execution.database import Database
from partwise.language.values import Many, Number, One

SCRIPT = """CREATE TABLE book (title TEXT, year INTEGER);
INSERT INTO book VALUES ('Emma', 1815), ('Dracula', 1897), ('It''s :of', 1900);"""
NASTY = "x'); DROP TABLE book; --"


@pytest.fixture(params=["data.sql", "data.sqlite"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    file = tmp_path / str(request.param)
    if file.suffix == ".sql":
        file.write_text(SCRIPT, encoding="utf-8")
    else:
        made = sqlite3.connect(file)
        made.executescript(SCRIPT)
        made.close()
    return Database(file)


def test_values_and_sets_are_bound(db: Database) -> None:
    query = "SELECT title FROM book WHERE title IN :of AND year > :year ORDER BY title"
    some = Many(["Emma", "Dracula", NASTY])
    assert db.column(query, of=some, year=1820) == ("Dracula",)
    assert db.column(query, of=some, year=Number(1800)) == ("Dracula", "Emma")
    assert db.column(query, of=One([]), year=0) == ()
    assert db.column("SELECT count(*) FROM book") == (3,)


def test_numbers_in_sets_are_numbers(db: Database) -> None:
    assert db.column("SELECT title FROM book WHERE year IN :of", of=Many([1815])) == ("Emma",)


def test_texts_and_comments_hold_no_parameters(db: Database) -> None:
    query = "SELECT title FROM book WHERE title = 'It''s :of' -- not :of\n"
    assert db.column(query, of=Many(["Emma"])) == ("It's :of",)


def test_rows_are_whole(db: Database) -> None:
    assert db.rows("SELECT * FROM book WHERE title = :t", t="Emma") == [("Emma", 1815)]


@pytest.mark.parametrize("change", ["DELETE FROM book", "DROP TABLE book", "CREATE TABLE x (y)"])
def test_nothing_can_be_changed(db: Database, change: str) -> None:
    with pytest.raises(ExecutionError, match="readonly"):
        db.rows(change)
    assert db.column("SELECT count(*) FROM book") == (3,)


def test_failing_queries_say_which(db: Database) -> None:
    with pytest.raises(ExecutionError, match="no such column: autor in the query 'SELECT autor"):
        db.rows("SELECT autor FROM book")
    with pytest.raises(ExecutionError, match="nothing is given for :of"):
        db.rows("SELECT title FROM book WHERE title IN :of")


def test_threads_may_ask(db: Database) -> None:
    query = "SELECT year FROM book WHERE title = :t"
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: db.column(query, t="Emma"), range(20)))
    assert found == [(1815,)] * 20


def test_bad_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match="there is no such file"):
        Database(tmp_path / "nix.sqlite").rows("SELECT 1")
    (tmp_path / "bad.sql").write_text("CREATE TABEL x", encoding="utf-8")
    with pytest.raises(DomainError, match=r"bad\.sql: cannot be opened as SQLite: near"):
        Database(tmp_path / "bad.sql").rows("SELECT 1")
    (tmp_path / "bad.sqlite").write_bytes(b"no database at all, only text" * 50)
    with pytest.raises(DomainError, match="not a database"):
        Database(tmp_path / "bad.sqlite").rows("SELECT 1")


@pytest.mark.parametrize(("module", "extra"), [("duckdb", "duckdb"), ("psycopg", "postgres")])
def test_a_missing_library_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, extra: str
) -> None:
    (tmp_path / f"{module}.py").write_text("raise ImportError('it is not here')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    place = f"duckdb:///{tmp_path}/{module}.py" if module == "duckdb" else "postgresql:///x"
    with pytest.raises(DomainError, match=rf"pip install 'partwise\[{extra}\]'"):
        Database(place).rows("SELECT 1")


@pytest.mark.parametrize("place", ["oracle://localhost/x", "sqlite://x.db", "duckdb:///"])
def test_unknown_places_are_told(place: str) -> None:
    with pytest.raises(DomainError, match=r"write sqlite:///FILE, duckdb:///FILE, postgresql://"):
        Database(place)


def test_arms_of_a_union_keep_their_own_columns(tmp_path: Path) -> None:
    """DuckDB's own plan takes columns of one for those of the other (duckdb/duckdb#25819)."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "staff.duckdb")) as made:
        made.execute("CREATE TABLE staff (id INTEGER, boss INTEGER, pay INTEGER, age INTEGER)")
        made.execute("INSERT INTO staff VALUES (1, NULL, 10, 50), (2, 1, 20, 40), (3, 2, 30, 60)")
    joins = "FROM staff AS s LEFT JOIN staff AS o ON s.boss = o.id LEFT JOIN staff AS e"
    arms = (f"SELECT {one} {joins} ON o.boss = e.id" for one in ("e.age, o.pay", "o.age, e.pay"))
    database = Database(f"duckdb:///{tmp_path}/staff.duckdb")
    rows = database.rows(" UNION ALL ".join(arms))
    database.close()
    assert Counter(rows) == Counter(
        [(None, None), (None, 10), (50, 20), (None, None), (50, None), (40, 10)]
    )


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


@cases("query")
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


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def two_workers(tmp_path: Path) -> Iterator[Database]:
    with sqlite3.connect(tmp_path / "books.db") as made:
        made.execute("CREATE TABLE book (title TEXT)")
    made.close()
    opened = Database(tmp_path / "books.db", timeout=2.0, at_once=2)
    yield opened
    opened.close()


def test_a_slow_query_does_not_hold_up_others(two_workers: Database) -> None:
    with ThreadPoolExecutor(4) as threads:
        slow = threads.submit(two_workers.rows, ENDLESS)
        fast = [threads.submit(two_workers.column, "SELECT count(*) FROM book") for _ in range(20)]
        assert [one.result() for one in fast] == [(0,)] * 20
        assert not slow.done()
        with pytest.raises(ExecutionError, match=r"longer than 2 s and was stopped"):
            slow.result()
    assert two_workers.column("SELECT count(*) FROM book") == (0,)


def test_more_slow_queries_than_workers_all_end(two_workers: Database) -> None:
    two_workers.timeout = 0.3
    with ThreadPoolExecutor(5) as threads:
        asked = [threads.submit(two_workers.rows, ENDLESS) for _ in range(5)]
        assert all(isinstance(one.exception(), ExecutionError) for one in asked)
    two_workers.timeout = 10.0
    assert two_workers.column("SELECT count(*) FROM book") == (0,)


def test_a_worker_that_went_is_replaced(two_workers: Database) -> None:
    assert two_workers.column("SELECT 1") == (1,)
    talk = two_workers._process._idle[0]
    os.kill(talk.popen.pid, signal.SIGTERM)
    talk.popen.wait()
    assert two_workers.column("SELECT 2") == (2,)
    assert two_workers._process.pid != talk.popen.pid


def test_closing_waits_for_what_runs(two_workers: Database) -> None:
    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(two_workers.rows, ENDLESS)
        assert two_workers.column("SELECT 1") == (1,)
        two_workers.close()
        assert isinstance(slow.exception(), ExecutionError)
    assert two_workers._process.pid is None
    assert two_workers.column("SELECT 1") == (1,)
