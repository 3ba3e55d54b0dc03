"""What the tests of the server share."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from granian.server.embed import Server
from starlette.testclient import TestClient

from partwise.serve.api import create_app
from partwise.serve.guard import Access, Limits
from partwise.serve.logs import Log
from partwise.serve.server import Settings, address_of, make_app, take_port, wait_for, web_options

LIMIT = 240.0
"""Seconds after which a server has hung."""


@dataclass
class Echo:
    """A service that reads nothing: its one word is the whole question.

    Attributes:
        fails: raises for a question that must fail.
        calls: what it was asked, call by call.
    """

    runs: bool = True
    fails: Callable[[str], None] = lambda _: None
    kind: str = "echo"
    calls: list[list[str]] = field(default_factory=list)

    def ask(self, questions: Sequence[str], k: int, run: bool, **more: Any) -> list[dict[str, Any]]:
        self.calls.append(list(questions))
        for question in questions:
            self.fails(question)
        return [self._reply(question, run) for question in questions]

    def _reply(self, question: str, run: bool) -> dict[str, Any]:
        one: dict[str, Any] = {
            "meaning": "echo",
            "probability": 1.0,
            "score": 0.0,
            "derivation": None,
        }
        one |= {"status": "answered", "suggestions": []}
        names = ("unused", "unknown", "corrections", "differences")
        nothing: dict[str, Any] = {"ambiguous": {}, **{name: [] for name in names}}
        answer = {"answer": [question]} if run else {}
        more = {"question": question, "words": [question], "alternatives": [], "reason": None}
        return {"kind": self.kind, **one, **nothing, **answer, **more}

    def about(self) -> dict[str, Any]:
        return {"domain": "echo", "runs": self.runs, "examples": ["hello"]}


@dataclass(frozen=True)
class Served:
    """A client of an app, and the app's log."""

    client: TestClient
    stream: io.StringIO

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stream.getvalue().splitlines()]

    def problem(self, status: int, path: str = "/ask", **sent: Any) -> str:
        """What a request is told that must fail with a status; its form is checked."""
        found = self.client.post(path, **sent)
        assert found.status_code == status, found.text
        assert found.headers["content-type"] == "application/problem+json"
        body = found.json()
        assert set(body) == {"title", "status", "detail", "request"}
        assert body["status"] == status
        assert body["request"] == found.headers["x-request-id"]
        return str(body["detail"])


def served(
    service: Any,
    limits: Limits | None = None,
    questions: bool = False,
    access: Access | None = None,
) -> Served:
    stream = io.StringIO()
    app = create_app(service, limits, Log(stream, questions), access)
    return Served(TestClient(app, raise_server_exceptions=False), stream)


@contextmanager
def running(
    service: Any,
    limits: Limits,
    log: Path,
    proxy: str | None = None,
    access: Access = Access(),  # noqa: B008
) -> Iterator[str]:
    """The address of a server that runs meanwhile, in a thread of this process."""
    settings = Settings(lambda: service, limits, access, proxy)
    with take_port("127.0.0.1", 0) as taken, log.open("w", encoding="utf-8") as stream:
        app = make_app(service, settings, Log(stream))
        loop = asyncio.new_event_loop()

        def serve() -> None:
            asyncio.set_event_loop(loop)
            loop.run_until_complete(server.serve())

        server = Server(app, **web_options(taken))
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            wait_for(taken)
            yield address_of(taken)
        finally:
            loop.call_soon_threadsafe(server.stop)
            thread.join(30)


@contextmanager
def serving(command: Sequence[str]) -> Iterator[tuple[str, subprocess.Popen[str], Iterator[str]]]:
    """The address of a server that a command starts, its process, and the lines of its log.

    It and all that it started are killed at the end, and after `LIMIT`, which ends whatever waits
    for them.
    """
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:

        def kill() -> None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

        limit = threading.Timer(LIMIT, kill)
        limit.start()
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            said = process.stdout.readline().split()
            assert said, process.stderr.read()
            url = said[3].replace("0.0.0.0", "127.0.0.1")
            yield url, process, (line for line in process.stderr if line.startswith("{"))
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
            limit.cancel()
            kill()


def asked(url: str, question: str) -> Any:
    body = json.dumps({"question": question}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/ask", body, headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)
