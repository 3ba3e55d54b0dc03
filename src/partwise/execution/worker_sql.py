"""DuckDB, PostgreSQL and MySQL for the worker, which loads this file and nothing of Partwise.

Two checks stand before a query. The database's own parser says whether it is a single SELECT.
`check` says whether it calls anything but `FUNCTIONS`: neither a transaction that only reads nor
one of these databases keeps functions from reading files, waiting or taking locks. `check` looks at
words, not at the grammar: a word before a bracket is a call, and what the databases might split
into other words is refused.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Reply = Callable[..., Any]

_NAMES: dict[str, str] = json.loads(Path(__file__).with_name("functions.json").read_text("utf-8"))
FUNCTIONS = frozenset(
    name for kind, some in _NAMES.items() if kind.startswith("others") for name in some.split()
)
"""What SQL on DuckDB and PostgreSQL may call: values from values, nothing of the machine."""
_HIDDEN = ("pg_", "duckdb_", "pragma_")
"""How the names of the databases' own tables begin."""
_READS = re.compile("from|join|table|pivot|unpivot|describe|desc|summarize|show")
_READS_NO_MORE = re.compile("select|where|group|having|order|union|except|intersect")
"""Words behind which names are those of tables, and words behind which they are no more."""
_STARTS = ("select", "with", "values", "from", "table", "(")
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f\v]+|--[^\r\n]*|/\*(?:(?!/\*|\*/).)*+\*/)"
    r"|(?P<text>'(?:[^']|'')*+')"
    r'|"(?P<quoted>(?:[^"]|"")*+)"'
    r"|(?P<word>[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)"
    # A number ends before a letter, as some versions read it, so a word after it is seen.
    # A comment inside a comment is refused: databases differ in where it ends.
    r"|(?P<other>(?<![\w$])\$[0-9]+|[0-9]+|(?!/\*)[-+*/<>=~!@#%^&|`?.,;:()\[\]{}])",
    re.DOTALL,
)


@lru_cache(1000)
def check(query: str) -> None:
    """Let only queries through that call `FUNCTIONS` alone, else raise ValueError."""
    tokens = list(_tokens(query.rstrip("; \t\r\n")))
    if not tokens or tokens[0][1] not in _STARTS:
        raise ValueError("readonly: whatever is no SELECT is not allowed")
    _check_tables(tokens)
    tokens += [("other", ""), ("other", "")]
    for before, (kind, text), after in zip([tokens[-1], *tokens], tokens, tokens[1:], strict=False):
        # "AS t(a, b)" and "WITH t(a, b)" name columns.
        names = before in (("word", "as"), ("word", "with"), ("word", "recursive"))
        call = kind in ("word", "quoted") and after == ("other", "(") and not names
        if call and (before == ("other", ".") or text not in FUNCTIONS):
            raise ValueError(f"readonly: function {text} is not allowed")
        if text == ";" and kind == "other":
            raise ValueError("readonly: more than one statement is not allowed")


def _check_tables(tokens: list[tuple[str, str]]) -> None:
    """Let no table of the databases' own through. Columns may be called so."""
    schema, before = "", ("other", "")
    for (kind, text), reads in zip(tokens, _places_of_tables(tokens), strict=True):
        name = text.lower()
        # In a schema of the user's, "pg_" begins names as anything else does.
        own = before == ("other", ".") and name.startswith("pg_") and not schema.startswith(_HIDDEN)
        if reads and not own and kind in ("word", "quoted") and name.startswith(_HIDDEN):
            raise ValueError(f"readonly: {text} is not allowed")
        schema, before = schema if text == "." else name, (kind, text)


def _places_of_tables(tokens: list[tuple[str, str]]) -> Iterator[bool]:
    """For each token, whether a name there may be a table's: what stands in FROM, also within
    brackets, until a word that ends it."""
    reads, outer, before = True, [True], ""
    for kind, text in tokens:
        yield reads
        if kind == "word" and _READS.fullmatch(text):
            reads = True
        elif kind == "word" and _READS_NO_MORE.fullmatch(text) and before not in (".", "as"):
            reads = False
        elif kind == "other" and text in ("(", "[", "{"):
            outer.append(reads)
        elif kind == "other" and text in (")", "]", "}"):
            reads = outer.pop() if len(outer) > 1 else True
        before = text


