"""The process that reads a database or a graph, or runs programs: a script that answers JSON lines.

It imports nothing of Partwise but for programs, so that it starts at once. Its arguments say what
to read (a name in `OPENERS`), where, and how many bytes of address space it may take. Where others
of the machine must not see the place, it is empty, and the first line in is a list for the function
of `OPENERS`. The first line out says whether that was opened. A line in is ``[seconds, query,
...]``, as that function's reply takes it from the second on; a line out is ``["ok", value]``,
``["query", message]`` for a query that cannot be read, ``["lost", message]`` if another worker must
connect again, or ``["failed", message]``.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

# Not on Windows.
resource: Any = None if sys.platform == "win32" else importlib.import_module("resource")
_alarm: Any = getattr(signal, "setitimer", None)
Reply = Callable[..., Any]

_NAMES: dict[str, str] = json.loads(Path(__file__).with_name("functions.json").read_text("utf-8"))
FUNCTIONS = frozenset(_NAMES["sqlite"].split())
"""What SQL on SQLite may call: values from values, nothing of the machine."""
CHANGING = frozenset(_NAMES["sqlite, of changing values"].split())
"""Functions that may give another value for the same values."""
LENGTH = 50_000_000
"""Bytes of one text, blob or row of SQLite."""
LARGE = 1 << 64
"""From where a decimal number is a float."""
LONGEST = 1000
"""Characters of a message."""


def main(kind: str, place: str, max_memory: int) -> None:
    """Open what is read, then answer until standard input ends."""
    # The lines have streams of their own: what a method of a domain prints or reads is not theirs.
    asked, told = (os.fdopen(os.dup(number), mode) for number, mode in ((0, "rb"), (1, "w")))
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number)
    # Ctrl+C is for who asks, and ends this process by the end of its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if kind == "turtle":
        # Before memory is bounded, so that a file that is too large is told from a lack of room.
        importlib.import_module("pyoxigraph")
    # Programs bound themselves, by what their domain leaves.
    limited = resource is not None and kind != "program"
    if limited:
        resource.setrlimit(resource.RLIMIT_AS, (max_memory, max_memory))
    try:
        parts = [place] if place else json.loads(asked.readline())
        size, reply = OPENERS[kind](*parts)
    except MemoryError:
        raise
    except Exception as error:
        # Each library has errors of its own.
        _say(told, "failed", short(f"{UNREADABLE[kind]}: {error}"))
        return
    if limited:
        # Only what is open now is left: no file or socket opens, whatever a query says.
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    _say(told, "ok", size)
    for line in asked:
        _say(told, *_answer(reply, line))
        if _alarm is not None:
            _alarm(signal.ITIMER_REAL, 0.0)


def _answer(reply: Reply, line: bytes) -> tuple[str, Any]:
    try:
        seconds, *request = json.loads(line)
        if _alarm is not None:
            # It ends itself soon after, even where nobody is left who would end it.
            _alarm(signal.ITIMER_REAL, seconds + 1.0)
        return "ok", reply(*request)
    except ConnectionError as error:
        return "lost", short(str(error))
    except SyntaxError as error:
        return "query", short(str(error))
    except MemoryError:
        raise
    except Exception as error:
        return "failed", short(str(error) or type(error).__name__)


def turtle(path: str) -> tuple[int, Reply]:
    import pyoxigraph as ox

    store = ox.Store()
    store.load(path=path, format=ox.RdfFormat.TURTLE)

    def reply(what: str, query: str, limit: int = 0, max_characters: int = 0) -> Any:
        result = store.query(query)
        if what == "ask":
            if not isinstance(result, ox.QueryBoolean):
                raise ValueError("this is no ASK query")
            return bool(result)
        if not isinstance(result, ox.QuerySolutions):
            raise ValueError("this is no SELECT query")
        return _solutions(result, limit, max_characters)

    return len(store), reply


def _solutions(result: Any, limit: int, max_characters: int) -> list[dict[str, list[str]]]:
    names = [variable.value for variable in result.variables]
    rows: list[dict[str, list[str]]] = []
    size = 0
    while len(rows) < limit and (solution := next(result, None)) is not None:
        rows.append({n: _term(t) for n in names if (t := solution[n]) is not None})
        size += sum(len(text) for value in rows[-1].values() for text in value)
        if size > max_characters:
            raise ValueError(f"the answer is larger than {max_characters:,} characters")
    return rows


def _term(term: Any) -> list[str]:
    if hasattr(term, "language"):
        return [term.value, (term.language or "").lower()]
    if type(term).__name__ == "BlankNode":
        return [f"_:{term.value}"]
    return [term.value if hasattr(term, "value") else str(term)]


def sqlite(path: str) -> tuple[int, Reply]:
    """A SQLite file, or a script of tables in memory, that can only be read. An answer is whether
    the same file gives the same rows again, and the rows."""
    made, unchanged = open_sqlite(path)
    guard = _Authorizer()
    made.set_authorizer(guard)

    def reply(query: str, given: Mapping[str, Any], max_rows: int, max_characters: int) -> Any:
        if unchanged is not None and unchanged != os.stat(path).st_mtime_ns:
            raise ConnectionError("the file was changed")
        guard.begin(query)
        values = {name: _value(value) for name, value in given.items()}
        try:
            rows = bound_rows(made.execute(query, values), max_rows, max_characters)
            return [query not in guard.changing, rows]
        except sqlite3.Error as error:
            if guard.denied is not None:
                what = guard.denied or "whatever does more than read"
                raise ValueError(f"readonly: {what} is not allowed") from error
            if getattr(error, "sqlite_errorname", "").startswith("SQLITE_CANTOPEN"):
                # The file has a log beside it now, which is too late to open here.
                raise ConnectionError(str(error)) from error
            raise

    return 0, reply


def open_sqlite(path: str) -> tuple[sqlite3.Connection, int | None]:
    """A SQLite file, or a script of tables in memory, to read it alone, with a mark in place of
    bytes that are no UTF-8; and the time of a file that is read only as long as nobody changes
    it."""
    unchanged = None
    if path.endswith(".sql"):
        made = sqlite3.connect(":memory:", isolation_level=None)
        made.executescript(Path(path).read_text(encoding="utf-8"))
    else:
        # What `urllib.request` makes of it would bring 5 MB.
        place = f"{Path(path).absolute().as_uri()}?mode=ro"
        made = sqlite3.connect(place, uri=True, isolation_level=None)
        try:
            # A file that is no database is found out when first read.
            made.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            # A log is needed beside some files, even to read them, and cannot be made here.
            if os.path.exists(f"{path}-wal"):
                raise
            unchanged = os.stat(path).st_mtime_ns
            made = sqlite3.connect(f"{place}&immutable=1", uri=True, isolation_level=None)
    made.text_factory = lambda text: text.decode("utf-8", "replace")
    for setting in ("query_only = ON", "trusted_schema = OFF", "temp_store = MEMORY"):
        made.execute(f"PRAGMA {setting}")
    # Virtual tables are declared when first named, which is more than reading.
    named = made.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'")
    for table in ("json_each", "json_tree", *(row[0] for row in named.fetchall())):
        quoted = table.replace('"', '""')
        # The module of a table may not be here.
        with suppress(sqlite3.Error):
            made.execute(f'SELECT 1 FROM "{quoted}" LIMIT 0')
    limits = {"LENGTH": LENGTH, "ATTACHED": 0, "LIKE_PATTERN_LENGTH": 1000, "WORKER_THREADS": 0}
    for name, limit in limits.items():
        made.setlimit(getattr(sqlite3, f"SQLITE_LIMIT_{name}"), limit)
    return made, unchanged


class _Authorizer:
    """Lets SQLite only read. `denied`: the function that the query may not call, "" for what is no
    function, None for nothing; `changing`: queries whose values may be others next time."""

    def __init__(self) -> None:
        self.denied: str | None = None
        self.changing: set[str] = set()
        self._query = ""

    def begin(self, query: str) -> None:
        self._query, self.denied = query, None

    def __call__(self, action: int, first: str | None, second: str | None, *_: object) -> int:
        called = (second or "").lower() if action == sqlite3.SQLITE_FUNCTION else None
        if called in CHANGING:
            # SQLite asks once for each query that it keeps.
            self.changing.add(self._query)
        if (
            action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)
            or called in FUNCTIONS
            # Full-text search asks for it, and changes nothing.
            or (action == sqlite3.SQLITE_PRAGMA and (first, second) == ("data_version", None))
        ):
            return sqlite3.SQLITE_OK
        if self.denied is None:
            self.denied = "" if called is None else f"function {called}"
        return sqlite3.SQLITE_DENY


def _server(kind: str) -> Callable[..., tuple[int, Reply]]:
    """The opener of another database, whose file is loaded when it is used."""

    def opener(*place: Any) -> tuple[int, Reply]:
        file = Path(__file__).with_name("worker_sql.py")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        size, ask = getattr(module, kind)(*place)

        def reply(query: str, given: list[Any], max_rows: int, max_characters: int) -> Any:
            with closing(ask(query, [_value(value) for value in given])) as rows:
                return [False, bound_rows(rows, max_rows, max_characters)]

        return size, reply

    return opener


def program(given: str) -> tuple[int, Reply]:
    path, *rest = json.loads(given)
    sys.path[:] = path
    made: tuple[int, Reply] = importlib.import_module("partwise.execution.programs").open_domain(
        *rest
    )
    return made


OPENERS: Mapping[str, Callable[..., tuple[int, Reply]]] = {
    "turtle": turtle,
    "sqlite": sqlite,
    "duckdb": _server("duckdb"),
    "postgresql": _server("postgresql"),
    "mysql": _server("mysql"),
    "program": program,
}
UNREADABLE = {
    "turtle": "cannot be read as Turtle",
    "sqlite": "cannot be opened as SQLite",
    "duckdb": "cannot be opened as DuckDB",
    "postgresql": "cannot be reached",
    "mysql": "cannot be reached",
    "program": "cannot be made in a process of its own",
}


def bound_rows(rows: Iterable[Any], max_rows: int, max_characters: int) -> list[list[Any]]:
    """The rows of an answer, with values as JSON has them. Raises ValueError if they are too many
    or too large."""
    kept: list[list[Any]] = []
    size = 0
    for row in rows:
        if len(kept) == max_rows:
            raise ValueError(f"the answer has more than {max_rows:,} rows; narrow it")
        kept.append([_plain(value) for value in row])
        size += sum(_size(value) for value in kept[-1])
        if size > max_characters:
            raise ValueError(f"the answer is larger than {max_characters:,} characters")
    return kept


def _plain(value: Any) -> Any:
    """Bytes as a list of their text in base 64; what JSON lacks as a number or its text."""
    if isinstance(value, bytes):
        return [base64.b64encode(value).decode()]
    if isinstance(value, Decimal):
        whole = value.is_finite() and abs(value) < LARGE and value == int(value)
        return int(value) if whole else float(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _size(value: Any) -> int:
    """Characters of a value as `_plain` gives it."""
    text = value[0] if isinstance(value, list) else value
    return len(text) if isinstance(text, str) else 8


def _value(given: Any) -> Any:
    """A value from its JSON: bytes are a list of their text, a set is a mapping to a list."""
    if isinstance(given, list):
        return base64.b64decode(given[0])
    return given["set"] if isinstance(given, dict) else given


def short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _say(told: Any, kind: str, value: Any) -> None:
    told.write(json.dumps([kind, value]) + "\n")
    told.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
