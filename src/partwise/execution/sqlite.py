"""SQLite: a database file that a domain's methods read, or a script of one in memory."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from partwise.errors import DomainError, ExecutionError
from partwise.execution.process import WORKER, Process
from partwise.language.values import Number, Some, Truth

LOAD_TIMEOUT = 120.0
"""Seconds for opening a file, or for running a script of tables."""
# Texts and comments of SQL are passed over, so that only parameters are found.
_NAMED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|:(?P<name>\w+)", re.S)


class SQLite:
    """Reads a SQLite file, or the tables that a script makes (``data.sql``), in memory.

    The file is opened when first asked, for reading alone, in a process of its own, which is ended
    when a query takes too long; the next query starts another. Queries may call `FUNCTIONS` of
    `partwise.execution.worker`. Values are bound to the query's parameters and never written into
    its text, sets, too: ``WHERE title IN :of`` with ``of=Many(["Emma", "Dracula"])``.

    Args:
        timeout: seconds for a query.
        max_rows: of an answer.
        max_characters: of all values of an answer.
        max_memory: bytes of address space of the process; no limit on Windows.
    """

    def __init__(
        self,
        path: str | Path,
        timeout: float = 10.0,
        max_rows: int = 1_000_000,
        max_characters: int = 50_000_000,
        max_memory: int = 2 << 30,
    ) -> None:
        self.path, self.timeout = Path(path), timeout
        self.max_rows, self.max_characters = max_rows, max_characters
        command = (str(WORKER), "sqlite", str(self.path.absolute()), str(max_memory))
        self._process = Process(command, LOAD_TIMEOUT, str(self.path), DomainError)

    def rows(self, sql: str, **given: object) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Args:
            given: a value for each ``:name`` in the query; a set for each ``IN :name``.

        Raises:
            DomainError: if the file is missing or no database, or the script fails.
            ExecutionError: if the query fails, would do more than read, takes too long or gives
                too much; has its text.
        """
        if self._process.pid is None and not self.path.is_file():
            raise DomainError(f"{self.path}: there is no such file; the domain reads it")
        values = {name: _bound(value) for name, value in given.items()}
        query = _with_sets(sql, given)
        limits = self.max_rows, self.max_characters
        try:
            kind, answer = self._process.call(self.timeout, query, values, *limits)
        except (ExecutionError, TypeError, ValueError) as error:
            kind, answer = "failed", error
        if kind != "ok":
            raise ExecutionError(f"{self.path.name}: {answer} in the query {sql!r:.1000}")
        return [tuple(map(_unbound, row)) for row in answer]

    def column(self, sql: str, **given: object) -> tuple[Any, ...]:
        """The first column of a query's rows; see `rows`."""
        return tuple(row[0] for row in self.rows(sql, **given))

    def close(self) -> None:
        """End the process; a later query starts another."""
        self._process.close()


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
    """A value as JSON has it; bytes as a list of their text in base 64."""
    if isinstance(value, Some):
        return json.dumps(list(value))
    if isinstance(value, bytes | bytearray | memoryview):
        return [base64.b64encode(value).decode()]
    if isinstance(value, date):
        return str(value)
    return value.value if isinstance(value, Number | Truth) else value


def _unbound(value: Any) -> Any:
    return base64.b64decode(value[0]) if isinstance(value, list) else value
