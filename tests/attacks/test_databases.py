"""SQL on DuckDB and PostgreSQL that writes, reads other files, waits, or never ends."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import program, server

from partwise.errors import ExecutionError
from partwise.execution.database import Database
from partwise.language.values import Many, Number, One

duckdb = pytest.importorskip("duckdb")
psycopg = pytest.importorskip("psycopg")

MADE = """
CREATE TABLE book (title TEXT PRIMARY KEY, year INTEGER);
INSERT INTO book VALUES ('Emma', 1815), ('Dracula', 1897), ('Persuasion', 1817);
CREATE VIEW books AS SELECT * FROM book;
CREATE SEQUENCE counter;
"""
MADE_POSTGRESQL = """
CREATE FUNCTION lower(x integer) RETURNS integer AS
    'INSERT INTO book VALUES (''new'', x) RETURNING year' LANGUAGE sql;
CREATE VIEW writing AS SELECT lower(1) AS year;
CREATE VIEW counting AS SELECT nextval('counter') AS year;
"""
BOTH = [
    *(f"{verb} INTO book VALUES ('x', 1)" for verb in ("INSERT", "insert", " \n INSERT")),
    "INSERT INTO book SELECT title || 'x', year FROM book",
    "INSERT INTO book VALUES ('x', 1) RETURNING title",
    "INSERT INTO book VALUES ('Emma', 1) ON CONFLICT DO NOTHING",
    "INSERT INTO book VALUES ('Emma', 1) ON CONFLICT (title) DO UPDATE SET year = 1",
    "WITH x AS (SELECT 1) INSERT INTO book SELECT 'x', 1",
    *(f"WITH x AS ({change} RETURNING *) SELECT * FROM x" for change in (
        "INSERT INTO book VALUES ('x', 1)", "UPDATE book SET year = 1", "DELETE FROM book")),
    *(f"{change}{more}" for change in ("UPDATE book SET year = 0", "DELETE FROM book")
      for more in ("", " WHERE title = 'Emma'", " RETURNING title")),
    *(f"WITH x AS (SELECT 1) {change}" for change in (
        "UPDATE book SET year = 0", "DELETE FROM book")),
    "MERGE INTO book USING (SELECT 'Emma' AS t) s ON t = title WHEN MATCHED THEN DELETE",
    "TRUNCATE book",
    *(f"DROP {name}{more}" for name in (
        "TABLE book", "VIEW books", "SEQUENCE counter", "SCHEMA public", "SCHEMA main")
      for more in ("", " CASCADE")),
    *(f"CREATE {kind}TABLE {name} (y INTEGER)" for kind in ("", "TEMP ", "TEMPORARY ")
      for name in ("x", "IF NOT EXISTS x")),
    *(f"CREATE {kind}TABLE x AS SELECT * FROM book" for kind in ("", "TEMP ")),
    *(f"CREATE {kind}VIEW x AS SELECT 1" for kind in ("", "OR REPLACE ", "TEMP ")),
    *(f"CREATE {kind}INDEX x ON book (year)" for kind in ("", "UNIQUE ")),
    *(f"CREATE {kind}SEQUENCE x" for kind in ("", "TEMP ")),
    "CREATE SCHEMA x",
    "CREATE TYPE x AS ENUM ('a')",
    *(f"ALTER TABLE book {change}" for change in (
        "RENAME TO x", "ADD COLUMN x INTEGER", "RENAME COLUMN year TO x", "DROP COLUMN year")),
    "ALTER VIEW books RENAME TO x",
    "COMMENT ON TABLE book IS 'x'",
    *(f"{word}{more}" for word in ("BEGIN", "START") for more in ("", " TRANSACTION")),
    *("COMMIT", "ROLLBACK", "ABORT", "END", "VACUUM", "ANALYZE", "CHECKPOINT",
      "REINDEX TABLE book"),
    "VACUUM book",
    "ANALYZE book",
    *(f"PREPARE x AS {one}" for one in ("SELECT 1", "DELETE FROM book")),
    *("EXECUTE x", "DEALLOCATE x", "DEALLOCATE ALL", "SHOW ALL", "RESET ALL"),
    *(f"EXPLAIN {more}DELETE FROM book" for more in ("", "ANALYZE ")),
    "EXPLAIN ANALYZE SELECT 1",
    *(f"COPY {what} {direction}" for what in ("book", "(SELECT 1)") for direction in (
        "TO 'FOLDER/new.csv'", "TO 'FOLDER/secret.txt'", "TO '/dev/stdout'")),
    *(f"COPY book FROM 'FOLDER/secret.txt'{more}" for more in ("", " (FORMAT csv)")),
    *(f"SELECT {call}" for call in (
        "nextval('counter')", "currval('counter')", "setval('counter', 9)",
        "pg_catalog.pg_sleep(9)", "pg_sleep(9)", "pg_sleep/**/(9)", 'pg_sleep -- x\n (9)',
        '"pg_sleep"(9)', 'pg_catalog."pg_sleep"(9)', "current_setting('x')", "getenv('HOME')",
        "set_config('x', 'y', false)", "version()", "txid_current()", "*, pg_sleep(9) FROM book",
        "1 FROM book WHERE pg_sleep(9) IS NULL", "(SELECT pg_sleep(9))", "1 ORDER BY pg_sleep(9)",
        "CASE WHEN true THEN pg_sleep(9) END", "1 UNION SELECT pg_sleep(9)", "1pg_sleep(9)",
        "e'\\'', pg_sleep(9) --'", "E'\\' || pg_sleep(9) --'", "1e'\\'', pg_sleep(9) --'",
        "$$'$$, pg_sleep(9), $$'$$", "$a$'$a$, pg_sleep(9), $a$'$a$", "$1e'\\'', pg_sleep(9) --'",
        "U&\"pg\\005fsleep\"(9)", "U&'\\0027'", "/* /* */ ' */ pg_sleep(9) --'", "'a",
        "1 AS\u00a0a,\u00a0pg_sleep(9)", "1 AS a\u00a0FROM\u00a0getenv('x')",
        "1 AS a\u200bFROM\u200bgetenv('x')")),
    *(f"SELECT 1; {one}" for one in (
        "SELECT 2", "DROP TABLE book", "DROP TABLE book; --", "COMMIT; DELETE FROM book",
        "INSERT INTO book VALUES ('x', 1)", "SET threads = 9", "VACUUM", "/**/;")),
    *("", ";", "--", "VALUES", "TABLE"),
]  # fmt: skip
READERS = [
    "csv", "csv_auto", "json", "json_auto", "ndjson", "parquet", "text", "blob", "json_objects",
    "xlsx",
]  # fmt: skip
DUCKDB = [
    *(f"{word}{one}" for word in ("SELECT * FROM ", "FROM ", "SELECT 1 + (SELECT count(*) FROM ")
      for one in ("'FOLDER/secret.txt'", "'FOLDER/secret.duckdb'", "'FOLDER/x.parquet'",
                  "'https://example.org/x.csv'", '"FOLDER/secret.txt"')),
    *(f"SELECT * FROM {schema}read_{name}('FOLDER/secret.txt')" for name in READERS
      for schema in ("", "main.")),
    *(f"SELECT * FROM {call}" for call in (
        "glob('FOLDER/*')", "parquet_scan('FOLDER/x.parquet')", "sniff_csv('FOLDER/secret.txt')",
        "parquet_metadata('FOLDER/x.parquet')", "duckdb_settings()", "duckdb_extensions()",
        "duckdb_secrets()", "duckdb_databases()", "query('SELECT 1')", "query_table('book')",
        "pragma_database_list()", "pragma_storage_info('book')", "sqlite_scan('x.db', 'x')",
        "postgres_scan('', '', '')", "duckdb_databases", "pg_catalog.pg_settings", "checkpoint()",
        "force_checkpoint()", "test_all_types()", "which_secret('x', 'y')", "duckdb_logs",
        "icu_calendar_names()", "python_map_function()", "enable_logging()")),
    *(f"SELECT {call}" for call in (
        "getvariable('x')", "'HOME'.getenv()", "write_log('x')", "in_search_path('x', 'y')",
        "current_database()", "add_parquet_key('x', 'y')", "json_execute_serialized_sql('x')",
        "json_serialize_sql('SELECT 1')", "error('x')", "sleep_ms(9)", "finalize('x')",
        "current_query()", "setseed(0.1)", "stats(1)", "get_current_user()")),
    *(f"{word} '{place}' AS x{more}" for word in ("ATTACH", "ATTACH DATABASE",
      "ATTACH IF NOT EXISTS")
      for place in ("FOLDER/new.duckdb", "FOLDER/secret.duckdb", ":memory:",
        "https://example.org/x")
      for more in ("", " (READ_ONLY)")),
    *("DETACH books", "USE memory", "USE temp", "USE system"),
    *(f"{word} {name}" for word in ("INSTALL", "FORCE INSTALL", "LOAD") for name in (
        "httpfs", "json", "'FOLDER/x.duckdb_extension'")),
    "UPDATE EXTENSIONS",
    *(f"{word} {setting}" for setting in (
        "enable_external_access = true", "lock_configuration = false", "memory_limit = '99GB'",
        "threads = 64", "access_mode = 'READ_WRITE'", "temp_directory = 'FOLDER'",
        "allow_unsigned_extensions = true", "custom_extension_repository = 'x'",
        "extension_directory = 'FOLDER'", "autoload_known_extensions = true",
        "log_query_path = 'FOLDER/log'", "python_enable_replacements = true")
      for word in ("SET", "SET GLOBAL", "PRAGMA")),
    *("SET VARIABLE x = 1", "RESET memory_limit", "RESET threads"),
    *(f"PRAGMA {name}" for name in (
        "database_list", "show_tables", "table_info('book')", "database_size", "version",
        "enable_profiling", "enable_checkpoint_on_shutdown", "enable_object_cache",
        "platform", "user_agent", "force_checkpoint", "disable_optimizer")),
    *("EXPORT DATABASE 'FOLDER/new'", "IMPORT DATABASE 'FOLDER'", "CALL pragma_version()",
      "CALL force_checkpoint()", "DESCRIBE book", "SUMMARIZE book", "SHOW TABLES",
      "PIVOT book ON title USING count(*)", "CREATE MACRO x() AS 1", "CREATE TEMP MACRO x() AS 1",
      "CREATE SECRET x (TYPE s3)", "DROP SECRET x", "INSERT OR REPLACE INTO book VALUES ('x', 1)",
      "CREATE OR REPLACE TABLE book (x INTEGER)",
        "COPY book TO 'FOLDER/x.parquet' (FORMAT parquet)",
      "COPY FROM DATABASE books TO memory"),
]  # fmt: skip
POSTGRESQL = [
    *(f"SET {scope}{setting}" for scope in ("", "SESSION ", "LOCAL ") for setting in (
        "default_transaction_read_only = off", "transaction_read_only = off",
        "statement_timeout = 0", "lock_timeout = 0", "standard_conforming_strings = off",
        "idle_in_transaction_session_timeout = 0", "search_path = x", "work_mem = '9GB'")),
    *("SET TRANSACTION READ WRITE", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
      "SET ROLE owner", "SET SESSION AUTHORIZATION owner", "RESET statement_timeout",
      "RESET ROLE", "DISCARD ALL", "BEGIN READ WRITE", "SAVEPOINT x", "RELEASE x",
      "PREPARE TRANSACTION 'x'", "DO $$ BEGIN DELETE FROM book; END $$", "CALL x()"),
    *(f"SELECT {more}" for more in (
        "* INTO x FROM book", "* INTO TEMP x FROM book", "* INTO UNLOGGED x FROM book",
        "* FROM book FOR UPDATE", "* FROM book FOR SHARE", "* FROM book FOR NO KEY UPDATE",
        "* FROM book FOR KEY SHARE", "* FROM book FOR UPDATE SKIP LOCKED")),
    *(f"LOCK {more}" for more in ("book", "TABLE book", "TABLE book IN SHARE MODE NOWAIT")),
    *("LISTEN x", "UNLISTEN *", "NOTIFY x", "NOTIFY x, 'y'", "LOAD 'FOLDER/x.so'"),
    *(f"SELECT {call}" for call in (
        "pg_notify('x', 'y')", "set_config('transaction_read_only', 'off', false)",
        "set_config('statement_timeout', '0', true)", "lastval()", "txid_current_if_assigned()",
        "pg_read_file('FOLDER/secret.txt')", "pg_read_binary_file('FOLDER/secret.txt')",
        "pg_ls_dir('FOLDER')", "pg_stat_file('FOLDER/secret.txt')", "pg_ls_waldir()",
        "pg_ls_logdir()", "pg_ls_tmpdir()", "pg_file_write('FOLDER/new', 'x', false)",
        "pg_logfile_rotate()", "pg_current_logfile()", "pg_rotate_logfile()", "pg_reload_conf()",
        "pg_terminate_backend(1)", "pg_cancel_backend(1)", "pg_switch_wal()", "pg_promote()",
        "pg_create_restore_point('x')", "pg_backup_start('x')", "pg_export_snapshot()",
        "pg_advisory_lock(1)", "pg_advisory_xact_lock(1)", "pg_try_advisory_lock(1)",
        "pg_advisory_lock_shared(1)", "pg_advisory_unlock_all()", "pg_sleep_for('9 s')",
        "pg_sleep_until('2100-01-01')", "pg_stat_reset()",
          "pg_create_physical_replication_slot('x')",
        "pg_logical_emit_message(false, 'x', 'y')", "pg_replication_origin_create('x')",
        "pg_import_system_collations('public')", "pg_wal_replay_pause()",
          "pg_log_backend_memory_contexts(1)",
        "lo_import('FOLDER/secret.txt')", "lo_export(1, 'FOLDER/new')", "lo_create(0)",
          "lo_creat(1)",
        "lo_from_bytea(0, 'x')", "lo_put(1, 0, 'x')", "lo_get(1)", "lo_unlink(1)", "lo_open(1, 1)",
        "loread(1, 9)", "lowrite(1, 'x')", "query_to_xml('DELETE FROM book', true, true, '')",
        "query_to_xml_and_xmlschema('SELECT 1', true, true, '')",
          "table_to_xml('book', true, true, '')",
        "schema_to_xml('public', true, true, '')", "database_to_xml(true, true, '')",
        "cursor_to_xml('x', 1, true, true, '')", "xmlparse(DOCUMENT '<x/>')", "xpath('x', 'y')",
        "ts_stat('SELECT 1')", "ts_rewrite('x', 'SELECT 1')", "dblink('x', 'y')",
          "dblink_exec('x', 'y')",
        "binary_upgrade_create_empty_extension('x')", "brin_summarize_new_values('x')",
        "gin_clean_pending_list('x')", "currtid2('x', '(0,0)')", "setseed(0.1)", "to_regclass('x')",
        "inet_server_addr()", "has_table_privilege('book', 'DELETE')", "col_description(1, 1)",
        "public.lower(1)", "book.lower(1) FROM book", "convert('x', 'y', 'z')",
          "postgres_fdw_handler()")),
    *(f"SELECT * FROM {name}" for name in (
        "pg_settings", "pg_authid", "pg_shadow", "pg_hba_file_rules", "pg_file_settings",
        "pg_catalog.pg_hba_file_rules", '"pg_hba_file_rules"', 'pg_catalog."pg_authid"',
        "pg_stat_activity", "pg_largeobject", "pg_user_mapping", "pg_config", "PG_AUTHID",
        "pg_read_file('FOLDER/secret.txt') AS x", "pg_ls_dir('FOLDER') WITH ORDINALITY",
        "ROWS FROM (pg_ls_dir('FOLDER'))", "LATERAL pg_ls_dir('FOLDER')", "writing", "counting")),
    "SELECT lower(1)",
    *(f"COPY book TO PROGRAM 'touch FOLDER/new'{more}" for more in ("", " (FORMAT csv)")),
    "COPY book FROM PROGRAM 'cat FOLDER/secret.txt'",
    *("COPY book TO STDOUT", "COPY book FROM STDIN", "COPY book TO 'FOLDER/x' (FORMAT binary)"),
    *(f"DECLARE x {more}CURSOR {hold}FOR SELECT 1" for more in ("", "SCROLL ", "BINARY ")
      for hold in ("", "WITH HOLD ")),
    *("FETCH ALL FROM partwise", "MOVE 1 FROM partwise", "CLOSE partwise", "CLOSE ALL"),
    *(f"CREATE {what}" for what in (
        "ROLE x SUPERUSER", "USER x", "DATABASE x", "EXTENSION dblink", "EXTENSION file_fdw",
        "TABLESPACE x LOCATION 'FOLDER'", "SERVER x FOREIGN DATA WRAPPER file_fdw",
        "FUNCTION x() RETURNS integer AS 'SELECT 1' LANGUAGE sql",
          "RULE x AS ON SELECT TO book DO INSTEAD NOTHING",
        "UNLOGGED TABLE x (y INTEGER)", "MATERIALIZED VIEW x AS SELECT 1", "PUBLICATION x",
        "SUBSCRIPTION x CONNECTION 'x' PUBLICATION x", "LANGUAGE plpython3u",
          "CAST (text AS integer) WITH INOUT")),
    *(f"ALTER {what}" for what in (
        "SYSTEM SET work_mem = '9GB'", "ROLE owner SUPERUSER",
          "DATABASE postgres SET work_mem = '9GB'",
        "SEQUENCE counter RESTART", "TABLE book DISABLE TRIGGER ALL",
          "TABLE book OWNER TO nobody")),
    *("GRANT ALL ON book TO PUBLIC", "REVOKE ALL ON book FROM owner", "REFRESH MATERIALIZED VIEW x",
      "CLUSTER book", "REASSIGN OWNED BY owner TO x", "DROP OWNED BY owner",
        "SECURITY LABEL ON TABLE book IS 'x'",
      "IMPORT FOREIGN SCHEMA x FROM SERVER y INTO z"),
]  # fmt: skip
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
HUGE = [
    NUMBERS + "count(*) FROM n",
    "SELECT count(*) FROM " + ", ".join(f"book b{i}" for i in range(30)),
    "SELECT * FROM generate_series(1, 100000000) AS n(i)",
    "SELECT string_agg(repeat('x', 1000), '') FROM generate_series(1, 10000000) AS n(i)",
    "SELECT repeat('x', 900000000)",
    "SELECT repeat('x', 1000000) FROM generate_series(1, 1000)",
    "SELECT " + "(" * 20_000 + "1" + ")" * 20_000,
    "SELECT 1" + " UNION ALL SELECT 1" * 20_000,
]
Opened = tuple[Database, Path]


@pytest.fixture(scope="module")
def postgres() -> Iterator[tuple[str, Path]]:
    if program("initdb") is None:
        pytest.skip("PostgreSQL is not installed")
    with server() as (place, folder):
        with psycopg.connect(place) as made:
            made.execute(MADE + MADE_POSTGRESQL)
        (folder / "secret.txt").write_text("secret", encoding="utf-8")
        yield place, folder


@pytest.fixture(params=["duckdb", "postgresql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    if request.param == "postgresql":
        place, folder = request.getfixturevalue("postgres")
    else:
        place, folder = f"duckdb:///{tmp_path}/books.duckdb", tmp_path
        for name in ("books", "secret"):
            with duckdb.connect(tmp_path / f"{name}.duckdb") as made:
                made.execute(MADE)
        (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    # As the superuser: what is refused is not left to the rights of an account.
    db = Database(place, timeout=0.5, max_rows=10_000, max_memory=1 << 30)
    db.timeout = 10.0
    yield db, folder
    db.close()


def state(db: Database, folder: Path) -> list[object]:
    """What must not change: files, and what the server's catalogue and tables hold."""
    if db.kind == "duckdb":
        files = (path for path in folder.rglob("*") if path.is_file())
        return [sorted((str(p), hashlib.sha256(p.read_bytes()).hexdigest()) for p in files)]
    with psycopg.connect(db_place(folder)) as asked:
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


