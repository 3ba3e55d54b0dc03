"""What a server lets through, and how it says no: limits, rates of clients, keys, problem details.

Errors are told as problem details (RFC 9457). Rates are token buckets, bounded in memory.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEYED = ("/metrics", "/schema", "/complete")
"""What only reads, and yet needs a key where questions do."""
PAUSE = 1.0
"""Seconds after which a client is told that it asked too much."""
CLIENTS = 10_000
"""Clients that are kept in mind; the one not seen for longest is forgotten first."""


@dataclass(frozen=True)
class Limits:
    """What a server lets through.

    Attributes:
        body: bytes of a request's body; less for one question (see `body_of`).
        weight: bytes of a body that count as a question of the client's rate.
        seconds: within which a body must have arrived.
        characters: of a question.
        batch: questions of one request.
        k: interpretations of one question.
        rate: questions that a client may ask in a minute; 0 for any number.
        waiting: questions of all clients that may wait for the parser; further ones are sent away.
        wait: seconds that a question may be expected to wait for its turn; else it is sent away.
        workers: processes that share the rate of a client.
    """

    body: int = 262_144
    weight: int = 1024
    seconds: float = 15.0
    characters: int = 500
    batch: int = 64
    k: int = 8
    rate: int = 600
    waiting: int = 512
    wait: float = 5.0
    workers: int = 1

    def body_of(self, path: str) -> int:
        """Bytes of a request's body at a path: of one question, or of many."""
        # A character of JSON takes at most 12 bytes: two escapes of six.
        # The question before and its program may come with it.
        return self.body if path == "/batch" else min(self.body, 24 * self.characters + 4096)


