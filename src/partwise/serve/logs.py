"""What a server's operator sees: a log of one JSON object a line, and figures for Prometheus."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partwise.serve.guard import ProblemError, problem_response

BROKEN = "the server failed at this; its log says where, under the name of this request"


class Log:
    """Writes whole lines, to standard error if no stream is given; `questions`: also what was
    asked."""

    def __init__(self, stream: TextIO | None = None, questions: bool = False) -> None:
        self.stream, self.questions = stream, questions

    def write(self, **fields: Any) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        # ASCII alone, so that nothing in a path or question can end a line or steer a terminal.
        line = json.dumps({"time": now, **fields}, default=str)
        stream = sys.stderr if self.stream is None else self.stream
        # Where nobody reads the log any more, the server goes on, and can be ended.
        with suppress(OSError):
            stream.write(line + "\n")
            stream.flush()

    def failure(self, request: str, error: BaseException, text: bool = False) -> None:
        """An error of the program: its kind and where it arose, with its text if that is allowed.
        `text`: whether its text holds no question; else that may be part of it."""
        frames = traceback.extract_tb(error.__traceback__)
        where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        said = {"message": str(error)} if self.questions or text else {}
        kind = type(error).__name__
        self.write(level="error", request=request, error=kind, **said, where=where)


class RequestLog:
    """Middleware: names each request, logs it when it is done, and tells what it raises: a
    `ProblemError` as it is, any other failure as a 500. What else there is to say is in
    ``scope["partwise.facts"]``."""

    def __init__(self, app: ASGIApp, log: Log, metrics: Metrics) -> None:
        self.app, self.log, self.metrics = app, log, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name, began = uuid.uuid4().hex[:12], time.perf_counter()
        facts: dict[str, Any] = {}
        scope["partwise.request"], scope["partwise.facts"] = name, facts
        status = 0

        async def name_reply(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", name.encode())]
            await send(message)

        try:
            await self.app(scope, receive, name_reply)
        except ProblemError as error:
            response = problem_response(scope, error.status, error.detail, error.wait)
            await response(scope, receive, name_reply)
        except Exception as error:
            self.log.failure(name, error)
            # Of a response that has begun nothing can be taken back; the connection ends.
            if status:
                raise
            await problem_response(scope, 500, BROKEN)(scope, receive, name_reply)
        finally:
            seconds = time.perf_counter() - began
            self.metrics.request(scope["path"], status, seconds)
            # The query string and the client's address are not said.
            place = {"method": scope["method"], "path": scope["path"][:200]}
            said = {"level": "info", "request": name, **place, "status": status}
            self.log.write(**said, milliseconds=round(1000 * seconds, 2), **facts)


class ServerLines(logging.Handler):
    """Passes what the web server itself has to say on as lines of the log."""

    log = Log()

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelname.lower()
        self.log.write(level=level, logger=record.name, message=record.getMessage())


FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder where the workers of a server put their figures together."""
PATHS = (
    *("/ask", "/clarify", "/confirm", "/synonym", "/parse", "/batch"),
    *("/health", "/ready", "/metrics", "/about", "/"),
)
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        own: dict[str, Any] = {"namespace": "partwise", "registry": self._registry}
        self._questions = Counter("questions", "Questions, by outcome.", ["outcome"], **own)
        self._problems = Counter("problems", "Requests that failed, by status.", ["status"], **own)
        self._seconds = Histogram(
            "request_seconds", "Time of a request.", ["path"], buckets=SECONDS, **own
        )
        self._waiting = Gauge(
            "waiting_questions", "Questions in the queue.", multiprocess_mode="livesum", **own
        )

    def request(self, path: str, status: int, seconds: float) -> None:
        # Other paths are one, as clients may make up any number.
        self._seconds.labels(path if path in PATHS else "other").observe(seconds)
        if status >= 400:
            self._problems.labels(str(status)).inc()

    def replies(self, replies: Sequence[Mapping[str, Any]]) -> None:
        for reply in replies:
            self._questions.labels(_outcome(reply)).inc()

    def waiting(self, questions: int) -> None:
        self._waiting.set(questions)

    def text(self) -> bytes:
        folder = os.environ.get(FOLDER)
        if folder is None:
            return generate_latest(self._registry)
        _forget_dead(Path(folder))
        registry = CollectorRegistry()
        MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def _outcome(reply: Mapping[str, Any]) -> str:
    reason = reply.get("reason")
    if reply.get("meaning") is None:
        return "too_costly" if "too costly" in (reason or "") else "refused"
    return str(reply.get("status", "answered")) if reason is None else "failed"


def _forget_dead(folder: Path) -> None:
    for file in folder.glob("gauge_livesum_*.db"):
        process = int(file.stem.rsplit("_", 1)[1])
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            with suppress(FileNotFoundError):
                mark_process_dead(process, str(folder))  # type: ignore[no-untyped-call]
