"""LocalStore: a Turtle file, queried in a process of its own."""

from __future__ import annotations

import json
import queue
import re
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import as_file, files
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from partwise.errors import ExecutionError
from partwise.execution.store import Row, RowStore, Value

_WORKER = Path(__file__).with_name("worker.py")
_ASIDE = re.compile(
    r"(?P<blank>#[^\n\r]*)"
    r"|\\.|<[^\x00-\x20<>\"{}|^`\\]*>"
    r"|'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\""
    r"|'(?:[^'\\\n\r]|\\.)*'|\"(?:[^\"\\\n\r]|\\.)*\"",
    re.DOTALL,
)
"""Comments; characters that a backslash marks, IRIs and strings."""
_SERVICE = re.compile(r"SERVICE\s*(?:SILENT\s*)?[^\s{}();,]*\s*\{", re.IGNORECASE)


class LocalStore(RowStore):
    """A Turtle file in memory (pyoxigraph).

    pyoxigraph cannot stop a query once it runs, so the graph lives in a process of its own, which
    is ended when a query takes too long; the next query starts it anew and loads the file again.
    Queries wait for one another. They read only: pyoxigraph's query call knows no updates, and
    ``SERVICE``, which would use the network, is refused.

    Args:
        path: the file, UTF-8.
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
        self._lock = threading.Lock()
        self._process: _Process | None = None
        with self._lock:
            self._started()

    def ask(self, query: str) -> bool:
        """Whether an ``ASK`` query has a match."""
        return bool(self._call(["ask", query]))

    def rows(self, query: str, limit: int) -> Sequence[Row]:
        """The first `limit` solutions of a ``SELECT`` query."""
        match = self._call(["rows", query, limit, self.max_characters])
        return [{name: Value(*value) for name, value in row.items()} for row in match]

    def close(self) -> None:
        """End the process; a later query starts it anew."""
        with self._lock:
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _call(self, request: list[Any]) -> Any:
        check_reading(request[1])
        with self._lock:
            process = self._started()
            try:
                kind, value = process.ask(request, self.timeout)
            except BaseException as error:
                self._stop()
                if isinstance(error, TimeoutError):
                    message = f"the query took longer than {self.timeout:g} s and was stopped"
                    raise ExecutionError(message) from None
                if isinstance(error, EOFError):
                    message = "the query brought its process down, perhaps out of memory"
                    raise ExecutionError(message) from None
                raise
        if kind == "query":
            raise ExecutionError(f"the query cannot be read: {value}")
        if kind == "failed":
            raise ExecutionError(f"the query failed: {value}")
        return value

    def _started(self) -> _Process:
        if self._process is None:
            process = _Process([str(self.path.absolute()), str(self.max_memory)])
            try:
                kind, value = process.hear(self.load_timeout)
            except BaseException as error:
                process.stop()
                if isinstance(error, TimeoutError | EOFError):
                    late = isinstance(error, TimeoutError)
                    why = f"took longer than {self.load_timeout:g} s" if late else "needs too much"
                    raise ExecutionError(f"{self.path}: loading {why}") from None
                raise
            if kind != "ok":
                process.stop()
                raise ExecutionError(f"{self.path}: cannot be read as Turtle: {value}")
            self._process = process
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None


@contextmanager
def packaged_store(package: str, file: str, timeout: float = 10.0) -> Iterator[LocalStore]:
    """A Turtle file that stands in a package, loaded; its process ends with the context.

    Args:
        timeout: seconds for a query.

    Raises:
        ExecutionError: if the file cannot be loaded.
    """
    with as_file(files(package).joinpath(file)) as path, LocalStore(path, timeout) as store:
        yield store


class _Process:
    """The worker with its lines; a thread reads them, so that waiting can have a limit.

    It ends when this object goes, at the latest when the program does.
    """

    def __init__(self, arguments: list[str]) -> None:
        # -P: modules beside the worker must not be taken for others of the same name.
        self._popen = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        reader = threading.Thread(target=_read, args=(self._popen, self._lines), daemon=True)
        reader.start()
        self.stop = weakref.finalize(self, _end, self._popen, reader)

    def ask(self, request: list[Any], timeout: float) -> tuple[str, Any]:
        """Send a request and wait for its answer; TimeoutError, EOFError."""
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.write(json.dumps(request).encode() + b"\n")
            self._popen.stdin.flush()
        except OSError as error:
            raise EOFError from error
        return self.hear(timeout)

    def hear(self, timeout: float) -> tuple[str, Any]:
        """Wait for a line."""
        try:
            line = self._lines.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError from None
        if not line.endswith(b"\n"):
            raise EOFError
        kind, value = json.loads(line)
        return kind, value


def _read(popen: subprocess.Popen[bytes], lines: queue.Queue[bytes]) -> None:
    assert popen.stdout is not None
    with popen.stdout as stream:
        for line in stream:
            lines.put(line)
    lines.put(b"")


def _end(popen: subprocess.Popen[bytes], reader: threading.Thread) -> None:
    popen.kill()
    popen.wait()
    if popen.stdin is not None:
        with suppress(OSError):
            popen.stdin.close()
    # The reader must be done before the program ends: it holds the lock of its stream.
    if reader is not threading.current_thread():
        reader.join(5.0)


def check_reading(query: str) -> None:
    """Let only queries through that ask no other store.

    The process could not reach one either, where the system lets it give up opening files; this
    says so before.

    Raises:
        ExecutionError: for a query with ``SERVICE``.
    """
    plain = _ASIDE.sub(lambda match: " " if match["blank"] else "x", query)
    if _SERVICE.search(plain):
        raise ExecutionError("the query uses SERVICE: a local store asks no other")
