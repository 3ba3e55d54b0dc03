"""Process: workers in processes of their own, which are ended when they take too long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from partwise.errors import ExecutionError, PartwiseError

WORKER = Path(__file__).with_name("worker.py")


class Process:
    """Workers that start when they are needed, and again after one was ended, up to `size` at a
    time. Each thread may ask: requests wait only while all workers are busy. The workers end when
    this object goes. `command` follows the interpreter on the command line, and `first` is what a
    worker is told before it loads, which others must not see there. Messages call what it loads
    `name` and what it is asked `what`; a load that fails is a `failure`."""

    def __init__(
        self,
        command: Sequence[str],
        load_timeout: float,
        name: str,
        failure: type[PartwiseError] = ExecutionError,
        size: int = 1,
        first: bytes = b"",
        what: str = "query",
    ) -> None:
        self.command, self.load_timeout = command, load_timeout
        self.name, self.failure = name, failure
        self.size, self.first, self.what = size, first, what
        self._idle: list[_Talk] = []
        self._begun: list[_Talk] = []
        self._set_free()
        _PROCESSES.add(self)

    def _set_free(self) -> None:
        self._free, self._closing = threading.Semaphore(self.size), threading.Lock()

    def _forget(self) -> None:
        """Leave the workers to the process that this one was forked from."""
        for waiting in (self._idle, self._begun):
            while waiting:
                waiting.pop().stop.detach()
        self._set_free()

    @property
    def pid(self) -> int | None:
        idle = self._idle[-1:]
        return idle[0].popen.pid if idle else None

    def begin(self) -> None:
        """Start a worker, unless one waits, and do not wait until it is ready."""
        if not (self._idle or self._begun):
            self._begun.append(_Talk(self.command))

    def start(self) -> None:
        """Start a worker, unless one waits. Raises PartwiseError if what it is to read cannot be
        loaded; of the class `failure`."""
        with self._worker():
            pass

    def call(self, timeout: float, *request: Any) -> tuple[str, Any]:
        """The kind of a worker's answer to a request (``ok`` for a value) and the value, or a
        message. `timeout`: seconds; then the worker is ended. Raises ExecutionError if it took too
        long, went down, or cannot be started."""
        line = json.dumps([timeout, *request]).encode() + b"\n"
        slow = f"the {self.what} took longer than {timeout:g} s and was stopped"
        broken = f"the {self.what} brought its process down, perhaps out of memory"
        for _ in range(self.size + 1):
            with self._worker() as talk:
                answer = _say(talk, line, timeout, slow, broken)
                if answer[0] != "lost":
                    break
                # What it read had gone before it was asked; another one opens it again.
                talk.stop()
        return answer

    def close(self) -> None:
        """End the workers when their requests are answered; a later request starts another."""
        with self._closing:
            for _ in range(self.size):
                self._free.acquire()
            for waiting in (self._idle, self._begun):
                while waiting:
                    waiting.pop().stop()
            self._free.release(self.size)

    @contextmanager
    def _worker(self) -> Iterator[_Talk]:
        """A worker for one request; one that was interrupted answers no other and is ended."""
        with self._free:
            try:
                # The one that waited least: the others may stay unused.
                talk = self._idle.pop()
            except IndexError:
                talk = self._launch()
            if talk.popen.poll() is not None:
                talk.stop()
                talk = self._launch()
            try:
                yield talk
            except BaseException:
                talk.stop()
                raise
            self._idle.append(talk)

    def _launch(self) -> _Talk:
        try:
            talk = self._begun.pop()
        except IndexError:
            talk = _Talk(self.command)
        slow = f"loading took longer than {self.load_timeout:g} s"
        try:
            kind, message = _say(
                talk, self.first, self.load_timeout, slow, "loading needs too much"
            )
        except BaseException as error:
            talk.stop()
            if not isinstance(error, ExecutionError):
                raise
            kind, message = "failed", str(error)
        if kind != "ok":
            talk.stop()
            raise self.failure(f"{self.name}: {message}")
        return talk


_PROCESSES: weakref.WeakSet[Process] = weakref.WeakSet()


def _forget_all() -> None:
    for process in _PROCESSES:
        process._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def _say(talk: _Talk, line: bytes, timeout: float, slow: str, broken: str) -> tuple[str, Any]:
    try:
        return talk.say(line, timeout)
    except (TimeoutError, EOFError) as error:
        message = slow if isinstance(error, TimeoutError) else broken
        raise ExecutionError(message) from None


class _Talk:
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
    """Ends a process when an answer is late. A thread for each answer would cost more than most
    queries, so a timer that runs is kept for later answers: it looks again when it fires."""

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