def _tokens(query: str) -> Iterator[tuple[str, str]]:
    at, last = 0, ""
    while at < len(query):
        match = _TOKEN.match(query, at)
        kind = match and match.lastgroup
        # Texts and names with escapes, and words with spaces of other scripts.
        escapes = kind in ("text", "quoted") and last in ("e", "&")
        if match is None or kind is None or escapes:
            raise ValueError(f"cannot be read from {query[at : at + 20]!r}; use parameters")
        last, at = match.group().lower(), match.end()
        if kind == "word" and not last.isidentifier():
            raise ValueError(f"cannot be read at {last!r}")
        if kind == "quoted":
            yield kind, match["quoted"].replace('""', '"')
        elif kind != "space":
            yield kind, last


def without_wrong_plans(connection: Any) -> None:
    """Switch off a part of DuckDB's optimizer that takes one joined table for another. Of two
    queries of a union, over the same joins but with other columns, one got the columns of the other
    (1.5.1 on; duckdb/duckdb#25819). Versions before do not know this part."""
    part = "SELECT name FROM duckdb_optimizers() WHERE name = 'common_subplan'"
    for (name,) in connection.execute(part).fetchall():
        connection.execute(f"SET disabled_optimizers = '{name}'")


def duckdb(path: str, memory: int) -> tuple[int, Reply]:
    """A DuckDB file, which can only be read; it can use half of the memory. Raises ImportError if
    DuckDB is not installed."""
    base = _library("duckdb", "duckdb")
    # Later, no file opens.
    _library("pytz", "duckdb")
    for name in ("decimal", "datetime", "uuid"):
        importlib.import_module(name)
    settings = {
        "enable_external_access": "false",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "memory_limit": f"{memory // 2}B",
        "threads": "1",
        "temp_directory": "",
    }
    made = base.connect(path, read_only=True, config=settings)
    without_wrong_plans(made)
    made.execute("SET lock_configuration = true")
    made.execute("SELECT now(), '00000000-0000-0000-0000-000000000000'::UUID").fetchall()

    def reply(query: str, given: list[Any]) -> Iterator[Any]:
        check(query)
        statements = made.extract_statements(query)
        if [statement.type for statement in statements] != [base.StatementType.SELECT]:
            raise ValueError("readonly: whatever is no SELECT is not allowed")
        asked = made.execute(statements[0], given)
        while some := asked.fetchmany(1000):
            yield from some

    return 0, reply


_LOADED = (
    "SELECT now(), localtime, current_date, interval '1 day', 1.5::numeric, '{}'::json, "
    "'00000000-0000-0000-0000-000000000000'::uuid, '0.0.0.0'::inet, '10.0.0.0/8'::cidr, "
    "'[1,2)'::int4range, ARRAY[1], ''::bytea"
)
"""One value of each type that is read with a module of its own."""


def _limit_postgresql(base: Any, made: Any, timeout: float) -> None:
    time = f"{max(1, round(timeout * 1000))}ms"
    settings = {
        "default_transaction_read_only": "on",
        "statement_timeout": time,
        "lock_timeout": time,
        "idle_in_transaction_session_timeout": time,
        # What `check` takes for the end of a text is the end.
        "standard_conforming_strings": "on",
        "client_min_messages": "error",
        "datestyle": "ISO",
    }
    for name, value in settings.items():
        made.execute(f"SET {name} = '{value}'")
    # Later, no file opens: what the library loads for such values must be there.
    made.execute(_LOADED).fetchall()
    with suppress(base.Error):
        # Not on every system: the server looks whether this process still waits.
        made.execute("SET client_connection_check_interval = '500ms'")


def _load_leniently(base: Any, made: Any, name: str) -> None:
    """Give values of a type for which Python has none as their texts: infinity, years before
    Christ."""
    usual = made.adapters.get_loader(made.adapters.types[name].oid, base.pq.Format.TEXT)

    class Lenient(base.adapt.Loader):  # type: ignore[misc]
        def __init__(self, oid: int, context: Any = None) -> None:
            super().__init__(oid, context)
            self.usual = usual(oid, context)

        def load(self, data: Any) -> Any:
            try:
                return self.usual.load(data)
            except base.DataError:
                return bytes(data).decode()

    made.adapters.register_loader(name, Lenient)


TOGETHER, _TOGETHER_FROM = 100, 170_000
"""Rows that come from PostgreSQL at a time, and the version of its library that can do so."""


