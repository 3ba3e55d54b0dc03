"""Structured logs: one JSON object a line, for each request one."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from partwise.serve.metrics import Metrics
from partwise.serve.problems import ProblemError, problem_response

BROKEN = "the server failed at this; its log says where, under the name of this request"


class Log:
    """Writes lines; a line is written whole or not at all.

    Args:
        stream: standard error if not given.
        questions: whether the texts of questions may be written.
    """

    def __init__(self, stream: TextIO | None = None, questions: bool = False) -> None:
        self.stream, self.questions = stream, questions

    def write(self, **fields: Any) -> None:
        """One line, with the time in front."""
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

        Args:
            text: whether its text holds no question; else that may be part of it.
        """
        frames = traceback.extract_tb(error.__traceback__)
        where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        said = {"message": str(error)} if self.questions or text else {}
        kind = type(error).__name__
        self.write(level="error", request=request, error=kind, **said, where=where)


class RequestLog:
    """Middleware: names each request, logs it when it is done, and tells what it raises.

    That is a `ProblemError` as it is, and any other failure as a 500.

    Handlers put what else there is to say into ``scope["partwise.facts"]``.
    """

    def __init__(self, app: ASGIApp, log: Log, metrics: Metrics) -> None:
        self.app, self.log, self.metrics = app, log, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name, began = uuid.uuid4().hex[:12], time.perf_counter()
        facts: dict[str, Any] = {}
        scope["partwise.request"], scope["partwise.facts"] = name, facts
        status = 0

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", name.encode())]
            await send(message)

        try:
            await self.app(scope, receive, named)
        except ProblemError as error:
            response = problem_response(scope, error.status, error.detail, error.wait)
            await response(scope, receive, named)
        except Exception as error:
            self.log.failure(name, error)
            # Of a response that has begun nothing can be taken back; the connection ends.
            if status:
                raise
            await problem_response(scope, 500, BROKEN)(scope, receive, named)
        finally:
            seconds = time.perf_counter() - began
            self.metrics.request(scope["path"], status, seconds)
            # The query string and the client's address are not said.
            place = {"method": scope["method"], "path": scope["path"][:200]}
            said = {"level": "info", "request": name, **place, "status": status}
            self.log.write(**said, milliseconds=round(1000 * seconds, 2), **facts)


class ServerLines(logging.Handler):
    """Passes what the web server itself has to say on as lines of the log."""

    def __init__(self, log: Log | None = None) -> None:
        super().__init__()
        self.log = log or Log()

    def emit(self, record: logging.LogRecord) -> None:
        """One record."""
        level = record.levelname.lower()
        self.log.write(level=level, logger=record.name, message=record.getMessage())
