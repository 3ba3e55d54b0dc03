"""Database: SQLite, DuckDB, PostgreSQL or MySQL, which a domain's methods read."""

from __future__ import annotations

import base64
import json
import os
import re
import time
from collections.abc import Callable, Collection, Mapping
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from partwise.errors import DomainError, ExecutionError
from partwise.execution.process import WORKER, Process
from partwise.language.values import Number, Some, Truth

Version = tuple[tuple[int, int, int], ...]

MOST = 1000
"""Answers; one more, and all are forgotten."""
ROWS, CHARACTERS = 100, 10_000
"""Of an answer that is kept."""
REST = 2.0
"""Seconds after a change in which nothing is kept: the file's time may not show another change."""


class KeptAnswers:
    """Answers by query and values; asking the process again costs more than most queries. `path`:
    of the file."""

    def __init__(self, path: str) -> None:
        self._files = path, f"{path}-wal"
        self._answers: dict[tuple[str, str], tuple[Version, list[tuple[Any, ...]]]] = {}

    def version(self) -> Version | None:
        """What changes with the file; None if it changed just now."""
        parts = []
        for file in self._files:
            try:
                state = os.stat(file)
            except OSError:
                parts.append((0, 0, 0))
                continue
            if time.time() - state.st_mtime < REST:
                return None
            parts.append((state.st_ino, state.st_mtime_ns, state.st_size))
        return tuple(parts)

    def get(self, key: tuple[str, str], version: Version | None) -> list[tuple[Any, ...]] | None:
        kept = self._answers.get(key)
        return list(kept[1]) if kept and kept[0] == version else None

    def keep(
        self, key: tuple[str, str], version: Version | None, rows: list[tuple[Any, ...]]
    ) -> None:
        """Keep rows, if they are few. `version`: of the file before it was asked."""
        if version is None or len(rows) > ROWS or len(str(rows)) > CHARACTERS:
            return
        if len(self._answers) >= MOST:
            self._answers.clear()
        self._answers[key] = version, list(rows)


LOAD_TIMEOUT = 120.0
"""Seconds for opening a file, for running a script of tables, or for connecting to a server."""
GRACE = 1.0
"""Seconds that a server gets to end a query itself."""
SERVERS = ("postgresql", "mysql")
"""Kinds of databases that end a query themselves."""
# Texts, comments and casts of SQL are passed over, so that only parameters are found.
_NAMED = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|::|:(?P<name>[^\W\d]\w*)", re.S
)


