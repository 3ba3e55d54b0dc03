"""SQLite: a database file that a domain's methods read, or a script of one in memory."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.request import pathname2url

from partwise.errors import DomainError, ExecutionError
from partwise.language.values import Number, Some, Truth

# Texts and comments of SQL are passed over, so that only parameters are found.
_NAMED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|:(?P<name>\w+)", re.S)


class SQLite:
    """Reads a SQLite file, or the tables that a script makes (``data.sql``), in memory.

    The file is opened when first asked and only for reading. Values are bound to the query's
    parameters and never written into its text, sets, too: ``WHERE title IN :of`` with
    ``of=Many(["Emma", "Dracula"])``.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        # A server asks from several threads; SQLite answers them one by one.
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def rows(self, sql: str, **given: object) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Args:
            given: a value for each ``:name`` in the query; a set for each ``IN :name``.

        Raises:
            DomainError: if the file is missing or no database, or the script fails.
            ExecutionError: if the query fails; has its text.
        """
        with self._lock:
            connection = self._opened()
            try:
                values = {name: _bound(value) for name, value in given.items()}
                return connection.execute(_with_sets(sql, given), values).fetchall()
            except sqlite3.Error as error:
                raise ExecutionError(f"{self.path.name}: {error} in the query {sql!r}") from error

    def column(self, sql: str, **given: object) -> tuple[Any, ...]:
        """The first column of a query's rows; see `rows`."""
        return tuple(row[0] for row in self.rows(sql, **given))

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            if not self.path.is_file():
                raise DomainError(f"{self.path}: there is no such file; the domain reads it")
            script = self.path.suffix == ".sql"
            place = f"file:{pathname2url(str(self.path.absolute()))}?mode=ro"
            try:
                made = sqlite3.connect(
                    ":memory:" if script else place, uri=not script, check_same_thread=False
                )
                if script:
                    made.executescript(self.path.read_text(encoding="utf-8"))
                    made.execute("PRAGMA query_only = ON")
                # A file that is no database is found out when first read.
                made.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
            except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
                raise DomainError(f"{self.path}: cannot be opened as SQLite: {error}") from error
            self._connection = made
        return self._connection


def _with_sets(sql: str, given: Mapping[str, object]) -> str:
    """The query with each parameter that is a set read from the list that is bound to it."""

    def listed(match: re.Match[str]) -> str:
        name = match["name"]
        if name is not None and name not in given:
            raise ExecutionError(f"nothing is given for :{name} in the query {sql!r}")
        is_set = name is not None and isinstance(given[name], Some)
        return f"(SELECT value FROM json_each(:{name}))" if is_set else match.group()

    return _NAMED.sub(listed, sql)


def _bound(value: object) -> object:
    if isinstance(value, Some):
        return json.dumps(list(value))
    return value.value if isinstance(value, Number | Truth) else value
