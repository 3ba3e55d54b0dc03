"""Calls hidden between quotes, comments and escapes: what `check` lets through calls nothing."""

from __future__ import annotations

from random import Random

import pytest

from partwise.execution.worker_sql import check

duckdb = pytest.importorskip("duckdb")

CASES = 30_000
PARTS = ["'", "''", '"', '""', "\\", "\\'", "$$", "$", "/*", "*/", "--", "\n", "\r", " ", "1", "e",
         "/", "*", "x", "(", ")", "\u00a0"]  # fmt: skip
AROUND = ["/*{}*/", "'{}'", '"{}"', "--{}\n", "$${}$$", "e'{}'", "$a${}$a$", "U&'{}'"]
BEFORE, BETWEEN = ["", "1", "1,", "1+", "'a'||", "1 as", "x."], ["", " ", ",", "+", "||", "\n"]
AFTER = ["", "--'", '--"', "/*'*/", "--'*/", "||'", ",", " as a"]


def inside(random: Random, depth: int) -> str:
    """Parts and quoted parts, in any order."""
    return "".join(
        random.choice(PARTS) if depth == 0 or random.random() < 0.5 else quoted(random, depth - 1)
        for _ in range(random.randint(0, 3))
    )


def quoted(random: Random, depth: int) -> str:
    return random.choice(AROUND).format(inside(random, depth))


def test_no_call_hides() -> None:
    random, called = Random(1), []
    database = duckdb.connect()
    database.create_function("hidden", lambda: called.append(1) or 1, [], "INTEGER")
    read = 0
    for _ in range(CASES):
        start = random.choice(BEFORE) + quoted(random, 2) + random.choice(BETWEEN)
        query = f"select {start}hidden(){random.choice(AFTER)}"
        try:
            check(query)
            database.execute(query).fetchall()
            read += 1
        except (ValueError, duckdb.Error):
            continue
        assert not called, query
    assert read
    assert not called
