"""Kills workers of `partwise serve`, and the server itself, while clients ask; see kills.py."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPException
from pathlib import Path

from serving import children

WORKERS, CLIENTS = 2, 4
PATIENCE = 120.0
"""Seconds after which something hangs."""
QUESTION, ANSWER = "what is the capital of texas ?", ["austin, texas"]


class Clients:
    """Ask all the time; they must be told the answer, or nothing as the connection ends."""

    def __init__(self, port: int) -> None:
        self.url, self.told, self.wrong = f"http://127.0.0.1:{port}/ask", Counter[str](), ""
        self.over = threading.Event()

    @contextmanager
    def asking(self) -> Iterator[None]:
        """They ask meanwhile."""
        threads = [threading.Thread(target=self._ask) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.over.set()
            for thread in threads:
                thread.join()

    def _ask(self) -> None:
        while not self.over.is_set():
            try:
                told = self._told()
            except (OSError, HTTPException) as error:
                reason = error.reason if isinstance(error, urllib.error.URLError) else error
                told = type(reason).__name__
                # A status or a time-out says that the server was there and did not answer.
                if not isinstance(reason, ConnectionError | HTTPException):
                    self.wrong = repr(error)
                time.sleep(0.1)
            self.told[told] += 1

    def _told(self) -> str:
        body = json.dumps({"question": QUESTION}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as reply:
            answer = json.load(reply)["answer"]
        if answer != ANSWER:
            self.wrong = f"it answered {answer}"
        return "answered"

    def answered(self) -> None:
        """Wait until one more question is answered.

        Raises:
            AssertionError: if that takes too long, or something was wrong so far.
        """
        before = self.told["answered"]
        wait(lambda: self.told["answered"] > before, "no question is answered")
        assert not self.wrong, self.wrong


def wait(done: Callable[[], bool], hangs: str) -> None:
    """Wait until something is done.

    Raises:
        AssertionError: if that takes too long.
    """
    until = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < until, hangs
        time.sleep(0.02)


def workers(server: int) -> Sequence[int]:
    """The processes that answer."""
    mine = []
    for process in children(server):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes():
                mine.append(process)
    return mine


def free(port: int) -> bool:
    """Whether a server could take a port."""
    with suppress(OSError), socket.create_server(("127.0.0.1", port)):
        return True
    return False


def start(port: int, folder: Path) -> subprocess.Popen[bytes]:
    """A server whose temporary files are in a folder."""
    options = ("--model", "geography", "--rate", "0", "--workers", str(WORKERS))
    return subprocess.Popen(
        [sys.executable, "-m", "partwise", "serve", "--port", str(port), *options],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill_serving(folder: Path, kills: int, seed: int) -> str:
    """Kill a worker, and the server, by turns; what clients were told.

    Raises:
        AssertionError: if a worker is not replaced, a client is told something wrong, a port stays
            taken, or a file is left.
    """
    draw = random.Random(seed)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    server, clients = start(port, folder), Clients(port)
    try:
        with clients.asking():
            clients.answered()
            for number in range(kills):
                time.sleep(draw.uniform(0, 3))
                if number % 2:
                    server = kill_server(server, port, folder)
                else:
                    kill_worker(server.pid, draw)
                clients.answered()
                print(f"  {dict(clients.told)}", flush=True)
    finally:
        server.terminate()
        server.wait(PATIENCE)
    return str(dict(clients.told))


def kill_server(
    server: subprocess.Popen[bytes], port: int, folder: Path
) -> subprocess.Popen[bytes]:
    """Kill it; another on the same port.

    Raises:
        AssertionError: if the port stays taken, or files are left.
    """
    server.kill()
    server.wait()
    wait(lambda: free(port), "the port stays taken")
    wait(lambda: not [*folder.iterdir()], "files are left")
    next_one = start(port, folder)
    # Workers of the one before may still answer what they were asked.
    wait(lambda: bool(workers(next_one.pid)), "no worker starts")
    return next_one


def kill_worker(server: int, draw: random.Random) -> None:
    """Kill one, and wait until another is there.

    Raises:
        AssertionError: if that takes too long.
    """
    wait(lambda: len(workers(server)) == WORKERS, "workers do not start")
    victim = draw.choice(workers(server))
    os.kill(victim, signal.SIGKILL)
    wait(lambda: len({victim, *workers(server)}) > WORKERS, "a worker is not replaced")
