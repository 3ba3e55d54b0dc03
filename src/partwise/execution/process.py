"""Process: the worker in a process of its own, which is ended when it takes too long."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from partwise.errors import ExecutionError, PartwiseError

WORKER = Path(__file__).with_name("worker.py")


class Process:
    """A worker that starts when first asked, and again after it was ended.

    Requests wait for one another, so each thread may ask. It ends when this object goes, at the
    latest with the program.

    Args:
        command: what follows the interpreter on the command line.
        load_timeout: seconds until it says that it is ready.
        name: of what it loads, for messages.
        failure: the error if that fails.
    """

    def __init__(
        self,
        command: Sequence[str],
        load_timeout: float,
        name: str,
        failure: type[PartwiseError] = ExecutionError,
    ) -> None:
        self.command, self.load_timeout = command, load_timeout
        self.name, self.failure = name, failure
        self._lock = threading.Lock()
        self._talk: _Talk | None = None

    @property
    def pid(self) -> int | None:
        """Of the process, if it runs."""
        return None if self._talk is None else self._talk.popen.pid

    def start(self) -> None:
        """Start it, unless it runs.

        Raises:
            PartwiseError: if what it is to read cannot be loaded; of the class `failure`.
        """
        with self._lock:
            self._started()

    def call(self, timeout: float, *request: Any) -> tuple[str, Any]:
        """The kind of its answer to a request (``ok`` for a value) and the value, or a message.

        Args:
            timeout: seconds; then it is ended.

        Raises:
            ExecutionError: if it took too long, went down, or cannot be started.
        """
        line = json.dumps(request).encode() + b"\n"
        with self._lock:
            slow = f"the query took longer than {timeout:g} s and was stopped"
            broken = "the query brought its process down, perhaps out of memory"
            return self._say(self._started(), line, timeout, slow, broken)

    def close(self) -> None:
        """End the process; a later request starts another."""
        with self._lock:
            self._stop()

    def _started(self) -> _Talk:
        if self._talk is None:
            self._talk = _Talk(self.command)
            slow = f"loading took longer than {self.load_timeout:g} s"
            try:
                answer = self._say(
                    self._talk, b"", self.load_timeout, slow, "loading needs too much"
                )
            except ExecutionError as error:
                answer = "failed", str(error)
            if answer[0] != "ok":
                self._stop()
                raise self.failure(f"{self.name}: {answer[1]}")
        return self._talk

    def _say(
        self, talk: _Talk, line: bytes, timeout: float, slow: str, broken: str
    ) -> tuple[str, Any]:
        """What the process says to a line; one that was interrupted answers no other."""
        try:
            return talk.say(line, timeout)
        except BaseException as error:
            self._stop()
            if isinstance(error, TimeoutError | EOFError):
                message = slow if isinstance(error, TimeoutError) else broken
                raise ExecutionError(message) from None
            raise

    def _stop(self) -> None:
        if self._talk is not None:
            self._talk.stop()
            self._talk = None


class _Talk:
    """One process with its lines."""

    def __init__(self, command: Sequence[str]) -> None:
        # -P: modules beside the worker must not be taken for others of the same name.
        self.popen = subprocess.Popen(
            [sys.executable, "-P", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._watch = _Watch(self.popen)
        self.stop = weakref.finalize(self, _end, self.popen)

    def say(self, line: bytes, timeout: float) -> tuple[str, Any]:
        """The answer to a line, if it is one; TimeoutError or EOFError if the process ended."""
        assert self.popen.stdin is not None
        assert self.popen.stdout is not None
        # Neither writing nor reading can have a limit of its own; both end with the process.
        self._watch.begin(timeout)
        answer = b""
        try:
            with suppress(OSError):
                self.popen.stdin.write(line)
                self.popen.stdin.flush()
                answer = self.popen.stdout.readline()
        finally:
            late = self._watch.end()
        if late:
            raise TimeoutError
        if not answer.endswith(b"\n"):
            raise EOFError
        kind, value = json.loads(answer)
        return kind, value


class _Watch:
    """Ends a process when an answer is late.

    A thread for each answer would cost more than most queries, so a timer that runs is kept for
    later answers: it looks again when it fires.
    """

    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._popen, self._lock = popen, threading.Lock()
        self._timer: threading.Timer | None = None
        self._fires = 0.0
        self._deadline: float | None = None
        self._late = False

    def begin(self, timeout: float) -> None:
        with self._lock:
            self._deadline = time.monotonic() + timeout
            if self._timer is None or self._fires > self._deadline:
                self._start()

    def end(self) -> bool:
        """Whether the process was ended."""
        with self._lock:
            self._deadline = None
            return self._late

    def _start(self) -> None:
        assert self._deadline is not None
        if self._timer is not None:
            self._timer.cancel()
        self._fires = self._deadline
        self._timer = threading.Timer(max(self._deadline - time.monotonic(), 0.0), self._fire)
        self._timer.daemon = True
        self._timer.start()

    def _fire(self) -> None:
        with self._lock:
            if threading.current_thread() is not self._timer:
                return
            self._timer = None
            if self._deadline is None:
                return
            if time.monotonic() < self._deadline:
                self._start()
                return
            self._late = True
            self._popen.kill()


def _end(popen: subprocess.Popen[bytes]) -> None:
    popen.kill()
    popen.wait()
    for stream in (popen.stdin, popen.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
