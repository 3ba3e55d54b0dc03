"""LocalStore: a Turtle file, queried in a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import as_file, files
from pathlib import Path
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
        self._lock = threading.Lock()
        self._process: _Process | None = None
        with self._lock:
            self._started()

    def ask(self, query: str) -> bool:
        return bool(self._call("ask", query))

    def rows(self, query: str, limit: int) -> Sequence[Row]:
        rows = self._call("rows", query, limit, self.max_characters)
        return [{name: Value(*value) for name, value in row.items()} for row in rows]

    def close(self) -> None:
        """End the process; a later query starts another."""
        with self._lock:
            self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _call(self, what: str, query: str, *limits: int) -> Any:
        check_reading(query)
        request = json.dumps([what, query, *limits]).encode() + b"\n"
        slow = f"the query took longer than {self.timeout:g} s and was stopped"
        broken = "the query brought its process down, perhaps out of memory"
        with self._lock:
            kind, value = self._say(self._started(), request, self.timeout, slow, broken)
        if kind != "ok":
            failed = "cannot be read" if kind == "query" else "failed"
            raise ExecutionError(f"the query {failed}: {value}")
        return value

    def _started(self) -> _Process:
        if self._process is None:
            self._process = _Process(str(self.path.absolute()), str(self.max_memory))
            slow = f"{self.path}: loading took longer than {self.load_timeout:g} s"
            broken = f"{self.path}: loading needs too much"
            kind, value = self._say(self._process, b"", self.load_timeout, slow, broken)
            if kind != "ok":
                self._stop()
                raise ExecutionError(f"{self.path}: cannot be read as Turtle: {value}")
        return self._process

    def _say(
        self, process: _Process, line: bytes, timeout: float, slow: str, broken: str
    ) -> tuple[str, Any]:
        """What the process says to a line; one that was interrupted answers no other."""
        try:
            return process.say(line, timeout)
        except BaseException as error:
            self._stop()
            if isinstance(error, TimeoutError | EOFError):
                message = slow if isinstance(error, TimeoutError) else broken
                raise ExecutionError(message) from None
            raise

    def _stop(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process = None


@contextmanager
def packaged_store(package: str, file: str, timeout: float = 10.0) -> Iterator[LocalStore]:
    """A Turtle file that stands in a package, as a `LocalStore`; it is closed with the context."""
    with as_file(files(package).joinpath(file)) as path, LocalStore(path, timeout) as store:
        yield store


class _Process:
    """The worker with its lines; it ends when this object goes, at the latest with the program."""

    def __init__(self, *arguments: str) -> None:
        # -P: modules beside the worker must not be taken for others of the same name.
        self._popen = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.stop = weakref.finalize(self, _end, self._popen)

    def say(self, line: bytes, timeout: float) -> tuple[str, Any]:
        """The answer to a line, if it is one; TimeoutError or EOFError if the process ended."""
        late = threading.Event()

        def end() -> None:
            late.set()
            self._popen.kill()

        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        # Neither writing nor reading can have a limit of its own; both end with the process.
        timer = threading.Timer(timeout, end)
        timer.daemon = True
        timer.start()
        answer = b""
        try:
            with suppress(OSError):
                self._popen.stdin.write(line)
                self._popen.stdin.flush()
                answer = self._popen.stdout.readline()
        finally:
            timer.cancel()
            timer.join()
        if late.is_set():
            raise TimeoutError
        if not answer.endswith(b"\n"):
            raise EOFError
        kind, value = json.loads(answer)
        return kind, value


def _end(popen: subprocess.Popen[bytes]) -> None:
    popen.kill()
    popen.wait()
    for stream in (popen.stdin, popen.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def check_reading(query: str) -> None:
    """Let only queries through that ask no other store, else raise ExecutionError.

    The process could not reach one either, where the system lets it give up opening files.
    """
    plain = _ASIDE.sub(lambda match: " " if match["blank"] else "x", query)
    if _SERVICE.search(plain):
        raise ExecutionError("the query uses SERVICE: a local store asks no other")
