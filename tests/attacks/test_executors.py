"""SQL that writes, attaches, loads extensions, reads other files, or never ends."""

from __future__ import annotations

import hashlib
import itertools
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from partwise.errors import ExecutionError
from partwise.execution.database import Database

WRITES = [
    *(f"{verb} INTO book VALUES ('x', 1)" for verb in ("INSERT", "REPLACE", "INSERT OR REPLACE")),
    "INSERT INTO book SELECT * FROM book",
    "INSERT INTO book VALUES ('x', 1) RETURNING title",
    "INSERT INTO book VALUES ('x', 1) ON CONFLICT DO NOTHING",
    "WITH x AS (SELECT 1) INSERT INTO book SELECT 'x', 1",
    "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 3, 'CREATE TABLE x (y)')",
    *(f"UPDATE {kind}book SET year = 0" for kind in ("", "OR IGNORE ", "OR REPLACE ")),
    "UPDATE book SET year = 0 RETURNING title",
    "UPDATE sqlite_master SET sql = ''",
    "WITH x AS (SELECT 1) UPDATE book SET year = 0",
    *(f"DELETE FROM {table}" for table in ("book", "sqlite_master", "books", "book WHERE 1")),
    "WITH x AS (SELECT 1) DELETE FROM book",
    *(f"DROP {kind} {name}" for kind, name in zip(
        ("TABLE", "TABLE IF EXISTS", "VIEW", "VIEW IF EXISTS", "INDEX", "INDEX IF EXISTS"),
        ("book", "book", "books", "books", "by_year", "by_year"), strict=True)),
    *(f"CREATE {kind}TABLE {name} (y)" for kind, name in itertools.product(
        ("", "TEMP ", "TEMPORARY "), ("x", "IF NOT EXISTS x", "main.x", "temp.x"))
      if not (kind and "." in name)),
    *(f"CREATE {kind}TABLE x AS SELECT * FROM book" for kind in ("", "TEMP ")),
    *(f"CREATE {kind}VIEW x AS SELECT 1" for kind in ("", "TEMP ")),
    *(f"CREATE {kind}INDEX x ON book (title)" for kind in ("", "UNIQUE ")),
    *(f"CREATE {kind}TRIGGER x AFTER INSERT ON book BEGIN SELECT 1; END" for kind in ("", "TEMP ")),
    *(f"CREATE VIRTUAL TABLE x USING {module}"
      for module in ("fts5(y)", "fts4(y)", "fts3(y)", "rtree(a, b, c)", "dbstat", "csv(f='x')")),
    *(f"ALTER TABLE book {change}" for change in (
        "RENAME TO x", "ADD COLUMN x", "RENAME COLUMN year TO x", "DROP COLUMN year")),
    *(f"REINDEX{name}" for name in ("", " book", " by_year")),
    *(f"ANALYZE{name}" for name in ("", " book", " main")),
    "VACUUM",
    "VACUUM main",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "BEGIN EXCLUSIVE",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT x",
    "RELEASE x",
]  # fmt: skip
FILES = [
    f"{statement.format(place)}{more}"
    for statement, place, more in itertools.product(
        ("ATTACH '{}' AS x", "ATTACH DATABASE '{}' AS x", "VACUUM INTO '{}'",
         "VACUUM main INTO '{}'"),
        ("FOLDER/new.db", "file:FOLDER/new.db?mode=rwc", "FOLDER/secret.db", ":memory:"),
        ("", " -- ?"),
    )
] + ["DETACH main", "DETACH x"]  # fmt: skip
PRAGMAS = [
    f"PRAGMA {pragma}"
    for pragma in (
        "query_only = OFF", "query_only(0)", "writable_schema = ON", "writable_schema = RESET",
        "trusted_schema = ON", "journal_mode = WAL", "journal_mode = DELETE", "journal_mode(OFF)",
        "user_version = 7", "application_id = 7", "schema_version = 7", "encoding = 'UTF-16'",
        "page_size = 512", "auto_vacuum = FULL", "incremental_vacuum", "wal_checkpoint",
        "wal_checkpoint(TRUNCATE)", "optimize", "locking_mode = EXCLUSIVE", "synchronous = OFF",
        "temp_store_directory = 'FOLDER'", "temp_store = FILE", "cache_size = -9999999",
        "mmap_size = 9999999999", "soft_heap_limit = 0", "hard_heap_limit = 0", "threads = 8",
        "max_page_count = 9", "recursive_triggers = ON", "foreign_keys = ON",
        "ignore_check_constraints = ON",
        "legacy_alter_table = ON", "reverse_unordered_selects = ON", "secure_delete = ON",
        "case_sensitive_like = ON", "defer_foreign_keys = ON", "cell_size_check = OFF",
        "integrity_check", "quick_check", "database_list", "compile_options", "function_list",
        "table_info(book)", "shrink_memory", "analysis_limit = 1", "busy_timeout = 99999999",
        "main.user_version = 7", "journal_size_limit = 0", "cache_spill = OFF",
        "data_store_directory = 'x'",
    )
]  # fmt: skip
CALLS = [
    f"SELECT {call}"
    for call in (
        "load_extension('FOLDER/x.so')", "load_extension('FOLDER/x.so', 'main')",
        "load_extension('x') FROM book", "readfile('FOLDER/secret.txt')",
        "writefile('FOLDER/new.txt', 'x')", "edit('x')", "fts3_tokenizer('simple')",
        "fts3_tokenizer('simple', x'0000000000000000')", "sqlite_version()", "sqlite_source_id()",
        "sqlite_compileoption_get(1)", "sqlite_compileoption_used('x')", "sqlite_log(1, 'x')",
        "fts5(x'00')", "rtreecheck('book')", "geopoly_debug(1)", "last_insert_rowid()",
        "sqlite_rename_column('', '', '', '', '', 0, '', 0, 0)", "eval('DROP TABLE book')",
        "title FROM book UNION SELECT load_extension('x')", "name FROM pragma_database_list",
        "* FROM pragma_table_info('book')", "* FROM dbstat", "* FROM sqlite_dbpage",
        "* FROM fsdir('FOLDER')", "* FROM zipfile('FOLDER/x.zip')",
        "* FROM csv('FOLDER/secret.txt')",
        "* FROM pragma_journal_mode('WAL')", "* FROM pragma_user_version(7)", "* FROM sqlite_stmt",
    )
] + ["EXPLAIN DROP TABLE book", "EXPLAIN QUERY PLAN DELETE FROM book"]  # fmt: skip
SEVERAL = [f"SELECT 1; {one}" for one in WRITES[:20]] + ["SELECT 1; DROP TABLE book; --", ";", ""]
STATEMENTS = WRITES + FILES + PRAGMAS + CALLS + SEVERAL

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
HUGE = [
    NUMBERS + "count(*) FROM n",
    NUMBERS + "i FROM n",
    NUMBERS + "group_concat(i) FROM n",
    "SELECT count(*) FROM " + ", ".join(f"book b{i}" for i in range(40)),
    "SELECT b0.title FROM " + ", ".join(f"book b{i}" for i in range(40)),
    "SELECT printf('%.*c', 2000000000, 'x')",
    "SELECT zeroblob(2000000000)",
    "SELECT hex(randomblob(2000000000))",
    "SELECT replace(hex(zeroblob(20000000)), '0', hex(zeroblob(20000000)))",
    "SELECT instr(zeroblob(20000000) || 'x', zeroblob(10000000) || 'y')",
    "SELECT zeroblob(40000000), zeroblob(40000000), zeroblob(40000000)",
    "SELECT 'x' LIKE '" + "%x" * 2000 + "'",
    "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "SELECT 1" + " UNION ALL SELECT 1" * 5000,
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("books.db", "secret.db"):
        made = sqlite3.connect(tmp_path / name)
        made.executescript(
            "CREATE TABLE book (title TEXT, year INTEGER);"
            "INSERT INTO book VALUES ('Emma', 1815), ('Dracula', 1897), ('Persuasion', 1817);"
            "CREATE VIEW books AS SELECT * FROM book; CREATE INDEX by_year ON book (year);"
        )
        made.close()
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    return tmp_path


@pytest.fixture
def db(folder: Path) -> Iterator[Database]:
    opened = Database(folder / "books.db", timeout=10.0, max_rows=10_000, max_memory=1 << 30)
    yield opened
    opened.close()


def state(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_statements_that_do_more_than_read_are_refused(folder: Path, db: Database) -> None:
    assert len(STATEMENTS) >= 200
    before = state(folder)
    answered = []
    for statement in STATEMENTS:
        try:
            rows = db.rows(statement.replace("FOLDER", str(folder)))
        except ExecutionError:
            continue
        answered.append((statement, rows))
    # Statements without anything in them do nothing.
    assert answered == [(";", []), ("", [])]
    assert state(folder) == before
    assert db.column("SELECT title FROM books ORDER BY year") == ("Emma", "Persuasion", "Dracula")


def test_the_process_itself_opens_no_file(folder: Path) -> None:
    # A script runs before anything is forbidden; what it opens later is still refused.
    (folder / "data.sql").write_text("CREATE TABLE x (y); INSERT INTO x VALUES (1);")
    db = Database(folder / "data.sql")
    before = state(folder)
    with pytest.raises(ExecutionError, match="readonly"):
        db.rows(f"ATTACH '{folder / 'new.db'}' AS new")
    assert state(folder) == before
    assert db.column("SELECT y FROM x") == (1,)


@pytest.mark.parametrize("query", HUGE, ids=lambda query: query[:40])
def test_work_and_answers_are_bounded(folder: Path, db: Database, query: str) -> None:
    before = state(folder)
    db.timeout = 0.5
    with pytest.raises(ExecutionError) as caught:
        db.rows(query)
    assert len(str(caught.value)) < 2_000
    assert state(folder) == before
    db.timeout = 10.0
    assert db.column("SELECT count(*) FROM book") == (3,)