def postgresql(place: str, timeout: float) -> tuple[int, Reply]:
    """A PostgreSQL server, which is only read; it ends a query after `timeout` seconds. Raises
    ImportError if psycopg is not installed."""
    base = _library("psycopg", "postgres")
    made = base.connect(place, autocommit=True, application_name="partwise", connect_timeout=30)
    _limit_postgresql(base, made, timeout)
    for name in ("date", "time", "timetz", "timestamp", "timestamptz", "interval"):
        _load_leniently(base, made, name)
    together = TOGETHER if base.pq.version() >= _TOGETHER_FROM else 1

    def reply(query: str, given: list[Any]) -> Iterator[Any]:
        check(query)
        try:
            made.execute("BEGIN READ ONLY")
        except base.Error as error:
            raise ConnectionError(str(error)) from error
        try:
            # The protocol takes a single statement, and the transaction none that changes
            # anything. Rows come as they are asked for, and the server may share the work among
            # processors, which it does not do for a cursor of its own. `yield from` would also
            # close the stream, which fetches the rest.
            with base.RawCursor(made) as cursor:
                for row in cursor.stream(query, given, size=together):  # noqa: UP028
                    yield row
        except GeneratorExit:
            # The rest is not waited for; the next query finds the connection gone.
            made.close()
            raise
        except base.errors.QueryCanceled:
            raise ValueError(f"the query took longer than {timeout:g} s and was stopped") from None
        except base.Error as error:
            raise ValueError(error.diag.message_primary or str(error)) from error
        finally:
            if not made.closed:
                made.execute("ROLLBACK")

    return 0, reply


_TOO_LATE = (1317, 1969, 3024)
"""Errors of MySQL and MariaDB for a query that was stopped."""


def _limit_mysql(base: Any, made: Any, timeout: float) -> None:
    """Let a connection read alone, and for so many seconds a query."""
    with made.cursor() as cursor:
        # What `check` takes for a name or the end of a text is one.
        cursor.execute("SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'")
        cursor.execute("SET SESSION TRANSACTION READ ONLY")
        # An average of whole numbers would have four digits behind the point.
        cursor.execute("SET SESSION div_precision_increment = 16")
        for setting in (
            f"max_execution_time = {max(1, round(timeout * 1000))}",
            f"max_statement_time = {timeout:.3f}",
        ):
            # The one is of MySQL, the other one of MariaDB.
            with suppress(base.Error):
                cursor.execute(f"SET SESSION {setting}")


def mysql(place: str, timeout: float) -> tuple[int, Reply]:
    """A MySQL or MariaDB server, which is only read; it ends a query after `timeout` seconds.
    Raises ImportError if PyMySQL is not installed."""
    base = _library("pymysql", "mysql")
    cursors = importlib.import_module("pymysql.cursors")
    types = importlib.import_module("pymysql.constants.FIELD_TYPE")
    converters = importlib.import_module("pymysql.converters").conversions
    parts = urlsplit(place)
    given = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    made = base.connect(
        host=parts.hostname or "localhost",
        port=parts.port or 3306,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        database=unquote(parts.path.removeprefix("/")),
        unix_socket=given.get("unix_socket"),
        charset="utf8mb4",
        connect_timeout=30,
        autocommit=True,
        local_infile=False,
        conv={**converters, types.BIT: lambda bits: int.from_bytes(bits)},
    )
    _limit_mysql(base, made, timeout)

    def reply(query: str, given: list[Any]) -> Iterator[Any]:
        check(query)
        _check_mysql(query)
        try:
            # Rows come as they are asked for.
            with made.cursor(cursors.SSCursor) as cursor:
                cursor.execute(query, given)
                yield from cursor
        except base.err.OperationalError as error:
            if not made.open:
                raise ConnectionError(str(error)) from error
            late = f"the query took longer than {timeout:g} s and was stopped"
            raise ValueError(late if error.args[0] in _TOO_LATE else error.args[-1]) from error
        except base.Error as error:
            raise ValueError(error.args[-1]) from error

    return 0, reply


def _check_mysql(query: str) -> None:
    """Let nothing through that MySQL reads otherwise than `check` does, or writes to a file. It
    runs what stands in some comments, and takes others for no comments."""
    plain = re.sub(r"'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"", " ", query)
    if found := re.search(r"--|/\*|[#@\\`]|:=|\binto\b", plain, re.IGNORECASE):
        raise ValueError(f"readonly: {found.group()} is not allowed")


def _library(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{error}; install it with: pip install 'partwise[{extra}]'") from error
