"""LocalStore: a Turtle file, queried in a process of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from itertools import accumulate
from pathlib import Path
from typing import Any, Self

from partwise.errors import ExecutionError
from partwise.execution.process import WORKER, Process
from partwise.execution.store import GraphValue, Row, RowStore

_ASIDE = re.compile(
    r"(?P<blank>#[^\n\r]*)"
    r"|\\.|<[^\x00-\x20<>\"{}|^`\\]*>"
    r"|'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\""
    r"|'(?:[^'\\\n\r]|\\.)*'|\"(?:[^\"\\\n\r]|\\.)*\"",
    re.DOTALL,
)
"""Comments; characters that a backslash marks, IRIs and strings."""
_BRACKET = re.compile(r"[{}()\[\]]")
_SERVICE = re.compile(r"SERVICE\s*(?:SILENT\s*)?[^\s{}();,]*\s*\{", re.IGNORECASE)
DEEPEST = 200
"""Brackets inside one another in a query."""


class LocalStore(RowStore):
    """A Turtle file in memory (pyoxigraph), in UTF-8.

    pyoxigraph cannot stop a query once it runs, so the graph lives in a process of its own, which
    is ended when a query takes too long; the next query starts another and loads the file again.
    Queries wait for one another. They read only: pyoxigraph's query call knows no updates, and
    ``SERVICE``, which would use the network, is refused.

    Args:
        timeout: seconds for a query.
        load_timeout: seconds for loading the file.
        max_characters: of all values in one answer.
        max_memory: bytes of address space of the process; no limit on Windows.

    Raises:
        ExecutionError: if the file is missing or is no Turtle. Later, for a query that cannot be
            read, takes too long, or gives too much.
    """

    def __init__(
        self,
        path: str | Path,
        timeout: float = 10.0,
        load_timeout: float = 120.0,
        max_characters: int = 10_000_000,
        max_memory: int = 8 << 30,
        language: str = "en",
    ) -> None:
        super().__init__(language)
        self.path, self.timeout, self.load_timeout = Path(path), timeout, load_timeout
        self.max_characters, self.max_memory = max_characters, max_memory
        if not self.path.is_file():
            raise ExecutionError(f"{self.path}: there is no such file")
        place, memory = str(self.path.absolute()), str(max_memory)
        self._process = Process((str(WORKER), "turtle", place, memory), load_timeout, str(path))
        self._process.start()

    def ask(self, query: str) -> bool:
        return bool(self._call("ask", query))

    def rows(self, query: str, limit: int) -> Sequence[Row]:
        rows = self._call("rows", query, limit, self.max_characters)
        return [{name: GraphValue(*value) for name, value in row.items()} for row in rows]

    def close(self) -> None:
        """End the process; a later query starts another."""
        self._process.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _call(self, what: str, query: str, *limits: int) -> Any:
        check_reading(query)
        kind, value = self._process.call(self.timeout, what, query, *limits)
        if kind != "ok":
            failed = "cannot be read" if kind == "query" else "failed"
            raise ExecutionError(f"the query {failed}: {value}")
        return value


@contextmanager
def packaged_store(package: str, file: str, timeout: float = 10.0) -> Iterator[LocalStore]:
    """A Turtle file that stands in a package, as a `LocalStore`; it is closed with the context."""
    with as_file(files(package).joinpath(file)) as path, LocalStore(path, timeout) as store:
        yield store


def check_reading(query: str) -> None:
    """Let only queries through that ask no other store and are not deep, else raise ExecutionError.

    The process could not reach another store either, where the system lets it give up opening
    files. It has no limit of depth, and would go down.
    """
    plain = _ASIDE.sub(lambda match: " " if match["blank"] else "x", query)
    if _SERVICE.search(plain):
        raise ExecutionError("the query uses SERVICE: a local store asks no other")
    steps = ((mark in "{([") - (mark in "})]") for mark in _BRACKET.findall(plain))
    if max(accumulate(steps), default=0) > DEEPEST:
        raise ExecutionError(f"the query has more than {DEEPEST} brackets inside one another")