class Database:
    """Reads a SQLite file, a script of SQLite tables, a DuckDB file, or a server of PostgreSQL or
    MySQL.

    Queries run in processes of their own, which start when first asked, can only read, and are
    ended and replaced when a query takes too long. On SQLite they may call `FUNCTIONS` of
    `partwise.execution.worker`, else those of `partwise.execution.worker_sql`. Values are bound to
    the query's parameters and never written into its text, sets, too: ``WHERE title IN :of`` with
    ``of=Many(["Emma", "Dracula"])``. Small answers from SQLite are kept until the file changes.

    Args:
        place: the path of a SQLite file or of a script (``data.sql``), or a connection text:
            ``sqlite:///FILE``, ``duckdb:///FILE`` (four slashes before an absolute path),
            ``postgresql://USER@HOST/NAME`` or ``mysql://USER@HOST/NAME``.
        timeout: seconds for a query.
        max_rows: of an answer.
        max_characters: of all values of an answer.
        max_memory: bytes of address space of each process; no limit on Windows.
        at_once: how many queries run at a time; others wait. A script is read once for each.
        name: of the place in messages.
    """

    def __init__(
        self,
        place: str | Path,
        timeout: float = 10.0,
        max_rows: int = 1_000_000,
        max_characters: int = 50_000_000,
        max_memory: int = 2 << 30,
        at_once: int = 4,
        name: str = "",
    ) -> None:
        self.timeout, self.max_rows, self.max_characters = timeout, max_rows, max_characters
        self.kind, self.path, where = parts_of(place)
        self.name = name or where
        target: list[Any]
        if self.kind in SERVERS:
            target = [str(place), timeout]
        else:
            target = [str(Path(self.path).absolute())]
            target += [max_memory] if self.kind == "duckdb" else []
        self._kept = KeptAnswers(self.path)
        self._opened: tuple[int, int] | None = None
        self._process = Process(
            (str(WORKER), self.kind, "", str(max_memory)),
            LOAD_TIMEOUT,
            self.name,
            DomainError,
            1 if self.path.endswith(".sql") else at_once,
            json.dumps(target).encode() + b"\n",
        )

    def rows(self, sql: str, **given: object) -> list[tuple[Any, ...]]:
        """All rows of a query. `given`: a value for each ``:name`` in the query; a set for each
        ``IN :name``. Raises DomainError if the file is missing or no database, the script fails, or
        the server cannot be reached, and ExecutionError, with the query's text, if it fails, would
        do more than read, takes too long or gives too much."""
        return self.fetch(*self._bind(sql, given), sql)

    def fetch(self, query: str, values: object, sql: str | None = None) -> list[tuple[Any, ...]]:
        """All rows of a query whose parameters are those of the database itself; raises as `rows`
        does. `values`: for SQLite a mapping to the parameters ``:name``, else a list for ``$1`` on;
        `sql`: the query as messages show it."""
        if self._process.pid is None and self.path and not Path(self.path).is_file():
            raise DomainError(f"{self.name}: there is no such file; the domain reads it")
        self._follow()
        key, version = (query, repr(values)), self._kept.version()
        if version is not None and (kept := self._kept.get(key, version)) is not None:
            return kept
        timeout = self.timeout + (GRACE if self.kind in SERVERS else 0.0)
        try:
            kind, answer = self._process.call(
                timeout, query, values, self.max_rows, self.max_characters
            )
        except (ExecutionError, TypeError, ValueError) as error:
            kind, answer = "failed", error
        if kind != "ok":
            name = Path(self.name).name if self.path else self.name
            raise ExecutionError(f"{name}: {answer} in the query {sql or query!r:.1000}")
        steady, listed = answer
        # Bytes come as a list of their text in base 64.
        rows = [
            tuple(base64.b64decode(v[0]) if isinstance(v, list) else v for v in row)
            for row in listed
        ]
        if steady:
            self._kept.keep(key, version, rows)
        return rows

    def _follow(self) -> None:
        """Leave a file that another one took the place of."""
        try:
            state = os.stat(self.path)
        except OSError:
            return
        now = state.st_dev, state.st_ino
        if self._opened not in (None, now):
            self._process.close()
        self._opened = now

    def column(self, sql: str, **given: object) -> tuple[Any, ...]:
        return tuple(row[0] for row in self.rows(sql, **given))

    def close(self) -> None:
        self._process.close()

    def _bind(self, sql: str, given: Mapping[str, object]) -> tuple[str, object]:
        """The query as the database takes it, and its values: SQLite by name, else by place."""
        if self.kind == "mysql":
            return _bind_by_place(sql, given)
        sqlite = self.kind == "sqlite"
        names: list[str] = []

        def parameter(name: str) -> str:
            if name not in names:
                names.append(name)
            text = f":{name}" if sqlite else f"${names.index(name) + 1}"
            values = given[name]
            if not isinstance(values, Some):
                return text
            if self.kind == "postgresql" and all(isinstance(value, str) for value in values):
                text += "::text[]"
            return f"(SELECT {f'value FROM json_each({text})' if sqlite else f'unnest({text})'})"

        query = fill(_NAMED, sql, given, parameter)
        if sqlite:
            return query, {name: _plain(given[name], json.dumps) for name in names}
        return query, [_plain(given[name], lambda values: {"set": values}) for name in names]


def parts_of(place: str | Path) -> tuple[str, str, str]:
    """The kind of a database, the path of its file, and its name without secrets."""
    text = str(place)
    if "://" not in text:
        return "sqlite", text, text
    parts = urlsplit(text)
    kind = "postgresql" if parts.scheme == "postgres" else parts.scheme
    if kind in SERVERS:
        # Without the password.
        return kind, "", f"{parts.hostname or 'localhost'}{parts.path}"
    path = unquote(parts.path).removeprefix("/")
    if kind not in ("sqlite", "duckdb") or parts.netloc or not path:
        raise DomainError(
            f"{kind}://...: write sqlite:///FILE, duckdb:///FILE, postgresql://USER@HOST/NAME or "
            "mysql://USER@HOST/NAME"
        )
    return kind, path, path


def _bind_by_place(sql: str, given: Mapping[str, object]) -> tuple[str, object]:
    values: list[object] = []

    def parameter(name: str) -> str:
        value = given[name]
        listed = list(value) if isinstance(value, Some) else [value]
        values.extend(_plain(item, list) for item in listed)
        marks = ", ".join(["%s"] * len(listed))
        return f"({marks or 'NULL'})" if isinstance(value, Some) else marks

    return fill(_NAMED, sql.replace("%", "%%"), given, parameter), values


def fill(
    pattern: re.Pattern[str], query: str, given: Collection[str], write: Callable[[str], str]
) -> str:
    """A query with what `write` makes of each parameter, a `name` of the pattern, in its place.
    Raises ExecutionError for one that nothing is given for."""

    def put(match: re.Match[str]) -> str:
        if match["name"] is None:
            return match.group()
        if match["name"] not in given:
            raise ExecutionError(f"nothing is given for {match.group()} in the query {query!r}")
        return write(match["name"])

    return pattern.sub(put, query)


def _plain(value: object, of_set: Any) -> object:
    """A value as JSON has it; bytes as a list of their text in base 64."""
    if isinstance(value, Some):
        return of_set(list(value))
    if isinstance(value, bytes | bytearray | memoryview):
        return [base64.b64encode(value).decode()]
    if isinstance(value, date):
        return str(value)
    return value.value if isinstance(value, Number | Truth) else value