class Spent:
    """What each client spent of late; `pace` is forgotten in a second. Its memory is bounded:
    beyond `clients` the one not seen for longest is forgotten at once."""

    def __init__(
        self, pace: float, clients: int = CLIENTS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.pace, self.clients, self._clock = pace, clients, clock
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def add(self, client: str, more: float = 0.0) -> float:
        now = self._clock()
        before, seen = self._spent.pop(client, (0.0, now))
        spent = max(0.0, before - (now - seen) * self.pace) + more
        self._spent[client] = (spent, now)
        if len(self._spent) > self.clients:
            self._spent.popitem(last=False)
        return spent

    def __len__(self) -> int:
        return len(self._spent)


class RateLimiter:
    """A token bucket for each client: full at first, filled at an even `rate` a minute; 0 for no
    limit. Who was forgotten, as by `Spent`, begins with a full bucket."""

    def __init__(
        self, rate: int, clients: int = CLIENTS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate, self.spent = rate, Spent(rate / 60, clients, clock)

    def take(self, client: str, tokens: int = 1) -> float:
        """Take tokens of a client's bucket if it has them. Returns seconds until there are enough;
        0 if they were taken. `tokens`: at most a full bucket is taken."""
        if not self.rate:
            return 0.0
        cost = min(tokens, self.rate)
        missing = self.spent.add(client) + cost - self.rate
        if missing > 0:
            return missing * 60 / self.rate
        self.spent.add(client, cost)
        return 0.0


def client_name(address: str) -> str:
    """Whose bucket an address takes from: of IPv6 the network, as a home or host has one whole."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


MEDIA_TYPE = "application/problem+json"
PATHS = "/ask, /clarify, /confirm, /synonym, /parse or /batch, as /openapi.json says"


class Problem(BaseModel):
    """Why a request was not answered."""

    title: str = Field(description="The kind of problem.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What is wrong, where, and what to do.")
    request: str | None = Field(description="The request's name in the server's log.")


class ProblemError(Exception):
    """Ends a request with a problem. `wait`: seconds after which the request may be sent again."""

    def __init__(self, status: int, detail: str, wait: float | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.wait = status, detail, wait


def problem_response(
    scope: Mapping[str, Any], status: int, detail: str, wait: float | None = None
) -> JSONResponse:
    problem = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        request=scope.get("partwise.request"),
    )
    headers = {} if wait is None else {"Retry-After": str(max(1, math.ceil(wait)))}
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(problem.model_dump(), status, headers, MEDIA_TYPE)


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    said = {
        400: "the body cannot be read as JSON; send an object",
        404: f"there is nothing at this path; POST to {PATHS}",
        405: f"this path does not take {request.method}; POST to {PATHS}",
    }
    detail = said.get(error.status_code, str(error.detail))
    response = problem_response(request.scope, error.status_code, detail)
    response.headers.update(error.headers or {})
    return response


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    wrong = error.errors()
    # What was sent is not repeated: it may be long, or nobody else's business.
    said = [f"{_where(problem['loc'])}: {problem['msg']}" for problem in wrong[:5]]
    more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    malformed = any(problem["type"] == "json_invalid" for problem in wrong)
    detail = f"{'; '.join(said)}{more}. Send JSON as /openapi.json says it, its content type too."
    return problem_response(request.scope, 400 if malformed else 422, detail)


def _where(location: tuple[str | int, ...]) -> str:
    """As ``questions[3]``; the body's own name says nothing."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location[1:])
    return text.lstrip(".") or "body"


HANDLERS: Any = {HTTPException: _http, RequestValidationError: _invalid}
"""What tells the errors of the framework as problems; `RequestLog` tells all others."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Nothing is loaded from elsewhere, nothing inline is run."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
LARGE = 16_384
"""Bytes of a body that waits for its turn among others as large ..."""
PACE = 4_000_000
"""... of which so many a second are let through: many at once would hold up all other requests."""


@dataclass(frozen=True)
class Access:
    """Who may ask: one of the `keys`, if any, must come with each question and with a look at the
    metrics; pages of the `origins`, as ``https://example.org``, may ask, too. `confirms`: whether
    they may write down what questions mean."""

    keys: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    confirms: bool = False


def client_of(scope: Scope) -> str:
    client = scope.get("client")
    return client_name(client[0]) if client else ""


async def charge(limiter: RateLimiter, scope: Scope, questions: int = 1) -> None:
    """Take questions from the rate of the client that sent a request. Raises ProblemError if it has
    asked too many; after a while, as who asks again at once would keep the server busy with saying
    no."""
    wait = limiter.take(client_of(scope), questions)
    if wait:
        await asyncio.sleep(min(wait, PAUSE))
        said = f"more than {limiter.rate} questions a minute; ask again in {max(1, round(wait))} s"
        raise ProblemError(429, said, wait)


class SafeHeaders:
    """Puts the headers of safety on each response; answers are not to be stored."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                page = scope["path"] == "/" or scope["path"].startswith("/page/")
                headers.setdefault("Cache-Control", "no-cache" if page else "no-store")
            await send(message)

        await self.app(scope, receive, safe if scope["type"] == "http" else send)


class Guard:
    """Sends requests away that are too large, too slow, or too many, by a `ProblemError`. A body is
    read here, whole: so it is counted as it arrives, whatever its header says."""

    def __init__(self, app: ASGIApp, limits: Limits, limiter: RateLimiter, access: Access) -> None:
        self.app, self.limits, self.limiter = app, limits, limiter
        self._large = asyncio.Lock()
        self._keys = [_digest(key.encode()) for key in access.keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asks = scope["type"] == "http" and scope["method"] not in ("GET", "HEAD")
        if asks or scope.get("path") in KEYED:
            self._check_key(scope)
        if asks:
            await charge(self.limiter, scope)
            try:
                async with asyncio.timeout(self.limits.seconds):
                    body = await self._body(scope, receive)
            except TimeoutError:
                said = f"the body took longer than {self.limits.seconds:g} s; send it at once"
                raise ProblemError(408, said) from None
            # To read a large body as JSON takes as long as many questions do.
            await charge(self.limiter, scope, len(body) // self.limits.weight)
            if len(body) > LARGE:
                async with self._large:
                    await asyncio.sleep(len(body) / PACE)
            receive = _replay(body, receive)
        await self.app(scope, receive, send)

    def _check_key(self, scope: Scope) -> None:
        given = Headers(scope=scope).get("authorization", "").removeprefix("Bearer ")
        digest = _digest(given.encode())
        # Each is compared, and digests are, so that the time taken says nothing about a key.
        if self._keys and not sum(hmac.compare_digest(digest, key) for key in self._keys):
            said = "a key is needed here; send a header: Authorization: Bearer KEY"
            raise ProblemError(401, said)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        told = Headers(scope=scope).get("content-length", "")
        parts: list[bytes] = []
        size, more, most = 0, True, self.limits.body_of(scope["path"])
        if told.isdecimal() and int(told) > most:
            size, more = int(told), False
        while more:
            message = await receive()
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            more = message.get("more_body", False) and size <= most
        if size > most:
            said = f"the body has more than {most} bytes; send fewer or shorter questions"
            raise ProblemError(413, said)
        return b"".join(parts)


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


def _replay(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
