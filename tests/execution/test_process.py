"""Several workers at a time: none holds the others up, and each is replaced when it goes."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from partwise.errors import ExecutionError
from partwise.execution.database import Database

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with sqlite3.connect(tmp_path / "books.db") as made:
        made.execute("CREATE TABLE book (title TEXT)")
    made.close()
    opened = Database(tmp_path / "books.db", timeout=2.0, at_once=2)
    yield opened
    opened.close()


def test_a_slow_query_does_not_hold_up_others(db: Database) -> None:
    with ThreadPoolExecutor(4) as threads:
        slow = threads.submit(db.rows, ENDLESS)
        fast = [threads.submit(db.column, "SELECT count(*) FROM book") for _ in range(20)]
        assert [one.result() for one in fast] == [(0,)] * 20
        assert not slow.done()
        with pytest.raises(ExecutionError, match=r"longer than 2 s and was stopped"):
            slow.result()
    assert db.column("SELECT count(*) FROM book") == (0,)


def test_more_slow_queries_than_workers_all_end(db: Database) -> None:
    db.timeout = 0.3
    with ThreadPoolExecutor(5) as threads:
        asked = [threads.submit(db.rows, ENDLESS) for _ in range(5)]
        assert all(isinstance(one.exception(), ExecutionError) for one in asked)
    db.timeout = 10.0
    assert db.column("SELECT count(*) FROM book") == (0,)


def test_a_worker_that_went_is_replaced(db: Database) -> None:
    assert db.column("SELECT 1") == (1,)
    talk = db._process._idle[0]
    os.kill(talk.popen.pid, signal.SIGTERM)
    talk.popen.wait()
    assert db.column("SELECT 2") == (2,)
    assert db._process.pid != talk.popen.pid


def test_closing_waits_for_what_runs(db: Database) -> None:
    with ThreadPoolExecutor(2) as threads:
        slow = threads.submit(db.rows, ENDLESS)
        assert db.column("SELECT 1") == (1,)
        db.close()
        assert isinstance(slow.exception(), ExecutionError)
    assert db._process.pid is None
    assert db.column("SELECT 1") == (1,)