def db_place(folder: Path) -> str:
    return f"postgresql://owner@/postgres?host={folder}"


def test_statements_that_do_more_than_read_are_refused(opened: Opened) -> None:
    db, folder = opened
    statements = BOTH + (DUCKDB if db.kind == "duckdb" else POSTGRESQL)
    assert len(set(statements)) == len(statements) >= 250
    before = state(db, folder)
    answered = []
    for statement in statements:
        try:
            answered.append((statement, db.rows(statement.replace("FOLDER", str(folder)))))
        except ExecutionError:
            continue
    assert answered == []
    assert state(db, folder) == before
    titles = db.column("SELECT title FROM books ORDER BY year")
    assert titles == ("Emma", "Persuasion", "Dracula")


@pytest.mark.parametrize("query", HUGE, ids=lambda query: query[:40])
def test_work_and_answers_are_bounded(opened: Opened, query: str) -> None:
    db, _ = opened
    # A server keeps the time that it was told first.
    db.timeout = 0.5
    with pytest.raises(ExecutionError) as caught:
        db.rows(query)
    assert len(str(caught.value)) < 2_000
    db.timeout = 10.0
    assert db.column("SELECT count(*) FROM book") == (3,)


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
    place, _ = postgres
    db = Database(place, timeout=30.0)
    assert db.column("SELECT 1") == (1,)
    # The worker is ended before the server's own limit.
    db.timeout = 0.0
    with pytest.raises(ExecutionError, match="was stopped"):
        db.rows(HUGE[2])
    deadline = time.monotonic() + 20
    running = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'FETCH%' AND state = 'active'"
    with psycopg.connect(place, autocommit=True) as asked:
        while asked.execute(running).fetchall():
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_a_lost_connection_is_opened_again(postgres: tuple[str, Path]) -> None:
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
    db = Database("postgresql://owner:secret@localhost:1/books")
    assert "secret" not in " ".join(db._process.command)
    with pytest.raises(Exception, match=r"localhost/books: cannot be reached") as caught:
        db.rows("SELECT 1")
    assert "secret" not in str(caught.value)
