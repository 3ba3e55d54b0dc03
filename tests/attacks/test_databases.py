"""SQL that writes, reads other files, waits, never ends or hides a call is refused."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from servers import program, server

from cases import rows
from partwise.errors import ExecutionError
from partwise.execution import worker_sql
from partwise.execution.database import Database
from partwise.execution.worker_sql import check
from partwise.language.values import Many, Number, One

MADE = """
CREATE TABLE book (title TEXT PRIMARY KEY, year INTEGER);
INSERT INTO book VALUES ('Emma', 1815), ('Dracula', 1897), ('Persuasion', 1817);
CREATE VIEW books AS SELECT * FROM book;
"""
COUNTER = "CREATE SEQUENCE counter;"
MADE_POSTGRESQL = """
CREATE FUNCTION lower(x integer) RETURNS integer AS
    'INSERT INTO book VALUES (''new'', x) RETURNING year' LANGUAGE sql;
CREATE VIEW writing AS SELECT lower(1) AS year;
CREATE VIEW counting AS SELECT nextval('counter') AS year;
"""
REFUSED = json.loads(Path(__file__).with_name("statements.json").read_text("utf-8"))
"""Statements that do more than read, by the databases that have them; FOLDER is a writable one."""
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
HUGE = rows(globals(), "HUGE")
HUGE_SQLITE = rows(globals(), "HUGE_SQLITE")
Opened = tuple[Database, Path]


@pytest.fixture(scope="module")
def postgres() -> Iterator[tuple[str, Path]]:
    psycopg = pytest.importorskip("psycopg")
    if program("initdb") is None:
        pytest.skip("PostgreSQL is not installed")
    with server() as (place, folder):
        with psycopg.connect(place) as made:
            made.execute(MADE + COUNTER + MADE_POSTGRESQL)
        (folder / "secret.txt").write_text("secret", encoding="utf-8")
        yield place, folder


@pytest.fixture
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    if request.param == "postgresql":
        place, folder = request.getfixturevalue("postgres")
    else:
        duck = request.param == "duckdb"
        connect = pytest.importorskip("duckdb").connect if duck else sqlite3.connect
        folder, ending = tmp_path, "duckdb" if duck else "db"
        for name in ("books", "secret"):
            with closing(connect(folder / f"{name}.{ending}")) as made:
                run = made.execute if duck else made.executescript
                run(MADE + (COUNTER if duck else "CREATE INDEX by_year ON book (year);"))
        (folder / "secret.txt").write_text("secret", encoding="utf-8")
        place = f"{request.param}:///{folder}/books.{ending}"
    # As the superuser: what is refused is not left to the rights of an account.
    db = Database(place, timeout=0.5, max_rows=10_000, max_memory=1 << 30)
    db.timeout = 10.0
    yield db, folder
    db.close()


def state(db: Database, folder: Path) -> list[object]:
    """What must not change: files, and what the server's catalogue and tables hold."""
    if db.kind != "postgresql":
        files = (path for path in folder.rglob("*") if path.is_file())
        return [sorted((str(p), hashlib.sha256(p.read_bytes()).hexdigest()) for p in files)]
    import psycopg

    with psycopg.connect(f"postgresql://owner@/postgres?host={folder}") as asked:
        return [
            sorted(path.name for path in folder.iterdir()),
            asked.execute("SELECT * FROM book ORDER BY title").fetchall(),
            asked.execute("SELECT last_value, is_called FROM counter").fetchall(),
            *(asked.execute(f"SELECT count(*), max(oid) FROM pg_{name}").fetchall() for name in (
                "class", "proc", "type", "namespace", "authid", "database", "rewrite", "trigger",
                "extension", "largeobject_metadata", "foreign_server", "publication", "cast")),
            asked.execute("SELECT relname, relacl FROM pg_class ORDER BY 1").fetchall(),
            asked.execute("SELECT * FROM pg_locks WHERE locktype = 'advisory'").fetchall(),
            asked.execute("SELECT * FROM pg_db_role_setting").fetchall(),
        ]  # fmt: skip


each = pytest.mark.parametrize("opened", ["sqlite", "duckdb", "postgresql"], indirect=True)


@each
def test_statements_that_do_more_than_read_are_refused(opened: Opened) -> None:
    db, folder = opened
    both = REFUSED["duckdb and postgresql"] if db.kind != "sqlite" else []
    statements = REFUSED[db.kind] + both
    assert len(set(statements)) == len(statements) >= (250 if both else 200)
    before = state(db, folder)
    answered = []
    for statement in statements:
        try:
            answered.append((statement, db.rows(statement.replace("FOLDER", str(folder)))))
        except ExecutionError:
            continue
    # Statements without anything in them do nothing.
    assert answered == ([] if both else [(";", []), ("", [])])
    assert state(db, folder) == before
    titles = db.column("SELECT title FROM books ORDER BY year")
    assert titles == ("Emma", "Persuasion", "Dracula")


@pytest.mark.parametrize(
    ("opened", "query"),
    [
        *(("sqlite", query) for query in HUGE_SQLITE),
        *((kind, query) for kind in ("duckdb", "postgresql") for query in HUGE),
    ],
    indirect=["opened"],
    ids=lambda value: value[:40],
)
def test_work_and_answers_are_bounded(opened: Opened, query: str) -> None:
    db, folder = opened
    before = state(db, folder)
    # A server keeps the time that it was told first.
    db.timeout = 0.5
    with pytest.raises(ExecutionError) as caught:
        db.rows(query)
    assert len(str(caught.value)) < 2_000
    assert state(db, folder) == before
    db.timeout = 10.0
    assert db.column("SELECT count(*) FROM book") == (3,)


@pytest.mark.parametrize("opened", ["duckdb", "postgresql"], indirect=True)
def test_values_are_never_part_of_the_query(opened: Opened) -> None:
    db, _ = opened
    query = "SELECT title FROM book WHERE title IN :of AND year > :year ORDER BY title"
    nasty = "x'); DROP TABLE book; --"
    assert db.column(query, of=Many(["Emma", "Dracula", nasty]), year=1820) == ("Dracula",)
    assert db.column(query, of=Many(["Emma", nasty]), year=Number(1800)) == ("Emma",)
    assert db.column(query, of=One([]), year=0) == ()
    assert db.column("SELECT year FROM book WHERE year IN :of", of=Many([1815])) == (1815,)
    assert db.column("SELECT CAST(:x AS text)", x=nasty) == (nasty,)
    kinds = "SELECT sum(year), 1.5, CAST(year AS text), CAST('2024-05-31' AS date) FROM book"
    rows = db.rows(f"{kinds} WHERE title = 'Emma' GROUP BY year")
    assert rows == [(1815, 1.5, "1815", "2024-05-31")]
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)"
    assert db.column(f"{numbers} SELECT count(i) /* all */ FROM n AS m(i) -- 3") == (3,)


def test_a_stopped_query_ends_on_the_server(postgres: tuple[str, Path]) -> None:
    import psycopg

    place, _ = postgres
    db = Database(place, timeout=30.0)
    assert db.column("SELECT 1") == (1,)
    # The worker is ended before the server's own limit.
    db.timeout = 0.0
    running = (
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'partwise' AND state = 'active'"
    )
    with psycopg.connect(place, autocommit=True) as asked, ThreadPoolExecutor(1) as beside:
        stopped = beside.submit(db.rows, HUGE[1])
        wait_until(lambda: asked.execute(running).fetchall())
        with pytest.raises(ExecutionError, match="was stopped"):
            stopped.result()
        wait_until(lambda: not asked.execute(running).fetchall())


def wait_until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_duckdb_itself_reads_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    file, secret = tmp_path / "books.duckdb", tmp_path / "secret.csv"
    duckdb.connect(file).execute(MADE).close()
    secret.write_text("secret\n1\n", encoding="utf-8")
    # Whatever a query may have hidden from the check.
    monkeypatch.setattr(worker_sql, "check", lambda query: None)
    _, reply = worker_sql.duckdb(str(file), 1 << 30)
    assert list(reply("SELECT count(*) FROM book", [])) == [(3,)]
    for query in (f"SELECT * FROM read_csv('{secret}')", f"SELECT * FROM '{secret}'"):
        with pytest.raises(duckdb.PermissionException, match="disabled"):
            list(reply(query, []))


def test_a_lost_connection_is_opened_again(postgres: tuple[str, Path]) -> None:
    import psycopg

    place, _ = postgres
    db = Database(place)
    assert db.column("SELECT 1") == (1,)
    end = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'partwise'"
    )
    with psycopg.connect(place) as asked:
        asked.execute(end)
    assert db.column("SELECT 2") == (2,)
    db.close()


def test_a_password_is_shown_to_nobody() -> None:
    db = Database("postgresql://owner:secret@localhost:1/books?password=secret")
    assert "secret" not in " ".join(db._process.command)
    with pytest.raises(Exception, match=r"localhost/books: cannot be reached") as caught:
        db.rows("SELECT 1")
    assert "secret" not in str(caught.value)


def test_the_process_itself_opens_no_file(tmp_path: Path) -> None:
    # A script runs before anything is forbidden; what it opens later is still refused.
    (tmp_path / "data.sql").write_text("CREATE TABLE x (y); INSERT INTO x VALUES (1);")
    db = Database(tmp_path / "data.sql")
    before = state(db, tmp_path)
    with pytest.raises(ExecutionError, match="readonly"):
        db.rows(f"ATTACH '{tmp_path / 'new.db'}' AS new")
    assert state(db, tmp_path) == before
    assert db.column("SELECT y FROM x") == (1,)


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
    """What `check` lets through calls nothing, between whatever quotes, comments and escapes."""
    duckdb = pytest.importorskip("duckdb")
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
